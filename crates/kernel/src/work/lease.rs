//! Leases: who may work on an issue, until when, and under which fence.
//!
//! A lease ends by itself, so that a dead worker wedges nothing; a fence is a number that only grows, so that a worker
//! that merely slept cannot write over its successor. Clocks may disagree: an early or late clock moves the moment of a
//! take-over, never two holders past one fence. Must not store anything or ask for the time.

use alloc::string::String;

use super::moment::Moment;
use super::status::Status;

pub use self::acquire::{claim, is_assigned_to_other, is_claimable};
pub use self::hold::{Released, authorise_write, release, renew};
pub use self::refusal::{LeaseClass, LeaseRefusal};

mod acquire;
mod hold;
mod refusal;

/// How long a lease lasts when nobody says.
pub const DEFAULT_TTL_SECONDS: u64 = 3_600;
/// The shortest lease.
pub const MIN_TTL_SECONDS: u64 = 30;
/// The longest lease.
pub const MAX_TTL_SECONDS: u64 = 86_400;

/// The right of one owner to work on one issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Names the lease.
    pub lease_id: String,
    /// Who holds it.
    pub owner: String,
    /// When it was given.
    pub acquired_at: Moment,
    /// It is active before this moment.
    pub expires_at: Moment,
    /// When it was last made longer.
    pub renewed_at: Option<Moment>,
    /// Higher than every fence given for the issue before; [`NO_FENCE`] for a lease of a file from before fences.
    pub fence: u64,
}

/// The fence of a lease that was written before there were fences. No claim gives it.
pub const NO_FENCE: u64 = 0;

impl Lease {
    /// Whether it was written before there were fences, so that its holder has none to name.
    #[must_use]
    pub const fn is_unfenced(&self) -> bool {
        self.fence == NO_FENCE
    }

    /// Whether the lease still keeps others out.
    #[must_use]
    pub fn is_active(&self, now: Moment) -> bool {
        now < self.expires_at
    }
}

/// What a store knows of one issue when somebody asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding<'a> {
    /// The issue.
    pub issue_id: &'a str,
    /// Where it stands.
    pub status: Status,
    /// Whether some dependency holds it back.
    pub held_back: bool,
    /// The lease on the row, active or not.
    pub lease: Option<&'a Lease>,
    /// The highest fence ever given for this issue; kept when a lease is released.
    pub last_fence: u64,
    /// Whom the row names as working on it. Gives no right by itself; only a lease does.
    pub assignee: Option<&'a str>,
}

impl Holding<'_> {
    /// The highest fence that is known for the issue, from either place that keeps one.
    fn newest_fence(&self) -> u64 {
        self.lease.map_or(0, |lease| lease.fence).max(self.last_fence)
    }
}

/// Whether a rule that has an exception is to be set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Override<'a> {
    /// The rule holds.
    None,
    /// Somebody answers for the exception. A blank reason is none.
    Forced {
        /// Why.
        reason: &'a str,
    },
}

impl Override<'_> {
    /// Whether the rule is set aside.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        match self {
            Self::None => false,
            Self::Forced { reason } => !reason.trim().is_empty(),
        }
    }
}

/// A wish to work on an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Who wants it.
    pub assignee: &'a str,
    /// What to call the lease; blank or none for the default.
    pub lease_id: Option<&'a str>,
    /// How long it is to last.
    pub ttl_seconds: u64,
    /// When it is to end, instead of after `ttl_seconds`.
    pub expires_at: Option<Moment>,
    /// Whether to take the issue although it is blocked.
    pub blocked: Override<'a>,
}

/// What somebody shows to act as the holder of a lease. Blank text shows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HolderProof<'a> {
    /// Who they are.
    pub owner: Option<&'a str>,
    /// Which lease they hold.
    pub lease_id: Option<&'a str>,
    /// The fence they were given.
    pub fence: Option<u64>,
}

/// Where a lease stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeaseState {
    /// There is none.
    Unleased,
    /// It keeps others out.
    Active,
    /// Anybody may claim the issue.
    Expired,
    /// No claim could have given it: blank owner or id, or an end not after its beginning.
    Invalid,
}

impl LeaseState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Unleased, Self::Active, Self::Expired, Self::Invalid];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Unleased => "unleased",
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Invalid => "invalid",
        }
    }
}

/// Where the lease of an issue stands now.
#[must_use]
pub fn lease_state(lease: Option<&Lease>, now: Moment) -> LeaseState {
    let Some(lease) = lease else {
        return LeaseState::Unleased;
    };
    let is_nameless = lease.owner.trim().is_empty() || lease.lease_id.trim().is_empty();
    if is_nameless || lease.expires_at <= lease.acquired_at {
        LeaseState::Invalid
    } else if lease.is_active(now) {
        LeaseState::Active
    } else {
        LeaseState::Expired
    }
}

/// A time to live as signed seconds, if it is one a lease may have.
fn seconds_to_live(ttl_seconds: u64) -> Result<i64, LeaseRefusal> {
    i64::try_from(ttl_seconds)
        .ok()
        .filter(|_| (MIN_TTL_SECONDS..=MAX_TTL_SECONDS).contains(&ttl_seconds))
        .ok_or_else(|| LeaseRefusal::ttl(ttl_seconds))
}

/// Text that says something, trimmed.
fn told(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
