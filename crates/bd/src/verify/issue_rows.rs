//! What issue memory says about its own rows, in the classes of a verification. It must not read rows by itself.

use std::path::Path;
use std::sync::Arc;

use super::problem::{Problem, ProblemClass};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::issues::{FileIssues, IssueStore as _, LineProblemClass, RowProblem, snapshot_ref, verify_rows};
use crate::log::LogReader;

/// Problems of single issue rows. Lines that are no JSON at all are left to the check of the log.
pub(crate) fn problems(reader: &LogReader) -> Result<Vec<Problem>, StoreError> {
    let path = reader.log().path();
    let problem = |found: RowProblem| match found {
        RowProblem::Line { line, class: LineProblemClass::NotAnIssue, detail } => {
            Some(Problem::of_line(ProblemClass::BadLine, path, line, detail))
        }
        RowProblem::Line { .. } => None,
        RowProblem::Seal { line, id } => {
            let what = format!("the row of `{id}` is not what was sealed");
            Some(Problem::of_line(ProblemClass::RowDigestMismatch, path, line, what))
        }
        RowProblem::Revision { line, id } => {
            let what = format!("an older row of `{id}` stands behind a newer one");
            Some(Problem::of_line(ProblemClass::RowOrder, path, line, what))
        }
    };
    Ok(verify_rows(reader)?.into_iter().filter_map(problem).collect())
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
