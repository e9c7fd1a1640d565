//! What a step may ask for, and what it comes to. Data only.

use premath_kernel::{Digest, EscalationAction};

use super::refs::HandoffState;

/// The issue that a step works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldIssue {
    /// Which.
    pub issue_id: String,
    /// What it is called.
    pub title: String,
    /// Under which fence it is held.
    pub fence: u64,
    /// The revision of its row when it was taken.
    pub rev: u64,
    /// Whether it is itself about a failure of another issue.
    pub is_escalation: bool,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepNext<'m> {
    /// Take this issue, or whatever comes first.
    Claim {
        /// Which, when it must be that one.
        issue_id: Option<&'m str>,
    },
    /// See how things stand before anything is done.
    VerifyBefore(&'m HeldIssue),
    /// Do the work.
    Work(&'m HeldIssue),
    /// See whether the work is done.
    VerifyAfter(&'m HeldIssue),
    /// Commit what was verified, and bring the commit to where the configuration says.
    Land {
        /// Which issue it belongs to.
        held: &'m HeldIssue,
        /// What the verification left behind.
        evidence: &'m Digest,
    },
    /// Close the issue, on the strength of a verification that passed.
    Close {
        /// Which.
        held: &'m HeldIssue,
        /// What the verification left behind.
        evidence: &'m Digest,
    },
    /// Let so much time pass.
    Wait {
        /// How much.
        seconds: u64,
    },
    /// See where the lease stands.
    Look(&'m HeldIssue),
    /// Hold on to the issue.
    Renew(&'m HeldIssue),
    /// Tell of the failure where others see it.
    Escalate(&'m Escalation),
    /// Let go of the issue.
    Release(&'m HeldIssue),
    /// Put the attempt on record.
    Publish(&'m StepRow),
    /// Nothing more.
    Done(&'m StepOutcome),
}

/// A failure that is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalation {
    /// What it happened to.
    pub held: HeldIssue,
    /// What is done about it: `Stop` changes nothing, and never comes here.
    pub action: EscalationAction,
    /// Why.
    pub classes: Vec<String>,
    /// After so many attempts.
    pub attempts: u32,
    /// What failed: the evidence of the work or the verification.
    pub evidence: Digest,
}

/// One attempt, as the trajectory has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRow {
    /// `<worker>.<issue>.<fence>-<attempt>`: a fence is never given twice, so that no two attempts share a name.
    pub step_id: String,
    /// The issue.
    pub issue_id: String,
    /// How it ended.
    pub result_class: String,
    /// Which check decided.
    pub verification_class: String,
    /// Why it failed; sorted.
    pub failure_classes: Vec<String>,
    /// What to do next.
    pub next_step: String,
    /// In which state the issue is handed on.
    pub handoff: HandoffState,
    /// What the verification before left behind.
    pub before: Option<Digest>,
    /// What the work left behind.
    pub work: Option<Digest>,
    /// What the verification after it left behind.
    pub after: Option<Digest>,
    /// References that effects of the attempt gave.
    pub refs: Vec<String>,
}

/// What a step came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    /// There was nothing to take.
    Idle,
    /// The issue was verified and closed.
    Completed {
        /// Which.
        issue_id: String,
    },
    /// The work was verified and pushed, and a person reviews it; the next issue may be taken.
    Submitted {
        /// Which.
        issue_id: String,
    },
    /// The failure was told of; the next issue may be taken.
    Escalated {
        /// Which issue it happened to.
        issue_id: String,
        /// What was done.
        action: EscalationAction,
    },
    /// The issue went to somebody else, or was closed meanwhile; the next one may be taken.
    Lost {
        /// Which.
        issue_id: String,
        /// What became of it.
        handoff: HandoffState,
    },
    /// The worker is not to go on.
    Stopped {
        /// The issue, where one was held.
        issue_id: Option<String>,
        /// Why.
        classes: Vec<String>,
    },
    /// Somebody asked for the end.
    Interrupted {
        /// The issue, where one was held.
        issue_id: Option<String>,
    },
}

impl StepOutcome {
    /// The token on the wire.
    #[must_use]
    pub const fn token(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Completed { .. } => "completed",
            Self::Submitted { .. } => "submitted",
            Self::Escalated { .. } => "escalated",
            Self::Lost { .. } => "lost",
            Self::Stopped { .. } => "stopped",
            Self::Interrupted { .. } => "interrupted",
        }
    }

    /// The issue, where one was held.
    #[must_use]
    pub fn issue_id(&self) -> Option<&str> {
        match self {
            Self::Idle => None,
            Self::Completed { issue_id }
            | Self::Submitted { issue_id }
            | Self::Escalated { issue_id, .. }
            | Self::Lost { issue_id, .. } => Some(issue_id),
            Self::Stopped { issue_id, .. } | Self::Interrupted { issue_id } => issue_id.as_deref(),
        }
    }

    /// Whether the worker may take another issue.
    #[must_use]
    pub const fn goes_on(&self) -> bool {
        match self {
            Self::Completed { .. } | Self::Submitted { .. } | Self::Escalated { .. } | Self::Lost { .. } => {
                true
            }
            Self::Idle | Self::Stopped { .. } | Self::Interrupted { .. } => false,
        }
    }
}
