//! Which checks a difference asks for. Pure: paths and a policy in, checks in the policy's order out.
//!
//! A path that no rule knows asks for everything, and so does a policy itself: whoever changes what is checked is checked
//! by all of it.

use std::collections::BTreeMap;

use premath_kernel::{Digest, Object, Value};
use premath_wire::v1::{REQUIRED_PROJECTION_KIND, RequiredDelta, RequiredProjection, SelectedCheck};

use super::pattern::fits;
use super::policy::LoadedPolicy;

/// So many paths are named per check.
const NAMED: usize = 5;
/// Whatever is below it asks for everything.
const POLICIES: &str = "policies/";

/// The checks that a difference asks for under a policy.
pub(crate) fn project(policy: &LoadedPolicy, delta: &RequiredDelta) -> RequiredProjection {
    let document = &policy.document;
    let mut asked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut unknown_paths = Vec::new();
    for path in &delta.changed_paths {
        let rules: Vec<_> = document
            .rules
            .iter()
            .filter(|rule| rule.paths.iter().any(|pattern| fits(pattern, path)))
            .collect();
        let is_known = !rules.is_empty() && !path.starts_with(POLICIES);
        if !is_known {
            unknown_paths.push(path.clone());
        }
        for check in &document.checks {
            let id = check.check_id.as_str();
            if !is_known || rules.iter().any(|rule| rule.checks.iter().any(|wanted| wanted == id)) {
                asked.entry(id).or_default().push(path);
            }
        }
    }
    let because: Vec<SelectedCheck> = document
        .checks
        .iter()
        .filter_map(|check| asked.get(check.check_id.as_str()).map(|paths| (check, paths)))
        .map(|(check, paths)| SelectedCheck {
            check_id: check.check_id.clone(),
            path_count: u64::try_from(paths.len()).unwrap_or(u64::MAX),
            paths: paths.iter().take(NAMED).map(|&path| path.to_owned()).collect(),
        })
        .collect();
    let required_checks: Vec<String> = because.iter().map(|selected| selected.check_id.clone()).collect();
    let projection_digest = digest(policy.digest.as_str(), &delta.delta_digest, &required_checks);
    RequiredProjection {
        schema: 1,
        projection_kind: REQUIRED_PROJECTION_KIND.to_owned(),
        policy_ref: policy.reference.clone(),
        policy_id: document.policy_id.clone(),
        policy_digest: policy.digest.as_str().to_owned(),
        delta_digest: delta.delta_digest.clone(),
        required_checks,
        because,
        unknown_paths,
        projection_digest,
    }
}

fn digest(policy: &str, delta: &str, checks: &[String]) -> String {
    let hashed = Object::fields()
        .field("deltaDigest", delta)
        .field("policyDigest", policy)
        .field("requiredChecks", Value::text_list(checks.iter().map(String::as_str)))
        .finish();
    Digest::of(&hashed).as_str().to_owned()
}

#[cfg(test)]
mod tests;
