//! A program of somebody else that works beside us and speaks over pipes: in a process group of its own, which ends when we
//! let go of it.
//!
//! There are no walls around it: it runs because a person named or approved it, with the environment that it is given and
//! nothing else of ours. It ends with us however we end, where the system can do that: our own program is started in its
//! place, asks the system to be ended with whoever started it, and becomes it. What it has started itself is ended only when
//! we let go of it in order. It must not be used for a command that a model chose.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::clock::{now, pause};

/// How long it has to go by itself once its input has ended and it was asked to.
const PATIENCE: Duration = Duration::from_millis(500);
const MOMENT: Duration = Duration::from_millis(5);

/// What is started.
#[derive(Debug, Clone, Copy)]
pub struct CompanionCommand<'c> {
    /// The program: a path, or a name that is looked for where the environment's `PATH` says.
    pub program: &'c str,
    /// Its arguments.
    pub arguments: &'c [String],
    /// Its whole environment.
    pub environment: &'c [(String, String)],
    /// The folder it works in.
    pub folder: &'c Path,
}

/// Our ends of its pipes.
#[derive(Debug)]
pub struct CompanionStreams {
    /// Where it reads.
    pub input: OwnedFd,
    /// What it says.
    pub output: OwnedFd,
    /// What it says beside.
    pub errors: OwnedFd,
}

/// A program that works beside us; dropping this ends it and whatever it started.
#[derive(Debug)]
pub struct Companion(Child);

impl Companion {
    /// Starts it.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &CompanionCommand<'_>) -> io::Result<(Self, CompanionStreams)> {
        let mut child = beginning(command)?
            .args(command.arguments)
            .env_clear()
            .envs(command.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(command.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let companion = Self(child);
        match streams {
            (Some(input), Some(output), Some(errors)) => {
                let streams =
                    CompanionStreams { input: input.into(), output: output.into(), errors: errors.into() };
                Ok((companion, streams))
            }
            (_, _, _) => Err(io::Error::other("a pipe is missing")),
        }
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.0.id()).map(Pid::from_raw);
        if let Ok(Err(_)) = group.map(|group| killpg(group, signal)) {
            // A group that is gone cannot be told anything, and need not be.
        }
    }

    fn is_over(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(Some(_)) | Err(_))
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        // Once it is reaped its number may be somebody else's; the group is told before.
        self.signal(Signal::SIGTERM);
        let begun = now();
        while !self.is_over() && begun.elapsed() < PATIENCE {
            pause(MOMENT);
        }
        self.signal(Signal::SIGKILL);
        // After SIGKILL there is nothing to wait long for; an error says that it was reaped already.
        drop(self.0.wait());
    }
}

/// The first argument that makes our program a companion.
#[cfg(target_os = "linux")]
pub(crate) const BECOME: &str = "__companion";

/// The program, or ours that becomes it.
#[cfg(target_os = "linux")]
fn beginning(wanted: &CompanionCommand<'_>) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(BECOME).arg(std::process::id().to_string()).arg(wanted.program);
    Ok(command)
}

#[cfg(not(target_os = "linux"))]
fn beginning(wanted: &CompanionCommand<'_>) -> io::Result<Command> {
    Ok(Command::new(wanted.program))
}

/// Becomes the program that the arguments name, and ends with the process that they name.
#[cfg(target_os = "linux")]
pub(crate) fn become_it() -> std::process::ExitCode {
    use std::io::Write as _;

    let mut arguments = std::env::args_os().skip(2);
    let parent = arguments.next().and_then(|parent| parent.to_str()?.parse().ok()).map(Pid::from_raw);
    let Some(program) = arguments.next() else { return std::process::ExitCode::FAILURE };
    let is_bound = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).is_ok();
    // Had the parent died before that call, nobody would end us.
    if !is_bound || Some(nix::unistd::getppid()) != parent {
        return std::process::ExitCode::FAILURE;
    }
    let error = Command::new(&program).args(arguments).exec();
    // Whoever started us keeps the end of what is said here; there is nobody else to tell.
    drop(writeln!(io::stderr(), "`{}` cannot be started: {error}", program.to_string_lossy()));
    std::process::ExitCode::FAILURE
}
