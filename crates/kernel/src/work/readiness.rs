//! Whether an issue is ready, and which ready issue comes first.
//!
//! Judges one edge or one issue at a time. Must not walk a graph; see `graph`.

use core::cmp::Ordering;

use super::dependency::DependencyKind;
use super::moment::Moment;
use super::natural::natural_cmp;
use super::status::Status;

/// What is known of the issue a dependency points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    /// No such issue.
    Missing,
    /// It still stands at this status.
    Unresolved(Status),
    /// It holds nobody back any more.
    Resolved,
}

impl TargetState {
    /// The state of a target with this status; none when there is no such issue.
    #[must_use]
    pub const fn of(status: Option<Status>) -> Self {
        match status {
            None => Self::Missing,
            Some(status) if status.is_resolved() => Self::Resolved,
            Some(status) => Self::Unresolved(status),
        }
    }
}

/// Whether a dependency keeps its issue from being ready. A missing target does: absent evidence refuses.
#[must_use]
pub const fn holds_back(kind: DependencyKind, target: TargetState) -> bool {
    kind.holds_back() && !matches!(target, TargetState::Resolved)
}

/// Whether an issue with this status, held back or not by some dependency, is ready to be worked on.
#[must_use]
pub const fn is_ready(status: Status, held_back: bool) -> bool {
    matches!(status, Status::Open) && !held_back
}

/// The place of an issue among the ready ones: priority, then age (unknown last), then natural id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyKey<'a> {
    /// 0 comes first.
    pub priority: u8,
    /// Older comes first; what has no time comes last.
    pub created_at: Option<Moment>,
    /// The issue.
    pub id: &'a str,
}

impl Ord for ReadyKey<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // `false` before `true` puts the missing times last.
        let age = |key: &Self| (key.created_at.is_none(), key.created_at);
        self.priority
            .cmp(&other.priority)
            .then_with(|| age(self).cmp(&age(other)))
            .then_with(|| natural_cmp(self.id, other.id))
    }
}

impl PartialOrd for ReadyKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
