//! The log of a conversation: every call of a tool with what was decided about it, what came of it, and what takes it back.
//!
//! Read from journals each time, so that it is there after a reload and a restart. It must not leave a call out.

use std::sync::Arc;

use premath_bd::JournalRow;
use premath_bd::desk::SaidMessage;
use premath_kernel::{Digest, Value};
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::model::ToolCall;
use premath_tusk::policy::PlannedStep;
use premath_tusk::tools::payloads::{Payloads, StoredPayloads};
use premath_tusk::turn_loop::{Event, RunConfig};
use premath_wire::Json;
use premath_wire::strict::{Limits, parse};
use premath_wire::time::format_time;
use premath_wire::v1::{CallLogRow, IntentState};

use super::cards::{Cards as _, DeskCards};
use crate::agent::intent_result;
use crate::agent::traces::{each_session_row, objects_of};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The longest result that is given with its row.
const LONGEST_RESULT: u64 = 1 << 20;

/// Where a page of the log begins: a message, and how many of its calls were on earlier pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogPlace {
    pub(crate) position: u64,
    pub(crate) calls: usize,
}

impl LogPlace {
    /// As clients hand it back.
    pub(crate) fn cursor(self) -> String {
        format!("{}.{}", self.position, self.calls)
    }

    pub(crate) fn read(cursor: &str) -> Option<Self> {
        let (position, calls) = cursor.split_once('.')?;
        Some(Self { position: position.parse().ok()?, calls: calls.parse().ok()? })
    }
}

/// The calls of the run that answers a message.
pub(crate) fn log_of(workspace: &Workspace, said: &SaidMessage) -> Result<Vec<CallLogRow>, ActionError> {
    let mut rows = Vec::new();
    let mut runs = vec![said.run_id.clone()];
    // What a plan did is in the journal of its own run.
    while let Some(run_id) = runs.pop() {
        let read = calls_of(workspace, said.position, &run_id)?;
        rows.extend(read.rows);
        runs.extend(read.plans);
    }
    Ok(rows)
}

fn calls_of<'w>(workspace: &'w Workspace, position: u64, run_id: &str) -> Result<Reading<'w>, ActionError> {
    let payloads = match objects_of(workspace, run_id) {
        Ok(objects) => Some(Arc::new(StoredPayloads::new(objects))),
        Err(ActionError::NotRetained { .. }) => None,
        Err(error) => return Err(error),
    };
    let mut reading = Reading {
        workspace,
        position,
        payloads,
        plans: Vec::new(),
        risks: Vec::new(),
        steps: Vec::new(),
        run_id: run_id.to_owned(),
        call_id: String::new(),
        first: 0,
        turn_digest: String::new(),
        rows: Vec::new(),
    };
    each_session_row(workspace, run_id, |row| reading.take(row))?;
    Ok(reading)
}

struct Reading<'w> {
    workspace: &'w Workspace,
    position: u64,
    payloads: Option<Arc<StoredPayloads>>,
    /// Plans that were decided about: each has a run of that name once it is carried out.
    plans: Vec<String>,
    /// The tools of the run, and how much each can do.
    risks: Vec<(String, &'static str)>,
    /// The steps of the plan that the run carries out, until they are called.
    steps: Vec<PlannedStep>,
    run_id: String,
    call_id: String,
    /// The first row of the open turn.
    first: usize,
    turn_digest: String,
    rows: Vec<CallLogRow>,
}

impl Reading<'_> {
    fn take(&mut self, row: &JournalRow) {
        let event = &row.event;
        match text(event, "kind").unwrap_or_default() {
            "run.started" => self.started(event),
            "turn.called" => {
                text(event, "callId").unwrap_or_default().clone_into(&mut self.call_id);
                self.first = self.rows.len();
                self.carried_out(&format_time(row.at));
            }
            "turn.closed" => {
                text(event, "turnDigest").unwrap_or_default().clone_into(&mut self.turn_digest);
            }
            "program.called" => self.called_by_program(row),
            _other => {
                if let Ok(Some(event)) = Event::from_value(event) {
                    self.happened(event, &format_time(row.at));
                }
            }
        }
    }

    fn started(&mut self, event: &Value<'_>) {
        let config = event.as_object().and_then(|event| event.get("config"));
        let Some(config) = config.and_then(|config| RunConfig::from_value(config).ok()) else { return };
        self.risks = config.tools.iter().map(|spec| (spec.name.clone(), spec.risk.token())).collect();
        self.steps = config.policy.and_then(|policy| policy.plan).map(|plan| plan.steps).unwrap_or_default();
        self.run_id = config.run_id;
    }

    /// The run of a plan has no model: its first turn makes the calls that were approved.
    fn carried_out(&mut self, at: &str) {
        for step in std::mem::take(&mut self.steps) {
            let row = self.row(&step.id, &step.tool, &step.arguments, at);
            self.rows.push(row);
        }
    }

    fn happened(&mut self, event: Event, at: &str) {
        match event {
            Event::Answered(answer) => {
                let rows: Vec<CallLogRow> = answer.calls().map(|call| self.called(call, at)).collect();
                self.rows.extend(rows);
            }
            Event::Judged(judged) => {
                for said in judged.calls {
                    if let Some(row) = self.open(&said.tool_call_id) {
                        said.effect.token().clone_into(&mut row.decision);
                    }
                }
            }
            Event::Confirmed { confirmations } => {
                for said in confirmations {
                    if let Some(row) = self.open(&said.tool_call_id) {
                        said.answer.token().clone_into(&mut row.decision);
                    }
                }
            }
            Event::ToolsFinished { outcomes, traces, .. } => {
                for outcome in &outcomes {
                    self.ended(outcome);
                }
                for trace in traces {
                    if let Some(row) = self.open(&trace.tool_call_id) {
                        row.duration_ms = Some(trace.duration_micros / 1000);
                    }
                }
            }
            Event::ProgramKept { outcome } => self.ended(&outcome),
            Event::Applied { outcomes } => {
                for applied in &outcomes {
                    let result = intent_result(applied);
                    let cards = DeskCards::new(self.workspace);
                    let change = cards.change(&self.turn_digest, &applied.intent_digest);
                    if let Some(row) = self.open(&applied.tool_call_id) {
                        row.applied = Some(state(result.result).to_owned());
                        row.undo = change.and_then(|change| change.undo);
                    }
                }
            }
            Event::PlanDecided(plan) if !self.plans.contains(&plan.proposal_id) => {
                self.plans.push(plan.proposal_id);
            }
            Event::PlanDecided(_)
            | Event::ModelFailed { .. }
            | Event::PersonDecided { .. }
            | Event::WorkersReturned { .. }
            | Event::HandoffStored { .. }
            | Event::CompactionStored
            | Event::Interrupted
            | Event::Resumed { .. } => {}
        }
    }

    fn called(&self, call: &ToolCall, at: &str) -> CallLogRow {
        self.row(&call.id, &call.name, call.arguments.as_str(), at)
    }

    fn called_by_program(&mut self, row: &JournalRow) {
        let calls = row.event.as_object().and_then(|event| event.get("calls")).and_then(Value::as_array);
        let at = format_time(row.at);
        for call in calls.into_iter().flatten() {
            let member = |name: &str| text(call, name).unwrap_or_default();
            let row = self.row(member("id"), member("name"), member("arguments"), &at);
            self.rows.push(row);
        }
    }

    fn row(&self, id: &str, tool: &str, arguments: &str, at: &str) -> CallLogRow {
        let risk = self.risks.iter().find(|(name, _)| name == tool).map(|(_, risk)| *risk);
        let read = parse(arguments.as_bytes(), Limits::default()).map(Value::into_owned);
        let digest =
            read.as_ref().map_or_else(|_| Digest::of_bytes(arguments.as_bytes()), |value| Digest::of(value));
        CallLogRow {
            position: self.position,
            run_id: self.run_id.clone(),
            call_id: self.call_id.clone(),
            tool_call_id: id.to_owned(),
            at: at.to_owned(),
            tool: tool.to_owned(),
            risk: risk.unwrap_or_default().to_owned(),
            decision: "none".to_owned(),
            arguments: Json(read.unwrap_or(Value::Null)),
            args_digest: digest.as_str().to_owned(),
            status: "open".to_owned(),
            error_code: None,
            duration_ms: None,
            result: None,
            reference: None,
            applied: None,
            undo: None,
        }
    }

    fn ended(&mut self, outcome: &CallOutcome) {
        let (result, reference) = match &outcome.payload {
            Payload::Inline(text) => (Some(text.clone()), None),
            Payload::Stored { reference, bytes, .. } => {
                (self.whole(reference, *bytes), Some(reference.clone()))
            }
        };
        let Some(row) = self.open(&outcome.tool_call_id) else { return };
        let failure = outcome.failure();
        row.status = if failure.is_some() { "error" } else { "ok" }.to_owned();
        row.error_code = failure.map(|failure| failure.error_code.clone());
        row.result = match failure {
            Some(failure) if outcome.payload.is_empty() => Some(failure.message.clone()),
            Some(_) | None => result,
        };
        row.reference = reference;
    }

    fn whole(&self, reference: &str, bytes: u64) -> Option<String> {
        let payloads = self.payloads.as_ref().filter(|_| bytes <= LONGEST_RESULT)?;
        let piece = payloads.read(reference, 0, bytes).ok()?;
        String::from_utf8(piece.bytes).ok()
    }

    /// The call of the open turn, the newest of those that are named alike.
    fn open(&mut self, id: &str) -> Option<&mut CallLogRow> {
        self.rows.iter_mut().skip(self.first).rfind(|row| row.tool_call_id == id)
    }
}

const fn state(state: IntentState) -> &'static str {
    match state {
        IntentState::Applied => "applied",
        IntentState::Unchanged => "unchanged",
        IntentState::Refused => "refused",
    }
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}
