//! One command of a step: a line for `sh` in the sandbox, in the worktree, and the object that says what came of it.
//!
//! The object holds no time, so that the same outcome has the same digest. It must not take a class from what a command
//! printed: the classes come from how it ended.

use std::path::PathBuf;
use std::time::Duration;

use premath_kernel::{Object, Value, encode};
use premath_tusk::sandbox::{
    CapturedOutput, Ending, ExecutionLimits, Interrupt, Profile, SandboxCommand, SandboxError, SandboxRun,
    StateAccess,
};
use premath_tusk::session::Checked;

use super::evidence::Evidence;
use crate::checking::{CHECK_FAILED, TIMEOUT, command_digest};
use crate::table::{ActionError, Host};

/// The code by which a command says that trying again may help.
const TRY_AGAIN: i32 = 75;
const OUTPUT: u64 = 1 << 20;
const KIND: &str = "premath.work_command.v1";

/// What a command is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Work,
    Verify,
}

/// A command to run.
#[derive(Debug)]
pub(super) struct Line<'l> {
    pub(super) purpose: Purpose,
    pub(super) text: &'l str,
    pub(super) folder: PathBuf,
    pub(super) environment: Vec<(String, String)>,
    pub(super) limit: Duration,
    /// The tree that is verified and the tree it was made from, where they were recorded.
    pub(super) tree: Option<(&'l str, &'l str)>,
}

/// Runs a command to its end.
pub(super) fn run(
    host: &Host<'_>,
    objects: &Evidence,
    line: &Line<'_>,
    interrupt: &Interrupt,
) -> Result<Checked, ActionError> {
    let command = SandboxCommand {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), line.text.to_owned()],
        workdir: line.folder.clone(),
        profile: Profile::WorkspaceWrite,
        environment: line.environment.clone(),
        stdin: Vec::new(),
        limits: ExecutionLimits {
            wall: line.limit,
            // A process with many threads uses its wall time many times over, and the wall ends it.
            cpu: line.limit.saturating_mul(64),
            output: OUTPUT,
            ..ExecutionLimits::default()
        },
        state: StateAccess::All,
    };
    match host.sandbox.run(&command, interrupt) {
        Ok(run) => ended(objects, line, &run),
        Err(error) => not_run(objects, line, &error),
    }
}

const fn class(purpose: Purpose, ending: Ending) -> Option<&'static str> {
    match (ending, purpose) {
        (Ending::Exited(0), _) => None,
        (Ending::Exited(TRY_AGAIN), _) => Some("command_try_again"),
        (Ending::Exited(_) | Ending::Signalled(_) | Ending::DiskLimit, Purpose::Work) => Some("work_failed"),
        (Ending::Exited(_) | Ending::Signalled(_) | Ending::DiskLimit, Purpose::Verify) => Some(CHECK_FAILED),
        (Ending::TimedOut, _) => Some(TIMEOUT),
        (Ending::Interrupted, _) => Some("interrupted"),
    }
}

fn ended(objects: &Evidence, line: &Line<'_>, run: &SandboxRun) -> Result<Checked, ActionError> {
    let class = class(line.purpose, run.ending);
    let (exit_code, signal) = match run.ending {
        Ending::Exited(code) => (Some(code), None),
        Ending::Signalled(signal) => (None, Some(signal)),
        Ending::TimedOut | Ending::Interrupted | Ending::DiskLimit => (None, None),
    };
    let number =
        |number: i32| premath_kernel::Number::integer(i64::from(number)).map_or(Value::Null, Value::Number);
    let fields = Object::fields()
        .optional("exitCode", exit_code.map(number))
        .optional("signal", signal.map(number))
        .field("stdout", kept(objects, &run.stdout)?)
        .field("stderr", kept(objects, &run.stderr)?)
        .field("profileDigest", run.evidence.profile_digest.as_str())
        .optional("operatorOverride", run.evidence.operator_override.as_deref());
    told(objects, line, class, fields)
}

/// A command that a wall kept from running has failed; an accident of the system has too.
fn not_run(objects: &Evidence, line: &Line<'_>, error: &SandboxError) -> Result<Checked, ActionError> {
    let class = match error {
        SandboxError::LayerUnavailable { .. } => "sandbox.layer_unavailable",
        SandboxError::NoSandbox => "sandbox.none",
        SandboxError::Workdir { .. } => "sandbox.workdir_invalid",
        SandboxError::Program { .. } => "sandbox.program_invalid",
        SandboxError::Invalid { .. } => "sandbox.command_invalid",
        SandboxError::System { .. } => "environment_sandbox",
    };
    let detail = error.to_string();
    told(objects, line, Some(class), Object::fields().field("detail", detail))
}

fn told<'v>(
    objects: &Evidence,
    line: &Line<'_>,
    class: Option<&str>,
    fields: premath_kernel::Fields<'v>,
) -> Result<Checked, ActionError> {
    let purpose = match line.purpose {
        Purpose::Work => "work",
        Purpose::Verify => "verify",
    };
    let document = fields
        .field("kind", KIND)
        .field("purpose", purpose)
        .field("commandDigest", command_digest(line.text))
        .optional("failureClass", class.map(str::to_owned))
        .optional("tree", line.tree.map(|(tree, _)| tree.to_owned()))
        .optional("base", line.tree.map(|(_, base)| base.to_owned()))
        .finish();
    let evidence = objects.put(&encode(&document))?;
    Ok(Checked { classes: class.map(str::to_owned).into_iter().collect(), evidence })
}

fn kept(objects: &Evidence, captured: &CapturedOutput) -> Result<Value<'static>, ActionError> {
    let cut = captured.cut_bytes();
    let mut bytes = captured.head.clone();
    if cut > 0 {
        bytes.extend_from_slice(format!("\n[{cut} bytes cut]\n").as_bytes());
    }
    bytes.extend_from_slice(&captured.tail);
    let digest = objects.put(&bytes)?;
    Ok(Object::fields()
        .field("cutBytes", cut.to_string())
        .field("digest", digest.as_str().to_owned())
        .field("totalBytes", captured.total_bytes.to_string())
        .finish())
}
