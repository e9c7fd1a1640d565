//! The helper: our own program, started again as a fresh process with one thread, which puts up the walls and becomes
//! the command.
//!
//! It must not run a command without every wall of its plan, and must not outlive the parent that wrote the plan.

mod command;
mod disk_usage;
mod filter;
mod identity;
mod limits;
mod namespaces;
mod root;
mod rules;
mod stand_ins;
mod supervise;
mod tree;
mod trial;

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::sys::stat::{Mode, umask};
use nix::unistd::{geteuid, setsid};

use crate::channel;
use crate::companion::{BECOME, become_it};
use crate::plan::{DESCRIPTORS, Guard, Message, Plan, Refusal};

pub(crate) use self::trial::{Trial, TrialReport};

/// The first argument that makes a program the helper.
pub(crate) const SERVE: &str = "__sandbox-exec";

/// The first argument that makes a program try the walls around it.
pub(crate) const TRY: &str = "__sandbox-try";

/// Serves as the helper when the first argument says so; `None` when this is an ordinary start of the program.
///
/// A program that runs sandboxed commands calls it at the beginning of `main`, before it starts any thread.
#[must_use]
pub fn helper_entry(first_argument: Option<&OsStr>) -> Option<ExitCode> {
    match first_argument?.to_str()? {
        SERVE => Some(serve()),
        TRY => Some(trial::run()),
        BECOME => Some(become_it()),
        _ => None,
    }
}

/// What came with the plan.
#[derive(Debug)]
struct Given {
    plan: Plan,
    input: OwnedFd,
    output: OwnedFd,
    error: OwnedFd,
    workdir: OwnedFd,
}

fn serve() -> ExitCode {
    // Without a plan there is nobody to tell; the parent sees the socket close.
    let Ok((mut control, given)) = receive() else { return ExitCode::FAILURE };
    match carry_out(&mut control, given) {
        Ok(code) => code,
        Err(refusal) => match channel::send(&mut control, &Message::Refused(refusal)) {
            Ok(()) | Err(_) => ExitCode::FAILURE,
        },
    }
}

fn receive() -> io::Result<(UnixStream, Given)> {
    let mut control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (plan, descriptors) = channel::receive_with_descriptors(&mut control, DESCRIPTORS)?;
    let [input, output, error, workdir] = <[OwnedFd; DESCRIPTORS]>::try_from(descriptors)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not the descriptors of a plan"))?;
    Ok((control, Given { plan, input, output, error, workdir }))
}

fn carry_out(control: &mut UnixStream, given: Given) -> Result<ExitCode, Refusal> {
    umask(Mode::from_bits_truncate(0o022));
    // Signals of a terminal are for the parent, which ends us in order. Who already leads a session is out of reach too.
    match setsid() {
        Ok(_) | Err(_) => {}
    }
    let (given, _alive) = if given.plan.walls.guard == Guard::Mounts {
        match stand_ins::hold(given)? {
            Some((given, alive)) => (given, Some(alive)),
            None => return Ok(ExitCode::SUCCESS),
        }
    } else {
        (given, None)
    };
    if let Some(identity) = given.plan.walls.identity {
        identity::become_user(identity)?;
    }
    if given.plan.walls.with_namespaces {
        namespaces::enter(&given.plan.walls)?;
        namespaces::in_first_process(|| {
            root::build(&given.plan, &given.workdir)?;
            supervise::supervise(control, given)
        })
    } else if geteuid().is_root() && !given.plan.walls.has_process_group {
        Err(limits::unbound_user())
    } else {
        supervise::supervise(control, given)
    }
}
