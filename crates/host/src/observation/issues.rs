//! Issue memory as it is observed: counts, leases, and the issues that are not at rest.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_bd::StoreError;
use premath_bd::issues::{FileIssues, IssueRow, IssueStore as _, IssueView, Limit, snapshot_ref};
use premath_kernel::{Moment, Status, Value};
use premath_wire::v1::{AttentionRow, LeaseRow, ObservedCounts, ObservedIssue, ObservedStep};

use super::attention::{damaged, of_issue};
use crate::actions::issue::count;
use crate::actions::lease::lease_row;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

/// The label of an issue that retrying did not help.
const ESCALATION: &str = "escalation";
/// So many lines that cannot be read are named.
const NAMED: usize = 5;

/// What issue memory says.
#[derive(Debug, Default)]
pub(super) struct Issues {
    pub(super) snapshot: Option<String>,
    pub(super) counts: ObservedCounts,
    pub(super) active: Vec<ObservedIssue>,
    pub(super) leases: Vec<LeaseRow>,
    pub(super) attention: Vec<AttentionRow>,
}

/// Reads issue memory. `latest` has the last step of each issue.
pub(super) fn read(
    workspace: &Workspace,
    latest: &BTreeMap<String, ObservedStep>,
) -> Result<Issues, ActionError> {
    let path = workspace.issues_path(None);
    let store = FileIssues::new(Arc::clone(&workspace.disk), path.clone());
    let now = workspace.clock.now();
    let attempt = || look(store.view()?.as_ref(), latest, now);
    let read = match attempt() {
        Err(StoreError::DerivedDamaged { .. }) => {
            store.discard_index()?;
            attempt()
        }
        other => other,
    };
    match read {
        Ok(issues) => Ok(issues.named(&shown(&path))),
        Err(StoreError::Missing { .. }) => Ok(Issues::default()),
        Err(error @ StoreError::Corrupt { .. }) => {
            let attention = vec![damaged(&shown(&path), error.to_string())];
            Ok(Issues { attention, ..Issues::default() })
        }
        Err(error) => Err(error.into()),
    }
}

impl Issues {
    /// Rows about lines are about the file that has them.
    fn named(mut self, path: &str) -> Self {
        for row in self.attention.iter_mut().filter(|row| row.subject.is_empty()) {
            path.clone_into(&mut row.subject);
        }
        self
    }
}

fn look(
    view: &dyn IssueView,
    latest: &BTreeMap<String, ObservedStep>,
    now: Moment,
) -> Result<Issues, StoreError> {
    let mut issues = Issues { snapshot: Some(snapshot_ref(view)?), ..Issues::default() };
    for place in view.live()? {
        let Some(row) = IssueRow::read(&view.line(place)?) else { continue };
        tally(&mut issues.counts, row.status());
        let lease = lease_row(&row, now).map(|(_, lease)| lease);
        if let Some(issue) = observed(&row, latest) {
            issues.attention.extend(of_issue(&issue, lease.as_ref()));
            issues.active.push(issue);
        }
        issues.leases.extend(lease);
    }
    issues.counts.ready = count(view.ready(Limit::All)?.len());
    let problems = view.problems()?;
    let lines = problems.iter().take(NAMED);
    issues
        .attention
        .extend(lines.map(|problem| damaged("", format!("line {}: {}", problem.line, problem.detail))));
    Ok(issues)
}

const fn tally(counts: &mut ObservedCounts, status: Status) {
    counts.total += 1;
    match status {
        Status::Open => counts.open += 1,
        Status::InProgress => counts.in_progress += 1,
        Status::Blocked => counts.blocked += 1,
        Status::Closed => counts.closed += 1,
        // A status of another tool is counted with all of them. What was deleted is not looked at.
        Status::Deleted | Status::Other => {}
    }
}

/// An issue that is not at rest: worked on, blocked, escalated, or open after a step.
fn observed(row: &IssueRow, latest: &BTreeMap<String, ObservedStep>) -> Option<ObservedIssue> {
    let labels = row.object().get("labels").and_then(Value::as_array).unwrap_or_default();
    let escalated = labels.iter().filter_map(Value::as_text).any(|label| label.trim() == ESCALATION);
    let latest_step = latest.get(row.id()).cloned();
    let status = row.status();
    let is_at_rest = match status {
        Status::Closed | Status::Deleted => true,
        Status::Open | Status::Other => !escalated && latest_step.is_none(),
        Status::InProgress | Status::Blocked => false,
    };
    (!is_at_rest).then(|| ObservedIssue {
        issue_id: row.id().to_owned(),
        title: row.text("title").unwrap_or_default().to_owned(),
        status: status.token().to_owned(),
        escalated,
        latest_step,
    })
}
