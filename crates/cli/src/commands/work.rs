//! `premath boot`, `step`, `stop` and `worker`.

use std::sync::Mutex;

use premath_host::{Host, LandRequest, Landed, RunRefused, WorkWishes, Worked};
use premath_kernel::{Fields, Object, Value};
use premath_tusk::sandbox::Interrupt;
use premath_wire::v1::{
    BootAnswer, RefusedAnswer, RefusedBecause, StepShowAnswer, StopAnswer, WorkEventRow, WorkStepAnswer,
    WorkerAnswer,
};

use super::dep::number;
use crate::args::work::{BootArgs, CommandArgs, LandArgs, StepArgs, StepShowArgs, StopArgs, WorkerArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::work as render;
use crate::{output, system};

/// `premath boot`
pub(super) fn boot(args: &BootArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let worktree = args.worktree.as_ref().map(|path| path.to_string_lossy().into_owned());
    let arguments = told(Object::fields())
        .optional("workerId", args.worker_id.as_deref())
        .optional("worktree", worktree)
        .optional("verifyCmd", args.verify_cmd.as_deref())
        .optional("instruction", args.instruction.as_deref())
        .finish();
    system::on_interrupt(host.agent.interrupt());
    super::answer(host, "harness.boot", &arguments, &args.format, |answer: &BootAnswer| render::boot(answer))
}

/// `premath step`
pub(super) fn step(args: &StepArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let worktree = args.worktree.as_ref().map(|path| path.to_string_lossy().into_owned());
    let fields =
        told(Object::fields()).optional("workerId", args.worker_id.as_deref()).optional("worktree", worktree);
    let arguments = commanded(fields, &args.commands).finish();
    system::on_interrupt(host.agent.interrupt());
    super::answer(host, "harness.step", &arguments, &args.format, |answer: &WorkStepAnswer| {
        render::step(answer)
    })
}

/// `premath step show`
pub(super) fn step_show(args: &StepShowArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("stepId", args.step_id.as_str()).finish();
    super::answer(host, "step.show", &arguments, &args.format, |answer: &StepShowAnswer| {
        render::step_show(answer)
    })
}

/// `premath stop`
pub(super) fn stop(args: &StopArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = told(Object::fields())
        .optional("workerId", args.worker_id.as_deref())
        .optional("instruction", args.instruction.as_deref())
        .finish();
    super::answer(host, "harness.stop", &arguments, &args.format, |answer: &StopAnswer| render::stop(answer))
}

/// `premath worker`
pub(super) fn worker(args: &WorkerArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let worktree = args.worktree.as_ref().map(|path| path.to_string_lossy().into_owned());
    let fields = Object::fields()
        .field("workerId", args.worker_id.as_str())
        .optional("worktree", worktree)
        .optional("steps", args.steps.map(number));
    let arguments = commanded(fields, &args.commands).finish();
    let wishes = WorkWishes { drain: host.agent.interrupt(), abandon: Interrupt::default() };
    system::on_interrupt(wishes.drain.clone());
    if args.until_stdin_ends {
        system::on_stdin_end(wishes.abandon.clone());
    }
    let watching = Watching::new(args.json);
    let worked = premath_host::work(host, &arguments, &wishes, &mut |row| watching.take(row));
    watching.finish()?;
    match worked.map_err(|error| CliError::command(error, "worker"))? {
        Worked::Done(answer) => {
            if args.json {
                output::json(&answer)?;
            } else {
                output::text(&render::worker(&answer))?;
            }
            Ok(ending(&answer))
        }
        Worked::Refused(refused) => told_refusal("worker.run", refused, args.json),
    }
}

/// `premath land`
pub(super) fn land(args: &LandArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let request = LandRequest {
        issues: args.issues.clone(),
        accepts: args.accept,
        verify: args.verify_cmd.clone(),
        target: args.target.clone(),
    };
    let interrupt = host.agent.interrupt();
    system::on_interrupt(interrupt.clone());
    let watching = Watching::new(args.json);
    let landed = premath_host::land(host, &request, &interrupt, &mut |row| {
        if args.json {
            watching.take(row);
        }
    });
    watching.finish()?;
    match landed.map_err(|error| CliError::command(error, "land"))? {
        Landed::Done(answer) => {
            if args.json {
                output::json(&answer)?;
            } else {
                output::text(&render::land(&answer))?;
            }
            Ok(match answer.outcome.as_str() {
                "done" => Exit::Accepted,
                "interrupted" => Exit::Interrupted,
                _other => Exit::Rejected,
            })
        }
        Landed::Refused(refused) => told_refusal("work.land", refused, args.json),
    }
}

fn ending(answer: &WorkerAnswer) -> Exit {
    match answer.outcome.as_str() {
        "interrupted" => Exit::Interrupted,
        "stopped" => Exit::Rejected,
        _other => Exit::Accepted,
    }
}

/// A refusal, for whoever asked.
pub(super) fn told_refusal(action: &str, refused: RunRefused, as_json: bool) -> Result<Exit, CliError> {
    let refused = RefusedAnswer {
        action: action.to_owned(),
        issues_path: String::new(),
        refused: RefusedBecause { class: refused.class, detail: refused.detail, hint: refused.hint },
    };
    if as_json {
        output::json(&refused)?;
    } else {
        output::text(&crate::render::issue::refused(&refused))?;
    }
    Ok(Exit::Rejected)
}

/// What the environment says of the issue that is meant.
fn told(fields: Fields<'_>) -> Fields<'_> {
    fields
        .optional("activeIssueId", system::variable("PREMATH_ACTIVE_ISSUE_ID"))
        .optional("issueId", system::variable("PREMATH_ISSUE_ID"))
        .optional("sessionPath", system::variable("PREMATH_HARNESS_SESSION_PATH"))
}

pub(super) fn commanded<'a>(fields: Fields<'a>, commands: &'a CommandArgs) -> Fields<'a> {
    let counted = |seconds: Option<u64>| -> Option<Value<'a>> { seconds.map(number) };
    fields
        .optional("workCmd", commands.work_cmd.as_deref())
        .optional("verifyCmd", commands.verify_cmd.as_deref())
        .optional("instruction", commands.instruction.as_deref())
        .optional("land", commands.land.as_deref())
        .optional("target", commands.target.as_deref())
        .optional("ttlSeconds", counted(commands.ttl))
        .optional("workTimeout", counted(commands.work_timeout))
        .optional("verifyTimeout", counted(commands.verify_timeout))
}

/// Whoever watches work: a line per event. An output that fails is kept until the end.
#[derive(Debug)]
pub(super) struct Watching {
    as_json: bool,
    failure: Mutex<Option<CliError>>,
}

impl Watching {
    pub(super) const fn new(as_json: bool) -> Self {
        Self { as_json, failure: Mutex::new(None) }
    }

    pub(super) fn take(&self, row: &WorkEventRow) {
        let written = if self.as_json { output::json(row) } else { output::text(&render::event(row)) };
        if let Err(error) = written {
            self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
        }
    }

    pub(super) fn finish(&self) -> Result<(), CliError> {
        self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
