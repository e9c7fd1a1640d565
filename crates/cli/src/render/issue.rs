//! Issues as a person reads them: tables, what was claimed, what was refused, what is wrong.

pub(crate) mod card;
pub(crate) mod history;
pub(crate) mod row;
pub(crate) mod store;

use premath_kernel::Moment;
use premath_wire::v1::{
    BlockedRow, CheckProblem, ClaimNextAnswer, IssueAnswer, IssueCheckAnswer, IssueGraph, IssueListing,
    LeaseProjection, LineNote, RefusedAnswer, Severity, StatusCounts,
};

use self::row::{Row, priority_style, shown, status_mark, status_style};
use super::plain;
use super::table::{Cell, Table};
use super::time::relative;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// More problems of one class than this are counted, not listed; `--json` has them all.
const LISTED: usize = 20;

/// A refusal.
pub(crate) fn refused(answer: &RefusedAnswer) -> String {
    let refused = &answer.refused;
    format!(
        "{BAD}refused:{BAD:#} {STRONG}{}{STRONG:#}: {}\n{TIP}hint:{TIP:#} {}\n",
        plain(&refused.class),
        plain(&refused.detail),
        plain(&refused.hint)
    )
}

/// The answer of `issue list` and `issue ready`.
pub(crate) fn listing(
    answer: &IssueListing<Vec<Row>>,
    is_ready: bool,
    now: Moment,
    width: Option<usize>,
) -> String {
    if answer.items.is_empty() {
        return format!("{}{}", nothing(answer.standing.as_ref(), is_ready), footnotes(&answer.problems));
    }
    let mut table = Table::new(&["id", "prio", "type", "status", "title", "assignee", "updated"], 4);
    for row in &answer.items {
        let (status, priority) = (row.status(), row.priority());
        let updated = row.updated_at.as_deref().map(|at| relative(at, now)).unwrap_or_default();
        table.row(vec![
            Cell::styled(row.id(), STRONG),
            Cell::styled(priority.as_str(), priority_style(&priority)),
            Cell::new(shown(row.issue_type.as_ref()).unwrap_or_default()),
            Cell::styled(format!("{} {status}", status_mark(&status)), status_style(&status)),
            Cell::new(row.title()),
            Cell::new(shown(row.assignee.as_ref()).unwrap_or_default()),
            Cell::styled(updated, DIM),
        ]);
    }
    format!("{}{}{}", table.render(width), more(answer), footnotes(&answer.problems))
}

/// What stands below a list that was cut.
fn more<T>(answer: &IssueListing<Vec<T>>) -> String {
    match (answer.has_more, answer.total) {
        (true, Some(total)) => format!("{DIM}{} of {total}; --limit shows more{DIM:#}\n", answer.count),
        (true, None) => format!("{DIM}the first {}; --limit shows more{DIM:#}\n", answer.count),
        (false, _) => String::new(),
    }
}

fn nothing(standing: Option<&StatusCounts>, is_ready: bool) -> String {
    let counts = standing.copied().unwrap_or_default();
    let what = if is_ready { "nothing ready" } else { "nothing to list" };
    let parts: Vec<String> = [
        (counts.ready, "ready"),
        (counts.waiting, "waiting for others"),
        (counts.blocked, "blocked"),
        (counts.in_progress, "in progress"),
        (counts.closed, "closed"),
        (counts.other, "with a status of another tool"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, name)| format!("{count} {name}"))
    .collect();
    if parts.is_empty() {
        format!("{what}: there are no issues yet\n{TIP}hint:{TIP:#} `premath issue add TITLE` adds one\n")
    } else {
        format!("{what}: {}\n", parts.join(", "))
    }
}

fn footnotes(problems: &[LineNote]) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let lines = problems.iter().map(|note| {
        format!("{WARN}line {}{WARN:#} {}: {}\n", note.line, plain(&note.class), plain(&note.detail))
    });
    format!("\n{}{TIP}hint:{TIP:#} `premath issue check` says what to do\n", lines.collect::<String>())
}

/// The answer of `issue blocked`.
pub(crate) fn blocked(answer: &IssueListing<Vec<BlockedRow<Row>>>, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return format!("nothing is blocked\n{}", footnotes(&answer.problems));
    }
    let mut table = Table::new(&["id", "prio", "status", "title", "waits for"], 3);
    for blocked in &answer.items {
        let row = &blocked.issue;
        let (status, priority) = (row.status(), row.priority());
        let waits = blocked.blockers.iter().map(|one| format!("{} ({})", plain(&one.id), plain(&one.status)));
        let waits = waits.collect::<Vec<_>>().join(", ");
        let waits = if waits.is_empty() { "a person: it was set aside".to_owned() } else { waits };
        table.row(vec![
            Cell::styled(row.id(), STRONG),
            Cell::styled(priority.as_str(), priority_style(&priority)),
            Cell::styled(format!("{} {status}", status_mark(&status)), status_style(&status)),
            Cell::new(row.title()),
            Cell::new(waits),
        ]);
    }
    format!("{}{}{}", table.render(width), more(answer), footnotes(&answer.problems))
}

/// The answer of a change.
pub(crate) fn changed(answer: &IssueAnswer<Row>) -> String {
    let row = &answer.issue;
    let status = row.status();
    let style = status_style(&status);
    let unchanged = if answer.changed { String::new() } else { format!(" {DIM}(unchanged){DIM:#}") };
    format!(
        "{STRONG}{}{STRONG:#}  {style}{} {status}{style:#}  {}{unchanged}\n",
        row.id(),
        status_mark(&status),
        row.title()
    )
}

/// The answer of a claim or a renewal.
pub(crate) fn claimed(answer: &IssueAnswer<Row>, now: Moment) -> String {
    format!("{}{}", changed(answer), lease(&answer.issue, now))
}

/// The answer of `issue claim-next`.
pub(crate) fn claimed_next(answer: &ClaimNextAnswer<Row>, now: Moment) -> String {
    let Some(row) = answer.issue.clone().filter(|_| answer.claimed) else {
        return "nothing to claim\n".to_owned();
    };
    let (action, issues_path) = (answer.action.clone(), answer.issues_path.clone());
    claimed(&IssueAnswer { action, issues_path, issue: row, changed: true }, now)
}

fn lease(row: &Row, now: Moment) -> String {
    let Some(lease) = &row.lease else { return String::new() };
    let said = |text: Option<&String>| shown(text).unwrap_or_else(|| "?".to_owned());
    let ends = lease.expires_at.as_deref().map_or_else(|| "?".to_owned(), |at| relative(at, now));
    format!(
        "  {DIM}lease{DIM:#} {} {DIM}held by{DIM:#} {} {DIM}ends{DIM:#} {ends} {DIM}fence{DIM:#} {}\n",
        said(lease.lease_id.as_ref()),
        said(lease.owner.as_ref()),
        said(lease.fence.as_ref())
    )
}

/// The answer of `issue graph`: each issue with how it stands and what it waits for.
pub(crate) fn graph(answer: &IssueGraph, width: Option<usize>) -> String {
    if answer.nodes.is_empty() {
        return "there is nothing to do\n".to_owned();
    }
    let mut table = Table::new(&["issue", "state", "holder", "depends on", "title"], 4);
    for node in &answer.nodes {
        let style = match node.state.as_str() {
            "ready" => GOOD,
            "claimed" => WARN,
            "blocked" => BAD,
            _other => DIM,
        };
        let below = answer.edges.iter().filter(|edge| edge.from == node.id);
        let below: Vec<String> = below.map(|edge| plain(&edge.to)).collect();
        table.row(vec![
            Cell::styled(plain(&node.id), STRONG),
            Cell::styled(plain(&node.state), style),
            Cell::new(node.holder.as_deref().map(plain).unwrap_or_default()),
            Cell::new(below.join(", ")),
            Cell::new(node.title.as_deref().map(plain).unwrap_or_default()),
        ]);
    }
    table.render(width)
}

/// The answer of `issue lease-projection`.
pub(crate) fn leases(answer: &LeaseProjection, now: Moment, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return "nobody holds anything\n".to_owned();
    }
    let mut table = Table::new(&["issue", "owner", "state", "ends", "fence", "lease"], 5);
    for row in &answer.items {
        let style = match row.state.as_str() {
            "active" => GOOD,
            "expired" => WARN,
            _ => BAD,
        };
        table.row(vec![
            Cell::styled(plain(&row.issue_id), STRONG),
            Cell::new(plain(&row.owner)),
            Cell::styled(plain(&row.state), style),
            Cell::new(relative(&row.expires_at, now)),
            Cell::new(row.fence.to_string()),
            Cell::styled(plain(&row.lease_id), DIM),
        ]);
    }
    format!(
        "{}{DIM}{} active, {} expired, {} invalid{DIM:#}\n",
        table.render(width),
        answer.active_count,
        answer.expired_count,
        answer.invalid_count
    )
}

/// The answer of `issue check`.
pub(crate) fn check(answer: &IssueCheckAnswer) -> String {
    if answer.problems.is_empty() && !answer.has_more {
        return format!("{GOOD}✓{GOOD:#} {} issues, nothing wrong\n", answer.checked);
    }
    let mut text = String::new();
    let mut classes: Vec<(&str, Severity)> =
        answer.problems.iter().map(|one| (one.class.as_str(), one.severity)).collect();
    classes.sort_by_key(|(class, severity)| (*severity, *class));
    classes.dedup();
    for (class, severity) in classes {
        let found: Vec<&CheckProblem> = answer.problems.iter().filter(|one| one.class == class).collect();
        let style = if severity == Severity::Error { BAD } else { WARN };
        text.push_str(&format!("{style}{}{style:#}\n", plain(class)));
        for one in found.iter().take(LISTED) {
            text.push_str(&problem(one));
        }
        if let Some(more) = found.len().checked_sub(LISTED).filter(|more| *more > 0) {
            text.push_str(&format!("    {DIM}and {more} more; --json lists them all{DIM:#}\n"));
        }
        let hint = found.first().map(|one| plain(&one.hint)).unwrap_or_default();
        text.push_str(&format!("    {TIP}hint:{TIP:#} {hint}\n"));
    }
    let (errors, warnings) = (answer.error_count, answer.warning_count);
    text.push_str(&format!("\n{} issues: {errors} errors, {warnings} warnings\n", answer.checked));
    text
}

fn problem(one: &CheckProblem) -> String {
    let line = one.line.map(|line| format!("line {line}"));
    let id = one.issue_id.as_deref().map(plain);
    let place = [line, id].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let path =
        if one.path.is_empty() { String::new() } else { format!(": {}", super::dep::circle(&one.path)) };
    format!("    {STRONG}{place}{STRONG:#} {}{path}\n", plain(&one.detail))
}
