//! One run of a program: started in a process group of its own, ended by its deadline at the latest.

use std::io::Read as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use serde_json::Value;

/// What became of a run.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Whether the deadline ended it.
    pub(crate) is_late: bool,
}

impl Answer {
    /// The exit code; none when a signal ended it.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Whether SIGKILL ended it.
    pub(crate) fn is_killed(&self) -> bool {
        self.status.signal() == Some(Signal::SIGKILL as i32)
    }

    /// The document it printed, if it is whole and no error: that is an acknowledgement, whatever happened afterwards.
    pub(crate) fn document(&self) -> Option<Value> {
        let is_error = |document: &Value| document.pointer("/error/class").is_some_and(Value::is_string);
        serde_json::from_str(&self.stdout).ok().filter(|document| !is_error(document))
    }

    /// Whether it came in time and says yes.
    pub(crate) fn is_accepted(&self) -> bool {
        !self.is_late && self.code() == Some(0) && self.document().is_some()
    }

    /// Whether it came in time and is a refusal of this class.
    pub(crate) fn is_refused_as(&self, classes: &[&str]) -> bool {
        let class = self.document().and_then(|document| {
            document.pointer("/refused/class").and_then(Value::as_str).map(str::to_owned)
        });
        !self.is_late
            && self.code() == Some(1)
            && class.is_some_and(|class| classes.contains(&class.as_str()))
    }

    /// The document of an accepted run.
    ///
    /// # Panics
    /// When it was not accepted.
    #[track_caller]
    pub(crate) fn accepted(self) -> Value {
        assert!(self.is_accepted(), "{self:?}");
        self.document().unwrap()
    }
}

/// A run that has not ended yet.
#[derive(Debug)]
pub(crate) struct Started {
    child: Child,
    since: Instant,
}

impl Started {
    /// Starts it, with nothing to read.
    pub(crate) fn new(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let child = command.spawn().unwrap();
        Self { child, since: Instant::now() }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap())
    }

    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// Sends a signal to it alone. It is not reaped while `self` lives, so that nobody else can be meant.
    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    /// Waits for its end, no longer than `patience`; whoever takes longer is ended with everything it started.
    pub(crate) fn finish(self, patience: Duration) -> Answer {
        let group = self.pid();
        let (sender, receiver) = mpsc::channel();
        let waiting = thread::spawn(move || sender.send(self.child.wait_with_output()).unwrap());
        let (output, is_late) = match receiver.recv_timeout(patience) {
            Ok(output) => (output, false),
            Err(_) => {
                // It may end this very moment: then there is nobody to signal.
                killpg(group, Signal::SIGKILL).ok();
                (receiver.recv().unwrap(), true)
            }
        };
        waiting.join().unwrap();
        let output = output.unwrap();
        Answer {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            is_late,
        }
    }

    /// Waits for its end without a deadline of its own. Before it is reaped, and its number may be given to another
    /// process, `ended` is called.
    pub(crate) fn finish_after(mut self, ended: impl FnOnce()) -> Answer {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        self.child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        self.child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
        waitid(Id::Pid(self.pid()), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).unwrap();
        ended();
        Answer {
            status: self.child.wait().unwrap(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            is_late: false,
        }
    }
}
