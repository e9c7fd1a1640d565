//! What there is to do, looked at for one slot.

use std::sync::Arc;

use premath_bd::StoreError;
use premath_bd::issues::{FileIssues, IssueRow, IssueStore as _};
use premath_kernel::{Moment, Object, Status};
use premath_tusk::session::Work;

use super::super::workable::{is_escalation, is_reserved, parents_of_open};
use crate::actions::dep_graph;
use crate::table::{ActionError, Host};

/// What there is to do.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) work: Work,
    /// What others hold.
    pub(super) held: Vec<HeldRow>,
    /// What is wrong with the graph.
    pub(super) classes: Vec<String>,
}

/// An issue that somebody holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeldRow {
    pub(super) issue_id: String,
    pub(super) owner: String,
    pub(super) until: Moment,
}

/// What there is to do for a worker: what anybody may take, and what it holds still itself.
pub(super) fn facts(host: &Host<'_>, worker: &str) -> Result<Facts, ActionError> {
    let scope = Object::fields().field("graphScope", "active").finish();
    let classes = dep_graph::diagnostics(host, &scope)?.failure_classes;
    let workspace = host.workspace;
    let store = FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None));
    let now = workspace.clock.now();
    let view = store.view()?;
    let graph = view.graph()?;
    let parents = parents_of_open(&graph.facts);
    let mut held = Vec::new();
    let mut work = Work { is_broken: !classes.is_empty(), ..Work::default() };
    for ((facts, place), node) in graph.facts.iter().zip(&graph.rows).zip(0_u32..) {
        if let Some(until) = facts.lease_until.filter(|until| now < *until) {
            let lease = IssueRow::read(&view.line(*place)?).and_then(|row| row.lease());
            let owner = lease.map(|lease| lease.owner).unwrap_or_default();
            if owner == worker {
                work.claimable += 1;
            } else {
                work.held += 1;
                held.push(HeldRow { issue_id: facts.id.clone(), owner, until });
            }
            continue;
        }
        let is_free = match facts.status {
            Status::Open => true,
            Status::InProgress => facts.lease_until.is_some(),
            Status::Blocked | Status::Closed | Status::Deleted | Status::Other => false,
        };
        let is_work = !graph.graph.is_held_back(node) && !parents.contains(facts.id.as_str());
        let is_for_others = || -> Result<bool, StoreError> {
            let row = IssueRow::read(&view.line(*place)?);
            Ok(row.is_some_and(|row| is_escalation(&row) || is_reserved(&row, worker)))
        };
        work.claimable += usize::from(is_free && is_work && !is_for_others()?);
    }
    Ok(Facts { work, held, classes })
}
