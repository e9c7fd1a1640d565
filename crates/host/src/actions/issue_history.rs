//! `issue.history`: every row an issue had, as what changed from one to the next.

use premath_bd::issues::{IssueRow, IssueStore as _};
use premath_kernel::{Object, Value};
use premath_wire::Json;
use premath_wire::v1::{HistoryAnswer, HistoryStep, MemberChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{IssueLane, arguments, count, id};
use super::issue_read::wanted;
use crate::table::{ActionError, Answer, Host};

/// The longest text that a step repeats, in characters.
const ECHO: usize = 400;

/// What only says that and by whom a row was written.
const BOOKKEEPING: [&str; 3] = ["rev", "updated_at", "write_witness"];

/// What `issue history` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The issue.
    id: String,
    /// The most to answer with.
    limit: Option<u64>,
}

/// `issue.history`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: HistoryArgs = arguments(args)?;
    let id = id(&args.id, "id")?;
    let lane = IssueLane::open(host, "issue.history", args.issues.as_deref());
    let rows = lane.store.history(&id)?;
    if rows.is_empty() {
        return lane.not_found(&id);
    }
    let total = rows.len();
    let skipped = total.saturating_sub(wanted(args.limit).unwrap_or(usize::MAX));
    let before = std::iter::once(None).chain(rows.iter().map(Some));
    let items: Vec<HistoryStep> =
        before.zip(&rows).skip(skipped).map(|(before, row)| step(before, row)).collect();
    Answer::new(
        "ok",
        &HistoryAnswer {
            action: lane.action(),
            issues_path: lane.path,
            issue_id: id,
            count: count(items.len()),
            total: (items.len() < total).then(|| count(total)),
            items,
        },
    )
}

fn step(before: Option<&IssueRow>, row: &IssueRow) -> HistoryStep {
    let witness = row.object().get("write_witness").and_then(Value::as_object);
    let said = |key: &str| {
        witness.and_then(|witness| witness.get(key)).and_then(Value::as_text).map(ToOwned::to_owned)
    };
    HistoryStep {
        rev: row.rev(),
        at: said("at").or_else(|| row.text("updated_at").map(ToOwned::to_owned)),
        wrote: said("action"),
        authority: said("authority"),
        actor: said("actor"),
        changed: changes(before.map(IssueRow::object), row.object()),
    }
}

fn changes(before: Option<&Object<'static>>, after: &Object<'static>) -> Vec<MemberChange> {
    let none = Object::default();
    let before = before.unwrap_or(&none);
    let gone = before.iter().filter(|(name, _)| after.get(name).is_none());
    let mut names: Vec<&str> = after.iter().chain(gone).map(|(name, _)| name).collect();
    names.sort_unstable();
    let is_told = |name: &&str| !BOOKKEEPING.contains(name) && *name != "id";
    let changed = names.into_iter().filter(is_told).filter(|name| before.get(name) != after.get(name));
    changed.map(|name| change(name, before.get(name), after.get(name))).collect()
}

fn change(name: &str, before: Option<&Value<'static>>, after: Option<&Value<'static>>) -> MemberChange {
    let (was, is) = match (before.and_then(Value::as_text), after.and_then(Value::as_text)) {
        (Some(was), Some(is)) => {
            let (was, is) = without_common_lines(was, is);
            (Some(shortened(&was)), Some(shortened(&is)))
        }
        _ => (before.map(shown), after.map(shown)),
    };
    MemberChange { member: name.to_owned(), before: was.map(Json), after: is.map(Json) }
}

/// Two texts without the lines they begin and end with alike.
fn without_common_lines(was: &str, is: &str) -> (String, String) {
    let (was, is): (Vec<&str>, Vec<&str>) = (was.lines().collect(), is.lines().collect());
    let ahead = was.iter().zip(&is).take_while(|(left, right)| left == right).count();
    let rest = was.len().min(is.len()) - ahead;
    let behind =
        was.iter().rev().zip(is.iter().rev()).take(rest).take_while(|(left, right)| left == right).count();
    let middle = |lines: &[&str]| lines.get(ahead..lines.len() - behind).unwrap_or_default().join("\n");
    (middle(&was), middle(&is))
}

fn shown(value: &Value<'static>) -> Value<'static> {
    match value {
        Value::Text(text) => shortened(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    }
}

fn shortened(text: &str) -> Value<'static> {
    match text.char_indices().nth(ECHO) {
        Some((end, _)) => Value::from(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Value::from(text.to_owned()),
    }
}
