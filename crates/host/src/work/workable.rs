//! What a worker may take: an issue with open children is not work yet, although it is ready for a person to look at.
//!
//! `claim-next` takes whatever is ready, epics too. A worker that took one could do its work and never close it. It must not
//! leave anything out that a worker could finish.

use std::collections::BTreeSet;

use premath_bd::StoreError;
use premath_bd::issues::{Facts, IssueView, Limit};
use premath_kernel::{DependencyKind, Moment, Status};

/// What comes first.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Takeable {
    /// There is nothing.
    Nothing,
    /// Whatever `claim-next` takes.
    First,
    /// This one: what comes before it has open children.
    One(String),
}

/// What a worker may take next.
pub(super) fn takeable(view: &dyn IssueView, now: Moment) -> Result<Takeable, StoreError> {
    let Some(first) = view.first_claimable(now)? else { return Ok(Takeable::Nothing) };
    if view.open_children(&first)?.is_empty() {
        return Ok(Takeable::First);
    }
    for row in view.ready(Limit::All)? {
        let Some(row) = premath_bd::issues::IssueRow::read(&view.line(row)?) else { continue };
        let is_free = row.lease().is_none_or(|lease| !lease.is_active(now));
        if is_free && view.open_children(row.id())?.is_empty() {
            return Ok(Takeable::One(row.id().to_owned()));
        }
    }
    left_behind(view, now)
}

/// Work that somebody let run out.
fn left_behind(view: &dyn IssueView, now: Moment) -> Result<Takeable, StoreError> {
    let graph = view.graph()?;
    let parents = parents_of_open(&graph.facts);
    for (facts, node) in graph.facts.iter().zip(0_u32..) {
        let has_run_out =
            facts.status == Status::InProgress && facts.lease_until.is_some_and(|until| now >= until);
        if has_run_out && !graph.graph.is_held_back(node) && !parents.contains(facts.id.as_str()) {
            return Ok(Takeable::One(facts.id.clone()));
        }
    }
    Ok(Takeable::Nothing)
}

/// The issues that cannot be closed yet, for something that is part of them is open.
pub(super) fn parents_of_open(facts: &[Facts]) -> BTreeSet<&str> {
    let open = facts.iter().filter(|facts| !facts.status.is_resolved());
    let parents =
        open.flat_map(|facts| &facts.blocking).filter(|one| one.kind == DependencyKind::ParentChild);
    parents.map(|one| one.depends_on.as_str()).collect()
}
