//! What a step leaves behind: its row in the trajectory, the session that says how to go on, the ledger of the worker.

use std::sync::Arc;

use premath_bd::issues::FileIssues;
use premath_bd::{FeatureChange, Grouping, NewStep, Query, SessionChange, StoreError, Trajectory};
use premath_kernel::{FeatureStatus, Number, Value};
use premath_tusk::session::{
    HandoffState, HeldIssue, StepRow, context_ref, cover_ref, handoff_ref, refinement_ref,
};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{ProjectionMode, SessionDocument, SessionState};

use super::bench::{Bench, look};
use super::escalation::step_ref;
use super::place::Place;
use crate::checking::command_digest;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What the action of a row is called.
const ACTION: &str = "harness.step";
/// So far back it is looked for the row of a step that a killed process may have left.
const LOOKED_AT: usize = 1_000;

impl Bench<'_> {
    /// The moment, as rows have it.
    pub(super) fn now(&self) -> String {
        format_time(to_millis(self.workspace().clock.now()))
    }

    /// Says in the session which attempt is under way: a process that dies leaves behind what it was doing.
    pub(super) fn enter_attempt(&self, held: &HeldIssue, step_id: &str) -> Result<(), ActionError> {
        let change = SessionChange {
            state: Some(SessionState::Active),
            issue_id: Some(held.issue_id.clone()),
            next_step: Some(format!("finish step {step_id}")),
            lineage_refs: Some(vec![
                step_ref(step_id),
                context_ref(&self.place.worker, &held.issue_id, held.rev),
            ]),
            ..SessionChange::default()
        };
        self.write_session(&change)
    }

    fn write_session(&self, change: &SessionChange) -> Result<(), ActionError> {
        let workspace = self.workspace();
        let issues = &workspace.settings.issues_path.value;
        // What issue memory holds is noted when the session stops; while it goes, others change it all the time.
        let written = self
            .place
            .session(workspace)
            .write(change, issues, workspace.clock.as_ref(), |_| Ok::<_, ActionError>(None));
        written.map(drop)
    }

    /// Puts an attempt on record.
    pub(super) fn publish(
        &self,
        row: &StepRow,
        held: &HeldIssue,
        started_at: &str,
        instruction: Option<&str>,
    ) -> Result<(), ActionError> {
        let workspace = self.workspace();
        let policies = [self.lease.policy_digest().as_str(), self.retry.digest.as_str()];
        let verify = command_digest(self.request.verify.as_deref().unwrap_or_default());
        let lineage = vec![
            context_ref(&self.place.worker, &held.issue_id, held.rev),
            cover_ref(&held.issue_id, &verify, &policies),
            refinement_ref(&held.issue_id, row.before.as_ref(), row.after.as_ref()),
        ];
        let handoff = handoff_ref(&held.issue_id, row.handoff, &row.step_id, held.fence);
        let evidence = [&row.before, &row.work, &row.after].into_iter().flatten();
        let mut witnesses: Vec<String> = evidence.map(|digest| digest.as_str().to_owned()).collect();
        witnesses.push(handoff);
        let (cited, changes): (Vec<String>, Vec<String>) =
            row.refs.iter().cloned().partition(|reference| reference.starts_with("witness://"));
        witnesses.extend(cited);
        let mut instructions = vec![self.lease.instruction_ref().to_owned()];
        let session_instructions = instructions.clone();
        instructions.extend(instruction.map(str::to_owned));
        let step = NewStep {
            step_id: row.step_id.clone(),
            action: ACTION.to_owned(),
            result_class: row.result_class.clone(),
            finished_at: None,
            started_at: Some(started_at.to_owned()),
            issue_id: Some(row.issue_id.clone()),
            verification_class: Some(row.verification_class.clone()),
            next_step: Some(row.next_step.clone()),
            failure_classes: row.failure_classes.clone(),
            instruction_refs: instructions,
            lineage_refs: lineage.clone(),
            mutation_refs: changes,
            witness_refs: witnesses.clone(),
        };
        self.place.trajectory(workspace).append(&step, workspace.clock.as_ref())?;
        self.write_session(&SessionChange {
            issue_id: Some(held.issue_id.clone()),
            summary: Some(format!("{}: {}", row.step_id, row.result_class)),
            next_step: Some(row.next_step.clone()),
            instruction_refs: Some(session_instructions),
            witness_refs: Some(witnesses),
            lineage_refs: Some(lineage),
            ..SessionChange::default()
        })?;
        self.note_feature(row, held)
    }

    /// The ledger of a worker has a feature for each issue it worked on.
    fn note_feature(&self, row: &StepRow, held: &HeldIssue) -> Result<(), ActionError> {
        let status = match row.handoff {
            HandoffState::Active => return Ok(()),
            HandoffState::Closed if row.result_class == "verified_accept" => FeatureStatus::Completed,
            HandoffState::Blocked => FeatureStatus::Blocked,
            HandoffState::Closed
            | HandoffState::Released
            | HandoffState::Stale
            | HandoffState::Contended
            | HandoffState::Missing => FeatureStatus::Pending,
        };
        if !self.place.is_named {
            return Ok(());
        }
        let workspace = self.workspace();
        let change = FeatureChange {
            feature_id: held.issue_id.clone(),
            status,
            issue_id: Some(held.issue_id.clone()),
            summary: Some(held.title.clone()),
            session_ref: None,
            instruction_refs: None,
            verification_refs: row.after.as_ref().map(|after| vec![after.as_str().to_owned()]),
        };
        self.place.ledger(workspace).write(&change, workspace.clock.as_ref())?;
        Ok(())
    }
}

/// Puts a step on record that closed its issue and was killed before it could say so. Nobody else may work under the name.
pub(super) fn recover(
    workspace: &Workspace,
    place: &Place,
    before: &SessionDocument,
) -> Result<Option<String>, ActionError> {
    if before.state == SessionState::Stopped {
        return Ok(None);
    }
    let step_id = before.lineage_refs.iter().find_map(|reference| reference.strip_prefix("step://"));
    let (Some(step_id), Some(issue_id)) = (step_id, before.issue_id.as_deref()) else { return Ok(None) };
    let trajectory = place.trajectory(workspace);
    if !was_closed_by(workspace, step_id, issue_id)? || is_on_record(&trajectory, step_id)? {
        return Ok(None);
    }
    let step = NewStep {
        step_id: step_id.to_owned(),
        action: ACTION.to_owned(),
        result_class: "verified_accept".to_owned(),
        issue_id: Some(issue_id.to_owned()),
        verification_class: Some("verify_after".to_owned()),
        next_step: Some("claim the next issue".to_owned()),
        instruction_refs: before.instruction_refs.clone(),
        lineage_refs: before.lineage_refs.clone(),
        ..NewStep::default()
    };
    trajectory.append(&step, workspace.clock.as_ref())?;
    Ok(Some(step_id.to_owned()))
}

/// The same for a worker whose process is gone; nothing when another process has its name.
pub(super) fn recover_dead(workspace: &Workspace, worker: &str) -> Result<Option<String>, ActionError> {
    let place = Place::of(workspace, Some(worker))?;
    let before = match place.session(workspace).read() {
        Err(StoreError::Missing { .. }) => return Ok(None),
        session => session?.document,
    };
    match place.enter(workspace) {
        Ok(_lock) => recover(workspace, &place, &before),
        Err(StoreError::Busy { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the issue is closed, and by whoever held it under the fence that the step is named after.
fn was_closed_by(workspace: &Workspace, step_id: &str, issue_id: &str) -> Result<bool, ActionError> {
    let store = FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None));
    let Some(row) = look(&store, issue_id)? else { return Ok(false) };
    if row.status() != premath_kernel::Status::Closed {
        return Ok(false);
    }
    let witness = row.object().get("write_witness").and_then(Value::as_object);
    let authority = witness.and_then(|witness| witness.get("authority")).and_then(Value::as_text);
    let fence = witness.and_then(|witness| witness.get("fence")).and_then(Value::as_number);
    let fence = fence.and_then(Number::as_u64).map(|fence| fence.to_string());
    let number = step_id.rsplit('.').next().and_then(|number| number.split_once('-'));
    let named = number.map(|(fence, _)| fence);
    Ok(authority == Some("turn") && fence.is_some() && fence.as_deref() == named)
}

fn is_on_record(trajectory: &Trajectory, step_id: &str) -> Result<bool, ActionError> {
    let query = Query { mode: ProjectionMode::Latest, limit: LOOKED_AT, grouping: Grouping::None };
    let found = match trajectory.query(&query) {
        Err(StoreError::Missing { .. }) => return Ok(false),
        found => found?,
    };
    let is_it = |row: &Value<'_>| {
        row.as_object().and_then(|row| row.get("stepId")).and_then(Value::as_text) == Some(step_id)
    };
    Ok(found.items.iter().any(is_it))
}
