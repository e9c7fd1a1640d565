//! Scope: a role read, wrote and changed only what its context scope covers: files by path, issues by descent.

use alloc::format;

use super::View;
use crate::call_spec::OrchestrationRole;
use crate::evidence::{Access, Artifact, IssueTarget, ResultStatus};
use crate::failure::FailureClass;
use crate::normalize::{Call, ResultRow};
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
        incomplete_changes(row, scope.as_ref(), findings);
    }
    if let Some((scope, issues)) = scope.as_ref().and_then(|scope| scope.issues.map(|issues| (scope, issues)))
    {
        for call in &view.calls {
            issue_changes(call, issues, scope.issue_tools, findings);
        }
    }
}

/// What a command changed must be known in full, unless the role may write everywhere.
fn incomplete_changes(row: &ResultRow, scope: Option<&Scope<'_>>, findings: &mut Findings) {
    let observed = row.shell.as_ref().and_then(|shell| shell.observed.as_ref());
    let Some(why) = observed.and_then(|observed| observed.incomplete.as_ref()) else { return };
    if !scope.is_some_and(|scope| scope.write.cover(".")) {
        let detail = format!("not every change of the command is known ({})", Excerpt(why.as_str()));
        findings.add(FailureClass::ScopeViolation, row.tool_call_id.as_str(), detail);
    }
}

/// A change of an issue that the role was not given, nor anything that descends from what it was given.
fn issue_changes(call: &Call<'_>, issues: &TextSet, tools: &TextSet, findings: &mut Findings) {
    let Some(row) = call.terminal() else { return };
    for target in row.issue_targets.iter().filter(|target| !is_descendant(target, issues)) {
        let detail = format!("call `{}` changes an issue outside the scope of its role", call.id);
        findings.add(FailureClass::ScopeViolation, target.issue_id.as_str(), detail);
    }
    let asks = call.request.is_some_and(|request| tools.contains(request.tool_name.as_str()));
    if asks && row.status == ResultStatus::Ok && row.issue_targets.is_empty() {
        let detail = "the row does not say which issue the call changes";
        findings.add(FailureClass::ScopeViolation, row.tool_call_id.as_str(), detail);
    }
}

fn is_descendant(target: &IssueTarget, issues: &TextSet) -> bool {
    issues.contains(target.issue_id.as_str())
        || target.lineage.iter().any(|ancestor| issues.contains(ancestor.as_str()))
}

/// What one role may read and write, ready to be asked often.
struct Scope<'s> {
    read: Roots,
    write: Roots,
    issues: Option<&'s TextSet>,
    issue_tools: &'s TextSet,
}

impl<'s> Scope<'s> {
    fn of(scope: &'s RoleScope) -> Self {
        let roots = |paths: &TextSet| Roots::new(paths.iter().map(Text::as_str));
        Self {
            read: roots(&scope.read),
            write: roots(&scope.write),
            issues: scope.issues.as_ref(),
            issue_tools: &scope.issue_tools,
        }
    }
}

/// Without a role, or without an access, nothing is covered.
fn is_covered(artifact: &Artifact, scope: Option<&Scope<'_>>) -> bool {
    let (Some(scope), Some(access)) = (scope, artifact.access) else {
        return false;
    };
    match access {
        Access::Read => scope.read.cover(artifact.path.as_str()),
        Access::Write => scope.write.cover(artifact.path.as_str()),
    }
}
