//! Who a command runs as when we are user 0: somebody who is not, if the workdir lets them do what the profile is for.

use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use nix::unistd::{Uid, User, geteuid};
use premath_tusk::sandbox::Profile;

use crate::plan::{Identity, writes_workdir};

/// The user that owns nothing, by convention.
const NOBODY: u32 = 65534;
const OTHERS_ENTER: u32 = 0o001;
const OTHERS_READ: u32 = 0o004;
const OTHERS_WRITE: u32 = 0o002;

/// The user to become; `None` to stay who we are.
pub(super) fn choose(workdir: &Path, metadata: &Metadata, profile: Profile) -> Option<Identity> {
    if !geteuid().is_root() {
        return None;
    }
    let owner = metadata.uid();
    let user = if owner == 0 { NOBODY } else { owner };
    let is_usable = if owner == 0 {
        serves_others(metadata, profile) && lets_others_through(workdir)
    } else {
        lets_through(workdir, owner)
    };
    is_usable.then(|| Identity { user, group: group_of(user) })
}

/// The group the user database names. That of the workdir may be one that opens more than the workdir.
fn group_of(user: u32) -> u32 {
    User::from_uid(Uid::from_raw(user)).ok().flatten().map_or(NOBODY, |user| user.gid.as_raw())
}

fn serves_others(metadata: &Metadata, profile: Profile) -> bool {
    let mut needed = OTHERS_ENTER | OTHERS_READ;
    if writes_workdir(profile) {
        needed |= OTHERS_WRITE;
    }
    metadata.permissions().mode() & needed == needed
}

fn lets_others_through(workdir: &Path) -> bool {
    lets_through(workdir, NOBODY)
}

/// Whether every folder above the workdir may be entered by the user: as its owner, or as anybody.
fn lets_through(workdir: &Path, user: u32) -> bool {
    const OWNER_ENTERS: u32 = 0o100;
    workdir.ancestors().skip(1).all(|folder| {
        std::fs::metadata(folder).is_ok_and(|metadata| {
            let needed = if metadata.uid() == user { OWNER_ENTERS } else { OTHERS_ENTER };
            metadata.permissions().mode() & needed == needed
        })
    })
}
