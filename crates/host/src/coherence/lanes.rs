//! The lanes and the configuration of a repository: what `verify` says of them, where there are any.

use premath_wire::v1::Severity;

use super::places::bytes;
use super::{CoherenceClass, Found};
use crate::actions::verify;
use crate::table::ActionError;
use crate::workspace::Workspace;

const CONFIGURATION: &str = "premath.toml";

/// Everything durable against what vouches for it. A repository that keeps no work memory has none.
pub(super) fn check(workspace: &Workspace, found: &mut Found) -> Result<(), ActionError> {
    if workspace.disk.list(&workspace.root.join(".premath")).is_err() {
        return Ok(());
    }
    let answer = verify::run(workspace, &mut |_| ())?;
    found.count("rows of lanes", usize::try_from(answer.checked.rows).unwrap_or(usize::MAX));
    // The files of the policy package have a class of their own.
    let is_of_lanes = |class: &str| !class.starts_with("governance.");
    let errors = answer.problems.iter().filter(|problem| problem.severity == Severity::Error);
    for problem in errors.filter(|problem| is_of_lanes(&problem.class)) {
        let line = problem.line.and_then(|line| usize::try_from(line).ok());
        let detail = format!("{}: {}", problem.class, problem.detail);
        found.problem(CoherenceClass::LaneDamaged, &problem.path, line, detail);
    }
    Ok(())
}

/// A configuration that cannot be read stops every command before this one; here it must be there.
pub(super) fn configuration(workspace: &Workspace, found: &mut Found) -> Result<(), ActionError> {
    found.count("configurations", 1);
    if bytes(workspace, CONFIGURATION)?.is_none() {
        let detail = "there is no configuration; `premath init` writes one".to_owned();
        found.problem(CoherenceClass::ConfigurationMissing, CONFIGURATION, None, detail);
    }
    let issues = &workspace.settings.issues_path.value;
    if bytes(workspace, issues)?.is_none() {
        let detail = format!("the issue memory `{issues}` is not there");
        found.problem(CoherenceClass::ConfigurationMissing, CONFIGURATION, None, detail);
    }
    Ok(())
}
