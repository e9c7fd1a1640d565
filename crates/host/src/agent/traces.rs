//! Looking at runs: which there are, what happened in one, what a model saw in a turn, and whether one runs again.
//!
//! Everything is read from journals; a turn is shown by running its machine again. It must not change anything.

use std::sync::Arc;

use premath_bd::{Journal, JournalRow, StoreError, runs_folder, sessions};
use premath_kernel::{Digests, Value};
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::model::{AssistantPart, Message, UserPart};
use premath_tusk::turn_loop::{
    Answer, AppliedIntent, Event, IntentOutcome, Redrive, RedriveError, RunConfig, Step,
};
use premath_wire::Json;
use premath_wire::time::format_time;
use premath_wire::v1::{
    CallArtifact, CallRow, CallTruncation, IntentResult, IntentState, MessageRow, ReasonRow, ReplayAnswer,
    ReplayDifference, RunCard, RunEnding, RunListing, RunRow, TurnCard, TurnDigests, TurnRow, TurnVerdict,
    WorkerRow,
};

use super::resume::{differs, each_journal_row, missing};
use crate::actions::issue::count;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

fn journal(workspace: &Workspace, run_id: &str) -> Result<Journal, ActionError> {
    Ok(Journal::open(Arc::clone(&workspace.disk), &runs_folder(&workspace.root), run_id)?)
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}

fn number(row: &Value<'_>, member: &str) -> Option<u64> {
    row.as_object()?.get(member)?.as_number()?.as_u64()
}

fn ending(token: &str) -> Option<RunEnding> {
    [
        RunEnding::Completed,
        RunEnding::HandedOff,
        RunEnding::FailedClosed,
        RunEnding::Limit,
        RunEnding::Interrupted,
        RunEnding::NeedsPerson,
        RunEnding::Declined,
        RunEnding::ModelFailed,
    ]
    .into_iter()
    .find(|ending| ending.token() == token)
}

/// What a journal says of its run, row by row.
#[derive(Debug, Default)]
struct Trace {
    row: Option<RunRow>,
    pattern: String,
    detail: Option<String>,
    turns: Vec<TurnRow>,
    workers: Vec<WorkerRow>,
    applied: Vec<IntentResult>,
}

impl Trace {
    fn read(journal: &Journal) -> Result<Self, ActionError> {
        let mut trace = Self::default();
        each_journal_row(journal, |row| {
            trace.take(row);
            Ok(())
        })?;
        Ok(trace)
    }

    fn take(&mut self, journal_row: &JournalRow) {
        let event = &journal_row.event;
        match text(event, "kind").unwrap_or_default() {
            "run.started" => self.started(journal_row),
            "turn.called" => self.called(event),
            "turn.answered" | "turn.results" | "turn.applied" | "workers.returned" => self.happened(event),
            "turn.closed" => self.closed(event),
            "workers.spawned" => self.spawned(event),
            "run.stopped" => {
                self.detail = text(event, "detail").map(str::to_owned);
                if let Some(row) = &mut self.row {
                    row.outcome = text(event, "outcome").and_then(ending);
                    row.stopped_at = Some(format_time(journal_row.at));
                }
            }
            "run.resumed" => {
                if let Some(row) = &mut self.row {
                    (row.outcome, row.stopped_at) = (None, None);
                }
            }
            _other => {}
        }
    }

    fn started(&mut self, journal_row: &JournalRow) {
        let config = journal_row.event.as_object().and_then(|event| event.get("config"));
        let Some(config) = config.and_then(|config| RunConfig::from_value(config).ok()) else { return };
        self.pattern = config.workflow.pattern.token().to_owned();
        self.row = Some(RunRow {
            run_id: config.run_id,
            task: config.task,
            issue_id: config.issue_id,
            started_at: format_time(journal_row.at),
            stopped_at: None,
            outcome: None,
            turns: 0,
            model: None,
            parent_run_id: config.parent.map(|parent| parent.run_id),
        });
    }

    fn called(&mut self, event: &Value<'_>) {
        if let Some(row) = &mut self.row {
            row.turns += 1;
        }
        self.turns.push(TurnRow {
            call_id: text(event, "callId").unwrap_or_default().to_owned(),
            turn: number(event, "turn").unwrap_or_default(),
            model: "harness".to_owned(),
            stop: "tool_use".to_owned(),
            tools: Vec::new(),
            verdict: TurnVerdict::Open,
            failure_classes: Vec::new(),
            turn_digest: String::new(),
            witness_id: String::new(),
            tokens: 0,
            cost_micro_usd: None,
        });
    }

    fn happened(&mut self, event: &Value<'_>) {
        match Event::from_value(event) {
            Ok(Some(Event::Answered(answer))) => self.answered(&answer),
            Ok(Some(Event::Applied { outcomes })) => self.applied.extend(outcomes.iter().map(intent_result)),
            Ok(Some(Event::WorkersReturned { workers })) => {
                for returned in workers {
                    let known = self.workers.iter_mut().find(|worker| worker.issue_id == returned.issue_id);
                    if let Some(worker) = known {
                        worker.run_id = returned.run_id;
                        worker.outcome = ending(&returned.outcome);
                    }
                }
            }
            Ok(Some(_) | None) | Err(_) => {}
        }
    }

    fn answered(&mut self, answer: &Answer) {
        if let Some(row) = &mut self.row {
            row.model = Some(answer.model_ref.clone());
        }
        let Some(turn) = self.turns.last_mut() else { return };
        let usage = answer.usage;
        turn.model.clone_from(&answer.model_ref);
        turn.stop = answer.stop.to_string();
        turn.tools = answer.calls().map(|call| call.name.clone()).collect();
        turn.tokens =
            usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
        turn.cost_micro_usd = answer.cost_micros;
    }

    fn closed(&mut self, event: &Value<'_>) {
        let call_id = text(event, "callId").unwrap_or_default();
        let Some(turn) = self.turns.iter_mut().rfind(|turn| turn.call_id == call_id) else { return };
        let is_closed = text(event, "result") == Some("accepted");
        turn.verdict = if is_closed { TurnVerdict::Closed } else { TurnVerdict::Refused };
        turn.failure_classes = reasons(event).into_iter().map(|reason| reason.class).collect();
        turn.failure_classes.sort();
        turn.failure_classes.dedup();
        turn.turn_digest = text(event, "turnDigest").unwrap_or_default().to_owned();
        turn.witness_id = text(event, "witnessId").unwrap_or_default().to_owned();
    }

    fn spawned(&mut self, event: &Value<'_>) {
        let workers = event.as_object().and_then(|event| event.get("workers")).and_then(Value::as_array);
        for worker in workers.into_iter().flatten() {
            self.workers.push(WorkerRow {
                run_id: String::new(),
                issue_id: text(worker, "issueId").unwrap_or_default().to_owned(),
                title: text(worker, "title").unwrap_or_default().to_owned(),
                outcome: None,
            });
        }
    }
}

fn reasons(event: &Value<'_>) -> Vec<ReasonRow> {
    let rows = event.as_object().and_then(|event| event.get("reasons")).and_then(Value::as_array);
    let reason = |row: &Value<'_>| {
        let member = |name: &str| text(row, name).unwrap_or_default().to_owned();
        ReasonRow { class: member("class"), subject: member("subject"), detail: member("detail") }
    };
    rows.into_iter().flatten().map(reason).collect()
}

fn intent_result(applied: &AppliedIntent) -> IntentResult {
    let mut result = IntentResult {
        tool_call_id: applied.tool_call_id.clone(),
        action: applied.action.clone(),
        intent_digest: applied.intent_digest.clone(),
        result: IntentState::Unchanged,
        issue_id: None,
        status: None,
        class: None,
        detail: None,
    };
    match &applied.outcome {
        IntentOutcome::Applied { issue_id, status } => {
            result.result = IntentState::Applied;
            (result.issue_id, result.status) = (Some(issue_id.clone()), Some(status.clone()));
        }
        IntentOutcome::Unchanged => {}
        IntentOutcome::Refused { class, detail } => {
            result.result = IntentState::Refused;
            (result.class, result.detail) = (Some(class.clone()), Some(detail.clone()));
        }
    }
    result
}

/// Every run, the newest first.
pub(crate) fn list(workspace: &Workspace, limit: usize) -> Result<RunListing, ActionError> {
    let mut items = Vec::new();
    for session in sessions(workspace.disk.as_ref(), &runs_folder(&workspace.root))? {
        match Trace::read(&journal(workspace, &session)?) {
            Ok(trace) => items.extend(trace.row),
            // A folder that a process left before it wrote anything is no run.
            Err(ActionError::Store(StoreError::Missing { .. }) | ActionError::Input(_)) => {}
            Err(error) => return Err(error),
        }
    }
    items.sort_by(|left, right| right.started_at.cmp(&left.started_at).then(right.run_id.cmp(&left.run_id)));
    items.truncate(limit);
    Ok(RunListing { action: "run.list".to_owned(), count: count(items.len()), items })
}

/// The newest run that can be resumed.
pub(super) fn newest_resumable(workspace: &Workspace) -> Result<Option<String>, ActionError> {
    let listing = list(workspace, usize::MAX)?;
    let can = |row: &RunRow| row.parent_run_id.is_none() && row.outcome.is_none_or(is_resumable);
    Ok(listing.items.into_iter().find(can).map(|row| row.run_id))
}

const fn is_resumable(ending: RunEnding) -> bool {
    match ending {
        RunEnding::Completed | RunEnding::HandedOff | RunEnding::FailedClosed => false,
        RunEnding::Limit
        | RunEnding::Interrupted
        | RunEnding::NeedsPerson
        | RunEnding::Declined
        | RunEnding::ModelFailed => true,
    }
}

/// One run with its turns.
pub(crate) fn show(workspace: &Workspace, run_id: &str) -> Result<RunCard, ActionError> {
    let journal = journal(workspace, run_id)?;
    let trace = Trace::read(&journal)?;
    let row = trace.row.ok_or_else(|| missing(&format!("there is no run `{run_id}`")))?;
    Ok(RunCard {
        action: "run.show".to_owned(),
        resumable: row.outcome.is_none_or(is_resumable),
        run: row,
        pattern: trace.pattern,
        detail: trace.detail,
        journal: shown(journal.path()),
        turns: trace.turns,
        workers: trace.workers,
        applied: trace.applied,
    })
}

/// Every row of a run's journal, as it is.
pub(crate) fn rows(workspace: &Workspace, run_id: &str) -> Result<Vec<JournalRow>, ActionError> {
    let mut rows = Vec::new();
    each_journal_row(&journal(workspace, run_id)?, |row| {
        rows.push(row.clone());
        Ok(())
    })?;
    Ok(rows)
}

/// Runs a run again and compares everything.
pub(crate) fn replay(workspace: &Workspace, run_id: &str) -> Result<ReplayAnswer, ActionError> {
    let journal = journal(workspace, run_id)?;
    let mut redrive = Redrive::default();
    let mut answer = ReplayAnswer {
        action: "run.replay".to_owned(),
        run_id: run_id.to_owned(),
        rows: 0,
        turns: 0,
        identical: true,
        first_difference: None,
        head: String::new(),
    };
    let mut last_kind = String::new();
    each_journal_row(&journal, |row| {
        answer.head.clone_from(&row.row_digest);
        if answer.first_difference.is_some() {
            return Ok(());
        }
        answer.rows += 1;
        let kind = text(&row.event, "kind").unwrap_or_default();
        answer.turns += u64::from(kind == "turn.closed");
        last_kind = kind.to_owned();
        if let Err(error) = redrive.take(row.seq, &row.event) {
            answer.first_difference = Some(difference(row.seq, kind, &error));
        }
        Ok(())
    })?;
    // Records that the journal lacks are a difference only where it says that the run has ended.
    let is_ended = last_kind == "run.stopped";
    if answer.first_difference.is_none() {
        let done = redrive.finish().map_err(|error| differs(&journal, &error))?;
        if let Some(record) = done.unwritten.first().filter(|_| is_ended) {
            let kind = record.kind().to_owned();
            let detail = "the machine goes on where the journal ends".to_owned();
            answer.first_difference = Some(ReplayDifference { seq: answer.rows, kind, detail });
        }
    }
    answer.identical = answer.first_difference.is_none();
    Ok(answer)
}

fn difference(seq: u64, kind: &str, error: &RedriveError) -> ReplayDifference {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    ReplayDifference { seq, kind: kind.to_owned(), detail: format!("{error}{why}") }
}

/// What one turn was: what the model saw, what it said, what came of it, how it was judged.
pub(crate) fn turn(workspace: &Workspace, call_id: &str) -> Result<TurnCard, ActionError> {
    let unknown = || missing(&format!("there is no turn `{call_id}`"));
    let (run_id, _) = call_id.rsplit_once(".t").ok_or_else(unknown)?;
    let journal = journal(workspace, run_id)?;
    let mut looking = Looking { call_id, card: None, redrive: Redrive::default(), is_inside: false, shown: 0 };
    each_journal_row(&journal, |row| {
        looking.take(row).map_err(|error| differs(&journal, &error))
    })?;
    looking.card.ok_or_else(unknown)
}

/// A machine that is run again until one turn, and looked at there.
struct Looking<'l> {
    call_id: &'l str,
    card: Option<TurnCard>,
    redrive: Redrive,
    is_inside: bool,
    /// How many messages were shown before.
    shown: usize,
}

impl Looking<'_> {
    fn take(&mut self, row: &JournalRow) -> Result<(), RedriveError> {
        self.redrive.take(row.seq, &row.event)?;
        let event = &row.event;
        match text(event, "kind").unwrap_or_default() {
            "turn.called" => self.called(event),
            "turn.closed" if self.is_inside => self.closed(event),
            _other if self.is_inside => self.inside(event),
            _other => {}
        }
        Ok(())
    }

    fn called(&mut self, event: &Value<'_>) {
        self.is_inside = text(event, "callId") == Some(self.call_id);
        let Some(machine) = self.redrive.machine() else { return };
        let messages: Vec<Message> = match machine.next() {
            Step::CallModel(call) => call.request.messages.iter().cloned().collect(),
            Step::CallTools(_)
            | Step::Apply(_)
            | Step::Spawn(_)
            | Step::AskHuman(_)
            | Step::Handoff(_)
            | Step::Compact(_)
            | Step::Done(_) => Vec::new(),
        };
        if self.is_inside && self.card.is_none() {
            self.card = Some(TurnCard {
                action: "turn.show".to_owned(),
                call_id: self.call_id.to_owned(),
                run_id: machine.config().run_id.clone(),
                turn: number(event, "turn").unwrap_or_default(),
                model: format!("harness:{}", machine.config().workflow.pattern.token()),
                stop: String::new(),
                saw: messages.iter().skip(self.shown).flat_map(message_rows).collect(),
                answered: Vec::new(),
                calls: Vec::new(),
                digests: None,
                verdict: TurnVerdict::Open,
                reasons: Vec::new(),
                witness_id: None,
                applied: Vec::new(),
            });
        }
        if !messages.is_empty() {
            self.shown = messages.len();
        }
    }

    fn inside(&mut self, event: &Value<'_>) {
        let Some(card) = &mut self.card else { return };
        match Event::from_value(event) {
            Ok(Some(Event::Answered(answer))) => {
                card.model.clone_from(&answer.model_ref);
                card.stop = answer.stop.to_string();
                card.answered = answer.parts.iter().filter_map(part_row).collect();
                card.calls = answer.calls().map(call_row).collect();
            }
            Ok(Some(Event::ToolsFinished { outcomes, .. })) => {
                for (call, outcome) in card.calls.iter_mut().zip(&outcomes) {
                    came_of(call, outcome);
                }
            }
            Ok(Some(Event::Applied { outcomes })) => card.applied = outcomes.iter().map(intent_result).collect(),
            Ok(Some(_) | None) | Err(_) => {}
        }
    }

    fn closed(&mut self, event: &Value<'_>) {
        let digests = self.redrive.machine().and_then(|machine| machine.last_digests()).map(digests);
        let rendered = self.redrive.machine().map(|machine| machine.last_rendered().to_vec());
        let Some(card) = &mut self.card else { return };
        card.digests = digests;
        for (call, text) in card.calls.iter_mut().zip(rendered.unwrap_or_default()) {
            call.rendered = text;
        }
        let is_closed = text(event, "result") == Some("accepted");
        card.verdict = if is_closed { TurnVerdict::Closed } else { TurnVerdict::Refused };
        card.reasons = reasons(event);
        card.witness_id = text(event, "witnessId").map(str::to_owned);
    }
}

fn digests(digests: &Digests) -> TurnDigests {
    let text = |digest: &premath_kernel::Digest| digest.as_str().to_owned();
    TurnDigests {
        call_spec_digest: text(&digests.call_spec),
        request_set_digest: text(&digests.request_set),
        result_set_digest: text(&digests.result_set),
        use_set_digest: text(&digests.use_set),
        tool_render_set_digest: text(&digests.tool_render_set),
        reminder_queue_set_digest: text(&digests.reminder_queue_set),
        state_view_set_digest: text(&digests.state_view_set),
        protocol_state_digest: text(&digests.protocol_state),
        join_set_digest: text(&digests.join_set),
        turn_digest: text(&digests.turn),
    }
}

fn message_rows(message: &Message) -> Vec<MessageRow> {
    match message {
        Message::User(parts) => parts.iter().map(user_row).collect(),
        Message::Assistant(parts) => parts.iter().filter_map(part_row).collect(),
    }
}

fn user_row(part: &UserPart) -> MessageRow {
    match part {
        UserPart::Text { text, .. } => {
            MessageRow { role: "user".to_owned(), tool_call_id: None, text: text.clone() }
        }
        UserPart::ToolResult(result) => MessageRow {
            role: "tool".to_owned(),
            tool_call_id: Some(result.call_id.clone()),
            text: result.content.clone(),
        },
    }
}

fn part_row(part: &AssistantPart) -> Option<MessageRow> {
    let row = |id: Option<String>, text: String| {
        Some(MessageRow { role: "assistant".to_owned(), tool_call_id: id, text })
    };
    match part {
        AssistantPart::Text(text) | AssistantPart::Refusal(text) => row(None, text.clone()),
        AssistantPart::ToolCall(call) => {
            row(Some(call.id.clone()), format!("{} {}", call.name, call.arguments.as_str()))
        }
        AssistantPart::Reasoning(_) | AssistantPart::Opaque(_) => None,
    }
}

fn call_row(call: &premath_tusk::model::ToolCall) -> CallRow {
    CallRow {
        tool_call_id: call.id.clone(),
        tool: call.name.clone(),
        arguments: Json(premath_wire::strict::parse(call.arguments.as_str().as_bytes(), premath_wire::strict::Limits::default()).map_or(Value::Null, Value::into_owned)),
        status: "open".to_owned(),
        error_code: None,
        exit_code: None,
        rendered: String::new(),
        truncation: None,
        artifacts: Vec::new(),
    }
}

fn came_of(call: &mut CallRow, outcome: &CallOutcome) {
    call.status = if outcome.failure().is_some() { "error" } else { "ok" }.to_owned();
    call.error_code = outcome.failure().map(|failure| failure.error_code.clone());
    call.exit_code = outcome.exit_code;
    call.truncation = match &outcome.payload {
        Payload::Inline(_) => None,
        Payload::Stored { reference, bytes, head, tail } => Some(CallTruncation {
            original_bytes: *bytes,
            kept_bytes: count(head.len() + tail.len()),
            reference: Some(reference.clone()),
        }),
    };
    call.artifacts = outcome
        .artifacts
        .iter()
        .map(|artifact| CallArtifact {
            path: artifact.path.clone(),
            access: artifact.access.token().to_owned(),
            digest: artifact.digest.as_ref().map(|digest| digest.as_str().to_owned()),
        })
        .collect();
}
