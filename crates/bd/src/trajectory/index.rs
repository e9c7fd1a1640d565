//! The index of a trajectory, `<log>.index`: every step of the log's first so many lines in the order of a projection.
//!
//! It is a function of those lines and of nothing else, can be deleted at any time and is rebuilt to the same bytes
//! (I10). It says where rows are; what they say is read from the log. It must not be believed unless its extent, rolled
//! on over the lines behind it, comes out at the extent the log's reader vouches for.

mod build;
mod format;
mod merge;
mod pages;
mod read;
mod runs;

use std::path::PathBuf;

pub(super) use self::build::{afresh, brought_up};
pub(super) use self::read::{Index, List};
use super::Trajectory;
use crate::log::beside;

/// The least number of lines an index covers, and by which it grows.
const LEAST_STEP: u64 = 1024;
/// A long log moves its index by a thousandth of itself, so that renewing it costs about the same for every line.
const STEPS: u64 = 1024;

/// How many lines the index of a log of so many lines covers. Never less for a longer log.
const fn covered(rows: u64) -> u64 {
    let step = match rows.checked_next_power_of_two() {
        Some(power) if power / STEPS > LEAST_STEP => power / STEPS,
        _ => LEAST_STEP,
    };
    rows / step * step
}

impl Trajectory {
    pub(super) fn index_path(&self) -> PathBuf {
        beside(self.path(), "index")
    }
}

#[cfg(test)]
mod tests;
