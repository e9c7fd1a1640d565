//! The order of a projection: descending by end, then by step, then by action; rows equal in all three as they were written.
//!
//! An [`Entry`] has what an index holds of a row, a [`Keyed`] also what ties are broken with. Must not read anything.

use std::cmp::{Ordering, Reverse};

use premath_kernel::Moment;

use super::step::Step;
use crate::log::Place;

/// One row, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) finished_at: Moment,
    pub(super) is_failed: bool,
    pub(super) is_worth_a_retry: bool,
    pub(super) place: Place,
}

impl Entry {
    pub(super) fn of(step: &Step<'_>, place: Place) -> Self {
        Self {
            finished_at: step.finished_at,
            is_failed: step.is_failed(),
            is_worth_a_retry: step.is_worth_a_retry(),
            place,
        }
    }
}

/// One row with what it is ordered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keyed {
    pub(super) entry: Entry,
    pub(super) step_id: String,
    pub(super) action: String,
}

impl Keyed {
    pub(super) fn of(step: &Step<'_>, place: Place) -> Self {
        Self {
            entry: Entry::of(step, place),
            step_id: step.step_id.to_owned(),
            action: step.action.to_owned(),
        }
    }

    fn rank(&self) -> (Reverse<(Moment, &str, &str)>, u64) {
        (Reverse((self.entry.finished_at, &self.step_id, &self.action)), self.entry.place.offset)
    }

    /// Which of two comes first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The first rows of many, however they come in, without keeping the others.
#[derive(Debug)]
pub(super) struct First {
    limit: usize,
    kept: Vec<Keyed>,
    /// Once there were more than enough, later rows must not end before this.
    floor: Option<Moment>,
}

/// So many more than asked for are kept before the rest is thrown away.
const SLACK: usize = 1024;

impl First {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), floor: None }
    }

    pub(super) fn take(&mut self, step: &Step<'_>, place: Place) {
        if self.limit == 0 || self.floor.is_some_and(|floor| step.finished_at < floor) {
            return;
        }
        self.kept.push(Keyed::of(step, place));
        if self.kept.len() >= self.limit.saturating_add(SLACK) {
            self.prune();
        }
    }

    /// A row that is known already.
    pub(super) fn add(&mut self, keyed: Keyed) {
        self.kept.push(keyed);
    }

    fn prune(&mut self) {
        self.kept.sort_unstable_by(Keyed::order);
        self.kept.truncate(self.limit);
        self.floor = self.kept.last().map(|last| last.entry.finished_at);
    }

    /// The first ones, in order.
    pub(super) fn finish(mut self) -> Vec<Keyed> {
        self.prune();
        self.kept
    }
}
