//! The machine of one step: claim, verify, work, verify, land, close, and everything that may go wrong in between.
//!
//! It is told what happened and says what is to be done next. An issue is closed only behind a verification that passed in
//! the same attempt, under the fence that attempt was made with. It must not do anything, wait, or read a clock.

mod failing;
mod rows;

use premath_kernel::{Digest, RetryTable};

use super::event::{Checked, StepEvent};
use super::refs::HandoffState;
use super::standing::{LeaseStanding, OnStanding, on_standing};
use super::step::{Escalation, HeldIssue, StepNext, StepOutcome, StepRow};

/// So often a lease that was refused is looked at and taken up again before the worker stops.
const LEASE_RETRIES: u32 = 3;

/// What a step is begun with.
#[derive(Debug, Clone)]
pub struct StepTerms {
    /// Who works.
    pub worker: String,
    /// The issue that this worker holds still, to be taken up first.
    pub resumes: Option<String>,
    /// What is done about failures.
    pub retry: RetryTable,
}

/// An event that does not fit what the machine waits for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{event}` cannot happen while a step {waits}")]
pub struct Unfitting {
    /// The event.
    pub event: &'static str,
    /// What the machine waits for.
    pub waits: &'static str,
}

/// Where a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// Taking up what this worker holds still.
    Resuming,
    /// Taking whatever comes first.
    Claiming,
    /// Waiting before taking is tried again.
    ClaimPause {
        seconds: u64,
    },
    Before,
    Working,
    After,
    Landing,
    Closing,
    /// A failed attempt is on its way to the record; another follows.
    Noting {
        seconds: u64,
    },
    Pausing {
        seconds: u64,
    },
    Looking,
    Renewing,
    /// Taking the same issue again.
    Reclaiming,
    Escalating,
    Releasing,
    Publishing,
    Done,
}

/// What one attempt has come to so far.
#[derive(Debug, Clone, Default)]
struct Attempt {
    before: Option<Digest>,
    work: Option<Digest>,
    after: Option<Digest>,
    refs: Vec<String>,
}

/// The machine of one step.
#[derive(Debug)]
pub struct StepMachine {
    terms: StepTerms,
    phase: Phase,
    held: Option<HeldIssue>,
    /// The number of the attempt, or of the try to take something.
    number: u32,
    /// How often the lease did not hold where it should have.
    lease_troubles: u32,
    attempt: Attempt,
    escalation: Option<Escalation>,
    row: Option<StepRow>,
    outcome: StepOutcome,
}

impl StepMachine {
    /// A step that has not begun.
    #[must_use]
    pub fn new(terms: StepTerms) -> Self {
        let phase = if terms.resumes.is_some() { Phase::Resuming } else { Phase::Claiming };
        Self {
            terms,
            phase,
            held: None,
            number: 1,
            lease_troubles: 0,
            attempt: Attempt::default(),
            escalation: None,
            row: None,
            outcome: StepOutcome::Idle,
        }
    }

    /// The issue that is held.
    #[must_use]
    pub const fn held(&self) -> Option<&HeldIssue> {
        self.held.as_ref()
    }

    /// The number of the attempt, the first being 1.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.number
    }

    /// The name of the attempt that is under way; none before something is held.
    #[must_use]
    pub fn step_id(&self) -> Option<String> {
        let held = self.held.as_ref()?;
        Some(format!("{}.{}.{}-{}", self.terms.worker, held.issue_id, held.fence, self.number))
    }

    /// What is to be done next. Asked twice, it says the same.
    #[must_use]
    pub fn next(&self) -> StepNext<'_> {
        let claim = |issue_id| StepNext::Claim { issue_id };
        let held = self.held.as_ref();
        let next = match &self.phase {
            Phase::Resuming => Some(claim(self.terms.resumes.as_deref())),
            Phase::Claiming => Some(claim(None)),
            Phase::ClaimPause { seconds } | Phase::Pausing { seconds } => {
                Some(StepNext::Wait { seconds: *seconds })
            }
            Phase::Before => held.map(StepNext::VerifyBefore),
            Phase::Working => held.map(StepNext::Work),
            Phase::After => held.map(StepNext::VerifyAfter),
            Phase::Landing => held
                .zip(self.attempt.after.as_ref())
                .map(|(held, evidence)| StepNext::Land { held, evidence }),
            Phase::Closing => held
                .zip(self.attempt.after.as_ref())
                .map(|(held, evidence)| StepNext::Close { held, evidence }),
            Phase::Looking => held.map(StepNext::Look),
            Phase::Renewing => held.map(StepNext::Renew),
            Phase::Reclaiming => held.map(|held| claim(Some(held.issue_id.as_str()))),
            Phase::Escalating => self.escalation.as_ref().map(StepNext::Escalate),
            Phase::Releasing => held.map(StepNext::Release),
            Phase::Noting { .. } | Phase::Publishing => self.row.as_ref().map(StepNext::Publish),
            Phase::Done => None,
        };
        next.unwrap_or(StepNext::Done(&self.outcome))
    }

    /// Takes what happened.
    ///
    /// # Errors
    /// It cannot happen now; nothing changes then.
    pub fn feed(&mut self, event: StepEvent) -> Result<(), Unfitting> {
        let name = event.name();
        match (self.phase.clone(), event) {
            (Phase::Resuming | Phase::Claiming, StepEvent::Claimed(held)) => {
                self.number = 1;
                self.held = Some(held);
                self.phase = Phase::Before;
            }
            (Phase::Reclaiming, StepEvent::Claimed(held)) => {
                self.held = Some(held);
                self.again();
            }
            (Phase::Resuming, StepEvent::ClaimRefused { .. } | StepEvent::NothingToClaim) => {
                self.phase = Phase::Claiming;
            }
            (Phase::Claiming, StepEvent::NothingToClaim) => self.phase = Phase::Done,
            (Phase::Claiming, StepEvent::ClaimRefused { class }) => self.claim_refused(class),
            (Phase::Reclaiming, StepEvent::ClaimRefused { class }) => {
                self.lost(HandoffState::Stale, vec![class]);
            }
            (Phase::Reclaiming, StepEvent::NothingToClaim) => self.lost(HandoffState::Stale, Vec::new()),
            (Phase::ClaimPause { .. }, StepEvent::Waited) => self.phase = Phase::Claiming,
            (Phase::Before, StepEvent::Checked(checked)) => {
                // How things stood is evidence; work is there to change it.
                self.attempt.before = Some(checked.evidence);
                self.phase = Phase::Working;
            }
            (Phase::Working, StepEvent::Checked(checked)) => self.worked(checked),
            (Phase::After, StepEvent::Checked(checked)) => self.verified(checked),
            (Phase::Landing, StepEvent::Landed { refs }) => {
                self.attempt.refs.extend(refs);
                self.phase = Phase::Closing;
            }
            (Phase::Landing, StepEvent::Submitted { refs }) => self.submitted(refs),
            (Phase::Landing, StepEvent::Checked(checked)) => self.failed(checked, "land"),
            (Phase::Landing, StepEvent::Refused { class }) => self.close_refused(class),
            (Phase::Before | Phase::Working | Phase::After | Phase::Landing, StepEvent::LeaseLost) => {
                self.lease_trouble()
            }
            (Phase::Closing, StepEvent::Closed { refs }) => self.closed(refs),
            (Phase::Closing, StepEvent::Refused { class }) => self.close_refused(class),
            (Phase::Noting { seconds }, StepEvent::Published) => self.phase = Phase::Pausing { seconds },
            (Phase::Pausing { .. }, StepEvent::Waited) => self.phase = Phase::Looking,
            (Phase::Looking, StepEvent::Stands(standing)) => self.stands(standing),
            (Phase::Renewing, StepEvent::Renewed) => self.again(),
            (Phase::Renewing, StepEvent::Refused { class }) => self.lost(HandoffState::Stale, vec![class]),
            (Phase::Escalating, StepEvent::Escalated { refs }) => self.escalated(refs),
            (Phase::Escalating, StepEvent::Refused { class }) => self.escalation_refused(class),
            (Phase::Releasing, StepEvent::Released) => self.phase = Phase::Publishing,
            (Phase::Publishing, StepEvent::Published) => self.phase = Phase::Done,
            (phase, StepEvent::Interrupted) => self.interrupted(&phase),
            (phase, _unfitting) => return Err(Unfitting { event: name, waits: waits(&phase) }),
        }
        Ok(())
    }

    fn worked(&mut self, checked: Checked) {
        self.attempt.work = Some(checked.evidence.clone());
        if checked.is_passed() {
            self.phase = Phase::After;
        } else {
            self.failed(checked, "work");
        }
    }

    fn verified(&mut self, checked: Checked) {
        if checked.is_passed() {
            self.attempt.after = Some(checked.evidence);
            self.phase = Phase::Landing;
        } else {
            self.failed(checked, "verify_after");
        }
    }

    fn closed(&mut self, refs: Vec<String>) {
        self.attempt.refs.extend(refs);
        let issue_id = self.issue_id();
        self.row = self.row_of("verified_accept", "verify_after", &[], HandoffState::Closed);
        self.outcome = StepOutcome::Completed { issue_id };
        self.phase = Phase::Publishing;
    }

    /// The work waits for a person: the issue is set aside, and there is no lease to let go of.
    fn submitted(&mut self, refs: Vec<String>) {
        self.attempt.refs.extend(refs);
        let issue_id = self.issue_id();
        self.row = self.row_of("accepted", "land", &[], HandoffState::Blocked);
        self.outcome = StepOutcome::Submitted { issue_id };
        self.phase = Phase::Publishing;
    }

    /// The lease did not hold: it is looked at.
    fn lease_trouble(&mut self) {
        self.lease_troubles = self.lease_troubles.saturating_add(1);
        self.phase = Phase::Looking;
    }

    /// The attempt after this one.
    fn again(&mut self) {
        self.number = self.number.saturating_add(1);
        self.attempt = Attempt::default();
        self.phase = Phase::Before;
    }

    fn issue_id(&self) -> String {
        self.held.as_ref().map(|held| held.issue_id.clone()).unwrap_or_default()
    }

    fn stands(&mut self, standing: LeaseStanding) {
        let is_enough = self.lease_troubles > LEASE_RETRIES;
        match on_standing(standing) {
            OnStanding::RenewAndRetry | OnStanding::Reclaim if is_enough => {
                self.stop(vec!["lease_stale".to_owned()]);
            }
            OnStanding::RenewAndRetry => self.phase = Phase::Renewing,
            OnStanding::Reclaim => self.phase = Phase::Reclaiming,
            OnStanding::Release => self.lost(HandoffState::Contended, Vec::new()),
            OnStanding::Next => self.lost(HandoffState::Closed, Vec::new()),
            OnStanding::Stop => {
                let issue_id = Some(self.issue_id());
                let classes = vec!["lease_missing".to_owned()];
                self.row = self.row_of("lease_missing", "lease", &classes, HandoffState::Missing);
                self.outcome = StepOutcome::Stopped { issue_id, classes };
                self.phase = Phase::Publishing;
            }
        }
    }
}

const fn waits(phase: &Phase) -> &'static str {
    match phase {
        Phase::Resuming | Phase::Claiming | Phase::Reclaiming => "takes an issue",
        Phase::ClaimPause { .. } | Phase::Pausing { .. } => "waits",
        Phase::Before => "looks at how things stand",
        Phase::Working => "works",
        Phase::After => "verifies",
        Phase::Landing => "lands its work",
        Phase::Closing => "closes its issue",
        Phase::Looking => "looks at its lease",
        Phase::Renewing => "renews its lease",
        Phase::Escalating => "tells of a failure",
        Phase::Releasing => "lets go of its issue",
        Phase::Noting { .. } | Phase::Publishing => "goes on record",
        Phase::Done => "is over",
    }
}

#[cfg(test)]
mod tests;
