//! What a step is told: what came of what it asked for. Data only.

use premath_kernel::Digest;

use super::standing::LeaseStanding;
use super::step::HeldIssue;

/// What came of a command, or of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Why it failed; none when it did not.
    pub classes: Vec<String>,
    /// What it left behind.
    pub evidence: Digest,
}

impl Checked {
    /// Whether it went well.
    #[must_use]
    pub const fn is_passed(&self) -> bool {
        self.classes.is_empty()
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepEvent {
    /// An issue was taken.
    Claimed(HeldIssue),
    /// There was nothing to take.
    NothingToClaim,
    /// What was to be taken could not be, or no store answered.
    ClaimRefused {
        /// Why.
        class: String,
    },
    /// A verification, or the work, came to its end.
    Checked(Checked),
    /// The lease was lost while something ran; what ran was ended.
    LeaseLost,
    /// Somebody asked for the end while something ran or was waited for.
    Interrupted,
    /// The work is where the configuration says.
    Landed {
        /// The commit and where it is.
        refs: Vec<String>,
    },
    /// The work was pushed for a review, and the issue is set aside until a person merged it.
    Submitted {
        /// The commit and what the change left behind.
        refs: Vec<String>,
    },
    /// The issue is closed.
    Closed {
        /// What the change left behind.
        refs: Vec<String>,
    },
    /// The time has passed.
    Waited,
    /// Where the lease stands.
    Stands(LeaseStanding),
    /// The lease is longer now.
    Renewed,
    /// The failure is told of.
    Escalated {
        /// What the changes left behind.
        refs: Vec<String>,
    },
    /// The issue is let go of, or was nobody's to let go of.
    Released,
    /// The attempt is on record.
    Published,
    /// A change was refused: closing, renewing or telling of a failure.
    Refused {
        /// Why.
        class: String,
    },
}

impl StepEvent {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Claimed(_) => "claimed",
            Self::NothingToClaim => "nothing_to_claim",
            Self::ClaimRefused { .. } => "claim_refused",
            Self::Checked(_) => "checked",
            Self::LeaseLost => "lease_lost",
            Self::Interrupted => "interrupted",
            Self::Landed { .. } => "landed",
            Self::Submitted { .. } => "submitted",
            Self::Closed { .. } => "closed",
            Self::Waited => "waited",
            Self::Stands(_) => "stands",
            Self::Renewed => "renewed",
            Self::Escalated { .. } => "escalated",
            Self::Released => "released",
            Self::Published => "published",
            Self::Refused { .. } => "refused",
        }
    }
}
