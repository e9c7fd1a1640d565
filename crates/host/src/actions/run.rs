//! `run.*`, `turn.show` and `turn.export`: running agents, and looking at what they did.

use std::path::Path;

use premath_bd::{Cursor, JournalRow};
use premath_kernel::Value;
use premath_wire::Canonical;
use premath_wire::v1::{RefusedAnswer, RefusedBecause, RunAnswer, RunEnding, RunEvents, RunExport};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use super::issue_upkeep::place_file;
use crate::agent::{
    RunRefused, RunStarted, follow_run, resume as go_on, retention, start as begin, told_row, traces,
};
use crate::table::{ActionError, Answer, Host};

/// What asks for something that a run did not keep is refused with.
const NOT_RETAINED: &str = "payload_not_retained";
/// What asks for the case of a turn that was not judged is refused with.
const TURN_OPEN: &str = "turn_open";
/// How many runs are listed when nobody says.
const LISTED: u64 = 50;
/// How many rows of a run are given out when nobody says, and at most.
const FOLLOWED: u64 = 500;
const MOST_FOLLOWED: usize = 5_000;

/// What `run.list` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// Only runs on this issue.
    issue: Option<String>,
    /// Only runs that stand so: `running`, `waiting`, `failed_closed`, `blocked`, `limit`, `declined`, `interrupted`,
    /// `handed_off` or `done`.
    state: Option<String>,
    /// Only runs with this in their name, task or issue, in capitals or not.
    q: Option<String>,
    /// `newest` (when absent), or `attention`: those that need a person first.
    order: Option<String>,
    /// Where an earlier answer stopped.
    cursor: Option<String>,
    /// The most to list.
    limit: Option<u64>,
}

/// What actions on one run take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneArgs {
    /// The run.
    run_id: String,
}

/// What `run.events` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventsArgs {
    /// The run.
    run_id: String,
    /// Behind which row: its number, or what an earlier answer gave; from the first when absent.
    cursor: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// What `run.export` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportArgs {
    /// The run.
    run_id: String,
    /// The file to write the rows to, besides.
    output: Option<String>,
}

/// What `turn.show` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnArgs {
    /// The turn, by the id of its call.
    call_id: String,
}

/// What `turn.export` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnExportArgs {
    /// The turn, by the id of its call.
    call_id: String,
    /// The change of the turn that is judged with it, from 1; none when absent.
    intent: Option<u64>,
}

/// `run.start`
pub(crate) fn start(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    answered(begin(host, args, &mut |_| {})?, "run.start")
}

/// `run.resume`
pub(crate) fn resume(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    answered(go_on(host, args, &mut |_| {})?, "run.resume")
}

/// What a run that was asked for answers.
pub(crate) fn answered(started: RunStarted, action: &str) -> Result<Answer, ActionError> {
    match started {
        RunStarted::Ran(answer) => ran(&RunAnswer { action: action.to_owned(), ..*answer }),
        RunStarted::Refused(refused) => refuse(refused, action),
    }
}

fn ran(answer: &RunAnswer) -> Result<Answer, ActionError> {
    let is_good = match answer.outcome {
        RunEnding::Completed | RunEnding::HandedOff => true,
        RunEnding::FailedClosed
        | RunEnding::Limit
        | RunEnding::Interrupted
        | RunEnding::NeedsPerson
        | RunEnding::QuestionExpired
        | RunEnding::Declined
        | RunEnding::ModelFailed => false,
    };
    let mut made = Answer::new(if is_good { "ok" } else { "rejected" }, answer)?;
    made.failure_classes.clone_from(&answer.failure_classes);
    Ok(made)
}

fn refuse(refused: RunRefused, action: &str) -> Result<Answer, ActionError> {
    Answer::refused(
        &refused.class.clone(),
        &RefusedAnswer {
            action: action.to_owned(),
            issues_path: String::new(),
            refused: RefusedBecause { class: refused.class, detail: refused.detail, hint: refused.hint },
        },
    )
}

/// `run.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let limit = usize::try_from(args.limit.unwrap_or(LISTED)).unwrap_or(usize::MAX);
    let attention_first = match told(args.order.as_deref()) {
        None | Some("newest") => false,
        Some("attention") => true,
        Some(_) => return Err(invalid("expected newest or attention", "order").into()),
    };
    let state = told(args.state.as_deref());
    if state.is_some_and(|state| !traces::STATES.contains(&state)) {
        return Err(invalid(format!("expected one of {}", traces::STATES.join(", ")), "state").into());
    }
    let wanted = traces::Wanted {
        issue: told(args.issue.as_deref()),
        state,
        text: told(args.q.as_deref()),
        behind: told(args.cursor.as_deref()),
        attention_first,
        limit,
    };
    Answer::new("ok", &traces::list(host.workspace, &wanted, host.agent.kept_runs().as_deref())?)
}

/// `run.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: OneArgs = arguments(args)?;
    Answer::new("ok", &traces::show(host.workspace, &args.run_id)?)
}

/// `run.events`
pub(crate) fn events(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: EventsArgs = arguments(args)?;
    let cursor = told(args.cursor.as_deref()).map_or(Ok(Cursor::START), str::parse)?;
    let limit = usize::try_from(args.limit.unwrap_or(FOLLOWED)).unwrap_or(usize::MAX).min(MOST_FOLLOWED);
    let followed = follow_run(host.workspace, &args.run_id, cursor, limit)?;
    let rows: Vec<Canonical<'_>> = followed.rows.iter().map(|row| Canonical(told_row(row))).collect();
    Answer::new(
        "ok",
        &RunEvents {
            action: "run.events".to_owned(),
            count: count(rows.len()),
            rows,
            next_cursor: followed.next.to_string(),
            has_more: followed.has_more,
            ended: followed.has_stopped,
            run_id: args.run_id,
        },
    )
}

/// `run.export`
pub(crate) fn export(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ExportArgs = arguments(args)?;
    let run_id = args.run_id.as_str();
    let rows = match traces::rows(host.workspace, run_id) {
        Err(ActionError::NotRetained { run_id }) => return not_retained("run.export", &run_id),
        rows => rows?,
    };
    let items: Vec<Canonical<'_>> = rows.iter().map(|row| Canonical(exported(row))).collect();
    let output = args.output.as_deref().filter(|output| !output.trim().is_empty());
    if let Some(output) = output {
        let mut bytes = Vec::new();
        for item in &items {
            premath_kernel::encode_into(&item.0, &mut bytes);
            bytes.push(b'\n');
        }
        place_file(host.workspace.disk.as_ref(), Path::new(output), &bytes)?;
    }
    Answer::new(
        "ok",
        &RunExport {
            action: "run.export".to_owned(),
            run_id: run_id.to_owned(),
            count: count(items.len()),
            output: output.map(str::to_owned),
            items: output.is_none().then_some(items),
        },
    )
}

/// The row as the journal has it.
fn exported(row: &JournalRow) -> Value<'_> {
    let number = premath_kernel::Number::unsigned(row.seq).map_or(Value::Null, Value::Number);
    premath_kernel::Object::fields()
        .field("at", premath_wire::time::format_time(row.at))
        .field("event", row.event.borrowed())
        .field("kind", premath_bd::JOURNAL_KIND)
        .optional("mac", row.mac.as_deref())
        .optional("prev", row.prev.as_deref())
        .field("rowDigest", row.row_digest.as_str())
        .field("schema", 1)
        .field("seq", number)
        .finish()
}

/// `run.replay`
pub(crate) fn replay(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: OneArgs = arguments(args)?;
    let answer = match traces::replay(host.workspace, &args.run_id) {
        Err(ActionError::NotRetained { run_id }) => return not_retained("run.replay", &run_id),
        answer => answer?,
    };
    if answer.identical {
        return Answer::new("accepted", &answer);
    }
    Answer::refused("replay_differs", &answer)
}

/// `turn.show`
pub(crate) fn turn(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: TurnArgs = arguments(args)?;
    match traces::turn(host.workspace, &args.call_id) {
        Err(ActionError::NotRetained { run_id }) => not_retained("turn.show", &run_id),
        card => Answer::new("ok", &card?),
    }
}

/// `turn.export`
pub(crate) fn export_turn(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: TurnExportArgs = arguments(args)?;
    match traces::export_turn(host.workspace, &args.call_id, args.intent) {
        Err(ActionError::NotRetained { run_id }) => not_retained("turn.export", &run_id),
        exported => match exported? {
            Ok(case) => Answer::new("ok", &case),
            Err(traces::NoCase::Open) => turn_open(&args.call_id),
        },
    }
}

/// A turn that was not judged has no case.
fn turn_open(call_id: &str) -> Result<Answer, ActionError> {
    let refused = RunRefused {
        class: TURN_OPEN.to_owned(),
        detail: format!("turn `{call_id}` was not judged: it is open, or it has no normal form"),
        hint: format!("`premath turn show {call_id}` says how far it came"),
    };
    refuse(refused, "turn.export")
}

/// `run.forget`
pub(crate) fn forget(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: OneArgs = arguments(args)?;
    Answer::new("ok", &retention::forget_run(host.workspace, &args.run_id)?)
}

/// What is asked for was said in a run that kept nothing.
fn not_retained(action: &str, run_id: &str) -> Result<Answer, ActionError> {
    let refused = RunRefused {
        class: NOT_RETAINED.to_owned(),
        detail: format!("run `{run_id}` kept digests, counts and verdicts, and nothing that was said"),
        hint: format!("`premath runs show {run_id}` says what is kept; `policy.observability` decides it"),
    };
    refuse(refused, action)
}
