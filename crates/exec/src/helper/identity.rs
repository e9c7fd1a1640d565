//! Who the command is: a user without capabilities, if possible not user 0.

use nix::sys::prctl;
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};

use crate::layer::Layer;
use crate::plan::{Identity, Refusal};
use crate::raw;

/// More than any kernel has; asking stops at the first that does not exist.
const MOST_CAPABILITIES: libc::c_ulong = 64;

/// Gives up being user 0, for good.
pub(super) fn become_user(identity: Identity) -> Result<(), Refusal> {
    let refused = |error| Refusal::new(Layer::UnprivilegedUser, "changing the user", error);
    let (user, group) = (Uid::from_raw(identity.user), Gid::from_raw(identity.group));
    setgroups(&[]).map_err(refused)?;
    setresgid(group, group, group).map_err(refused)?;
    setresuid(user, user, user).map_err(refused)?;
    // The change made our own files below /proc belong to user 0; the maps of a user namespace are among them.
    prctl::set_dumpable(true).map_err(refused)
}

/// Empties every set of capabilities and forbids to gain privileges by executing anything.
pub(super) fn drop_privileges() -> Result<(), Refusal> {
    let refused = |error| Refusal::new(Layer::Capabilities, "dropping capabilities", error);
    for capability in 0..MOST_CAPABILITIES {
        match raw::drop_bounding(capability) {
            Ok(true) => {}
            Ok(false) => break,
            // Without the capability to do so the set cannot be dropped, and nothing can be gained from it either:
            // no privileges may be gained below, and the sets that count are empty.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => break,
            Err(error) => return Err(refused(error)),
        }
    }
    raw::clear_ambient().map_err(refused)?;
    raw::empty_capabilities().map_err(refused)?;
    if !raw::has_no_capabilities().map_err(refused)? {
        return Err(Refusal::new(Layer::Capabilities, "dropping capabilities", "some are left"));
    }
    let refused = |error| Refusal::new(Layer::NoNewPrivileges, "forbidding new privileges", error);
    prctl::set_no_new_privs().map_err(refused)?;
    if prctl::get_no_new_privs().map_err(refused)? {
        Ok(())
    } else {
        Err(Refusal::new(Layer::NoNewPrivileges, "forbidding new privileges", "it did not hold"))
    }
}
