//! The process above the command: it starts it, waits for it, ends everything it left behind, and reports.
//!
//! It is the first process of the process namespace, or the reaper of orphans where there is none. When the parent goes
//! away, for whatever reason, so does the tree.

use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::TimeVal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid, pipe2};

use super::disk_usage::DiskUsage;
use super::{Given, command, tree};
use crate::channel::{self, Frames};
use crate::layer::Layer;
use crate::plan::{Ended, Message, Plan, Refusal};
use crate::raw;

/// How long a command may write before free space is looked at: at memory speed a fraction of what it may overshoot.
const GLANCE_AT_DISK: u8 = 5;

fn refused(doing: &str, error: impl std::fmt::Display) -> Refusal {
    Refusal::new(Layer::Session, doing, error)
}

/// Starts the command and stays until its tree has ended.
pub(super) fn supervise(control: &mut UnixStream, given: Given) -> Result<ExitCode, Refusal> {
    let mut child_ended = SigSet::empty();
    child_ended.add(Signal::SIGCHLD);
    child_ended.thread_block().map_err(|error| refused("blocking a signal", error))?;
    let signals = SignalFd::with_flags(&child_ended, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
        .map_err(|error| refused("watching for ended processes", error))?;
    prctl::set_child_subreaper(true).map_err(|error| refused("adopting orphans", error))?;
    prctl::set_dumpable(false).map_err(|error| refused("hiding the supervisor", error))?;
    let (status, told) = pipe2(OFlag::O_CLOEXEC).map_err(|error| refused("making a pipe", error))?;
    let supervisor = getpid();
    let child = raw::fork().map_err(|error| refused("fork", error))?;
    let Some(child) = child else {
        drop(status);
        return Ok(command::become_command(&given, &told, supervisor));
    };
    drop(told);
    let plan = let_go(given);
    let mut said = Vec::new();
    std::fs::File::from(status).read_to_end(&mut said).map_err(|error| refused("reading a pipe", error))?;
    let is_running = report_start(control, &said);
    if is_running {
        let (ending, is_over_disk_limit) = wait(control, &signals, child, &plan);
        end_tree(&plan);
        report_end(control, ending, is_over_disk_limit);
    } else {
        end_tree(&plan);
    }
    Ok(ExitCode::SUCCESS)
}

/// The command's descriptors are the command's alone: its output ends when its last process closes it.
fn let_go(given: Given) -> Plan {
    given.plan
}

/// Passes on what the command process said before it became the command. The last word counts.
fn report_start(control: &mut UnixStream, said: &[u8]) -> bool {
    let mut frames = Frames::default();
    frames.take(said);
    let mut last = None;
    while let Ok(Some(message)) = frames.next::<Message>() {
        last = Some(message);
    }
    let message = last.unwrap_or_else(|| {
        Message::Refused(Refusal::new(Layer::Session, "starting the command", "the helper died"))
    });
    let is_running = matches!(message, Message::Started(_));
    // When nobody listens any more the tree has to end as well.
    channel::send(control, &message).is_ok() && is_running
}

/// Waits for the command to end, to take too much disk space, which is the second value, or the parent to give up.
fn wait(control: &UnixStream, signals: &SignalFd, child: Pid, plan: &Plan) -> (WaitStatus, bool) {
    let killed = WaitStatus::Signaled(child, Signal::SIGKILL, false);
    let mut disk = DiskUsage::start(plan);
    loop {
        let mut watched = [
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut watched, PollTimeout::from(GLANCE_AT_DISK)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return (killed, false),
        }
        let [ended, parent] = watched;
        if parent.any() == Some(true) {
            return (killed, false);
        }
        if ended.any() == Some(true)
            && let Some(status) = reap_until(signals, child)
        {
            return (status, false);
        }
        if disk.needs_count() {
            signal_tree(plan, Signal::SIGSTOP);
            if disk.is_over_limit() {
                return (killed, true);
            }
            signal_tree(plan, Signal::SIGCONT);
        }
    }
}

fn signal_tree(plan: &Plan, signal: Signal) {
    if plan.walls.with_namespaces {
        // In our own process namespace this is everybody but us.
        match kill(Pid::from_raw(-1), signal) {
            Ok(()) | Err(_) => {}
        }
    } else {
        tree::signal_descendants(signal);
    }
}

/// Reaps whatever ended; the status of the command when it is among it.
fn reap_until(signals: &SignalFd, child: Pid) -> Option<WaitStatus> {
    while let Ok(Some(_)) = signals.read_signal() {}
    loop {
        match waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) | Err(_) => return None,
            Ok(status) if status.pid() == Some(child) => return Some(status),
            Ok(_) => {}
        }
    }
}

fn end_tree(plan: &Plan) {
    if !plan.walls.with_namespaces {
        tree::end_descendants();
        return;
    }
    signal_tree(plan, Signal::SIGKILL);
    loop {
        match waitpid(Pid::from_raw(-1), None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

fn report_end(control: &mut UnixStream, ending: WaitStatus, is_over_disk_limit: bool) {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    let of = |read: fn(&nix::sys::resource::Usage) -> TimeVal| {
        usage.as_ref().map_or(0, |usage| microseconds(read(usage)))
    };
    let (code, signal) = match ending {
        WaitStatus::Exited(_, code) => (Some(code), None),
        WaitStatus::Signaled(_, signal, _) => (None, Some(signal as i32)),
        WaitStatus::Stopped(..)
        | WaitStatus::PtraceEvent(..)
        | WaitStatus::PtraceSyscall(_)
        | WaitStatus::Continued(_)
        | WaitStatus::StillAlive => (None, None),
    };
    let ended = Ended {
        code,
        signal,
        is_over_disk_limit,
        user_microseconds: of(nix::sys::resource::Usage::user_time),
        system_microseconds: of(nix::sys::resource::Usage::system_time),
    };
    // Nobody may be listening any more; then nobody has to know.
    match channel::send(control, &Message::Ended(ended)) {
        Ok(()) | Err(_) => {}
    }
}

fn microseconds(time: TimeVal) -> u64 {
    let whole = u64::try_from(time.tv_sec()).unwrap_or(0).saturating_mul(1_000_000);
    whole.saturating_add(u64::try_from(time.tv_usec()).unwrap_or(0))
}
