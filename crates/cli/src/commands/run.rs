//! `premath run` and `premath resume`: a task is given to the loop, and what happens is shown as it happens.

mod demo;
mod watching;

use std::path::Path;

use premath_host::{ActionError, Host};
use premath_kernel::{Object, Value};
use premath_tusk::turn_loop::RunReport;

use self::watching::Watching;
use super::dep::number;
use super::in_repository;
use crate::args::StoreChange;
use crate::args::run::{LimitArgs, Pattern, ResumeArgs, RunArgs, RunFormat};
use crate::args::sandbox::ProfileName;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::run::{answer, exit};
use crate::{output, system};

/// What a run came to, and where it is kept.
#[derive(Debug)]
pub(super) struct Ran {
    /// What it came to.
    pub(super) report: RunReport,
    /// The issue it worked on.
    pub(super) issue_id: Option<String>,
    /// Its journal.
    pub(super) journal: String,
}

/// `premath run`
pub(crate) fn run(args: &RunArgs) -> Result<Exit, CliError> {
    if args.demo {
        return demo::run(args);
    }
    let task = args.task.as_deref().map(task).transpose()?;
    let arguments = started(args, task.as_deref(), args.issue.as_deref(), &args.model);
    changing(|host| shown(host, "run.start", &arguments, args.format))
}

/// `premath resume`
pub(crate) fn resume(args: &ResumeArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("run", args.run.as_deref())
        .field("models", texts(&args.model))
        .field("limits", limits(&args.limits))
        .finish();
    changing(|host| shown(host, "run.resume", &arguments, args.format))
}

/// In this repository, as somebody who changes its issue memory.
fn changing(run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>) -> Result<Exit, CliError> {
    in_repository(Some(StoreChange { issues: None, reason: None }), run)
}

fn task(typed: &str) -> Result<String, CliError> {
    let text = if typed == "-" {
        let bytes = system::read_named(Path::new("-"), "pipe the task in")?;
        String::from_utf8(bytes).map_err(|_| {
            CliError::usage("the task on standard input is not UTF-8", "write it as UTF-8 text")
        })?
    } else {
        typed.to_owned()
    };
    if text.trim().is_empty() {
        return Err(CliError::usage("the task is empty", "say what is to be done, or name an --issue"));
    }
    Ok(text)
}

fn texts(list: &[String]) -> Value<'_> {
    Value::text_list(list.iter().map(String::as_str))
}

/// The arguments of `run.start`.
fn started<'a>(
    args: &'a RunArgs,
    task: Option<&'a str>,
    issue: Option<&'a str>,
    models: &'a [String],
) -> Value<'a> {
    let workflow = args.workflow.as_ref().map(|path| path.to_string_lossy().into_owned());
    Object::fields()
        .optional("task", task)
        .optional("issue", issue)
        .field("models", texts(models))
        .optional("runId", args.run_id.as_deref())
        .optional("pattern", args.pattern.map(Pattern::as_str))
        .optional("workflow", workflow)
        .optional("profile", args.profile.map(ProfileName::as_str))
        .field("scopes", texts(&args.scope))
        .field("limits", limits(&args.limits))
        .finish()
}

fn limits(limits: &LimitArgs) -> Value<'static> {
    Object::fields()
        .optional("checkpointEvery", limits.checkpoint_every.map(number))
        .optional("costMicroUsd", limits.max_cost_micros.map(number))
        .optional("minutes", limits.max_minutes.map(number))
        .optional("tokens", limits.max_tokens.map(number))
        .optional("toolCalls", limits.max_tool_calls.map(number))
        .optional("turns", limits.max_turns.map(number))
        .optional("workers", limits.max_workers.map(number))
        .finish()
}

/// Shows a run while it goes, and its answer.
fn shown(host: &Host<'_>, action: &str, arguments: &Value<'_>, format: RunFormat) -> Result<Exit, CliError> {
    if format.envelope {
        let effect = host.call(action, arguments).map_err(CliError::action)?;
        output::json(&effect)?;
        return Ok(if effect.result_class == "rejected" { Exit::Rejected } else { Exit::Accepted });
    }
    watched(host, action, arguments, format).map(|(_, exit)| exit)
}

/// The same, for whoever goes on with what came of it.
fn watched(
    host: &Host<'_>,
    action: &str,
    arguments: &Value<'_>,
    format: RunFormat,
) -> Result<(Ran, Exit), CliError> {
    let watching = Watching::new(format);
    let ran = drive(host, action, arguments, &watching);
    watching.finish()?;
    let ran = ran.map_err(|error| CliError::command(error, "run"))?;
    let answer = answer(action, &ran.report, ran.issue_id.as_deref(), &ran.journal);
    if format.json {
        output::json(&answer)?;
    }
    Ok((ran, exit(answer.outcome)))
}

/// The loop. What happens is told to `watching`; a person is asked through it.
fn drive(
    _host: &Host<'_>,
    action: &str,
    _arguments: &Value<'_>,
    _watching: &Watching,
) -> Result<Ran, ActionError> {
    Err(ActionError::Unknown { name: action.to_owned() })
}
