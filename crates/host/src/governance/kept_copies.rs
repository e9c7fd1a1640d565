//! Copies of the packages that were in force, as problems that `verify` and `doctor` report: a copy that the log of promotions
//! cites and that is gone, or whose files are not what its name says.

use std::collections::BTreeSet;

use premath_bd::{PolicyFiles, StoreError};
use premath_kernel::Digest;
use premath_wire::v1::{FindingState, Severity, StoreProblem};

use super::standing::store_of;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

const FOLDER: &str = ".premath/policy";

/// One problem for every cited copy that is damaged or gone.
///
/// # Errors
/// A store cannot be read.
pub(crate) fn kept_copy_problems(workspace: &Workspace) -> Result<Vec<StoreProblem>, ActionError> {
    let store = store_of(workspace);
    let history = match store.history() {
        // The check of promotions reports it.
        Err(StoreError::Corrupt { .. }) => return Ok(Vec::new()),
        read => read?,
    };
    let shipped = PolicyFiles::default().digest();
    let cited: BTreeSet<&str> =
        history.iter().flat_map(|row| [row.package_digest.as_str(), row.previous_digest.as_str()]).collect();
    let mut problems = Vec::new();
    for digest in cited.into_iter().filter_map(Digest::claimed).filter(|digest| *digest != shipped) {
        match store.kept(&digest) {
            Ok(Some(_)) => {}
            Ok(None) => problems.push(missing_copy(workspace, &digest)),
            Err(StoreError::Corrupt { detail, .. }) => {
                problems.push(damaged_copy(workspace, &digest, detail));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(problems)
}

fn damaged_copy(workspace: &Workspace, digest: &Digest, detail: String) -> StoreProblem {
    StoreProblem {
        class: "verify.object_mismatch".to_owned(),
        severity: Severity::Error,
        state: FindingState::Damaged,
        missing: None,
        path: shown(&workspace.root.join(FOLDER).join(digest.as_str())),
        line: None,
        detail,
        meaning: "the kept copy of a policy package was edited or damaged: nothing is compared with it or restored from it"
            .to_owned(),
        hint: "restore the folder from git or a backup".to_owned(),
    }
}

fn missing_copy(workspace: &Workspace, digest: &Digest) -> StoreProblem {
    let folder = workspace.root.join(FOLDER);
    StoreProblem {
        class: "verify.reference_missing".to_owned(),
        severity: Severity::Error,
        state: FindingState::Missing,
        missing: Some(format!("{FOLDER}/{digest}")),
        path: shown(&folder.join("promotions.jsonl")),
        line: None,
        detail: format!("a promotion cites the policy package {digest}, and its copy is gone"),
        meaning: "a row cites evidence that is not in the store".to_owned(),
        hint: "restore the folder from git or a backup; `premath policy rollback` cannot return to it without its files"
            .to_owned(),
    }
}
