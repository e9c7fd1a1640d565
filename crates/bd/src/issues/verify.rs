//! Checking the rows of issue memory one by one: can they be read, and do the seals of our own fit.

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
    let mut revisions: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
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
                if revisions.get(&id).is_some_and(|before| *before >= rev) {
                    problems.push(RowProblem::Revision { line: number, id: id.clone() });
                }
                revisions.insert(id, rev);
            }
        }
        Ok(())
    })?;
    Ok(problems)
}
