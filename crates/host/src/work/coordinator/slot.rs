//! One slot of a coordinator: a worktree, the name of its worker, and when it may start one.
//!
//! Must not start anything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use premath_kernel::Moment;
use premath_wire::v1::{SlotRow, WorkerAnswer};

use super::super::streak::Streak;
use crate::workspace::shown;

/// The longest pause after a death, in seconds.
const LONGEST_PAUSE: u64 = 10;

/// One worktree.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) worktree: PathBuf,
    pub(super) row: SlotRow,
    pub(super) is_running: bool,
    pub(super) is_over: bool,
    /// Workers in a row that died.
    pub(super) deaths: u64,
    /// Whether it found nothing to do the last time: it looks again when something has happened.
    pub(super) is_idle: bool,
    streak: Streak,
    /// The pause after a death: from when, and until when.
    pause: Option<(Moment, Moment)>,
}

impl Slot {
    /// Whether it may start a worker, as far as it alone can tell.
    pub(super) fn may_start(&self, now: Moment) -> bool {
        // A clock that was set back is no reason to wait for it.
        let pauses = self.pause.is_some_and(|(since, until)| since <= now && now < until);
        !self.is_running && !self.is_over && !self.is_idle && !pauses
    }

    /// What its last workers all failed with, once there were enough of them.
    pub(super) fn streak(&mut self, answer: &WorkerAnswer) -> Option<Vec<String>> {
        if !answer.completed.is_empty() {
            self.streak = Streak::default();
        } else if !answer.escalated.is_empty() {
            self.streak.failed(&answer.failure_classes);
        }
        self.streak.is_enough()
    }

    /// Its worker died: what ended this one may end the next, so that each waits longer than the one before.
    pub(super) fn died(&mut self, now: Moment) {
        self.row.died += 1;
        self.deaths += 1;
        let seconds = i64::try_from(self.deaths.min(LONGEST_PAUSE)).unwrap_or_default();
        self.pause = Some((now, now.plus_seconds(seconds)));
    }
}

/// The slots, by worktree: sorted, without twins, each with a name that is the same the next time.
pub(super) fn slots(worktrees: &[PathBuf]) -> Vec<Slot> {
    let mut sorted = worktrees.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let names = names(&sorted);
    let slot = |(worktree, worker_id): (PathBuf, String)| Slot {
        row: SlotRow {
            worker_id,
            worktree: shown(&worktree),
            started: 0,
            died: 0,
            completed: 0,
            escalated: 0,
            outcome: String::new(),
        },
        worktree,
        is_running: false,
        is_over: false,
        deaths: 0,
        is_idle: false,
        streak: Streak::default(),
        pause: None,
    };
    sorted.into_iter().zip(names).map(slot).collect()
}

/// A name for each folder: its own where it is the first of it, else the first number behind it that is nobody's.
fn names(folders: &[PathBuf]) -> Vec<String> {
    let mut taken: BTreeSet<String> = folders.iter().map(|folder| plain(folder)).collect();
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for folder in folders {
        let name = plain(folder);
        if seen.insert(name.clone()) {
            names.push(name);
            continue;
        }
        let numbered = (2_usize..).map(|number| format!("{name}-{number}"));
        for free in numbered.filter(|numbered| !taken.contains(numbered)).take(1).collect::<Vec<_>>() {
            taken.insert(free.clone());
            names.push(free);
        }
    }
    names
}

/// The last part of a path in the letters that a worker's name may have.
fn plain(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let letter = |one: char| if one.is_ascii_alphanumeric() || one == '_' { one } else { '-' };
    let name: String = name.chars().take(48).map(letter).collect();
    if name.is_empty() { "worker".to_owned() } else { name }
}

#[cfg(test)]
mod tests;
