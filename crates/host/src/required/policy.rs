//! The policy of required checks, read from `policies/required/` and held against its own digest.
//!
//! A policy that is not what its digest says selects nothing and is refused. It must not fill in what a policy leaves out.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use premath_kernel::{Digest, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{REQUIRED_POLICY_KIND, RequiredCheck, RequiredPolicy};
use premath_wire::{UnknownFields, decode};

use super::pattern;
use super::stop::{RequiredClass, Stop};
use crate::actions::issue::invalid;
use crate::artifacts::read_artifact;
use crate::policy_digest::policy_digest;
use crate::workspace::Workspace;

/// Where policies are, from the root of a repository.
const FOLDER: &str = "policies/required";
/// The longest a check may take: a day.
const MOST_SECONDS: u64 = 86_400;
const HINT: &str = "docs/reference/required.md says what a policy of required checks looks like";

/// A policy that is what its digest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoadedPolicy {
    /// Its file, from the root of the repository.
    pub(crate) reference: String,
    /// Its digest, computed.
    pub(crate) digest: Digest,
    /// What it says.
    pub(crate) document: RequiredPolicy,
}

impl LoadedPolicy {
    /// One check.
    pub(crate) fn check(&self, id: &str) -> Option<&RequiredCheck> {
        self.document.checks.iter().find(|check| check.check_id == id)
    }
}

/// The policy of that name, or the only one there is.
pub(crate) fn load_policy(workspace: &Workspace, named: Option<&str>) -> Result<LoadedPolicy, Stop> {
    let name = match named {
        Some(named) => checked_name(named)?,
        None => only(workspace)?,
    };
    let reference = format!("{FOLDER}/{name}.json");
    let bytes = read_artifact(workspace, &workspace.root.join(&reference))?
        .ok_or_else(|| RequiredClass::PolicyMissing.refuse(format!("there is no `{reference}`"), HINT))?;
    read_policy(&bytes, reference)
}

/// The name in a reference to a policy; nothing when it refers to something else.
pub(super) fn name_in(reference: &str) -> Option<&str> {
    let name = reference.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".json")?;
    is_name(name).then_some(name)
}

/// Why a file below `policies/required` is not what its digest says; nothing when it is.
pub(crate) fn policy_digest_holds(bytes: &[u8], reference: &str) -> Result<(), String> {
    match read_policy(bytes, reference.to_owned()) {
        Ok(_) => Ok(()),
        Err(Stop::Refused(refusal)) => Err(format!("{}: {}", refusal.class.code(), refusal.detail)),
        Err(Stop::Failed(error)) => Err(error.to_string()),
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.chars().all(is_plain)
}

fn checked_name(named: &str) -> Result<String, Stop> {
    let name = named.trim();
    if is_name(name) {
        return Ok(name.to_owned());
    }
    Err(invalid("a policy has a name of letters, digits, `-`, `_` and `.`, not a path", "policy").into())
}

fn only(workspace: &Workspace) -> Result<String, Stop> {
    let folder = workspace.root.join(FOLDER);
    let entries = match workspace.disk.list(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        listed => {
            listed.map_err(|source| premath_bd::StoreError::Io { doing: "list", path: folder, source })?
        }
    };
    let stem = |name: &str| {
        let is_json = Path::new(name).extension().is_some_and(|extension| extension == "json");
        name.strip_suffix(".json").filter(|stem| is_json && is_name(stem)).map(str::to_owned)
    };
    let names: Vec<String> = entries.iter().filter_map(|entry| stem(&entry.name)).collect();
    match names.as_slice() {
        [] => Err(RequiredClass::PolicyMissing.refuse(format!("there is no policy in `{FOLDER}`"), HINT)),
        [one] => Ok(one.clone()),
        several => Err(RequiredClass::PolicyAmbiguous
            .refuse(format!("`{FOLDER}` has {}", several.join(", ")), "say which with --policy")),
    }
}

pub(super) fn read_policy(bytes: &[u8], reference: String) -> Result<LoadedPolicy, Stop> {
    let document = parse(bytes, Limits::default())
        .map_err(|error| RequiredClass::PolicyInvalidJson.refuse(format!("`{reference}`: {error}"), HINT))?;
    let shape =
        |detail: String| RequiredClass::PolicyInvalidShape.refuse(format!("`{reference}`: {detail}"), HINT);
    let policy: RequiredPolicy =
        decode(&document, UnknownFields::Refuse).map_err(|error| shape(error.to_string()))?;
    if let Some(problem) = problem(&policy) {
        return Err(shape(problem));
    }
    let digest = policy_digest(&Value::borrowed(&document));
    if digest.as_str() != policy.policy_digest {
        let detail = format!("`{reference}` says {} and hashes to {digest}", policy.policy_digest);
        return Err(RequiredClass::PolicyInvalidDigest
            .refuse(detail, "whoever changes a policy writes its new digest into policyDigest"));
    }
    Ok(LoadedPolicy { reference, digest, document: policy })
}

fn problem(policy: &RequiredPolicy) -> Option<String> {
    if policy.schema != 1 || policy.policy_kind != REQUIRED_POLICY_KIND {
        return Some(format!("expected schema 1 and policyKind `{REQUIRED_POLICY_KIND}`"));
    }
    if policy.policy_id.trim().is_empty() || policy.checks.is_empty() {
        return Some("it needs a policyId and at least one check".to_owned());
    }
    let mut known = BTreeSet::new();
    for check in &policy.checks {
        let id = &check.check_id;
        if !is_name(id) || !known.insert(id.as_str()) {
            return Some(format!("check `{id}` is no name, or is there twice"));
        }
        if check.command.trim().is_empty() {
            return Some(format!("check `{id}` has no command"));
        }
        if check.timeout_seconds.is_some_and(|seconds| !(1..=MOST_SECONDS).contains(&seconds)) {
            return Some(format!("check `{id}`: timeoutSeconds is 1 to {MOST_SECONDS}"));
        }
    }
    policy.rules.iter().find_map(|rule| {
        let bad = rule.paths.iter().find_map(|glob| pattern::problem(glob).map(|why| (glob, why)));
        let unknown = rule.checks.iter().find(|check| !known.contains(check.as_str()));
        match (bad, unknown) {
            (Some((glob, why)), _) => Some(format!("`{glob}`: {why}")),
            (None, Some(check)) => Some(format!("a rule asks for `{check}`, which is no check of it")),
            (None, None) if rule.paths.is_empty() => Some("a rule has no paths".to_owned()),
            (None, None) => None,
        }
    })
}

#[cfg(test)]
pub(in crate::required) mod tests;
