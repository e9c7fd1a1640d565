//! From the rows of a journal to the events that a watcher saw: as many as the rows still tell of, in their order.
//!
//! Nothing is run again, and nothing is checked: what is made of it is shown, never gone on from.

use std::collections::BTreeMap;

use premath_bd::JournalRow;
use premath_kernel::Value;
use premath_tusk::evidence::CallOutcome;
use premath_tusk::model::{AssistantPart, ToolCall};
use premath_tusk::policy::{Judged, RunPolicy, SensorTrace};
use premath_tusk::turn_loop::{Answer, Event, RunConfig};
use premath_wire::Json;
use premath_wire::v1::{ModelTextKind, ReasonRow, RunEnding, RunEventKind, RunEventRow};

use crate::agent::event_rows::{call_end, confirmation, json, judged, plan_step, used};
use crate::agent::intent_result;

/// Reads a journal row by row.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    run_id: String,
    call_id: String,
    /// The calls of the open turn, in order.
    calls: Vec<ToolCall>,
    error_kind: Option<String>,
}

impl Recalled {
    /// The events of a row.
    pub(super) fn take(&mut self, row: &JournalRow) -> Vec<RunEventRow> {
        let mut events = Vec::new();
        let event = &row.event;
        match text(event, "kind").unwrap_or_default() {
            "run.started" => self.started(event, &mut events),
            "run.resumed" => events.push(self.begins(true, Vec::new())),
            "turn.called" => {
                text(event, "callId").unwrap_or_default().clone_into(&mut self.call_id);
                self.calls.clear();
                events.push(RunEventKind::TurnStarted {
                    call_id: self.call_id.clone(),
                    turn: number(event, "turn"),
                    harness: None,
                });
            }
            "turn.closed" => events.push(closed(event)),
            "run.stopped" => events.extend(self.stopped(event)),
            _other => {
                if let Ok(Some(event)) = Event::from_value(event) {
                    self.happened(event, &mut events);
                }
            }
        }
        events.into_iter().map(|event| RunEventRow { workers: Vec::new(), event }).collect()
    }

    fn started(&mut self, event: &Value<'_>, events: &mut Vec<RunEventKind>) {
        let config = event.as_object().and_then(|event| event.get("config"));
        let Some(config) = config.and_then(|config| RunConfig::from_value(config).ok()) else { return };
        let denied = config.policy.as_ref().map(RunPolicy::denied).unwrap_or_default();
        self.run_id = config.run_id;
        events.push(
            self.begins(false, denied.iter().map(|error| Json(error.for_client().into_owned())).collect()),
        );
    }

    fn begins(&self, resumed: bool, denied: Vec<Json>) -> RunEventKind {
        RunEventKind::RunStarted {
            run_id: self.run_id.clone(),
            task: String::new(),
            issue_id: None,
            models: Vec::new(),
            pattern: String::new(),
            resumed,
            depth: 0,
            denied,
            blocked: Vec::new(),
            workdir: None,
        }
    }

    fn happened(&mut self, event: Event, events: &mut Vec<RunEventKind>) {
        match event {
            Event::Answered(answer) => self.answered(&answer, events),
            Event::ModelFailed { error_kind, .. } => self.error_kind = Some(error_kind),
            Event::Judged(said) => self.judged(&said, events),
            Event::Confirmed { confirmations } => {
                let confirmations = confirmations.iter().map(confirmation).collect();
                events.push(RunEventKind::PersonConfirmed { confirmations });
            }
            Event::PersonDecided { decision } => {
                events.push(RunEventKind::PersonDecided { decision: decision.token().to_owned() });
            }
            Event::PlanDecided(plan) => events.push(RunEventKind::PlanDecided {
                proposal_id: plan.proposal_id,
                state: plan.state,
                steps: plan.steps.iter().map(plan_step).collect(),
            }),
            Event::ToolsFinished { outcomes, traces, .. } => self.ran(&outcomes, &traces, events),
            Event::ProgramKept { outcome } => self.ran(std::slice::from_ref(&outcome), &[], events),
            Event::Applied { outcomes } => {
                events.extend(outcomes.iter().map(|one| RunEventKind::IntentApplied(intent_result(one))));
            }
            Event::WorkersReturned { .. }
            | Event::HandoffStored { .. }
            | Event::CompactionStored
            | Event::Interrupted
            | Event::Resumed { .. } => {}
        }
    }

    fn answered(&mut self, answer: &Answer, events: &mut Vec<RunEventKind>) {
        for part in &answer.parts {
            let (kind, text) = match part {
                AssistantPart::Text(text) => (ModelTextKind::Text, text),
                AssistantPart::Refusal(text) => (ModelTextKind::Refusal, text),
                AssistantPart::Reasoning(reasoning) => (ModelTextKind::Reasoning, &reasoning.text),
                AssistantPart::ToolCall(_) | AssistantPart::Opaque(_) => continue,
            };
            if !text.is_empty() {
                events.push(RunEventKind::ModelText { kind, text: text.clone() });
            }
        }
        self.calls = answer.calls().cloned().collect();
        events.push(RunEventKind::TurnAnswered {
            call_id: self.call_id.clone(),
            model: answer.model_ref.clone(),
            stop: answer.stop.to_string(),
            usage: used(answer.usage),
            cost_micro_usd: answer.cost_micros,
        });
    }

    fn judged(&self, said: &Judged, events: &mut Vec<RunEventKind>) {
        for judgement in &said.calls {
            let tool = self.calls.iter().find(|call| call.id == judgement.tool_call_id);
            let tool = tool.map(|call| call.name.as_str()).unwrap_or_default();
            events.extend(judged(tool, judgement));
        }
    }

    fn ran(&self, outcomes: &[CallOutcome], traces: &[SensorTrace], events: &mut Vec<RunEventKind>) {
        let millis: BTreeMap<&str, u64> =
            traces.iter().map(|trace| (trace.tool_call_id.as_str(), trace.duration_micros / 1000)).collect();
        let called = |id: &str| self.calls.iter().find(|call| call.id == id);
        for outcome in outcomes {
            let Some(call) = called(&outcome.tool_call_id) else { continue };
            events.push(RunEventKind::CallStarted {
                tool_call_id: call.id.clone(),
                tool: call.name.clone(),
                arguments: json(&call.arguments),
                diff: None,
                program: None,
            });
        }
        for outcome in outcomes {
            let Some(call) = called(&outcome.tool_call_id) else { continue };
            let millis = millis.get(outcome.tool_call_id.as_str()).copied().unwrap_or_default();
            events.push(RunEventKind::CallFinished(Box::new(call_end(&call.name, outcome, millis))));
        }
    }

    fn stopped(&mut self, event: &Value<'_>) -> Option<RunEventKind> {
        let token = text(event, "outcome")?;
        let outcome = ENDINGS.into_iter().find(|ending| ending.token() == token)?;
        let error_kind = self.error_kind.take().filter(|_| outcome == RunEnding::ModelFailed);
        Some(RunEventKind::RunStopped { run_id: self.run_id.clone(), outcome, error_kind })
    }
}

const ENDINGS: [RunEnding; 9] = [
    RunEnding::Completed,
    RunEnding::HandedOff,
    RunEnding::FailedClosed,
    RunEnding::Limit,
    RunEnding::Interrupted,
    RunEnding::NeedsPerson,
    RunEnding::QuestionExpired,
    RunEnding::Declined,
    RunEnding::ModelFailed,
];

fn closed(event: &Value<'_>) -> RunEventKind {
    let member = |row: &Value<'_>, name: &str| text(row, name).unwrap_or_default().to_owned();
    let reasons = event.as_object().and_then(|event| event.get("reasons")).and_then(Value::as_array);
    let reason = |row: &Value<'_>| ReasonRow {
        class: member(row, "class"),
        subject: member(row, "subject"),
        detail: member(row, "detail"),
    };
    RunEventKind::TurnClosed {
        call_id: member(event, "callId"),
        closed: text(event, "result") == Some("accepted"),
        reasons: reasons.into_iter().flatten().map(reason).collect(),
        turn_digest: member(event, "turnDigest"),
        witness_id: member(event, "witnessId"),
    }
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}

fn number(row: &Value<'_>, member: &str) -> u64 {
    let found = row.as_object().and_then(|row| row.get(member)?.as_number()?.as_u64());
    found.unwrap_or_default()
}
