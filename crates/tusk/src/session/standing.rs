//! The failure table of leases: where the lease of an issue stands for whoever worked on it, and what follows.
//!
//! Active: renew and try again. Stale: take it again. Contended: let go. Closed: the next one. Missing: stop. Must not take
//! anybody's word for a lease but the row's.

use premath_kernel::{Lease, Moment, Status};

/// Where the lease of an issue stands, seen by somebody who was given a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeaseStanding {
    /// It is ours, and keeps others out.
    Active,
    /// It ran out, or was given back, and nobody holds the issue.
    Stale,
    /// Somebody else holds it.
    Contended,
    /// The issue is closed.
    Closed,
    /// There is no such issue, or it was set aside: nothing is left to hold.
    Missing,
}

impl LeaseStanding {
    /// Every standing.
    pub const ALL: [Self; 5] = [Self::Active, Self::Stale, Self::Contended, Self::Closed, Self::Missing];
}

/// What follows from where a lease stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStanding {
    /// Make it longer, and try again.
    RenewAndRetry,
    /// Take the issue again, and try again.
    Reclaim,
    /// Let go.
    Release,
    /// Take the next issue.
    Next,
    /// Take no more.
    Stop,
}

/// The table.
#[must_use]
pub const fn on_standing(standing: LeaseStanding) -> OnStanding {
    match standing {
        LeaseStanding::Active => OnStanding::RenewAndRetry,
        LeaseStanding::Stale => OnStanding::Reclaim,
        LeaseStanding::Contended => OnStanding::Release,
        LeaseStanding::Closed => OnStanding::Next,
        LeaseStanding::Missing => OnStanding::Stop,
    }
}

/// Where the lease of an issue stands, for whoever was given this fence.
///
/// `status` is that of the row, none without one.
#[must_use]
pub fn standing_of(status: Option<Status>, lease: Option<&Lease>, fence: u64, now: Moment) -> LeaseStanding {
    match status {
        None | Some(Status::Blocked | Status::Other) => return LeaseStanding::Missing,
        Some(Status::Closed | Status::Deleted) => return LeaseStanding::Closed,
        Some(Status::Open | Status::InProgress) => {}
    }
    match lease {
        Some(lease) if !lease.is_active(now) => LeaseStanding::Stale,
        Some(lease) if lease.fence == fence => LeaseStanding::Active,
        Some(_) => LeaseStanding::Contended,
        // In progress without a lease is a person's.
        None if status == Some(Status::InProgress) => LeaseStanding::Contended,
        None => LeaseStanding::Stale,
    }
}
