//! `guard.decide`, `guard.install` and `guard.uninstall`: what becomes of what another agent is about to do, or has done; and
//! the hook that asks, in that agent's own configuration.

use std::path::{Path, PathBuf};

use premath_kernel::{Digest, Object, Value};
use premath_tusk::tools::text_diff;
use premath_wire::v1::GuardInstalled;
use schemars::JsonSchema;
use serde::Deserialize;

use super::harness_feature::shut;
use super::issue::{arguments, invalid, token, told};
use crate::artifacts::{read_artifact, write_artifact};
use crate::hook::{self, HookCommand, HookFormat, SettingsFault};
use crate::recording::Recorder;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

const INSTALL: &str = "guard.install";
const UNINSTALL: &str = "guard.uninstall";

/// What `guard.decide` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecideArgs {
    /// Whose hook: `claude-code` or `codex`.
    format: String,
    /// The event, as it was sent.
    event: String,
    /// Other names of the root, such as one that goes over a link.
    #[serde(default)]
    roots: Vec<String>,
    /// Folders of premath's own outside of the repository, which no command touches.
    #[serde(default)]
    own_folders: Vec<String>,
}

/// What `guard.install` and `guard.uninstall` take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstallArgs {
    /// Whose hooks: `claude-code` or `codex`.
    format: String,
    /// The settings, when they are not where the agent reads those of a project.
    path: Option<String>,
    /// The program that the hook runs; `premath` when nobody says.
    program: Option<String>,
    /// Whether nothing is to be written.
    #[serde(default)]
    dry_run: bool,
    /// The digest of the file that somebody agreed to change.
    before: Option<String>,
}

/// `guard.decide`
pub(crate) fn decide(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DecideArgs = arguments(args)?;
    let format = token(&args.format, "format", &HookFormat::ALL, HookFormat::token)?;
    let ground = hook::HookGround { roots: &args.roots, own_folders: &args.own_folders };
    let decision = hook::decide(host, format, &ground, &args.event)?;
    match &decision.code {
        Some(code) => Answer::refused(code, &decision),
        None => Answer::new("accepted", &decision),
    }
}

/// `guard.install`
pub(crate) fn install(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    changed(host, INSTALL, args)
}

/// `guard.uninstall`
pub(crate) fn uninstall(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    changed(host, UNINSTALL, args)
}

fn changed(host: &Host<'_>, action: &'static str, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: InstallArgs = arguments(args)?;
    let format = token(&args.format, "format", &HookFormat::ALL, HookFormat::token)?;
    // Whoever may not change anything here may not take the guard away either.
    if let Some(refused) = shut(host, action)? {
        return Ok(refused);
    }
    let workspace = host.workspace;
    let path = match told(args.path.as_deref()) {
        Some(path) => PathBuf::from(path),
        None => workspace.root.join(hook::settings_file(format)),
    };
    let before = text(&path, read_artifact(workspace, &path)?)?;
    let digest = before.as_ref().map(|text| Digest::of_bytes(text.as_bytes()).as_str().to_owned());
    if args.before.is_some() && args.before != digest {
        return Err(invalid("the file is another than the one that was shown", "before").into());
    }
    let program = told(args.program.as_deref()).unwrap_or("premath");
    let workdir = host.agent.workdir()?;
    let Some(root) = workdir.to_str() else {
        return Err(
            invalid("the path of the repository is not UTF-8, so that no hook can name it", "path").into()
        );
    };
    let after = match (action, &before) {
        (INSTALL, text) => Some(hook::with_hook(text.as_deref(), format, HookCommand { program, root })),
        (_, Some(text)) => Some(hook::without_hook(text, format)),
        (_, None) => None,
    };
    let after = after.transpose().map_err(|fault| unusable(&path, &fault))?;
    let is_other = after.is_some() && after != before;
    if let (true, false, Some(after)) = (is_other, args.dry_run, &after) {
        let recorder = Recorder::open(workspace, &workspace.issues_path(None))?;
        write_artifact(workspace, &path, after.as_bytes())?;
        let data = Object::fields().field("format", format.token()).field("path", shown(&path)).finish();
        recorder.upkeep(workspace, action, data)?;
    }
    let diff = match is_other {
        true => text_diff(&shown(&path), before.as_deref(), after.as_deref()),
        false => String::new(),
    };
    Answer::new(
        "accepted",
        &GuardInstalled {
            action: action.to_owned(),
            format: format.token().to_owned(),
            path: shown(&path),
            changed: is_other,
            written: is_other && !args.dry_run,
            diff,
            before: digest,
            notes: if action == INSTALL { notes(format) } else { Vec::new() },
        },
    )
}

fn text(path: &Path, bytes: Option<Vec<u8>>) -> Result<Option<String>, ActionError> {
    let Some(bytes) = bytes else { return Ok(None) };
    let not_text = |_| unusable(path, &SettingsFault::NotJson("it is not UTF-8".to_owned()));
    String::from_utf8(bytes).map(Some).map_err(not_text)
}

fn unusable(path: &Path, fault: &SettingsFault) -> ActionError {
    ActionError::Unavailable {
        what: format!("`{}` cannot be changed: {fault}", path.display()),
        hint: "mend the file, or name another with --path; nothing was written".to_owned(),
    }
}

/// What the agent does that nobody here can.
fn notes(format: HookFormat) -> Vec<String> {
    let notes: &[&str] = match format {
        HookFormat::ClaudeCode => &[
            "Claude Code before 2.1.295 goes on when a hook is killed or late; from then on `onFailure` blocks",
        ],
        HookFormat::Codex => &[
            "Codex skips a hook that nobody trusts: open `/hooks` in it and trust this one, again after every change",
            "Codex goes on when a hook takes longer than its `timeout`; the guard denies long before that",
        ],
    };
    notes.iter().map(|note| (*note).to_owned()).collect()
}
