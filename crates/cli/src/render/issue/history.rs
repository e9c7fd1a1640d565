//! What became of an issue: who changed what, when, as differences.

use premath_kernel::{Moment, Value, encode};
use premath_wire::v1::{HistoryAnswer, HistoryStep, MemberChange};

use crate::output::{BAD, DIM, GOOD, STRONG};
use crate::render::plain;
use crate::render::time::relative;

/// Texts with more lines than this are cut.
const LINES: usize = 12;

/// The answer of `issue history`.
pub(crate) fn history(answer: &HistoryAnswer, now: Moment) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}", plain(&answer.issue_id));
    if let Some(total) = answer.total {
        text.push_str(&format!(" {DIM}the last {} of {total} steps{DIM:#}", answer.count));
    }
    text.push('\n');
    for step in &answer.items {
        text.push_str(&heading(step, now));
        step.changed.iter().for_each(|change| text.push_str(&difference(change)));
    }
    text
}

fn heading(step: &HistoryStep, now: Moment) -> String {
    let at = step.at.as_deref().map(|at| format!(" {DIM}·{DIM:#} {}", relative(at, now))).unwrap_or_default();
    let wrote =
        step.wrote.as_deref().map(|wrote| format!(" {DIM}·{DIM:#} {}", plain(wrote))).unwrap_or_default();
    let by = match (&step.authority, &step.actor) {
        (Some(authority), Some(actor)) => format!(" {DIM}by {} ({}){DIM:#}", plain(actor), plain(authority)),
        (Some(authority), None) => format!(" {DIM}by {}{DIM:#}", plain(authority)),
        (None, _) => format!(" {DIM}by another tool{DIM:#}"),
    };
    format!("\n{STRONG}rev {}{STRONG:#}{at}{wrote}{by}\n", step.rev)
}

fn difference(change: &MemberChange) -> String {
    let member = plain(&change.member);
    let (before, after) =
        (change.before.as_ref().map(|json| &json.0), change.after.as_ref().map(|json| &json.0));
    match (before, after) {
        (Some(before), Some(after)) if is_short(before) && is_short(after) => {
            format!("  {member}: {BAD}{}{BAD:#} → {GOOD}{}{GOOD:#}\n", written(before), written(after))
        }
        (None, Some(after)) if is_short(after) => format!("  {member}: {GOOD}+ {}{GOOD:#}\n", written(after)),
        (Some(before), None) if is_short(before) => {
            format!("  {member}: {BAD}- {}{BAD:#}\n", written(before))
        }
        _ => {
            let lines = |value: Option<&Value<'_>>| value.map(lines).unwrap_or_default();
            let gone = lines(before).into_iter().map(|line| format!("    {BAD}- {line}{BAD:#}\n"));
            let new = lines(after).into_iter().map(|line| format!("    {GOOD}+ {line}{GOOD:#}\n"));
            format!("  {member}:\n{}", gone.chain(new).collect::<String>())
        }
    }
}

fn is_short(value: &Value<'_>) -> bool {
    let text = written(value);
    text.chars().count() <= 60 && value.as_text().is_none_or(|text| text.lines().count() <= 1)
}

/// A value on one line, safe to print.
fn written(value: &Value<'_>) -> String {
    plain(&text(value))
}

/// A text as it is, everything else as JSON.
fn text(value: &Value<'_>) -> String {
    let json = || String::from_utf8_lossy(&encode(value)).into_owned();
    value.as_text().map_or_else(json, ToOwned::to_owned)
}

fn lines(value: &Value<'_>) -> Vec<String> {
    let text = text(value);
    let mut lines: Vec<String> = text.lines().take(LINES).map(plain).collect();
    if text.lines().nth(LINES).is_some() {
        lines.push("…".to_owned());
    }
    lines
}
