//! What issue memory says about its own rows, in the classes of a verification. It must not read rows by itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use premath_kernel::{hex, sha256};

use super::problem::{Problem, ProblemClass};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::issues::{FileIssues, IssueStore as _, LineProblemClass, RowProblem, snapshot_ref, verify_rows};
use crate::log::LogReader;

/// A problem of one issue row.
#[derive(Debug)]
pub(crate) struct IssueRowProblem {
    /// What and where.
    pub(crate) problem: Problem,
    /// What the line hashes to, by which a person accepts it: lines move when issue memory is compacted.
    pub(crate) line_digest: String,
}

/// Problems of single issue rows. Lines that are no JSON at all are left to the check of the log.
pub(crate) fn issue_row_problems(reader: &LogReader) -> Result<Vec<IssueRowProblem>, StoreError> {
    let path = reader.log().path();
    let problem = |found: RowProblem| match found {
        RowProblem::Line { line, class: LineProblemClass::NotAnIssue, detail } => {
            Some(Problem::of_line(ProblemClass::BadLine, path, line, detail))
        }
        // Normal in a file that was merged line by line; `issue check` lists it.
        RowProblem::Line { .. } | RowProblem::Diverged { .. } => None,
        RowProblem::Seal { line, id } => {
            let what = format!("the row of `{id}` is not what was sealed");
            Some(Problem::of_line(ProblemClass::RowDigestMismatch, path, line, what))
        }
        RowProblem::Revision { line, id } => {
            let what = format!("an older row of `{id}` stands behind a newer one");
            Some(Problem::of_line(ProblemClass::RowOrder, path, line, what))
        }
    };
    let found: Vec<Problem> = verify_rows(reader)?.into_iter().filter_map(problem).collect();
    let digests = line_digests(reader, &found)?;
    let digest =
        |problem: &Problem| problem.line.and_then(|line| digests.get(&line).cloned()).unwrap_or_default();
    Ok(found.into_iter().map(|problem| IssueRowProblem { line_digest: digest(&problem), problem }).collect())
}

/// What the lines with problems hash to. Without problems nothing is read.
fn line_digests(reader: &LogReader, problems: &[Problem]) -> Result<BTreeMap<u64, String>, StoreError> {
    let mut digests: BTreeMap<u64, String> =
        problems.iter().filter_map(|problem| problem.line).map(|line| (line, String::new())).collect();
    if digests.is_empty() {
        return Ok(digests);
    }
    let mut number = 0_u64;
    reader.each_line::<StoreError>(0, |_, line| {
        number += 1;
        if let Some(digest) = digests.get_mut(&number) {
            *digest = hex(&sha256(line));
        }
        Ok(())
    })?;
    Ok(digests)
}

/// The reference of the issues as they are now (`iss1_…`); `None` without a file.
pub(super) fn snapshot(disk: &Arc<dyn Disk>, path: &Path) -> Result<Option<String>, StoreError> {
    let issues = FileIssues::new(Arc::clone(disk), path.to_owned());
    match issues.view() {
        Ok(view) => snapshot_ref(view.as_ref()).map(Some),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
