//! `sandbox.check` and `sandbox.run`: what the sandbox enforces here, and one command in it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use premath_kernel::{Value, hex};
use premath_tusk::sandbox::{
    CapturedOutput, Ending, ExecutionLimits, Interrupt, LayerState, Profile, SandboxCommand, SandboxError,
    SandboxEvidence, SandboxRun, StateAccess,
};
use premath_wire::v1::{
    LayerRow, OutputRow, RefusedBecause, SandboxCheckAnswer, SandboxEvidenceRow, SandboxRefusal,
    SandboxRunAnswer,
};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, told};
use crate::table::{ActionError, Answer, Host, Nothing};
use crate::workspace::shown;

/// What `sandbox.run` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunArgs {
    /// The program and its arguments.
    #[schemars(required)]
    #[serde(default)]
    command: Vec<String>,
    /// Where it runs; the root of the repository when nothing is said.
    workdir: Option<String>,
    /// `read-only`, `workspace-write`, `network` or `isolated`.
    profile: Option<String>,
    /// Variables it is given.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// What it reads on standard input.
    stdin: Option<String>,
    /// Wall time in milliseconds.
    timeout_ms: Option<u64>,
    /// How many bytes of each output are kept.
    output_bytes: Option<u64>,
    /// Address space of one process, in bytes.
    memory_bytes: Option<u64>,
    /// Processes of the whole tree.
    processes: Option<u64>,
    /// Disk space that the whole tree may take, in bytes.
    disk_bytes: Option<u64>,
}

/// `sandbox.check`
pub(crate) fn check(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let report = host.sandbox.check()?;
    let names = |profiles: &[Profile]| profiles.iter().map(|profile| profile.as_str().to_owned()).collect();
    let items: Vec<LayerRow> = report
        .layers
        .iter()
        .map(|layer| LayerRow {
            layer: layer.layer.clone(),
            state: state(layer.state).to_owned(),
            required_by: names(&layer.required_by),
            detail: layer.detail.clone(),
        })
        .collect();
    let ok = Profile::ALL.iter().all(|profile| report.usable.contains(profile))
        && report.layers.iter().all(|layer| layer.state != LayerState::Broken);
    let answer = SandboxCheckAnswer {
        action: "sandbox.check".to_owned(),
        ok,
        usable_profiles: names(&report.usable),
        notes: history_note(&report.reading_history).into_iter().collect(),
        count: count(items.len()),
        items,
    };
    if ok { Answer::new("accepted", &answer) } else { Answer::refused("sandbox.layer_unavailable", &answer) }
}

/// What `sandbox check` says about the history of repositories.
fn history_note(profiles: &[Profile]) -> Option<String> {
    let names: Vec<&str> = profiles.iter().map(|profile| profile.as_str()).collect();
    let names = names.join(", ");
    (!names.is_empty())
        .then(|| format!("git history is readable in {names}: also files that were removed or are hidden"))
}

const fn state(state: LayerState) -> &'static str {
    match state {
        LayerState::Enforced => "enforced",
        LayerState::Unavailable => "unavailable",
        LayerState::Broken => "broken",
    }
}

/// `sandbox.run`
pub(crate) fn run(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let command = command(host, arguments(args)?)?;
    match host.sandbox.run(&command, &Interrupt::default()) {
        Ok(run) => {
            let class = if run.ending == Ending::Exited(0) { "accepted" } else { "rejected" };
            let mut answer = Answer::new(class, &answered(&run))?;
            if class == "rejected" {
                answer.failure_classes.push(failure(run.ending).to_owned());
            }
            Ok(answer)
        }
        Err(error) => refused(command.profile, error),
    }
}

fn command(host: &Host<'_>, args: RunArgs) -> Result<SandboxCommand, InputError> {
    let place = |key: &str| JsonPath::root().key(key);
    let invalid = |what: &str, key: &str| InputError::new(InputClass::FieldInvalid, what, place(key));
    let mut words = args.command.into_iter();
    let program = words.next().filter(|word| !word.trim().is_empty()).ok_or_else(|| {
        InputError::new(InputClass::FieldMissing, "name a command to run", place("command"))
    })?;
    let profile = match told(args.profile.as_deref()) {
        None => Profile::WorkspaceWrite,
        Some(name) => {
            let known = Profile::ALL.into_iter().find(|profile| profile.as_str() == name);
            known.ok_or_else(|| {
                invalid("expected read-only, workspace-write, network or isolated", "profile")
            })?
        }
    };
    let defaults = ExecutionLimits::default();
    let limits = ExecutionLimits {
        wall: args.timeout_ms.map_or(defaults.wall, Duration::from_millis),
        output: args.output_bytes.unwrap_or(defaults.output),
        memory: args.memory_bytes.unwrap_or(defaults.memory),
        processes: args.processes.unwrap_or(defaults.processes),
        disk: args.disk_bytes.unwrap_or(defaults.disk),
        ..defaults
    };
    if limits.wall.is_zero() {
        return Err(invalid("must be at least 1", "timeoutMs"));
    }
    let root = &host.workspace.root;
    let here = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
    Ok(SandboxCommand {
        program,
        arguments: words.collect(),
        workdir: told(args.workdir.as_deref()).map_or(here, PathBuf::from),
        profile,
        environment: args.env.into_iter().collect(),
        stdin: args.stdin.unwrap_or_default().into_bytes(),
        limits,
        state: StateAccess::default(),
    })
}

const fn failure(ending: Ending) -> &'static str {
    match ending {
        Ending::Exited(_) => "sandbox.command_failed",
        Ending::Signalled(_) => "sandbox.command_signalled",
        Ending::TimedOut => "sandbox.command_timed_out",
        Ending::Interrupted => "sandbox.command_interrupted",
        Ending::DiskLimit => "sandbox.command_disk_limit",
    }
}

fn answered(run: &SandboxRun) -> SandboxRunAnswer {
    let (ending, exit_code, signal) = match run.ending {
        Ending::Exited(code) => ("exited", Some(code), None),
        Ending::Signalled(signal) => ("signalled", None, Some(signal)),
        Ending::TimedOut => ("timed_out", None, None),
        Ending::Interrupted => ("interrupted", None, None),
        Ending::DiskLimit => ("disk_limit", None, None),
    };
    SandboxRunAnswer {
        action: "sandbox.run".to_owned(),
        ending: ending.to_owned(),
        exit_code,
        signal,
        stdout: output(&run.stdout),
        stderr: output(&run.stderr),
        evidence: evidence(&run.evidence),
    }
}

fn output(captured: &CapturedOutput) -> OutputRow {
    let cut = captured.cut_bytes();
    // A cut may fall into a character; what is left of it on either side is no text.
    let (head, tail) = match cut {
        0 => (captured.head.as_slice(), captured.tail.as_slice()),
        _ => (without_end(&captured.head), without_beginning(&captured.tail)),
    };
    let is_text = std::str::from_utf8(head).is_ok() && std::str::from_utf8(tail).is_ok();
    let mut text = String::from_utf8_lossy(head).into_owned();
    if cut > 0 {
        text.push_str(&format!("\n[{cut} bytes cut]\n"));
    }
    text.push_str(&String::from_utf8_lossy(tail));
    let kept = || [captured.head.as_slice(), captured.tail.as_slice()].concat();
    OutputRow {
        text,
        total_bytes: captured.total_bytes,
        cut_bytes: cut,
        hex: (!is_text).then(|| hex(&kept())),
    }
}

/// The bytes without a character that was begun and not ended.
fn without_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        Ok(_) | Err(_) => bytes,
    }
}

/// The bytes without the end of a character that began before them.
fn without_beginning(bytes: &[u8]) -> &[u8] {
    let is_inner = |byte: &u8| (0x80..0xc0).contains(byte);
    let inner = bytes.iter().take(3).take_while(|byte| is_inner(byte)).count();
    bytes.get(inner..).unwrap_or(bytes)
}

fn evidence(evidence: &SandboxEvidence) -> SandboxEvidenceRow {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    SandboxEvidenceRow {
        workdir: shown(&evidence.workdir),
        sandbox_profile: evidence.profile.as_str().to_owned(),
        profile_digest: evidence.profile_digest.clone(),
        command_digest: evidence.command_digest.clone(),
        layers: evidence.layers.clone(),
        operator_override: evidence.operator_override.clone(),
        wall_ms: millis(evidence.wall),
        user_ms: millis(evidence.user),
        system_ms: millis(evidence.system),
    }
}

/// A refusal is an answer; an accident is an error.
fn refused(profile: Profile, error: SandboxError) -> Result<Answer, ActionError> {
    let detail = error.to_string();
    let (class, layer, hint) = match &error {
        SandboxError::LayerUnavailable { layer, .. } => (
            "sandbox.layer_unavailable",
            Some(layer.clone()),
            "`premath sandbox check` says what is enforced here; choose a profile that does without it",
        ),
        SandboxError::NoSandbox => (
            "sandbox.none",
            None,
            "an operator can allow it with --without-sandbox REASON, which is recorded",
        ),
        SandboxError::Workdir { .. } => ("sandbox.workdir_invalid", None, "name a folder that exists"),
        SandboxError::Program { .. } => {
            ("sandbox.program_invalid", None, "name a program that is there inside the sandbox")
        }
        SandboxError::Invalid { .. } => ("sandbox.command_invalid", None, "mend the command"),
        SandboxError::System { .. } => return Err(error.into()),
    };
    let refusal = SandboxRefusal {
        action: "sandbox.run".to_owned(),
        sandbox_profile: profile.as_str().to_owned(),
        layer,
        refused: RefusedBecause { class: class.to_owned(), detail, hint: hint.to_owned() },
    };
    Answer::refused(class, &refusal)
}
