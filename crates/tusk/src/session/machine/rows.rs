//! The row that an attempt leaves in the trajectory.

use super::{HandoffState, StepMachine, StepRow};

impl StepMachine {
    pub(super) fn row_of(
        &self,
        result_class: &str,
        verification: &str,
        classes: &[String],
        handoff: HandoffState,
    ) -> Option<StepRow> {
        let held = self.held.as_ref()?;
        Some(StepRow {
            step_id: self.step_id()?,
            issue_id: held.issue_id.clone(),
            result_class: result_class.to_owned(),
            verification_class: verification.to_owned(),
            failure_classes: classes.to_vec(),
            next_step: next_step(&held.issue_id, handoff),
            handoff,
            before: self.attempt.before.clone(),
            work: self.attempt.work.clone(),
            after: self.attempt.after.clone(),
            refs: self.attempt.refs.clone(),
        })
    }
}

fn next_step(issue_id: &str, handoff: HandoffState) -> String {
    match handoff {
        HandoffState::Active => format!("try {issue_id} again"),
        HandoffState::Released | HandoffState::Stale => format!("claim {issue_id} again"),
        HandoffState::Closed | HandoffState::Contended => "claim the next issue".to_owned(),
        HandoffState::Blocked => format!("see why {issue_id} is blocked"),
        HandoffState::Missing => format!("see what became of {issue_id}"),
    }
}
