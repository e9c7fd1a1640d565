//! One issue as a card: what it says, what it waits for, who holds it.

use premath_kernel::Moment;
use premath_wire::v1::{BlockerRow, IssueCard, Neighbour};
use serde::Deserialize;
use serde_json::Value;

use super::lease;
use super::row::{Row, lenient, priority_style, shown, status_mark, status_style};
use crate::output::{BAD, DIM, STRONG};
use crate::render::plain;
use crate::render::time::relative;

/// The members that only a card shows.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CardRow {
    #[serde(flatten)]
    row: Row,
    #[serde(deserialize_with = "lenient")]
    description: Option<String>,
    #[serde(deserialize_with = "lenient")]
    design: Option<String>,
    #[serde(deserialize_with = "lenient")]
    acceptance_criteria: Option<String>,
    #[serde(deserialize_with = "lenient")]
    notes: Option<String>,
    #[serde(deserialize_with = "lenient")]
    owner: Option<String>,
    #[serde(deserialize_with = "lenient")]
    created_at: Option<String>,
    #[serde(deserialize_with = "lenient")]
    closed_at: Option<String>,
    #[serde(deserialize_with = "lenient")]
    rev: Option<String>,
    labels: Value,
}

/// The answer of `issue show`.
pub(crate) fn card(answer: &IssueCard<CardRow>, now: Moment) -> String {
    let (card, row) = (&answer.issue, &answer.issue.row);
    let (status, priority) = (row.status(), row.priority());
    let (look, urgency) = (status_style(&status), priority_style(&priority));
    let kind = shown(row.issue_type.as_ref()).unwrap_or_else(|| "task".to_owned());
    let ready = if answer.ready { " · ready" } else { "" };
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {STRONG}{}{STRONG:#}\n  {look}{} {status}{look:#} · {urgency}{priority}{urgency:#} · {kind}{ready}\n",
        row.id(),
        row.title(),
        status_mark(&status)
    );
    text.push_str(&people(card));
    text.push_str(&times(card, now));
    text.push_str(&lease(row, now));
    if row.lease.is_some() && answer.lease_state != "active" {
        text.push_str(&format!("  {BAD}the lease is {}{BAD:#}\n", plain(&answer.lease_state)));
    }
    for (heading, body) in [
        ("Description", &card.description),
        ("Design", &card.design),
        ("Acceptance", &card.acceptance_criteria),
        ("Notes", &card.notes),
    ] {
        text.push_str(&section(heading, body.as_deref()));
    }
    text.push_str(&neighbours("Depends on", &answer.depends_on));
    text.push_str(&neighbours("Needed by", &answer.dependents));
    text.push_str(&held_back(&answer.blockers));
    text
}

fn people(card: &CardRow) -> String {
    let labels = card.labels.as_array().map(Vec::as_slice).unwrap_or_default();
    let labels: Vec<String> = labels.iter().map(|label| plain(label.as_str().unwrap_or("?"))).collect();
    let labels = (!labels.is_empty()).then(|| labels.join(", "));
    facts([
        ("assignee", shown(card.row.assignee.as_ref())),
        ("owner", shown(card.owner.as_ref())),
        ("labels", labels),
    ])
}

fn times(card: &CardRow, now: Moment) -> String {
    let said = |time: &Option<String>| time.as_deref().map(|time| relative(time, now));
    facts([
        ("created", said(&card.created_at)),
        ("updated", said(&card.row.updated_at)),
        ("closed", said(&card.closed_at)),
        ("rev", shown(card.rev.as_ref())),
    ])
}

fn facts<const N: usize>(pairs: [(&str, Option<String>); N]) -> String {
    let told = pairs.into_iter().filter_map(|(name, value)| Some(format!("{DIM}{name}{DIM:#} {}", value?)));
    let told = told.collect::<Vec<_>>().join(" · ");
    if told.is_empty() { told } else { format!("  {told}\n") }
}

fn section(heading: &str, body: Option<&str>) -> String {
    let Some(body) = body.map(str::trim).filter(|body| !body.is_empty()) else { return String::new() };
    let lines = body.lines().map(|line| format!("{}\n", format!("  {}", plain(line)).trim_end()));
    format!("\n{STRONG}{heading}{STRONG:#}\n{}", lines.collect::<String>())
}

fn neighbours(heading: &str, all: &[Neighbour]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let lines = all.iter().map(|one| {
        let style = status_style(&one.status);
        let title = one.title.as_deref().map(plain).unwrap_or_default();
        format!(
            "  {style}{} {}{style:#} {title} {DIM}({}, {}){DIM:#}\n",
            status_mark(&one.status),
            plain(&one.id),
            plain(&one.kind),
            plain(&one.status)
        )
    });
    format!("\n{STRONG}{heading}{STRONG:#}\n{}", lines.collect::<String>())
}

fn held_back(blockers: &[BlockerRow]) -> String {
    if blockers.is_empty() {
        return String::new();
    }
    let why = blockers.iter().map(|one| plain(&one.why)).collect::<Vec<_>>().join(", ");
    format!("\n{BAD}held back:{BAD:#} {why}\n")
}
