//! Which issues a requested change is about, and what they descend from: looked up where issues live, so that the gate can
//! hold a worker to its own. It must not decide whether the change is admitted.

use std::collections::BTreeSet;

use premath_bd::issues::{IssueDraft, IssueRow, IssueView, Operation};
use premath_kernel::{DependencyKind, IssueTarget, Text};

use crate::table::ActionError;

/// What an issue is called that does not exist yet.
const NEW: &str = "new";
/// What is called next, whichever that is when the change is made.
const NEXT: &str = "next";
/// The most ancestors that are looked up.
const MOST_ANCESTORS: usize = 1_000;

/// The issues that an operation changes, with what they descend from.
pub(super) fn issue_targets(
    view: &dyn IssueView,
    operation: &Operation,
) -> Result<Vec<IssueTarget>, ActionError> {
    let (id, parents) = match operation {
        Operation::Add { draft, .. } => (NEW, origins(draft)),
        Operation::Discover { parent, draft, .. } => {
            let mut parents = origins(draft);
            parents.push(parent.clone());
            (NEW, parents)
        }
        Operation::ClaimNext { .. } => (NEXT, Vec::new()),
        Operation::Update { id, .. }
        | Operation::Claim { id, .. }
        | Operation::LeaseRenew { id, .. }
        | Operation::LeaseRelease { id, .. }
        | Operation::DependencyAdd { id, .. }
        | Operation::DependencyRemove { id, .. }
        | Operation::DependencyReplace { id, .. } => (id.as_str(), parents_of(view, id)?),
    };
    let lineage = ancestors(view, parents)?;
    let lineage = lineage.iter().filter_map(|id| Text::new(id)).collect();
    Ok(Text::new(id).map(|issue_id| IssueTarget { issue_id, lineage }).into_iter().collect())
}

/// Whether one issue descends from the other: as its child, or as what was found while working on it.
const fn is_origin(kind: DependencyKind) -> bool {
    matches!(kind, DependencyKind::ParentChild | DependencyKind::DiscoveredFrom)
}

fn origins(draft: &IssueDraft) -> Vec<String> {
    let origins = draft.dependencies.iter().filter(|(kind, _)| is_origin(*kind));
    origins.map(|(_, id)| id.clone()).collect()
}

fn parents_of(view: &dyn IssueView, id: &str) -> Result<Vec<String>, ActionError> {
    let Some(place) = view.find(id)? else { return Ok(Vec::new()) };
    let row = IssueRow::read(&view.line(place)?);
    let dependencies = row.map(|row| row.dependencies()).unwrap_or_default();
    Ok(dependencies.into_iter().filter(|one| is_origin(one.kind)).map(|one| one.depends_on).collect())
}

/// These issues and everything they descend from.
fn ancestors(view: &dyn IssueView, parents: Vec<String>) -> Result<BTreeSet<String>, ActionError> {
    let mut found = BTreeSet::new();
    let mut open = parents;
    while let Some(id) = open.pop() {
        if found.len() < MOST_ANCESTORS && found.insert(id.clone()) {
            open.extend(parents_of(view, &id)?);
        }
    }
    Ok(found)
}
