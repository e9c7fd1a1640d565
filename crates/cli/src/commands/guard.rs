//! `premath guard`: the hook of another agent. Whatever goes wrong ends in an answer that blocks.

use std::path::PathBuf;
use std::time::Duration;

use premath_kernel::{Object, Value};
use premath_wire::v1::GuardDecision;

use super::in_folder;
use crate::args::guard::GuardArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::hook::{HookAnswer, answer, blocked};
use crate::{output, system};

/// Runs the command that was typed.
pub(crate) fn run(args: &GuardArgs) -> Result<Exit, CliError> {
    Ok(hook(args))
}

/// Answers one event. There is no way out of here but an answer.
fn hook(args: &GuardArgs) -> Exit {
    let watched = system::blocks_when_lost(Duration::from_secs(args.timeout)).map_err(|error| {
        CliError::environment(format!("nothing can watch over the decision: {error}"), "try again")
    });
    match watched.and_then(|()| decided(args)) {
        Ok(decision) if args.format.json || args.format.envelope => {
            let is_said = output::heard(&format!("{}\n", decision.document));
            if is_said && decision.read.effect == "allow" { Exit::Accepted } else { Exit::Invalid }
        }
        Ok(decision) => say(&answer(args.host, &decision.read)),
        Err(error) => say(&blocked(args.host, &error.message)),
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

fn decided(args: &GuardArgs) -> Result<Decided, CliError> {
    let (root, spellings) = root(args)?;
    let bytes = system::read_input(std::path::Path::new("-"))?;
    let event = String::from_utf8(bytes)
        .map_err(|error| CliError::usage(format!("the event is not UTF-8: {error}"), "send it as JSON"))?;
    let arguments = Object::fields()
        .field("event", event)
        .field("format", args.host.token())
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
