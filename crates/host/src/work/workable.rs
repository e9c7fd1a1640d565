//! What a worker may take: an issue with open children is not work yet, although it is ready for a person to look at, and an
//! escalation is work for a person.
//!
//! `claim-next` takes whatever is ready and not assigned to somebody else, epics and escalations too. A worker that took an epic could do its work and never
//! close it; one that took an escalation would close what a person was asked about. It must not leave anything out that a
//! worker could finish.

use std::collections::BTreeSet;

use premath_bd::StoreError;
use premath_bd::issues::{Facts, IssueRow, IssueView, Limit};
use premath_kernel::{DependencyKind, Moment, Status, Value, is_assigned_to_other};

/// The label of an issue that is about a failure of another.
pub(super) const ESCALATION: &str = "escalation";

/// What a worker may take next. It is taken by name: between this look and `claim-next` somebody else may take it, and what
/// comes behind it may be none of this.
pub(super) fn takeable(
    view: &dyn IssueView,
    worker: &str,
    now: Moment,
) -> Result<Option<String>, StoreError> {
    let Some(first) = view.first_claimable(worker, now)? else { return Ok(None) };
    let is_escalated = view.row(&first)?.as_ref().is_some_and(is_escalation);
    if !is_escalated && view.open_children(&first)?.is_empty() {
        return Ok(Some(first));
    }
    for row in view.ready(Limit::All)? {
        let Some(row) = IssueRow::read(&view.line(row)?).filter(|row| !is_escalation(row)) else { continue };
        let is_free = row.lease().is_none_or(|lease| !lease.is_active(now));
        if is_free && !is_reserved(&row, worker) && view.open_children(row.id())?.is_empty() {
            return Ok(Some(row.id().to_owned()));
        }
    }
    left_behind(view, worker, now)
}

/// Work that somebody let run out.
fn left_behind(view: &dyn IssueView, worker: &str, now: Moment) -> Result<Option<String>, StoreError> {
    let graph = view.graph()?;
    let parents = parents_of_open(&graph.facts);
    for ((facts, place), node) in graph.facts.iter().zip(&graph.rows).zip(0_u32..) {
        let has_run_out =
            facts.status == Status::InProgress && facts.lease_until.is_some_and(|until| now >= until);
        let is_work = !graph.graph.is_held_back(node) && !parents.contains(facts.id.as_str());
        if !has_run_out || !is_work {
            continue;
        }
        let row = IssueRow::read(&view.line(*place)?);
        if row.is_some_and(|row| !is_escalation(&row) && !is_reserved(&row, worker)) {
            return Ok(Some(facts.id.clone()));
        }
    }
    Ok(None)
}

/// Whether an issue is assigned to somebody else than the worker.
pub(super) fn is_reserved(row: &IssueRow, worker: &str) -> bool {
    is_assigned_to_other(row.text("assignee"), row.lease().as_ref(), worker)
}

/// Whether an issue is about a failure, for a person to look into.
pub(super) fn is_escalation(row: &IssueRow) -> bool {
    let labels = row.object().get("labels").and_then(Value::as_array).unwrap_or_default();
    labels.iter().any(|label| label.as_text() == Some(ESCALATION))
}

/// The issues that cannot be closed yet, for something that is part of them is open.
pub(super) fn parents_of_open(facts: &[Facts]) -> BTreeSet<&str> {
    let open = facts.iter().filter(|facts| !facts.status.is_resolved());
    let parents =
        open.flat_map(|facts| &facts.blocking).filter(|one| one.kind == DependencyKind::ParentChild);
    parents.map(|one| one.depends_on.as_str()).collect()
}
