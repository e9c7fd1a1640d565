//! Shell and files: commands ran inside their boundary, and files changed through an allowed surface only.

use alloc::collections::BTreeSet;
use alloc::format;

use super::View;
use crate::evidence::{Access, Artifact, ProvenanceKind, ResultStatus};
use crate::failure::FailureClass;
use crate::normalize::{Call, ResultRow};
use crate::path::Roots;
use crate::policy::{ExecutionBoundaryPolicy, PolicyKind};
use crate::refusal::{Excerpt, Findings};
use crate::scalar::Text;

const CLASS: FailureClass = FailureClass::ShellBoundaryViolation;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let roots =
        view.bound.execution_boundary.map(|policy| Roots::new(policy.workdir_roots.iter().map(Text::as_str)));
    for call in &view.calls {
        if let Some(row) = call.terminal().filter(|row| is_shell_row(view, call, row)) {
            boundary(view, roots.as_ref(), row, findings);
            if let Some(policy) = view.bound.execution_boundary {
                observed(call, row, policy, findings);
            }
        }
    }
    if let Some(policy) = view.bound.execution_boundary {
        edits(view, policy, findings);
        changed_files(view, policy, findings);
    }
}

/// A row that carries shell evidence is one, whatever else it says.
fn is_shell_row(view: &View<'_>, call: &Call<'_>, row: &ResultRow) -> bool {
    let by_provenance =
        row.provenance.as_ref().is_some_and(|provenance| provenance.kind == ProvenanceKind::Command);
    let entry = view
        .bound
        .tool_policy
        .zip(call.request)
        .and_then(|(policy, request)| policy.tools.get(&request.tool_name));
    by_provenance || row.shell.is_some() || entry.is_some_and(|entry| entry.is_shell)
}

fn boundary(view: &View<'_>, roots: Option<&Roots>, row: &ResultRow, findings: &mut Findings) {
    let id = row.tool_call_id.as_str();
    let shell = row.shell.as_ref();
    let workdir = shell.and_then(|shell| shell.workdir.as_ref());
    let profile = shell.and_then(|shell| shell.sandbox_profile.as_ref());
    let command = shell.and_then(|shell| shell.command_digest.as_ref());
    if workdir.is_none() || profile.is_none() || command.is_none() {
        findings.add(CLASS, id, "the shell row lacks workdir, sandbox profile or command digest");
    }
    if let (Some(roots), Some(workdir)) = (roots, workdir)
        && !roots.cover(workdir.as_str())
    {
        let detail = format!("workdir `{}` is outside the allowed roots", Excerpt(workdir.as_str()));
        findings.add(CLASS, id, detail);
    }
    let declared = view.turn.spec.binding(PolicyKind::RuntimeSandbox);
    if let (Some(sandbox), Some(declared), Some(profile)) = (view.bound.runtime_sandbox, declared, profile)
        && *profile != sandbox.profile
        && profile.as_str() != declared.as_str()
    {
        let detail = format!("ran under another profile than `{}`", Excerpt(sandbox.profile.as_str()));
        findings.add(CLASS, id, detail);
    }
}

/// A command that ended well ran, so its row says how its changes were found. What was not found may have been written
/// through a tool that must not write.
fn observed(call: &Call<'_>, row: &ResultRow, policy: &ExecutionBoundaryPolicy, findings: &mut Findings) {
    let id = row.tool_call_id.as_str();
    let observed = row.shell.as_ref().and_then(|shell| shell.observed.as_ref());
    let is_needed = policy.observe_commands == Some(true) && row.status == ResultStatus::Ok;
    if is_needed && observed.is_none() {
        findings.add(CLASS, id, "the shell row does not say which files the command changed");
    }
    let incomplete = observed.and_then(|observed| observed.incomplete.as_ref());
    if let Some(why) = incomplete.filter(|_| !is_edit_surface(call, policy)) {
        let why = Excerpt(why.as_str());
        let detail =
            format!("not every change of the command is known ({why}), and its tool is no edit surface");
        findings.add(CLASS, id, detail);
    }
}

fn edits(view: &View<'_>, policy: &ExecutionBoundaryPolicy, findings: &mut Findings) {
    for call in &view.calls {
        let Some(row) = call.result.filter(|_| !is_edit_surface(call, policy)) else {
            continue;
        };
        for artifact in row.artifacts.iter().filter(|artifact| may_be_written(artifact)) {
            let detail = format!("call `{}` wrote it, and its tool is no edit surface", call.id);
            findings.add(CLASS, artifact.path.as_str(), detail);
        }
    }
}

/// Who may write is asked of every file that is not said to be only read. Only one that is said to be written accounts
/// for a change.
fn may_be_written(artifact: &Artifact) -> bool {
    artifact.access != Some(Access::Read)
}

fn is_edit_surface(call: &Call<'_>, policy: &ExecutionBoundaryPolicy) -> bool {
    call.request.is_some_and(|request| policy.edit_surfaces.contains(request.tool_name.as_str()))
}

fn changed_files(view: &View<'_>, policy: &ExecutionBoundaryPolicy, findings: &mut Findings) {
    let mut accounted = BTreeSet::new();
    for call in view.calls.iter().filter(|call| is_edit_surface(call, policy)) {
        let artifacts = call.result.into_iter().flat_map(|row| &row.artifacts);
        let written = artifacts.filter(|artifact| artifact.access == Some(Access::Write));
        accounted
            .extend(written.filter_map(|artifact| Some((artifact.path.as_str(), artifact.digest.as_ref()?))));
    }
    let files =
        view.turn.observations.iter().filter_map(|observations| observations.files.as_ref()).flatten();
    for file in files.filter(|file| !accounted.contains(&(file.path.as_str(), &file.digest))) {
        findings.add(
            CLASS,
            file.path.as_str(),
            "the file changed, and no edit surface accounts for its content",
        );
    }
}
