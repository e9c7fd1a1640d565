//! The coordinator's decisions: whether a slot starts a worker now, waits, or is done.
//!
//! One slot per worktree. Slots are asked one by one, each before it would start a worker. Must not start anything, and
//! never counts on what a slot was told earlier.

/// What issue memory has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Issues that can be taken now.
    pub claimable: usize,
    /// Issues that somebody holds.
    pub held: usize,
    /// Whether the graph of open issues contradicts itself.
    pub is_broken: bool,
}

/// What the throughput figure says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KpiStanding {
    /// More workers may be started.
    Free,
    /// It fell below the rollback threshold, and nobody said since what was done about it.
    Rollback,
}

/// What a slot does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotNext {
    /// Start a worker.
    Start,
    /// Others hold what is left, or as many run as may: look again later.
    Wait,
    /// Nothing is left to do.
    Done,
    /// The graph contradicts itself: start nothing more.
    Refuse,
}

/// How many workers may run at once, of those that are wanted.
///
/// Under a rollback no more than ran before; one where none ever did.
#[must_use]
pub fn allowed_workers(kpi: KpiStanding, wanted: usize, ran_before: Option<usize>) -> usize {
    match kpi {
        KpiStanding::Free => wanted,
        KpiStanding::Rollback => wanted.min(ran_before.unwrap_or(1).max(1)),
    }
}

/// What a slot does, given what there is to do and how many of the allowed workers run already.
#[must_use]
pub const fn slot_next(work: Work, running: usize, allowed: usize) -> SlotNext {
    if work.is_broken {
        return SlotNext::Refuse;
    }
    match (work.claimable, work.held) {
        // Whoever runs may yet find more to do.
        (0, 0) if running == 0 => SlotNext::Done,
        (0, _held) => SlotNext::Wait,
        (_claimable, _held) if running < allowed => SlotNext::Start,
        (_claimable, _held) => SlotNext::Wait,
    }
}

#[cfg(test)]
mod tests;
