//! Scope: a role read and wrote only what its context scope covers.

use alloc::format;

use super::View;
use crate::call_spec::OrchestrationRole;
use crate::evidence::{Access, Artifact};
use crate::failure::FailureClass;
use crate::path::is_under_any;
use crate::policy::RoleScope;
use crate::refusal::Findings;
use crate::scalar::Text;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let Some(policy) = view.bound.context_scope else {
        return;
    };
    let role = view.turn.spec.orchestration_role.map(OrchestrationRole::token);
    let scope = policy.roles.iter().find(|(name, _)| Some(name.as_str()) == role).map(|(_, scope)| scope);
    for row in &view.turn.results {
        for artifact in row.artifacts.iter().filter(|artifact| !is_covered(artifact, scope)) {
            let detail = format!(
                "call `{}` touched it outside the scope of role `{}`",
                row.tool_call_id,
                role.unwrap_or("none")
            );
            findings.add(FailureClass::ScopeViolation, artifact.path.as_str(), detail);
        }
    }
}

/// Without a role, or without an access, nothing is covered.
fn is_covered(artifact: &Artifact, scope: Option<&RoleScope>) -> bool {
    let (Some(scope), Some(access)) = (scope, artifact.access) else {
        return false;
    };
    let paths = match access {
        Access::Read => &scope.read,
        Access::Write => &scope.write,
    };
    is_under_any(artifact.path.as_str(), paths.iter().map(Text::as_str))
}
