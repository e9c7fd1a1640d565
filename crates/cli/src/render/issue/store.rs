//! Issue memory as a store: its state, and what was moved in and out of it.

use premath_wire::v1::{BackendStatus, CompactAnswer, ExportAnswer, ImportAnswer};
use serde_json::value::RawValue;

use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;

/// The answer of `issue backend-status`.
pub(crate) fn backend_status(answer: &BackendStatus) -> String {
    let path = plain(&answer.issues_path);
    if !answer.exists {
        return format!("{path}: there is no issue memory here\n{TIP}hint:{TIP:#} `premath init` makes it\n");
    }
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    let standing = answer.standing.as_deref().unwrap_or("unanchored");
    let mut text = format!("{STRONG}{path}{STRONG:#}\n");
    for (name, value) in [
        ("issues", answer.issues.to_string()),
        ("rows", format!("{} ({} superseded)", answer.rows, answer.superseded_rows)),
        ("bytes", answer.bytes.to_string()),
        ("writable", yes(answer.can_write).to_owned()),
        ("index", plain(&answer.index)),
        ("standing", plain(standing)),
        ("snapshot", answer.snapshot_ref.as_deref().map(plain).unwrap_or_default()),
    ] {
        text.push_str(&format!("  {DIM}{name:<9}{DIM:#} {value}\n"));
    }
    if answer.problem_lines > 0 {
        text.push_str(&format!(
            "  {WARN}{} lines are not as they should be{WARN:#}; `premath issue check` names them\n",
            answer.problem_lines
        ));
    }
    if matches!(standing, "shorter" | "changed") || answer.breaks > 0 {
        text.push_str(&format!(
            "  {BAD}something other than premath changed this file{BAD:#}; `premath verify` says more\n"
        ));
    }
    text
}

/// The answer of `issue compact`.
pub(crate) fn compacted(answer: &CompactAnswer) -> String {
    match answer.moved {
        0 => format!("{GOOD}✓{GOOD:#} {} rows, nothing to move\n", answer.kept),
        moved => format!("{GOOD}✓{GOOD:#} {} rows stay, {moved} moved to the history\n", answer.kept),
    }
}

/// The answer of `issue import`.
pub(crate) fn imported(answer: &ImportAnswer) -> String {
    let mut text = format!(
        "{GOOD}✓{GOOD:#} {}: {} issues read, {} written, {} were there already\n",
        plain(&answer.source),
        answer.read,
        answer.written,
        answer.unchanged
    );
    for id in &answer.kept {
        let id = plain(id);
        text.push_str(&format!("  {WARN}{id}{WARN:#} stays as it is here: newer, or somebody works on it\n"));
    }
    for note in &answer.problems {
        text.push_str(&format!(
            "  {WARN}line {}{WARN:#} {}: {}\n",
            note.line,
            plain(&note.class),
            plain(&note.detail)
        ));
    }
    text
}

/// The answer of `issue export`: the rows themselves, or where they are.
pub(crate) fn exported(answer: &ExportAnswer<Vec<Box<RawValue>>>) -> String {
    match (&answer.items, &answer.output) {
        (Some(rows), _) => rows.iter().map(|row| format!("{}\n", row.get())).collect(),
        (None, Some(output)) => {
            format!("{GOOD}✓{GOOD:#} {} issues written to {}\n", answer.count, plain(output))
        }
        (None, None) => String::new(),
    }
}
