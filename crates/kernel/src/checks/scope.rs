//! Scope: a role read and wrote only what its context scope covers.

use alloc::format;

use super::View;
use crate::call_spec::OrchestrationRole;
use crate::evidence::{Access, Artifact};
use crate::failure::FailureClass;
use crate::path::Roots;
use crate::policy::RoleScope;
use crate::refusal::{Excerpt, Findings};
use crate::scalar::{Text, TextSet};

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let Some(policy) = view.bound.context_scope else {
        return;
    };
    let role = view.turn.spec.orchestration_role.map(OrchestrationRole::token);
    let scope =
        policy.roles.iter().find(|(name, _)| Some(name.as_str()) == role).map(|(_, scope)| Scope::of(scope));
    for row in &view.turn.results {
        for artifact in row.artifacts.iter().filter(|artifact| !is_covered(artifact, scope.as_ref())) {
            let call = Excerpt(row.tool_call_id.as_str());
            let detail =
                format!("call `{call}` touched it outside the scope of role `{}`", role.unwrap_or("none"));
            findings.add(FailureClass::ScopeViolation, artifact.path.as_str(), detail);
        }
    }
}

/// What one role may read and write, ready to be asked often.
struct Scope {
    read: Roots,
    write: Roots,
}

impl Scope {
    fn of(scope: &RoleScope) -> Self {
        let roots = |paths: &TextSet| Roots::new(paths.iter().map(Text::as_str));
        Self { read: roots(&scope.read), write: roots(&scope.write) }
    }
}

/// Without a role, or without an access, nothing is covered.
fn is_covered(artifact: &Artifact, scope: Option<&Scope>) -> bool {
    let (Some(scope), Some(access)) = (scope, artifact.access) else {
        return false;
    };
    match access {
        Access::Read => scope.read.cover(artifact.path.as_str()),
        Access::Write => scope.write.cover(artifact.path.as_str()),
    }
}
