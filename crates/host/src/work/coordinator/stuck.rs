//! What is not done when nothing is left to start: each issue, and what it waits for.
//!
//! It must not say that work is done because nobody can go on with it.

use std::sync::Arc;

use premath_bd::issues::{FileIssues, IssueRow, IssueStore as _};
use premath_kernel::DependencyKind;
use premath_wire::v1::StuckIssue;

use crate::table::{ActionError, Host};

/// The longest reason that is shown, in characters.
const MOST_REASON: usize = 300;

/// Every issue that is not resolved, in natural order.
pub(super) fn stuck(host: &Host<'_>) -> Result<Vec<StuckIssue>, ActionError> {
    let workspace = host.workspace;
    let store = FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None));
    let view = store.view()?;
    let graph = view.graph()?;
    let is_open = |id: &str| {
        let node = graph.number(id).and_then(|number| graph.node(number));
        node.is_none_or(|facts| !facts.status.is_resolved())
    };
    let mut stuck = Vec::new();
    for (facts, place) in graph.facts.iter().zip(&graph.rows) {
        if facts.status.is_resolved() {
            continue;
        }
        let waits = facts.blocking.iter().filter(|one| one.kind != DependencyKind::ParentChild);
        let behind = waits.map(|one| one.depends_on.clone()).filter(|id| is_open(id)).collect();
        let row = IssueRow::read(&view.line(*place)?);
        let notes = row.as_ref().and_then(|row| row.text("notes")).unwrap_or_default();
        let last = notes.lines().rev().map(str::trim).find(|line| !line.is_empty());
        stuck.push(StuckIssue {
            issue_id: facts.id.clone(),
            status: facts.status.token().to_owned(),
            behind,
            reason: last.map(|line| line.chars().take(MOST_REASON).collect()),
        });
    }
    Ok(stuck)
}
