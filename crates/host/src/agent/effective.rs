//! The policy of a run, worked out when it begins: what it asked for, held against its role, and the controls of its tier.
//!
//! Whoever asks for a run has no say in this. It must not begin one whose tier has no controls.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use premath_bd::{Access, Disk, StoreError};
use premath_tusk::policy::{
    ApprovedPlan, ControlProfile, EffectiveScopes, Governor, PolicyError, Principal, RiskTier, RunPolicy,
};
use premath_tusk::tools::ToolSpec;
use premath_wire::strict::{Limits, parse};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::desk_tools::{DESK_SCOPES, with_implied};
use crate::governance::PackageStanding;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The most bytes of a control profile.
const LARGEST: usize = 1 << 20;

/// Whoever a run works for.
pub(crate) fn principal(workspace: &Workspace) -> Principal {
    Principal {
        id: workspace.door.actor().unwrap_or_else(|| "operator".to_owned()),
        role: workspace.settings.policy.role().to_owned(),
    }
}

/// Whether there is every scope that is asked for: a misspelt one is no scope that is granted and does nothing.
pub(crate) fn check_scopes(requested: &[String], known: &BTreeSet<String>) -> Result<(), InputError> {
    let is_known = |scope: &String| known.contains(scope) || DESK_SCOPES.contains(&scope.as_str());
    let Some(unknown) = requested.iter().find(|scope| !is_known(scope)) else { return Ok(()) };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let what = format!("there is no scope `{unknown}`; there are {}", known.join(", "));
    Err(InputError::new(InputClass::FieldInvalid, &what, JsonPath::root().key("scopes")))
}

/// What is granted of what was asked for.
pub(super) fn scopes(
    workspace: &Workspace,
    requested: Option<&[String]>,
    known: &BTreeSet<String>,
) -> EffectiveScopes {
    EffectiveScopes::resolve(requested, workspace.settings.policy.ceiling(), known)
}

/// The errors of scopes that were asked for and are above the ceiling.
pub(super) fn refusals(principal: &Principal, refused: &BTreeSet<String>) -> Vec<PolicyError> {
    refused.iter().map(|scope| EffectiveScopes::missing(principal, scope)).collect()
}

/// What shapes a run itself is not a model's to be granted or denied.
pub(super) const SHAPING: [&str; 4] = ["run:code", "run:judge", "run:route", "workers:spawn"];

/// The scopes that a run began with and that its role does not have any more. The ceiling of now holds for whoever resumes it.
pub(super) fn withdrawn(workspace: &Workspace, policy: &RunPolicy) -> BTreeSet<String> {
    let began: BTreeSet<String> = policy.granted.iter().cloned().collect();
    let now = scopes(workspace, Some(&policy.granted), &began).granted;
    let (began, now) = (with_implied(began), with_implied(now));
    began.difference(&now).filter(|scope| !SHAPING.contains(&scope.as_str())).cloned().collect()
}

/// The policy of a run with these tools.
pub(super) fn policy(
    workspace: &Workspace,
    governor: &Governor,
    scopes: &EffectiveScopes,
    tools: &[ToolSpec],
    plan: Option<ApprovedPlan>,
) -> Result<RunPolicy, ActionError> {
    let tier = RiskTier::of_tools(tools);
    Ok(RunPolicy {
        principal: principal(workspace),
        granted: scopes.granted.iter().cloned().collect(),
        refused: scopes.refused.iter().cloned().collect(),
        controls: controls(workspace, tier)?,
        rules: governor.rules().digest().as_str().to_owned(),
        guards: governor.guards().digest().as_str().to_owned(),
        governance: Some(PackageStanding::read(workspace)?.pin()?),
        observability: workspace.settings.policy.observability(),
        plan,
    })
}

/// The controls of a tier: those of the repository's `policies/risk/<tier>.json`, or ours where it has none.
///
/// A file that is there and cannot be used is no reason to fall back.
pub(crate) fn controls(workspace: &Workspace, tier: RiskTier) -> Result<ControlProfile, ActionError> {
    sourced_controls(workspace, tier).map(|(profile, _)| profile)
}

/// The same, with the file they are from; none for ours.
pub(crate) fn sourced_controls(
    workspace: &Workspace,
    tier: RiskTier,
) -> Result<(ControlProfile, Option<String>), ActionError> {
    let name = format!("policies/risk/{}.json", tier.token());
    let path = workspace.root.join(&name);
    let unusable = |why: String| ActionError::Unavailable {
        what: format!(
            "the controls of tier `{}` in `{}` cannot be used: {why}",
            tier.token(),
            path.display()
        ),
        hint: "mend the file, or take it away to have the controls that come with premath".to_owned(),
    };
    let file = match workspace.disk.open(&path, Access::Read) {
        Ok(file) => file,
        Err(_) if is_absent(workspace, &name) => return Ok((ControlProfile::standard(tier), None)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(unusable("a link on the way to it leads nowhere".to_owned()));
        }
        Err(source) => return Err(StoreError::Io { doing: "open", path: path.clone(), source }.into()),
    };
    let bytes = premath_bd::read_to_end(file.as_ref(), 0, LARGEST).map_err(|source| StoreError::Io {
        doing: "read",
        path: path.clone(),
        source,
    })?;
    let value = parse(&bytes, Limits::default()).map_err(|error| unusable(error.to_string()))?;
    let profile = ControlProfile::from_value(&value).map_err(|error| unusable(error.to_string()))?;
    if profile.tier != tier {
        return Err(unusable(format!("it is about tier `{}`", profile.tier.token())));
    }
    Ok((profile, Some(name)))
}

/// Whether nothing has a name. A link that leads nowhere is something: whoever put it there meant a file.
fn is_absent(workspace: &Workspace, name: &str) -> bool {
    let disk = workspace.disk.as_ref();
    let root = &workspace.root;
    let mut folder = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
    for part in name.split('/') {
        match disk.list(&folder) {
            Ok(entries) if entries.iter().any(|entry| entry.name == part) => folder.push(part),
            Ok(_) => return true,
            // A folder that is an empty file is a stand-in of the sandbox, left behind by somebody who was killed.
            Err(_) => return is_empty_file(disk, &folder),
        }
    }
    false
}

fn is_empty_file(disk: &dyn Disk, path: &Path) -> bool {
    let Ok(file) = disk.open(path, Access::Read) else { return false };
    premath_bd::read_to_end(file.as_ref(), 0, 1).is_ok_and(|bytes| bytes.is_empty())
}
