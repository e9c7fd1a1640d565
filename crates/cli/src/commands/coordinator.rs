//! `premath coordinator`: worktrees made ready, workers as processes of this very program, and what came of it.

mod worktrees;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use premath_exec::{ChildEnd, run_own_child};
use premath_host::{
    Coordination, CoordinatorRequest, Host, RunRefused, WorkRequest, WorkWishes, WorkerChild, WorkerCrew,
};
use premath_kernel::Object;
use premath_tusk::sandbox::Interrupt;
use premath_wire::v1::{RefusedAnswer, WorkEventRow, WorkerAnswer};

use self::worktrees::Worktrees;
use super::work::{Watching, commanded, told_refusal};
use crate::args::work::{CommandArgs, CoordinatorArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::work as render;
use crate::{output, system};

pub(super) fn run(args: &CoordinatorArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let root = &host.workspace.root;
    checked(args, host)?;
    let program = system::own_program().map_err(|error| {
        CliError::environment(
            format!("this program cannot find itself: {error}"),
            "is it still where it was?",
        )
    })?;
    let worktrees = Worktrees::ready(args, root)?;
    let crew = Processes { program, arguments: arguments(&args.commands) };
    let request = CoordinatorRequest { worktrees: worktrees.paths().to_vec(), rounds: args.rounds };
    let wishes = WorkWishes { drain: host.agent.interrupt(), abandon: Interrupt::default() };
    system::on_interrupt(wishes.drain.clone());
    let watching = Watching::new(args.json);
    let ran = premath_host::coordinate(host, &request, &crew, &wishes, &mut |row| watching.take(row));
    let mut answer = match ran {
        Ok(Coordination::Done(answer)) => answer,
        Ok(Coordination::Refused(mut refused)) => {
            watching.finish()?;
            refused.hint.extend(worktrees.left().map(|left| format!("; {left}")));
            return told_refusal("coordinator.run", refused, args.json);
        }
        Err(error) => {
            let mut error = CliError::command(error, "coordinator");
            error.hints.extend(worktrees.left());
            return Err(error);
        }
    };
    if args.remove_worktrees {
        worktrees.remove(root, &mut answer);
    }
    watching.finish()?;
    if args.json {
        output::json(&answer)?;
    } else {
        output::text(&render::coordinator(&answer))?;
    }
    Ok(match answer.outcome.as_str() {
        // Nothing is left to start, and something is not done: whoever asked has to look at it.
        "done" if !answer.stuck.is_empty() => Exit::Rejected,
        "done" | "rounds" => Exit::Accepted,
        "interrupted" => Exit::Interrupted,
        _other => Exit::Rejected,
    })
}

/// What every worker would refuse is refused before there is one, and before there is a worktree for it.
fn checked(args: &CoordinatorArgs, host: &Host<'_>) -> Result<(), CliError> {
    let arguments = commanded(Object::fields(), &args.commands).finish();
    let checked = WorkRequest::check(host, &arguments);
    match checked.map_err(|error| CliError::command(error, "coordinator"))? {
        Some(refused) => Err(CliError::usage(format!("{}: {}", refused.class, refused.detail), refused.hint)),
        None => Ok(()),
    }
}

/// Workers as processes.
struct Processes {
    program: PathBuf,
    /// What every one of them is told.
    arguments: Vec<OsString>,
}

fn arguments(commands: &CommandArgs) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["--steps", "1", "--json", "--until-stdin-ends"].map(OsString::from).to_vec();
    let mut say = |name: &str, value: String| {
        // One word: a command may begin with a dash.
        arguments.push(OsString::from(format!("{name}={value}")));
    };
    if let Some(work) = &commands.work_cmd {
        say("--work-cmd", work.clone());
    }
    if let Some(verify) = &commands.verify_cmd {
        say("--verify-cmd", verify.clone());
    }
    if let Some(land) = &commands.land {
        say("--land", land.clone());
    }
    if let Some(target) = &commands.target {
        say("--target", target.clone());
    }
    if let Some(instruction) = &commands.instruction {
        say("--instruction", instruction.clone());
    }
    if let Some(reason) = &commands.terminal.override_reason {
        say("--override-reason", reason.clone());
    }
    let times = [
        ("--ttl", commands.ttl),
        ("--work-timeout", commands.work_timeout),
        ("--verify-timeout", commands.verify_timeout),
    ];
    for (name, seconds) in times {
        if let Some(seconds) = seconds {
            say(name, seconds.to_string());
        }
    }
    arguments
}

impl WorkerCrew for Processes {
    fn run(&self, worker_id: &str, worktree: &Path, tell: &mut dyn FnMut(WorkEventRow)) -> WorkerChild {
        let mut arguments =
            vec![OsString::from("worker"), OsString::from(format!("--worker-id={worker_id}"))];
        arguments.push(OsString::from("--worktree"));
        arguments.push(worktree.as_os_str().to_owned());
        arguments.extend(self.arguments.iter().cloned());
        let mut said = Said::default();
        let ended = run_own_child(&self.program, &arguments, &mut |line| said.hear(line, tell));
        came_of(said, ended)
    }
}

/// What a worker came to, by what it said and how it ended.
fn came_of<E: std::fmt::Display>(said: Said, ended: Result<ChildEnd, E>) -> WorkerChild {
    match (said, ended) {
        (Said { answer: Some(answer), .. }, Ok(_)) => WorkerChild::Ended(answer),
        (Said { refused: Some(refused), .. }, Ok(_)) => WorkerChild::Refused(refused),
        (Said { error: Some(error), .. }, Ok(_)) => {
            WorkerChild::Failed { class: error.class, detail: error.message }
        }
        // Nothing that is typed the same again is understood the next time.
        (_, Ok(ChildEnd::Exited(code))) if code == i32::from(Exit::Invalid.code()) => {
            WorkerChild::Refused(RunRefused {
                class: "worker_arguments_invalid".to_owned(),
                detail: "it does not understand what it was started with".to_owned(),
                hint: "`premath worker --help` says what it takes".to_owned(),
            })
        }
        // What was said on standard error stands above: something it needs is missing or busy.
        (_, Ok(ChildEnd::Exited(code)))
            if [Exit::Busy, Exit::Environment].iter().any(|exit| i32::from(exit.code()) == code) =>
        {
            let detail = format!("it ended with {code}: what it needs is missing or busy");
            WorkerChild::Failed { class: "environment_worker".to_owned(), detail }
        }
        (_, Ok(ChildEnd::Exited(code))) => {
            WorkerChild::Died { detail: format!("it ended with {code} and without an answer") }
        }
        (_, Ok(ChildEnd::Killed)) => WorkerChild::Died { detail: "it was killed".to_owned() },
        (_, Err(error)) => WorkerChild::Died { detail: error.to_string() },
    }
}

/// The document of an error that kept a worker from an answer.
#[derive(serde::Deserialize)]
struct WorkerError {
    error: WorkerErrorBody,
}

#[derive(serde::Deserialize)]
struct WorkerErrorBody {
    class: String,
    message: String,
}

/// What a worker said.
#[derive(Default)]
struct Said {
    answer: Option<Box<WorkerAnswer>>,
    refused: Option<RunRefused>,
    error: Option<WorkerErrorBody>,
}

impl Said {
    fn hear(&mut self, line: &str, tell: &mut dyn FnMut(WorkEventRow)) {
        if let Ok(row) = serde_json::from_str::<WorkEventRow>(line) {
            tell(row);
        } else if let Ok(answer) = serde_json::from_str::<WorkerAnswer>(line) {
            self.answer = Some(Box::new(answer));
        } else if let Ok(answer) = serde_json::from_str::<RefusedAnswer>(line) {
            let why = answer.refused;
            self.refused = Some(RunRefused { class: why.class, detail: why.detail, hint: why.hint });
        } else if let Ok(document) = serde_json::from_str::<WorkerError>(line) {
            self.error = Some(document.error);
        }
    }
}

#[cfg(test)]
mod tests;
