//! The audit log as a person reads it: rows in a table, the verdict on the chain, and the way back as a tree.

use anstyle::Style;
use premath_kernel::Moment;
use premath_wire::v1::{AuditKind, AuditPage, AuditRow, AuditVerified, AuditWhy, WhyKind, WhyStep};

use super::plain;
use super::table::{Cell, Table};
use super::time::relative;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// More problems than this are counted, not listed; `--json` has them all.
const LISTED: usize = 10;

/// The answer of `audit query`.
pub(crate) fn page(answer: &AuditPage<AuditRow>, now: Moment, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return "no row fits\n".to_owned();
    }
    let mut table = Table::new(&["ID", "WHEN", "KIND", "EFFECT", "WHO", "WHAT", "ABOUT"], 6);
    for row in &answer.items {
        table.row(vec![
            Cell::styled(plain(&row.id), STRONG),
            Cell::new(relative(&row.at, now)),
            Cell::new(row.kind.token()),
            Cell::styled(plain(&row.effect), effect(&row.effect)),
            Cell::new(plain(&row.actor)),
            Cell::new(row.tool.as_deref().or(row.policy_name.as_deref()).map(plain).unwrap_or_default()),
            Cell::new(plain(&about(row))),
        ]);
    }
    let mut text = table.render(width);
    if answer.unreadable > 0 {
        let lines = answer.unreadable;
        text.push_str(&format!(
            "{WARN}{lines} lines are no rows{WARN:#}; `premath audit verify` says more\n"
        ));
    }
    if let Some(cursor) = &answer.next_cursor {
        text.push_str(&format!("{TIP}hint:{TIP:#} older rows follow with `--cursor {}`\n", plain(cursor)));
    }
    text
}

fn effect(effect: &str) -> Style {
    match effect {
        "deny" | "denied" | "rejected" | "failed" => BAD,
        "ask" | "expired" => WARN,
        "allow" | "approved" | "applied" => GOOD,
        _other => Style::new(),
    }
}

/// What a row is about: what it names first, and why.
fn about(row: &AuditRow) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(row.issue_id.clone());
    parts.extend(row.path.clone());
    parts.extend(row.targets.iter().filter(|target| !parts.contains(target)).cloned().collect::<Vec<_>>());
    if row.kind != AuditKind::Mutation || parts.is_empty() {
        parts.extend(row.call_id.clone().or_else(|| row.run_id.clone()));
    }
    parts.extend(row.code.clone());
    parts.extend(row.reason.clone());
    parts.join(" ")
}

/// The answer of `audit verify`.
pub(crate) fn verified(answer: &AuditVerified) -> String {
    let mut text = String::new();
    for problem in answer.problems.iter().take(LISTED) {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let (path, detail) = (plain(&problem.path), plain(&problem.detail));
        text.push_str(&format!(
            "{BAD}✗ {}{BAD:#}  {STRONG}{path}{line}{STRONG:#}  {detail}\n",
            plain(&problem.class)
        ));
    }
    if let Some(more) = answer.problems.len().checked_sub(LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("  {DIM}and {more} more; --json lists them all{DIM:#}\n"));
    }
    let rows = counted(answer.rows, "row");
    if answer.ok {
        text.push_str(&format!("{GOOD}✓ the chain holds:{GOOD:#} {rows}\n"));
        text.extend(answer.head.as_deref().map(|head| format!("  {DIM}head {}{DIM:#}\n", plain(head))));
    } else {
        let problems = counted(answer.error_count, "problem");
        text.push_str(&format!("{BAD}✗ the chain is broken:{BAD:#} {problems} in {rows}\n"));
        text.push_str(&format!(
            "{TIP}hint:{TIP:#} compare with a backup; `premath doctor` says what can be mended\n"
        ));
    }
    unrecorded(&mut text, answer);
    text
}

fn unrecorded(text: &mut String, answer: &AuditVerified) {
    if answer.unrecorded_count == 0 {
        return;
    }
    let changes = counted(answer.unrecorded_count, "change");
    if answer.added > 0 {
        text.push_str(&format!("{GOOD}✓ {changes} had no row and has one now{GOOD:#}\n"));
    } else {
        text.push_str(&format!("{WARN}! {changes} of issue memory without a row{WARN:#}\n"));
    }
    for change in answer.unrecorded.iter().take(LISTED) {
        let what = match &change.issue_id {
            Some(id) => format!("{} revision {}", plain(id), change.rev),
            None => counted(change.rev, "row"),
        };
        let (by, authority) = (plain(&change.changed_by), plain(&change.authority));
        text.push_str(&format!(
            "    {STRONG}{what}{STRONG:#}  {by} {DIM}({authority}, {}){DIM:#}\n",
            plain(&change.at)
        ));
    }
    if answer.added == 0 {
        text.push_str(&format!(
            "{TIP}hint:{TIP:#} `premath audit verify --reconcile` adds the rows, marked as such\n"
        ));
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The answer of `audit why`.
pub(crate) fn way_back(answer: &AuditWhy) -> String {
    let (kind, subject) = (answer.subject_kind.token(), plain(&answer.subject));
    let mut text = format!("{DIM}{kind}{DIM:#} {STRONG}{subject}{STRONG:#}\n");
    for (at, step) in answer.steps.iter().enumerate() {
        let rest = answer.steps.get(at + 1..).unwrap_or_default();
        text.push_str(&branch(step.depth, rest));
        text.push_str(&line(step));
    }
    if !answer.complete {
        text.push_str(&format!("{WARN}a link of the way back is missing{WARN:#}\n"));
    }
    text
}

/// The lines that lead to a step: at every depth, whether something of that depth still follows.
fn branch(depth: u64, rest: &[WhyStep]) -> String {
    let follows = |depth: u64| {
        let next = rest.iter().find(|step| step.depth <= depth);
        next.is_some_and(|step| step.depth == depth)
    };
    let mut text = String::new();
    for above in 0..depth {
        text.push_str(if follows(above) { "│  " } else { "   " });
    }
    text.push_str(if follows(depth) { "├─ " } else { "└─ " });
    format!("{DIM}{text}{DIM:#}")
}

fn line(step: &WhyStep) -> String {
    let style = match step.kind {
        WhyKind::Unknown => WARN,
        WhyKind::Change => STRONG,
        WhyKind::Call
        | WhyKind::Turn
        | WhyKind::Witness
        | WhyKind::Decision
        | WhyKind::Approval
        | WhyKind::Proposal
        | WhyKind::Guard
        | WhyKind::Instruction
        | WhyKind::Permit
        | WhyKind::Policy
        | WhyKind::Run
        | WhyKind::Person
        | WhyKind::Model => Style::new(),
    };
    let (kind, detail) = (step.kind.token(), plain(&step.detail));
    let at = step.at.as_deref().map(|at| format!(" {DIM}{}{DIM:#}", plain(at))).unwrap_or_default();
    let proof = step.evidence.as_deref().map(|proof| format!(" {DIM}[{}]{DIM:#}", plain(proof)));
    format!("{style}{kind}{style:#} {detail}{at}{}\n", proof.unwrap_or_default())
}
