//! `policy.draft` and `policy.diff`: a copy of the policy package in force to edit, and how a draft or the working files
//! differ from that package.
//!
//! A draft is no part of the package in force, whatever it holds. It must not put anything into force: `policy.promote` does.

use premath_bd::PolicyFiles;
use premath_kernel::Value;
use premath_wire::v1::{PolicyDiffAnswer, PolicyDraftAnswer};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, invalid, told};
use super::measuring::{draft_folder, package, store};
use crate::governance::{PackageStanding, differences};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{Workspace, shown};

/// What `policy.draft` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DraftArgs {
    /// The name of the draft: letters, digits, `-`, `_` and `.`.
    #[schemars(required)]
    name: Option<String>,
}

/// What `policy.diff` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DiffArgs {
    /// The draft; the working files below `policies/` when absent.
    name: Option<String>,
}

/// `policy.draft`
pub(crate) fn draft(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DraftArgs = arguments(args)?;
    let name = told(args.name.as_deref()).ok_or_else(|| invalid("name the draft", "name"))?;
    let workspace = host.workspace;
    let path = draft_folder(name)?;
    let standing = PackageStanding::read(workspace)?;
    let files = in_force(workspace, &standing)?;
    if !store(workspace).write_draft(name, &files)? {
        let what =
            format!("there is a draft `{name}` already; edit `{}`, or take it away first", shown(&path));
        return Err(invalid(what, "name").into());
    }
    Answer::new(
        "ok",
        &PolicyDraftAnswer {
            action: "policy.draft".to_owned(),
            name: name.to_owned(),
            path: shown(&path),
            base_ref: standing.package_ref(),
            package_digest: files.digest().as_str().to_owned(),
            files: files.iter().map(|(name, _)| name.to_owned()).collect(),
        },
    )
}

/// `policy.diff`
pub(crate) fn diff(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DiffArgs = arguments(args)?;
    let workspace = host.workspace;
    let standing = PackageStanding::read(workspace)?;
    let name = told(args.name.as_deref());
    let path = name.map(draft_folder).transpose()?;
    let compared = package(workspace, None, name, "name")?;
    // What a package does not hold is the shipped one's: a file that is left out of a draft is no difference.
    let (before, after) = (in_force(workspace, &standing)?, workspace.packages.effective(&compared));
    let files = differences(&before, &after);
    Answer::new(
        "ok",
        &PolicyDiffAnswer {
            action: "policy.diff".to_owned(),
            base_ref: standing.package_ref(),
            base_digest: standing.expected_digest().as_str().to_owned(),
            path: path.as_deref().map_or_else(|| "policies".to_owned(), shown),
            package_digest: compared.digest().as_str().to_owned(),
            same: files.is_empty(),
            files,
        },
    )
}

/// The package in force with everything that holds beside it, as files to edit.
fn in_force(workspace: &Workspace, standing: &PackageStanding) -> Result<PolicyFiles, ActionError> {
    match standing.expected_files(workspace)? {
        Some(files) => Ok(workspace.packages.effective(&files)),
        None => Err(ActionError::Unavailable {
            what: format!("the copy of the policy package {} is gone", standing.expected_digest()),
            hint: "restore `.premath/policy` from git or a backup".to_owned(),
        }),
    }
}
