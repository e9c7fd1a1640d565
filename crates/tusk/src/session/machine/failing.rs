//! What becomes of an attempt that failed: another one, an escalation, or the end.

use premath_kernel::{Digest, EscalationAction, RetryNext};

use super::{Checked, Escalation, HandoffState, Phase, StepMachine, StepOutcome};

impl StepMachine {
    /// Nothing could be taken: tried again as the table says, and else nothing was begun that needs an end.
    pub(super) fn claim_refused(&mut self, class: String) {
        let decision = self.terms.retry.decide(std::slice::from_ref(&class), self.number);
        match decision.next {
            RetryNext::Retry { backoff_seconds } => {
                self.number = self.number.saturating_add(1);
                self.phase = Phase::ClaimPause { seconds: backoff_seconds };
            }
            RetryNext::Escalate(_) => {
                self.outcome = StepOutcome::Stopped { issue_id: None, classes: vec![class] };
                self.phase = Phase::Done;
            }
        }
    }

    /// The work or the verification behind it failed.
    pub(super) fn failed(&mut self, checked: Checked, verification: &str) {
        let Checked { mut classes, evidence } = checked;
        classes.sort_unstable();
        classes.dedup();
        if verification == "verify_after" {
            self.attempt.after = Some(evidence.clone());
        }
        let decision = self.terms.retry.decide(&classes, self.number);
        match decision.next {
            RetryNext::Retry { backoff_seconds } => {
                let class = format!("{}_retry", decision.kind.token());
                self.row = self.row_of(&class, verification, &classes, HandoffState::Active);
                self.phase = Phase::Noting { seconds: backoff_seconds };
            }
            RetryNext::Escalate(EscalationAction::Stop) => self.stop_after(classes, verification),
            RetryNext::Escalate(action) => self.escalate(action, classes, evidence, verification),
        }
    }

    fn escalate(
        &mut self,
        action: EscalationAction,
        classes: Vec<String>,
        evidence: Digest,
        verification: &str,
    ) {
        let Some(held) = self.held.clone() else { return };
        // A failure while working on a failure is not told of in yet another issue: that would never end.
        let action = if held.is_escalation { EscalationAction::MarkBlocked } else { action };
        let class = format!("escalated_{}", action.token());
        self.row = self.row_of(&class, verification, &classes, HandoffState::Blocked);
        self.escalation = Some(Escalation { held, action, classes, attempts: self.number, evidence });
        self.phase = Phase::Escalating;
    }

    pub(super) fn escalated(&mut self, refs: Vec<String>) {
        if let Some(row) = &mut self.row {
            row.refs.extend(refs);
        }
        let action = self.escalation.as_ref().map_or(EscalationAction::MarkBlocked, |one| one.action);
        self.outcome = StepOutcome::Escalated { issue_id: self.issue_id(), action };
        // Work that is set aside is nobody's: there is no lease to let go of.
        self.phase = Phase::Publishing;
    }

    pub(super) fn escalation_refused(&mut self, class: String) {
        let mut classes = self.escalation.take().map(|one| one.classes).unwrap_or_default();
        if class.starts_with("lease_") {
            // Whoever holds the issue now will see for themselves.
            classes.push(class);
            return self.lost(HandoffState::Stale, classes);
        }
        classes.push(class);
        self.stop(classes);
    }

    /// Closing was refused. A lease that did not hold is looked at; anything else is a failure like any other.
    pub(super) fn close_refused(&mut self, class: String) {
        if class.starts_with("lease_") {
            self.lease_trouble();
            return;
        }
        let Some(evidence) = self.attempt.after.clone() else { return };
        self.failed(Checked { classes: vec![class], evidence }, "close");
    }

    /// The issue is somebody else's now, or done: nothing more is done for it. Letting go is tried where it is not closed,
    /// and refused by the fence where it is not ours.
    pub(super) fn lost(&mut self, handoff: HandoffState, mut classes: Vec<String>) {
        classes.sort_unstable();
        classes.dedup();
        let class = format!("lease_{}", handoff.token());
        self.row = self.row_of(&class, "lease", &classes, handoff);
        self.outcome = StepOutcome::Lost { issue_id: self.issue_id(), handoff };
        self.phase = match handoff {
            HandoffState::Closed => Phase::Publishing,
            HandoffState::Active
            | HandoffState::Released
            | HandoffState::Blocked
            | HandoffState::Stale
            | HandoffState::Contended
            | HandoffState::Missing => Phase::Releasing,
        };
    }

    pub(super) fn stop(&mut self, classes: Vec<String>) {
        self.stop_after(classes, "lease");
    }

    fn stop_after(&mut self, mut classes: Vec<String>, verification: &str) {
        classes.sort_unstable();
        classes.dedup();
        self.row = self.row_of("escalated_stop", verification, &classes, HandoffState::Released);
        self.outcome = StepOutcome::Stopped { issue_id: Some(self.issue_id()), classes };
        self.phase = Phase::Releasing;
    }

    /// Somebody asked for the end. What is held is given back; what is being written is written.
    pub(super) fn interrupted(&mut self, phase: &Phase) {
        match phase {
            Phase::Resuming | Phase::Claiming | Phase::ClaimPause { .. } => {
                self.outcome = StepOutcome::Interrupted { issue_id: None };
                self.phase = Phase::Done;
            }
            Phase::Before
            | Phase::Working
            | Phase::After
            | Phase::Landing
            | Phase::Closing
            | Phase::Noting { .. }
            | Phase::Pausing { .. }
            | Phase::Looking
            | Phase::Renewing
            | Phase::Reclaiming
            | Phase::Escalating => {
                let classes = ["interrupted".to_owned()];
                self.row = self.row_of("interrupted", "none", &classes, HandoffState::Released);
                self.outcome = StepOutcome::Interrupted { issue_id: Some(self.issue_id()) };
                self.phase = Phase::Releasing;
            }
            Phase::Releasing | Phase::Publishing | Phase::Done => {}
        }
    }
}
