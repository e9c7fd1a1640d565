//! What a run leaves behind beside its journal: the session that says how to go on, and its step in the trajectory.

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::{Grouping, NewStep, Query, SessionChange, SessionStore, StoreError, Trajectory};
use premath_tusk::turn_loop::{RunConfig, RunOutcome, RunReport, StopCause};
use premath_wire::v1::{ProjectionMode, SessionState};

use super::ports::RunIssues;
use crate::table::ActionError;
use crate::workspace::{Retention, Workspace};

/// The session of a run: the repository's own, or that of a worker.
fn session(workspace: &Workspace, config: &RunConfig) -> Result<SessionStore, ActionError> {
    let root = workspace.root.join(".premath");
    let folder = if config.depth() > 0 { root.join("workers").join(&config.run_id) } else { root };
    workspace.disk.create_folder(&folder).map_err(|source| {
        ActionError::Store(StoreError::Io { doing: "make", path: folder.clone(), source })
    })?;
    Ok(SessionStore::new(Arc::clone(&workspace.disk), folder.join("harness_session.json")))
}

/// Whether a run is work that is handed from one session to the next. What the assistant of the desk does for a person is none:
/// the person is there, and the journal has it.
fn is_work(config: &RunConfig) -> bool {
    config.issue_id.is_some() || !config.tools.iter().any(|tool| tool.scope.starts_with("desk:"))
}

/// Says that somebody works: a process that dies leaves behind how to go on.
pub(super) fn enter(workspace: &Workspace, config: &RunConfig) -> Result<(), ActionError> {
    if !is_work(config) {
        return Ok(());
    }
    let change = SessionChange {
        state: Some(SessionState::Active),
        session_id: Some(config.run_id.clone()),
        issue_id: Some(config.issue_id.clone().unwrap_or_default()),
        summary: Some(String::new()),
        next_step: Some(resuming(&config.run_id)),
        instruction_refs: None,
        witness_refs: Some(Vec::new()),
        lineage_refs: Some(vec![format!("run://{}", config.run_id)]),
        issues_path: None,
    };
    write_session(workspace, config, &change)
}

fn write_session(
    workspace: &Workspace,
    config: &RunConfig,
    change: &SessionChange,
) -> Result<(), ActionError> {
    let configured = &workspace.settings.issues_path.value;
    let session = session(workspace, config)?;
    session.write(change, configured, workspace.clock.as_ref(), |_| Ok::<_, ActionError>(None))?;
    Ok(())
}

/// Takes back what sessions say of going on with runs that nobody can go on with: what they said is forgotten.
pub(super) fn forgotten(workspace: &Workspace, runs: &BTreeSet<String>) -> Result<(), ActionError> {
    let root = workspace.root.join(".premath");
    let of_workers = runs.iter().map(|run| root.join("workers").join(run));
    for folder in of_workers.chain([root.clone()]) {
        let store = SessionStore::new(Arc::clone(&workspace.disk), folder.join("harness_session.json"));
        let session = match store.read() {
            Err(StoreError::Missing { .. }) => continue,
            session => session?.document,
        };
        let next = session.next_step.unwrap_or_default();
        let is_of = |run: &&String| next == resuming(run) || next == going_on(run);
        let Some(run) = runs.iter().find(is_of) else { continue };
        let change = SessionChange {
            state: Some(SessionState::Stopped),
            next_step: Some(format!("nothing: what run {run} said is forgotten")),
            ..SessionChange::default()
        };
        let snapshot = session.issues_snapshot_ref;
        store.write(&change, "", workspace.clock.as_ref(), |_| Ok::<_, ActionError>(snapshot))?;
    }
    Ok(())
}

fn resuming(run: &str) -> String {
    format!("premath resume {run}")
}

fn going_on(run: &str) -> String {
    format!("run {run} goes on")
}

/// The session and the step that a run leaves behind. A step is a step at an issue: without one there is nothing that could have
/// been completed, and it would count as a failure of whoever works.
pub(super) fn leave(
    workspace: &Workspace,
    config: &RunConfig,
    report: &RunReport,
    issues: &RunIssues,
    started_at: &str,
) -> Result<(), ActionError> {
    let next_step = match &report.outcome {
        RunOutcome::Completed => "nothing: the run is complete".to_owned(),
        RunOutcome::HandedOff { run_id } => going_on(run_id),
        RunOutcome::Stopped(_) => resuming(&config.run_id),
        RunOutcome::FailedClosed { .. } => format!("look at it: premath runs show {}", config.run_id),
    };
    let change = SessionChange {
        state: Some(SessionState::Stopped),
        session_id: Some(config.run_id.clone()),
        issue_id: Some(config.issue_id.clone().unwrap_or_default()),
        summary: Some(summary(workspace, report)),
        next_step: Some(next_step.clone()),
        instruction_refs: None,
        witness_refs: Some(issues.cited.clone()),
        lineage_refs: Some(vec![format!("run://{}", config.run_id)]),
        issues_path: None,
    };
    if is_work(config) {
        write_session(workspace, config, &change)?;
    }
    let Some(issue) = config.issue_id.as_deref() else { return Ok(()) };
    let worker = if config.depth() > 0 { "worker" } else { "run" };
    let path = workspace.root.join(".premath").join("harness_trajectory.jsonl");
    let trajectory = Trajectory::new(Arc::clone(&workspace.disk), path);
    let step = NewStep {
        step_id: format!("{worker}.{issue}.{}", next_number(&trajectory)?),
        action: "run".to_owned(),
        result_class: result_class(&report.outcome).to_owned(),
        finished_at: None,
        started_at: Some(started_at.to_owned()),
        issue_id: config.issue_id.clone(),
        verification_class: None,
        next_step: Some(next_step),
        failure_classes: classes(&report.outcome),
        instruction_refs: Vec::new(),
        lineage_refs: vec![format!("run://{}", config.run_id)],
        mutation_refs: issues.changes.clone(),
        witness_refs: issues.cited.clone(),
    };
    trajectory.append(&step, workspace.clock.as_ref())?;
    Ok(())
}

/// The number of the next step, over all of them.
fn next_number(trajectory: &Trajectory) -> Result<u64, StoreError> {
    let query = Query { mode: ProjectionMode::Latest, limit: 0, grouping: Grouping::None };
    match trajectory.query(&query) {
        Err(StoreError::Missing { .. }) => Ok(1),
        projection => Ok(projection?.total.saturating_add(1)),
    }
}

/// A run that went on in another session has done its part.
const fn result_class(outcome: &RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::HandedOff { .. } => RunOutcome::Completed.token(),
        RunOutcome::Completed | RunOutcome::Stopped(_) | RunOutcome::FailedClosed { .. } => outcome.token(),
    }
}

fn summary(workspace: &Workspace, report: &RunReport) -> String {
    let said = match &workspace.retention {
        Retention::Payloads => report.text.lines().next().unwrap_or_default(),
        Retention::Digests { .. } => "",
    };
    let short: String = said.chars().take(300).collect();
    let counted = |number: u64, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let (turns, calls) = (counted(report.turns, "turn"), counted(report.tool_calls, "tool call"));
    format!("{}: {turns}, {calls}. {short}", report.outcome.token()).trim_end().to_owned()
}

pub(super) fn classes(outcome: &RunOutcome) -> Vec<String> {
    match outcome {
        RunOutcome::FailedClosed { classes, .. } => classes.clone(),
        RunOutcome::Stopped(StopCause::Model { kind, .. }) => vec![kind.clone()],
        RunOutcome::Completed | RunOutcome::HandedOff { .. } | RunOutcome::Stopped(_) => Vec::new(),
    }
}
