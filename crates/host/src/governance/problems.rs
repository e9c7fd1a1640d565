//! Files below `policies/` that are not the package in force, as problems that `verify` and `doctor` report.

use premath_wire::v1::{FindingState, Severity, StoreProblem};

use super::drift::change_text;
use super::standing::PackageStanding;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

/// One problem for every file that differs.
///
/// # Errors
/// A store cannot be read.
pub(crate) fn package_problems(workspace: &Workspace) -> Result<Vec<StoreProblem>, ActionError> {
    let standing = PackageStanding::read(workspace)?;
    let Some(refused) = standing.refusal(workspace)? else { return Ok(Vec::new()) };
    let problem = |path: String, line: Option<u64>, detail: String| {
        StoreProblem {
        class: refused.class.clone(),
        severity: Severity::Error,
        state: FindingState::Damaged,
        missing: None,
        path,
        line,
        detail,
        meaning: "runs, workers, MCP clients and programs change nothing while the files differ from the package in force"
            .to_owned(),
        hint: refused.hint.clone(),
    }
    };
    let drift = standing.drift(workspace)?;
    if drift.is_empty() {
        let path = shown(&workspace.root.join("policies"));
        return Ok(vec![problem(path, None, refused.detail.clone())]);
    }
    let row = |difference: &premath_wire::v1::PolicyFileDiff| {
        let path = shown(&workspace.root.join("policies").join(&difference.path));
        problem(path, difference.line, change_text(difference))
    };
    Ok(drift.iter().map(row).collect())
}
