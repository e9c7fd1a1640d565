//! The command under strace: which system calls a run makes, and runs that are killed or stopped at one of them.
//!
//! A signal is injected when the call is entered. SIGKILL ends the process before the call does anything, so that the
//! state left behind is that after the call before it; SIGSTOP lets the call finish and holds the process behind it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::NamedTempFile;

use super::figures::is_there;
use super::process::{Answer, Started};
use super::workplace::{PROGRAM, Workplace};

/// Tracing makes every call slow, and a machine may be loaded.
const PATIENCE: Duration = Duration::from_secs(60);

/// One system call of a run: the n-th of its name in its thread.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) nth: u32,
    /// As strace shows it.
    pub(crate) shown: String,
}

/// strace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tracer(());

/// A run that stands still behind one of its system calls.
#[derive(Debug)]
pub(crate) struct Stopped {
    run: Started,
    process: Pid,
    /// Where strace writes; gone with this value.
    _log: NamedTempFile,
}

impl Tracer {
    /// `None` after a named skip.
    pub(crate) fn find() -> Option<Self> {
        is_there("strace", "-V", "strace").then_some(Self(()))
    }

    /// One undisturbed run, and the calls it made after the program's own code began.
    pub(crate) fn learn(self, place: &Workplace, arguments: &[&str]) -> (Answer, Vec<Call>) {
        let log = NamedTempFile::new().unwrap();
        let mut command = self.command(place, &log, arguments, |_| {});
        let answer = Started::new(&mut command).finish(PATIENCE);
        (answer, calls(&fs::read_to_string(log.path()).unwrap()))
    }

    /// A run that is killed when it enters this call.
    pub(crate) fn killed(self, place: &Workplace, arguments: &[&str], call: &Call) -> Answer {
        let log = NamedTempFile::new().unwrap();
        let mut command = self.command(place, &log, arguments, |strace| inject(strace, call, "KILL"));
        Started::new(&mut command).finish(PATIENCE)
    }

    /// A run that stands still behind this call.
    ///
    /// # Panics
    /// When it never gets there.
    pub(crate) fn stopped(self, place: &Workplace, arguments: &[&str], call: &Call) -> Stopped {
        let log = NamedTempFile::new().unwrap();
        let mut command = self.command(place, &log, arguments, |strace| inject(strace, call, "STOP"));
        let run = Started::new(&mut command);
        let deadline = run.since() + PATIENCE;
        loop {
            let seen = fs::read_to_string(log.path()).unwrap();
            if let Some(process) = seen.lines().find_map(stopped_process) {
                return Stopped { run, process, _log: log };
            }
            assert!(Instant::now() < deadline, "{arguments:?} did not stop at {call:?}: {seen}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn command(
        self,
        place: &Workplace,
        log: &NamedTempFile,
        arguments: &[&str],
        options: impl FnOnce(&mut Command),
    ) -> Command {
        let mut strace = Command::new("strace");
        place.settle(&mut strace);
        strace.args(["-f", "-o"]).arg(log.path());
        options(&mut strace);
        strace.arg(PROGRAM).args(arguments);
        strace
    }
}

impl Stopped {
    /// Lets it go on, to its end.
    pub(crate) fn resumed(self) -> Answer {
        kill(self.process, Signal::SIGCONT).unwrap();
        self.run.finish(PATIENCE)
    }
}

fn inject(strace: &mut Command, call: &Call, signal: &str) {
    let Call { name, nth, .. } = call;
    strace.args(["-e", &format!("trace={name}"), "-e", &format!("inject={name}:signal={signal}:when={nth}")]);
}

/// The process of a line such as `4711  --- stopped by SIGSTOP ---`.
fn stopped_process(line: &str) -> Option<Pid> {
    let (process, rest) = line.split_once(' ')?;
    rest.contains("--- stopped by SIGSTOP ---").then(|| Pid::from_raw(process.parse().unwrap()))
}

/// The calls behind the start of the program: the loader and the runtime come first, and touch no store.
///
/// # Panics
/// When the runtime's last preparation, its handler of SIGBUS, is not among them.
fn calls(log: &str) -> Vec<Call> {
    let lines: Vec<&str> = log.lines().collect();
    let last = lines.iter().rposition(|line| line.contains(" rt_sigaction(SIGBUS, {"));
    let start = last.unwrap_or_else(|| panic!("no start of the program in\n{log}")) + 1;
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut calls: Vec<Call> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some((thread, name)) = entered(line) else { continue };
        let nth = counts.entry((thread, name)).or_default();
        *nth += 1;
        let is_new = !calls.iter().any(|call| call.name == name && call.nth == *nth);
        if place >= start && is_new {
            calls.push(Call { name: name.to_owned(), nth: *nth, shown: (*line).to_owned() });
        }
    }
    calls
}

/// Thread and name of a call that is entered on this line.
fn entered(line: &str) -> Option<(&str, &str)> {
    let (thread, rest) = line.split_once(' ')?;
    let (name, _) = rest.trim_start().split_once('(')?;
    let is_name =
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_name.then_some((thread, name))
}
