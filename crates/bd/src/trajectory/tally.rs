//! What a stretch of the log amounts to: how many steps of which kind, and which lines are none.

use super::order::Entry;
use super::step::Flaw;

/// So many lines that are no steps are listed; beyond it they are counted.
pub(super) const LISTED: usize = 20;

/// Something about the log that a reader should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The stable class.
    pub class: &'static str,
    /// The line, counted from one; none when it is about the log as a whole.
    pub line: Option<u64>,
    /// What is wrong.
    pub detail: String,
}

/// Counts over lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) steps: u64,
    pub(super) failed: u64,
    pub(super) worth_a_retry: u64,
    pub(super) flawed: u64,
    /// The first lines that are no steps, counted from one.
    pub(super) flaws: Vec<(u64, Flaw)>,
}

impl Tally {
    pub(super) fn step(&mut self, entry: &Entry) {
        self.steps += 1;
        self.failed += u64::from(entry.is_failed);
        self.worth_a_retry += u64::from(entry.is_worth_a_retry);
    }

    pub(super) fn flaw(&mut self, line: u64, flaw: Flaw) {
        self.flawed += 1;
        if self.flaws.len() < LISTED {
            self.flaws.push((line, flaw));
        }
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        let warning = |(line, flaw): &(u64, Flaw)| Warning {
            class: flaw.class(),
            line: Some(*line),
            detail: flaw.detail().to_owned(),
        };
        self.flaws.iter().map(warning).collect()
    }
}
