//! The records a machine leaves: rows of the journal that say what it decided. Replay compares them byte for byte.

use premath_bd::JournalEvent;
use premath_kernel::{Digest, Object, Value};

use super::code::{Ended, RefusedCall};
use super::config::RunConfig;
use super::plan::arguments_digest;
use super::state::Purpose;
use super::step::{PlannedCall, WorkerPlan};
use super::watch::{AppliedIntent, IntentOutcome, RunOutcome, RunReport, StopCause, Verdict};
use crate::context::views::PendingIntent;
use crate::context::{CompactionArtifact, HandoffPacket};
use crate::evidence::row::count;

/// The first row of every run.
pub(crate) const STARTED: &str = "run.started";
/// The row that says that a turn has begun.
pub(crate) const CALLED: &str = "turn.called";
/// The row that says what a program calls.
pub(crate) const PROGRAM_CALLED: &str = "program.called";
/// The row that says how a turn was judged.
pub(crate) const CLOSED: &str = "turn.closed";
/// The last row of every run that ended by itself.
pub(crate) const STOPPED: &str = "run.stopped";

pub(crate) fn started(config: &RunConfig) -> JournalEvent {
    JournalEvent::new(STARTED, Object::fields().field("config", config.to_value()))
}

pub(crate) fn called(call_id: &str, turn: u64, purpose: &Purpose, context: &Digest) -> JournalEvent {
    let fields = Object::fields()
        .field("callId", call_id)
        .field("contextDigest", context)
        .optional("purpose", purpose.token())
        .field("turn", count(turn));
    JournalEvent::new(CALLED, fields)
}

pub(crate) fn closed(verdict: &Verdict, call_spec: &Digest) -> JournalEvent {
    let fields = Object::fields()
        .field("callId", verdict.call_id.as_str())
        .field("callSpecDigest", call_spec)
        .non_empty("reasons", verdict.reasons.iter().map(reason).collect())
        .field("result", if verdict.is_closed { "accepted" } else { "rejected" })
        .field("turnDigest", verdict.turn_digest.as_str())
        // Not a reference: the witness is this row, until a decision that rests on it is stored as a file.
        .field("witnessId", verdict.witness_id.as_str());
    JournalEvent::new(CLOSED, fields)
}

fn reason((class, subject, detail): &(String, String, String)) -> Value<'_> {
    Object::fields()
        .field("class", class.as_str())
        .field("detail", detail.as_str())
        .field("subject", subject.as_str())
        .finish()
}

pub(crate) fn asked(call_id: &str, question: &str) -> JournalEvent {
    let fields = Object::fields().field("callId", call_id).field("question", question);
    JournalEvent::new("person.asked", fields)
}

/// The calls that a program makes, before any of them runs.
pub(crate) fn program_called(parent: &str, calls: &[PlannedCall]) -> JournalEvent {
    let call = |call: &PlannedCall| {
        Object::fields()
            .field("arguments", call.call.arguments.as_str().to_owned())
            .field("argumentsDigest", arguments_digest(&call.call).as_str().to_owned())
            .field("id", call.call.id.clone())
            .field("name", call.call.name.clone())
            .finish()
    };
    let fields = Object::fields()
        .field("calls", calls.iter().map(call).collect::<Vec<_>>())
        .field("toolCallId", parent);
    JournalEvent::new(PROGRAM_CALLED, fields)
}

/// Calls that a program wanted to make and that are none.
pub(crate) fn program_refused(parent: &str, calls: &[RefusedCall]) -> JournalEvent {
    let call = |call: &RefusedCall| {
        Object::fields()
            .field("argumentsDigest", call.arguments.as_str().to_owned())
            .field("class", call.class.clone())
            .field("name", call.name.clone())
            .finish()
    };
    let fields = Object::fields()
        .field("calls", calls.iter().map(call).collect::<Vec<_>>())
        .field("toolCallId", parent);
    JournalEvent::new("program.refused", fields)
}

/// How a program ended.
pub(crate) fn program_ended(ended: &Ended) -> JournalEvent {
    let made = u64::try_from(ended.calls.len()).unwrap_or(u64::MAX);
    let fields = Object::fields()
        .optional("droppedIntents", (ended.dropped > 0).then(|| count(ended.dropped)))
        .field("fuel", count(ended.steps))
        .field("programDigest", &ended.program)
        .optional("refusedCalls", (ended.refused > 0).then(|| count(ended.refused)))
        .field("result", ended.result.as_str())
        .optional("stderrDigest", ended.stderr.as_ref())
        .field("stdoutDigest", &ended.stdout)
        .field("toolCallId", ended.id.as_str())
        .field("toolCalls", count(made))
        .field("unfilteredTokens", count(ended.unfiltered));
    JournalEvent::new("program.ended", fields)
}

pub(crate) fn spawned(plans: &[WorkerPlan]) -> JournalEvent {
    let fields = Object::fields().field("workers", plans.iter().map(worker).collect::<Vec<_>>());
    JournalEvent::new("workers.spawned", fields)
}

fn worker(plan: &WorkerPlan) -> Value<'_> {
    Object::fields()
        .field("issueId", plan.issue_id.as_str())
        .field("title", plan.title.as_str())
        .field("toolCallId", plan.tool_call_id.as_str())
        .finish()
}

pub(crate) fn handed(packet: &HandoffPacket) -> JournalEvent {
    let digest = packet.digest();
    let fields = Object::fields().field("digest", &digest).field("packet", packet.to_value());
    JournalEvent::new("handoff.prepared", fields)
}

pub(crate) fn compacted(artifact: &CompactionArtifact) -> JournalEvent {
    let fields = Object::fields().field("artifact", artifact.to_value());
    JournalEvent::new("context.compacted", fields)
}

pub(crate) fn windowed(dropped: usize, context: &Digest) -> JournalEvent {
    let fields = Object::fields()
        .field("contextDigest", context)
        .field("dropped", count(u64::try_from(dropped).unwrap_or(u64::MAX)));
    JournalEvent::new("context.windowed", fields)
}

pub(crate) fn stopped(report: &RunReport) -> JournalEvent {
    let filtered = report.has_filtered();
    let fields = Object::fields()
        .field("applied", count(report.applied))
        .field("costMicros", count(report.cost_micros))
        .optional("filteredTokens", filtered.then(|| count(report.filtered_tokens)))
        .field("outcome", report.outcome.token())
        .field("refusedTurns", count(report.refused_turns))
        .field("runId", report.run_id.as_str())
        .field("tokens", count(report.tokens))
        .field("toolCalls", count(report.tool_calls))
        .field("turns", count(report.turns))
        .optional("unfilteredTokens", filtered.then(|| count(report.unfiltered_tokens)))
        .field("wallMillis", count(report.wall_millis))
        .field("workers", count(report.workers));
    let fields = match &report.outcome {
        RunOutcome::Completed | RunOutcome::HandedOff { .. } => fields,
        RunOutcome::FailedClosed { classes, detail } => fields
            .field("classes", Value::text_list(classes.iter().map(String::as_str)))
            .field("detail", detail.as_str()),
        RunOutcome::Stopped(cause) => match cause {
            StopCause::Limit(name) => fields.field("detail", name.as_str()),
            StopCause::Interrupted | StopCause::Declined => fields,
            StopCause::NeedsPerson(question) | StopCause::QuestionExpired(question) => {
                fields.field("detail", question.as_str())
            }
            StopCause::Model { kind, message } => {
                fields.field("detail", message.as_str()).field("errorKind", kind.as_str())
            }
        },
    };
    JournalEvent::new(STOPPED, fields)
}

/// What a view tells of an intent.
pub(crate) fn pending_intent(applied: &AppliedIntent) -> PendingIntent {
    let outcome = match &applied.outcome {
        IntentOutcome::Applied { issue_id, status } => format!("applied: {issue_id} is {status}"),
        IntentOutcome::Changed { id, status } => format!("applied: {id} is {status}"),
        IntentOutcome::Unchanged => "nothing to change".to_owned(),
        IntentOutcome::Refused { class, detail } => format!("refused: {class}: {detail}"),
    };
    PendingIntent { intent_digest: applied.intent_digest.clone(), action: applied.action.clone(), outcome }
}
