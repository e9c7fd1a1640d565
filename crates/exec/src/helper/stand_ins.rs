//! The process that holds stand-ins: a sibling of the command that outlives it, its helper and premath itself.
//!
//! It makes the stand-ins, waits until every other process of the helper is gone, and takes them away. It keeps the control
//! socket open meanwhile, so that the parent sees the end of a run when nothing is left of it. It must not end before.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};

use nix::fcntl::{OFlag, open};
use nix::sys::stat::{Mode, fstat};
use nix::unistd::{pipe2, setsid};

use super::Given;
use crate::layer::Layer;
use crate::placeholder::Placeholders;
use crate::plan::{Plan, Refusal};
use crate::raw;

/// What the helper goes on with. Stand-ins stay while the descriptor, and every copy of it, is open.
pub(super) type HeldStandIns = (Given, OwnedFd);

fn refused(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(Layer::ProtectedPaths, "making stand-ins", error)
}

/// Starts the holder and waits until the stand-ins are in place; none in the holder itself, after it removed them. Called
/// before the helper leaves its namespaces and user.
pub(super) fn hold(given: Given) -> Result<Option<HeldStandIns>, Refusal> {
    let (ready, told) = pipe2(OFlag::O_CLOEXEC).map_err(refused)?;
    let (ended, alive) = pipe2(OFlag::O_CLOEXEC).map_err(refused)?;
    if raw::fork().map_err(refused)?.is_some() {
        drop((told, ended));
        let mut failure = String::new();
        std::fs::File::from(ready).read_to_string(&mut failure).map_err(refused)?;
        return if failure.is_empty() { Ok(Some((given, alive))) } else { Err(refused(failure)) };
    }
    drop((ready, alive));
    // Whatever is sent to the group of the helper must not end the holder.
    match setsid() {
        Ok(_) | Err(_) => {}
    }
    let Given { plan, input, output, error, workdir } = given;
    drop((input, output, error));
    hold_until_end(&plan, &workdir, told, ended);
    Ok(None)
}

fn hold_until_end(plan: &Plan, workdir: &OwnedFd, told: OwnedFd, ended: OwnedFd) {
    let placeholders = match same_folder(plan, workdir)
        .and_then(|folder| Placeholders::put(folder, &plan.stand_ins, plan.walls.identity))
    {
        Ok(placeholders) => placeholders,
        Err(error) => {
            // When it cannot be said either, the helper is gone and nothing runs.
            match std::fs::File::from(told).write_all(error.to_string().as_bytes()) {
                Ok(()) | Err(_) => return,
            }
        }
    };
    drop(told);
    let mut nothing = Vec::new();
    // Nobody writes: it ends when the last process that holds the other end is gone.
    match std::fs::File::from(ended).read_to_end(&mut nothing) {
        Ok(_) | Err(_) => placeholders.take_away(),
    }
}

/// The workdir, opened for a lock. A name that became another folder meanwhile is refused.
fn same_folder(plan: &Plan, workdir: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let folder = open(&plan.walls.workdir, flags, Mode::empty())?;
    let (planned, found) = (fstat(workdir.as_fd())?, fstat(&folder)?);
    if (planned.st_dev, planned.st_ino) == (found.st_dev, found.st_ino) {
        Ok(folder)
    } else {
        Err(io::Error::other("the workdir became another folder"))
    }
}
