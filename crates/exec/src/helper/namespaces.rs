//! Namespaces of our own: users, mounts, processes, network, and what else can be kept apart at no cost.

#![expect(
    clippy::disallowed_methods,
    reason = "the maps of a user namespace are written as files below /proc"
)]

use std::os::fd::AsFd as _;
use std::process::ExitCode;

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use nix::unistd::{getegid, geteuid, pipe2};

use crate::layer::Layer;
use crate::plan::{Network, Refusal, Walls};
use crate::raw;

/// Leaves the namespaces we were born in. Only the next process we start is in the new process namespace.
pub(super) fn enter(walls: &Walls) -> Result<(), Refusal> {
    let (user, group) = (geteuid(), getegid());
    leave(Layer::UserNamespace, CloneFlags::CLONE_NEWUSER)?;
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", &format!("{group} {group} 1"))?;
    leave(Layer::MountNamespace, CloneFlags::CLONE_NEWNS)?;
    leave(Layer::PidNamespace, CloneFlags::CLONE_NEWPID)?;
    if walls.network == Network::None {
        leave(Layer::NetworkNamespace, CloneFlags::CLONE_NEWNET)?;
    }
    // Shared memory and message queues of System V have no files, so nothing else would keep them apart.
    leave(Layer::UserNamespace, CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS)
}

fn leave(layer: Layer, flags: CloneFlags) -> Result<(), Refusal> {
    unshare(flags).map_err(|error| Refusal::new(layer, "unshare", error))
}

fn write(path: &str, text: &str) -> Result<(), Refusal> {
    std::fs::write(path, text).map_err(|error| Refusal::new(Layer::UserNamespace, path, error))
}

/// Does the rest in the first process of the process namespace, and waits for it. When that process ends, the kernel
/// ends everything in the namespace; when we end, it ends.
pub(super) fn in_first_process(
    rest: impl FnOnce() -> Result<ExitCode, Refusal>,
) -> Result<ExitCode, Refusal> {
    let refused = |error| Refusal::new(Layer::PidNamespace, "starting the first process", error);
    let (alive, held) = pipe2(OFlag::O_CLOEXEC).map_err(refused)?;
    let child = raw::fork().map_err(|error| Refusal::new(Layer::PidNamespace, "fork", error))?;
    let Some(child) = child else {
        drop(held);
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(refused)?;
        // Had the outer process died before that call, nobody would end us.
        let mut watched = [PollFd::new(alive.as_fd(), PollFlags::POLLIN)];
        return match poll(&mut watched, PollTimeout::ZERO) {
            Ok(0) => rest(),
            Ok(_) | Err(_) => Ok(ExitCode::FAILURE),
        };
    };
    // With it go our copies of the command's descriptors.
    drop(rest);
    loop {
        match waitpid(child, None) {
            Err(nix::errno::Errno::EINTR) => {}
            Ok(_) | Err(_) => return Ok(ExitCode::SUCCESS),
        }
    }
}
