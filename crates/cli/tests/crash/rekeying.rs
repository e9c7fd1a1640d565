//! A copy of a store as its own clone would have written it: keys are bound to places, and what is tested is not the copying.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{
    CloneAuth, CloneIdentity, CloneKey, CloneLookup, CommittedFile, Disk, KeyedDisk, Maintenance,
    MaintenanceGrant, OsClock, OsDisk, OsIds, Permit, Repository, TrustMode, trust,
};
use premath_kernel::{hex, sha256};

use super::workplace::Workplace;

/// Looks up the clone at one place, as the command does.
#[derive(Debug)]
struct Clone {
    state: PathBuf,
    root: PathBuf,
    secret: [u8; 32],
}

impl CloneLookup for Clone {
    fn identify(&self, _folder: &Path) -> CloneIdentity {
        let git = self.root.join(".git");
        let clone = if git.is_dir() { &git } else { &self.root };
        let name = hex(sha256(self.root.as_os_str().as_encoded_bytes()).get(..12).unwrap_or_default());
        CloneIdentity {
            key: Ok(CloneKey::derive(&self.secret, clone)),
            former_keys: Vec::new(),
            place: self.root.to_string_lossy().into_owned(),
            records: Some(self.state.join("clones").join(name)),
        }
    }

    fn create_secret(&self, _folder: &Path) -> Result<(), String> {
        Ok(())
    }

    fn committed(&self, _path: &Path) -> Vec<CommittedFile> {
        Vec::new()
    }
}

/// Signs what is in a copy with the key of the copy.
pub(super) fn rekey(place: &Workplace) {
    let state = place.state().join("premath");
    let Ok(secret) = fs::read(state.join("clone.key")) else { return };
    let root = fs::canonicalize(place.path()).unwrap();
    if !root.join(".premath").is_dir() {
        return;
    }
    let clone = Clone { state, root: root.clone(), secret: secret.try_into().unwrap() };
    let disk: Arc<dyn Disk> = Arc::new(KeyedDisk::new(Arc::new(OsDisk), Arc::new(CloneAuth::new(clone))));
    let repository = Repository::new(disk, Arc::new(OsClock), Arc::new(OsIds), &root);
    let permit = || Permit::Maintenance(MaintenanceGrant::new(Maintenance::Trust));
    let trusted = trust(&repository, permit(), TrustMode::Copied, &|_| true).unwrap();
    assert!(trusted.refused.is_empty(), "{trusted:?}");
}
