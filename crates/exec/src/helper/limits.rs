//! Limits of the operating system on the command and what it starts.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::getuid;

use super::tree;
use crate::layer::Layer;
use crate::plan::{Limits, Refusal};

/// User 0 is bound by no limit on processes but that of a process namespace or a control group.
pub(super) fn unbound_user() -> Refusal {
    let why = "user 0 has none without a process namespace or a control group; run it as another user, or in a folder \
               that belongs to one";
    Refusal::new(Layer::ResourceLimits, "limiting processes", why)
}

/// Sets every limit. `is_own_count` says that processes are counted in a user namespace of our own.
pub(super) fn set(limits: &Limits, is_own_count: bool) -> Result<(), Refusal> {
    // The kernel counts all processes of a user, so those that run already are added.
    let others = if is_own_count { 2 } else { tree::processes_of(getuid().as_raw()) };
    let all = [
        // A process that ignores the signal at its limit is killed a second later.
        (Resource::RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds.saturating_add(1)),
        (Resource::RLIMIT_CORE, 0, 0),
        (Resource::RLIMIT_FSIZE, limits.file_size, limits.file_size),
        (Resource::RLIMIT_NOFILE, limits.descriptors, limits.descriptors),
        (
            Resource::RLIMIT_NPROC,
            limits.processes.saturating_add(others),
            limits.processes.saturating_add(others),
        ),
        (Resource::RLIMIT_AS, limits.memory, limits.memory),
    ];
    for (resource, soft, hard) in all {
        let refused = |error| Refusal::new(Layer::ResourceLimits, &format!("{resource:?}"), error);
        let (_, most) = getrlimit(resource).map_err(refused)?;
        setrlimit(resource, soft.min(most), hard.min(most)).map_err(refused)?;
        let (set, _) = getrlimit(resource).map_err(refused)?;
        if set > soft {
            return Err(Refusal::new(Layer::ResourceLimits, &format!("{resource:?}"), "it did not hold"));
        }
    }
    Ok(())
}
