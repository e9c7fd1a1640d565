//! One check: a shell command in the sandbox, and a document about what came of it.
//!
//! A check that cannot be run has failed, and says with which class. It must not decide what a failed check means, nor
//! take a class from what a command printed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use premath_bd::{Objects, objects_folder};
use premath_kernel::Digest;
use premath_tusk::sandbox::{
    CapturedOutput, Ending, ExecutionLimits, Profile, SandboxCommand, SandboxError, SandboxRun, StateAccess,
};
use premath_wire::v1::{CHECK_OUTCOME_KIND, CheckOutcome, CheckOutput, CheckStatus};

use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

/// What a check failed with when it said no.
pub(crate) const CHECK_FAILED: &str = "check_failed";
/// What a check failed with when its time was over.
pub(crate) const TIMEOUT: &str = "timeout";
/// What a check failed with when somebody ended it.
const INTERRUPTED: &str = "interrupted";

/// How much one check may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckLimits {
    /// Wall time.
    pub(crate) wall: Duration,
    /// How much of each output is kept, in bytes.
    pub(crate) output: u64,
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self { wall: Duration::from_secs(1800), output: 1 << 20 }
    }
}

/// Runs one check as `sh -c COMMAND` at the root of the repository. It may write the files of the repository, but nothing
/// that is protected.
///
/// What it printed is kept as objects; the outcome names them by digest.
///
/// # Errors
/// An accident of the sandbox or of a store. A command that fails or cannot be started is an outcome.
pub(crate) fn run_check(
    host: &Host<'_>,
    id: &str,
    command: &str,
    limits: CheckLimits,
) -> Result<CheckOutcome, ActionError> {
    let asked = sandboxed(host.workspace, command, limits);
    match host.sandbox.run(&asked, &host.interrupt()) {
        Ok(run) => ended(host.workspace, id, command, &run),
        Err(error) => not_run(id, command, error),
    }
}

fn sandboxed(workspace: &Workspace, command: &str, limits: CheckLimits) -> SandboxCommand {
    let root = &workspace.root;
    let workdir = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
    let defaults = ExecutionLimits::default();
    SandboxCommand {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), command.to_owned()],
        workdir,
        profile: Profile::WorkspaceWrite,
        environment: Vec::new(),
        stdin: Vec::new(),
        limits: ExecutionLimits {
            wall: limits.wall,
            // A process with many threads uses its wall time many times over, and the wall ends it.
            cpu: limits.wall.saturating_mul(64),
            output: limits.output,
            ..defaults
        },
        state: StateAccess::All,
    }
}

fn ended(
    workspace: &Workspace,
    id: &str,
    command: &str,
    run: &SandboxRun,
) -> Result<CheckOutcome, ActionError> {
    let (exit_code, failure_class) = match run.ending {
        Ending::Exited(0) => (Some(0), None),
        Ending::Exited(code) => (Some(code), Some(CHECK_FAILED)),
        Ending::Signalled(_) | Ending::DiskLimit => (None, Some(CHECK_FAILED)),
        Ending::TimedOut => (None, Some(TIMEOUT)),
        Ending::Interrupted => (None, Some(INTERRUPTED)),
    };
    let objects = check_objects(workspace);
    Ok(CheckOutcome {
        exit_code,
        failure_class: failure_class.map(str::to_owned),
        status: if failure_class.is_none() { CheckStatus::Passed } else { CheckStatus::Failed },
        duration_ms: u64::try_from(run.evidence.wall.as_millis()).unwrap_or(u64::MAX),
        stdout: Some(kept(&objects, &run.stdout)?),
        stderr: Some(kept(&objects, &run.stderr)?),
        profile_digest: Some(run.evidence.profile_digest.clone()),
        operator_override: run.evidence.operator_override.clone(),
        ..blank(id, command)
    })
}

/// A command that a wall kept from running has failed; an accident has no outcome.
fn not_run(id: &str, command: &str, error: SandboxError) -> Result<CheckOutcome, ActionError> {
    let class = match &error {
        SandboxError::LayerUnavailable { .. } => "sandbox.layer_unavailable",
        SandboxError::NoSandbox => "sandbox.none",
        SandboxError::Workdir { .. } => "sandbox.workdir_invalid",
        SandboxError::Program { .. } => "sandbox.program_invalid",
        SandboxError::Invalid { .. } => "sandbox.command_invalid",
        SandboxError::System { .. } => return Err(error.into()),
    };
    Ok(CheckOutcome { failure_class: Some(class.to_owned()), ..blank(id, command) })
}

fn blank(id: &str, command: &str) -> CheckOutcome {
    CheckOutcome {
        schema: 1,
        outcome_kind: CHECK_OUTCOME_KIND.to_owned(),
        check_id: id.to_owned(),
        command: command.to_owned(),
        command_digest: command_digest(command),
        status: CheckStatus::Failed,
        failure_class: None,
        exit_code: None,
        duration_ms: 0,
        stdout: None,
        stderr: None,
        sandbox_profile: Profile::WorkspaceWrite.as_str().to_owned(),
        profile_digest: None,
        operator_override: None,
    }
}

/// The digest of a command, as anybody can compute it from the policy that names it.
pub(crate) fn command_digest(command: &str) -> String {
    Digest::of_bytes(command.as_bytes()).as_str().to_owned()
}

fn kept(objects: &Objects, captured: &CapturedOutput) -> Result<CheckOutput, ActionError> {
    let cut = captured.cut_bytes();
    let mut bytes = captured.head.clone();
    if cut > 0 {
        bytes.extend_from_slice(format!("\n[{cut} bytes cut]\n").as_bytes());
    }
    bytes.extend_from_slice(&captured.tail);
    let object = objects.put(&mut bytes.as_slice())?;
    Ok(CheckOutput { digest: object.digest.to_string(), total_bytes: captured.total_bytes, cut_bytes: cut })
}

/// The objects of a repository.
pub(crate) fn check_objects(workspace: &Workspace) -> Objects {
    let (disk, ids) = (Arc::clone(&workspace.disk), Arc::clone(&workspace.ids));
    Objects::new(disk, ids, objects_folder(&workspace.root))
}

#[cfg(test)]
mod tests;
