//! `premath run` and `premath resume`: a task is given to the loop, and what happens is shown as it happens.

mod demo;
mod question;
mod watching;
mod workflow;

use std::path::Path;
use std::sync::Arc;

use premath_host::{ActionError, Host, RunStarted};
use premath_kernel::{Fields, Object, Value};
use premath_tusk::turn_loop::RunEvent;
use premath_wire::v1::{RefusedAnswer, RefusedBecause, RunAnswer, RunEnding};

pub(crate) use self::watching::Watching;
use super::dep::number;
use super::in_named_repository;
use crate::agent::Attended;
use crate::args::Terminal;
use crate::args::run::{LimitArgs, Mode, OnFull, Pattern, ResumeArgs, RunArgs, RunFormat, Unpriced};
use crate::args::sandbox::ProfileName;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::run::exit;
use crate::telling::{Telling, destination};
use crate::{output, system};

/// `premath run`
pub(crate) fn run(args: &RunArgs) -> Result<Exit, CliError> {
    if args.demo {
        return demo::run(args);
    }
    let task = args.task.as_deref().map(task).transpose()?;
    let workflow = args.workflow.as_deref().map(workflow::read).transpose()?;
    let asked = Asked { task: task.as_deref(), issue: args.issue.as_deref(), models: &args.model };
    let arguments = started(args, &asked, workflow);
    changing(args.root.as_deref(), &args.terminal, |host| shown(host, "run.start", &arguments, args.format))
}

/// `premath resume`
pub(crate) fn resume(args: &ResumeArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields().optional("runId", args.run.as_deref());
    let arguments = limited(arguments, &args.limits).finish();
    changing(args.root.as_deref(), &args.terminal, |host| shown(host, "run.resume", &arguments, args.format))
}

/// In this repository, as somebody who changes its issue memory.
fn changing(
    root: Option<&Path>,
    terminal: &Terminal,
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    in_named_repository(root, Some(terminal.change()), run)
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

/// Scopes named by flags: absent without a flag, empty for the one word `none`.
pub(crate) fn requested_scopes(named: &[String]) -> Option<Value<'_>> {
    match named {
        [] => None,
        [only] if only == "none" => Some(Value::text_list([])),
        scopes => Some(texts(scopes)),
    }
}

fn texts(list: &[String]) -> Value<'_> {
    Value::text_list(list.iter().map(String::as_str))
}

/// What is asked of whom.
struct Asked<'a> {
    task: Option<&'a str>,
    issue: Option<&'a str>,
    models: &'a [String],
}

/// The arguments of `run.start`.
fn started<'a>(args: &'a RunArgs, asked: &Asked<'a>, workflow: Option<Value<'static>>) -> Value<'a> {
    let fields = Object::fields()
        .optional("task", asked.task)
        .optional("issue", asked.issue)
        .field("models", texts(asked.models))
        .optional("runId", args.run_id.as_deref())
        .optional("instruction", args.instruction.as_deref())
        .optional("pattern", args.pattern.map(Pattern::as_str))
        .optional("workflow", workflow)
        .optional("profile", args.profile.map(ProfileName::as_str))
        .optional("actionMode", args.action_mode.map(Mode::as_str))
        .optional("autonomous", args.autonomous.as_deref())
        .optional("contextTokens", args.context_tokens.map(number))
        .optional("onFull", args.on_full.map(OnFull::as_str))
        .optional("conversation", args.conversation.as_deref())
        .field("desk", args.desk)
        .non_empty("verify", args.verify.iter().map(|command| Value::from(command.as_str())).collect())
        .optional("scopes", requested_scopes(&args.scope));
    limited(fields, &args.limits).finish()
}

fn limited<'a>(fields: Fields<'a>, limits: &'a LimitArgs) -> Fields<'a> {
    let wall = limits.max_minutes.map(|minutes| minutes.saturating_mul(60_000));
    fields
        .optional("maxTurns", limits.max_turns.map(number))
        .optional("maxToolCalls", limits.max_tool_calls.map(number))
        .optional("maxTokens", limits.max_tokens.map(number))
        .optional("maxCostMicros", limits.max_cost_micros.map(number))
        .optional("unpriced", limits.unpriced.map(Unpriced::as_str))
        .optional("maxWallMillis", wall.map(number))
        .optional("maxWorkers", limits.max_workers.map(number))
        .optional("checkpointEvery", limits.checkpoint_every.map(number))
        .non_empty(
            "checkpointBefore",
            limits.checkpoint_before.iter().map(|tool| Value::from(tool.as_str())).collect(),
        )
}

/// What the answer of a run says of its end.
#[derive(Debug, serde::Deserialize)]
struct Ended {
    outcome: RunEnding,
}

/// Shows a run while it goes, and its answer.
fn shown(host: &Host<'_>, action: &str, arguments: &Value<'_>, format: RunFormat) -> Result<Exit, CliError> {
    if format.envelope {
        system::on_interrupt(host.agent.interrupt());
        let effect = host.call(action, arguments).map_err(CliError::action)?;
        output::json(&effect)?;
        // A run that did not begin has no ending, and is no answer of a run.
        let answer: Option<Ended> = serde_json::from_str(effect.payload.get()).ok();
        return Ok(answer.map_or(Exit::Rejected, |answer| exit(answer.outcome)));
    }
    watched(host, action, arguments, format).map(|(_, exit)| exit)
}

/// The same, for whoever goes on with what came of it. None when it did not begin; that was shown.
fn watched(
    host: &Host<'_>,
    action: &str,
    arguments: &Value<'_>,
    format: RunFormat,
) -> Result<(Option<RunAnswer>, Exit), CliError> {
    let watching = Arc::new(Watching::new(format));
    let started = drive(host, action, arguments, &watching);
    watching.finish()?;
    match started
        .map_err(|error| CliError::command(error, if action == "run.resume" { "resume" } else { "run" }))?
    {
        RunStarted::Ran(answer) => {
            let answer = RunAnswer { action: action.to_owned(), ..*answer };
            if format.json {
                output::json(&answer)?;
            }
            let exit = exit(answer.outcome);
            Ok((Some(answer), exit))
        }
        RunStarted::Refused(refused) => {
            let refused = RefusedAnswer {
                action: action.to_owned(),
                issues_path: String::new(),
                refused: RefusedBecause { class: refused.class, detail: refused.detail, hint: refused.hint },
            };
            if format.json {
                output::json(&refused)?;
            } else {
                output::text(&crate::render::issue::refused(&refused))?;
            }
            Ok((None, Exit::Rejected))
        }
    }
}

/// The loop. What happens is told to `watching`; a person is asked through it.
fn drive(
    host: &Host<'_>,
    action: &str,
    arguments: &Value<'_>,
    watching: &Arc<Watching>,
) -> Result<RunStarted, ActionError> {
    system::on_interrupt(host.agent.interrupt());
    // Whoever cannot take secrets out of a text is not given any.
    let governor = match destination(host) {
        Some(_) => host.agent.governor(&[]).map(Some)?,
        None => None,
    };
    let redact = |text: &str| governor.as_ref().map_or_else(String::new, |governor| governor.redact(text));
    let telling = Telling::begin(host, &redact);
    let secrets = watching.is_answered().then(Arc::default);
    let agent = Attended { inner: host.agent, watching, sinks: telling.sinks(host), secrets };
    let attended = Host { agent: &agent, ..*host };
    let ticks = watching.ticking();
    let mut watch = |event: &RunEvent<'_>| {
        watching.take(event);
        telling.take(event);
    };
    let ran = match action {
        "run.resume" => premath_host::resume(&attended, arguments, &mut watch),
        _other => premath_host::start(&attended, arguments, &mut watch),
    };
    drop(ticks);
    telling.finish();
    ran
}
