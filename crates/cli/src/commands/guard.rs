//! `premath guard`: the hook of another agent. Whatever goes wrong ends in an answer that blocks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use premath_host::{Host, MOST_EVENT_BYTES};
use premath_kernel::{Object, Value};
use premath_wire::v1::{GuardDecision, GuardInstalled};

use super::{in_folder, in_repository};
use crate::args::guard::{GuardArgs, GuardCommand, GuardInstallArgs, HookHost};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::hook::{HookAnswer, answer, blocked, installed, told};
use crate::{output, system};

/// Runs the command that was typed.
pub(crate) fn run(args: &GuardArgs) -> Result<Exit, CliError> {
    match (&args.command, args.host) {
        (Some(GuardCommand::Install(args)), _) => {
            in_repository(Some(args.terminal.change()), |host| changed(args, "guard.install", host))
        }
        (Some(GuardCommand::Uninstall(args)), _) => {
            in_repository(Some(args.terminal.change()), |host| changed(args, "guard.uninstall", host))
        }
        (None, Some(host)) => Ok(hook(args, host)),
        (None, None) => Err(CliError::usage("--format is missing", "say whose hook it is")),
    }
}

/// Changes the configuration of an agent: shown first, then agreed to, then written.
fn changed(args: &GuardInstallArgs, action: &str, host: &Host<'_>) -> Result<Exit, CliError> {
    let root = &host.workspace.root;
    if !system::is_repository(if root.as_os_str().is_empty() { Path::new(".") } else { root }) {
        let hint = "run `premath init` first: without a policy the hook would deny everything";
        return Err(CliError::environment("this is no repository of premath's", hint));
    }
    let named = args.path.clone().map(|path| {
        // What a link leads to is changed, not the link.
        let behind = system::behind_links(root, Path::new(&path)).ok().flatten();
        behind.map_or(path, |behind| behind.to_string_lossy().into_owned())
    });
    let fields = |is_shown: bool, before: Option<&str>| {
        Object::fields()
            .optional("before", before.map(str::to_owned))
            .field("dryRun", is_shown)
            .field("format", args.host.token())
            .optional("path", named.clone())
            .optional("program", args.program.clone())
            .finish()
    };
    if args.dry_run || args.yes {
        return super::answer(host, action, &fields(args.dry_run, None), &args.format, installed);
    }
    let effect = host.call(action, &fields(true, None)).map_err(|error| CliError::command(error, "guard"))?;
    if effect.result_class == "rejected" {
        return super::answer(host, action, &fields(true, None), &args.format, installed);
    }
    let shown: GuardInstalled = serde_json::from_str(effect.payload.get())
        .map_err(|error| CliError::environment(error, "this is a fault of premath"))?;
    if !shown.changed {
        return super::answer(host, action, &fields(false, shown.before.as_deref()), &args.format, installed);
    }
    output::note(&shown.diff);
    if !system::is_attended() {
        return Err(CliError::usage(
            "nobody can be asked here",
            "say --yes to write it, or --dry-run to look",
        ));
    }
    let is_shown = system::discard_typed_ahead();
    output::note(&format!("write this to {}? [y/N] ", shown.path));
    let said = system::typed_line(&host.agent.interrupt()).filter(|_| is_shown).unwrap_or_default();
    if !matches!(said.as_str(), "y" | "Y" | "yes") {
        output::note("nothing was written\n");
        return Ok(Exit::Rejected);
    }
    let written = fields(false, shown.before.as_deref());
    super::answer(host, action, &written, &args.format, told)
}

/// Answers one event. There is no way out of here but an answer.
fn hook(args: &GuardArgs, host: HookHost) -> Exit {
    let watched = system::blocks_when_lost(Duration::from_secs(args.timeout)).map_err(|error| {
        CliError::environment(format!("nothing can watch over the decision: {error}"), "try again")
    });
    match watched.and_then(|()| decided(args, host)) {
        Ok(decision) if args.format.json || args.format.envelope => {
            let is_said = output::heard(&format!("{}\n", decision.document));
            if is_said && decision.read.effect == "allow" { Exit::Accepted } else { Exit::Invalid }
        }
        Ok(decision) => say(&answer(host, &decision.read)),
        Err(error) => say(&blocked(host, &error.message)),
    }
}

/// Says it; what nobody hears is said in the other way, and blocks if that is not heard either.
fn say(answer: &HookAnswer) -> Exit {
    match answer {
        HookAnswer::Nothing => Exit::Accepted,
        HookAnswer::Document(document) if output::heard(document) => Exit::Accepted,
        HookAnswer::Document(_) => Exit::Invalid,
        HookAnswer::Block { words, document } => {
            if output::heard_on_errors(words) {
                return Exit::Invalid;
            }
            // An agent may want a reason with its block, or go on.
            match document {
                Some(document) if output::heard(document) => Exit::Accepted,
                Some(_) | None => Exit::Invalid,
            }
        }
    }
}

/// A decision, and the document it came as.
struct Decided {
    read: GuardDecision,
    document: String,
}

fn decided(args: &GuardArgs, hook: HookHost) -> Result<Decided, CliError> {
    let (root, spellings) = root(args)?;
    let bytes = system::read_bounded_input(MOST_EVENT_BYTES)?;
    let event = match String::from_utf8(bytes) {
        Ok(event) => event,
        // What was cut off within a letter is too large whatever it says: the host refuses it by its length.
        Err(error) if error.as_bytes().len() > MOST_EVENT_BYTES => {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
        Err(error) => {
            return Err(CliError::usage(format!("the event is not UTF-8: {error}"), "send it as JSON"));
        }
    };
    let own_folders = system::own_folders();
    let arguments = Object::fields()
        .field("event", event)
        .field("format", hook.token())
        .field("ownFolders", Value::text_list(own_folders.iter().map(String::as_str)))
        .field("roots", Value::text_list(spellings.iter().map(String::as_str)))
        .finish();
    let mut found = None;
    in_folder(root, None, |host| {
        let effect = host.call("guard.decide", &arguments).map_err(CliError::action)?;
        let read = serde_json::from_str(effect.payload.get())
            .map_err(|error| CliError::environment(error, "this is a fault of premath"))?;
        let document = if args.format.envelope {
            serde_json::to_string(&effect)
                .map_err(|error| CliError::environment(error, "this is a fault of premath"))?
        } else {
            effect.payload.get().to_owned()
        };
        found = Some(Decided { read, document });
        Ok(Exit::Accepted)
    })?;
    found.ok_or_else(|| CliError::environment("nothing was decided", "this is a fault of premath"))
}

/// The repository that decides, and what else it is called.
fn root(args: &GuardArgs) -> Result<(PathBuf, Vec<String>), CliError> {
    let named = match &args.root {
        Some(root) => root.clone(),
        None => system::repository_root(),
    };
    let here = if named.as_os_str().is_empty() { PathBuf::from(".") } else { named.clone() };
    if !system::is_repository(&here) {
        let what = format!("`{}` is no repository of premath's, so that nobody can decide", here.display());
        return Err(CliError::environment(what, "run `premath init` there, or name another with --root"));
    }
    let real = system::real_folder(&here)?;
    let spelt = named.to_string_lossy().into_owned();
    Ok((real, if named.is_absolute() { vec![spelt] } else { Vec::new() }))
}
