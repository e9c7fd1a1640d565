//! Checking the rows of issue memory one by one: can they be read, and do the seals of our own fit.

use std::collections::{BTreeMap, BTreeSet};

use super::row::{IssueRow, Line, LineProblemClass, read_line};
use crate::error::StoreError;
use crate::log::LogReader;

/// A row that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowProblem {
    /// The line is no row.
    Line {
        /// Which, from 1.
        line: u64,
        /// How.
        class: LineProblemClass,
        /// In words.
        detail: String,
    },
    /// The row is not what was sealed.
    Seal {
        /// Which line, from 1.
        line: u64,
        /// Which issue.
        id: String,
    },
    /// Two branches changed an issue from the same row, and their lines were put together without a merge.
    Diverged {
        /// Which line, from 1.
        line: u64,
        /// Which issue.
        id: String,
    },
    /// Rows of an issue run backwards: an older one stands behind a newer one.
    Revision {
        /// Which line, from 1.
        line: u64,
        /// Which issue.
        id: String,
    },
}

/// Checks every line of an issue log, also the superseded ones.
///
/// # Errors
/// A log that cannot be read.
pub fn verify_rows(reader: &LogReader) -> Result<Vec<RowProblem>, StoreError> {
    let mut problems = Vec::new();
    let mut number = 0_u64;
    let mut issues: BTreeMap<String, KnownRows> = BTreeMap::new();
    let mut diverged: BTreeMap<String, u64> = BTreeMap::new();
    reader.each_line::<StoreError>(0, |_, bytes| {
        number += 1;
        match read_line(bytes) {
            Line::Blank => {}
            Line::Bad(class, detail) => problems.push(RowProblem::Line { line: number, class, detail }),
            Line::Issue(read) => {
                let Some(row) = IssueRow::from_value(read.1.into_owned()) else { return Ok(()) };
                let id = row.id().to_owned();
                if row.seal_holds() == Some(false) {
                    problems.push(RowProblem::Seal { line: number, id: id.clone() });
                }
                let rev = row.rev();
                let known = issues.entry(id.clone()).or_default();
                if known.last.is_some_and(|last| last >= rev) {
                    if known.is_other(&row) && row.seal_holds() == Some(true) {
                        diverged.entry(id).or_insert(number);
                    } else {
                        problems.push(RowProblem::Revision { line: number, id });
                    }
                } else if row.is_merge() {
                    diverged.remove(&id);
                }
                known.take(&row);
            }
        }
        Ok(())
    })?;
    problems.extend(diverged.into_iter().map(|(id, line)| RowProblem::Diverged { line, id }));
    Ok(problems)
}

/// What is known of the rows of one issue so far.
#[derive(Default)]
struct KnownRows {
    last: Option<u64>,
    /// The seals of its rows.
    seals: BTreeSet<String>,
}

impl KnownRows {
    /// Whether a row is none of those that were there before.
    fn is_other(&self, row: &IssueRow) -> bool {
        row.seal().is_some_and(|seal| !self.seals.contains(seal))
    }

    fn take(&mut self, row: &IssueRow) {
        self.last = Some(row.rev());
        self.seals.extend(row.seal().map(ToOwned::to_owned));
    }
}
