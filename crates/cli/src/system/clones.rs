//! The secret that the keys of clones are derived from, and which clone a folder belongs to.
//!
//! The secret is 32 bytes in the state folder of the person, beside the credential: no tool in the sandbox sees it. It must
//! not be printed, logged or handed to a child process, and must not lie where a tool could read it.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use premath_bd::{CloneIdentity, CloneKey, CloneLookup, CommittedFile, MergeDriver};
use premath_exec::{
    MergeDriverState, committed_versions, git_common_folder, install_merge_driver, merge_driver_state,
};
use premath_kernel::{hex, sha256};

use super::outside::own_program;
use super::person::{make_secret, read_secret, refuse_reached, state_folder};

const FILE_NAME: &str = "clone.key";
const RECORDS: &str = "clones";
/// So many bytes of a hash name a clone.
const NAME_BYTES: usize = 12;

/// The clones of this person on this machine.
pub(crate) struct Clones {
    /// Folders that tools and commands reach: the secret must not lie in one of them.
    reached: Vec<PathBuf>,
}

impl Clones {
    /// With the folders that tools and commands reach.
    pub(crate) const fn new(reached: Vec<PathBuf>) -> Self {
        Self { reached }
    }

    fn secret(&self, folder: &Path) -> Result<[u8; 32], String> {
        let path = place(folder, &self.reached)?;
        read_secret(&path).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                format!("`{}` does not exist", path.display())
            } else {
                error.to_string()
            }
        })
    }
}

/// Where the secret is, unless that is within reach of a tool that works in the folder.
fn place(folder: &Path, reached: &[PathBuf]) -> Result<PathBuf, String> {
    let path = state_folder().ok_or("neither HOME nor XDG_STATE_HOME is set")?.join(FILE_NAME);
    let mut within: Vec<PathBuf> = reached.to_vec();
    within.push(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() });
    refuse_reached(&path, &within).map_err(|error| error.to_string())?;
    Ok(path)
}

/// Where a folder is, whatever leads there; of one that is not there yet, where it would be.
fn canonical(folder: &Path) -> PathBuf {
    let named = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for there in named.ancestors() {
        if let Ok(real) = std::fs::canonicalize(there) {
            return real.join(named.strip_prefix(there).unwrap_or_else(|_| Path::new("")));
        }
    }
    named
}

fn short_name(path: &Path) -> String {
    let hash = sha256(path.as_os_str().as_encoded_bytes());
    hex(hash.get(..NAME_BYTES).unwrap_or_default())
}

impl CloneLookup for Clones {
    fn identify(&self, folder: &Path) -> CloneIdentity {
        let root = canonical(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let common = git_common_folder(&root);
        let secret = self.secret(&root);
        let clone = common.as_deref().unwrap_or(&root);
        // Whoever begins without git and adds it later is the same person in the same place.
        let former_keys = match (&secret, &common) {
            (Ok(secret), Some(_)) => vec![CloneKey::derive(secret, &root)],
            (Ok(_) | Err(_), _) => Vec::new(),
        };
        let records = state_folder().map(|state| state.join(RECORDS).join(short_name(&root)));
        CloneIdentity {
            key: secret.map(|secret| CloneKey::derive(&secret, clone)),
            former_keys,
            place: root.to_string_lossy().into_owned(),
            records,
        }
    }

    fn create_secret(&self, folder: &Path) -> Result<(), String> {
        let path = place(&canonical(folder), &self.reached)?;
        match read_secret(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make_secret(&path).map(drop).map_err(|error| error.to_string())
            }
            read => read.map(drop).map_err(|error| error.to_string()),
        }
    }

    fn committed(&self, path: &Path) -> Vec<CommittedFile> {
        let versions = committed_versions(path).into_iter();
        versions.map(|file| CommittedFile { version: file.version, bytes: file.bytes }).collect()
    }

    fn is_in_git(&self, folder: &Path) -> bool {
        let root = canonical(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        git_common_folder(&root).is_some()
    }

    fn merge_driver(&self, folder: &Path, file: &str) -> MergeDriver {
        match merge_driver_state(folder, file) {
            MergeDriverState::Unasked => MergeDriver::Unasked,
            MergeDriverState::Installed => MergeDriver::Installed,
            MergeDriverState::Missing => MergeDriver::Missing,
        }
    }

    fn install_merge_driver(&self, folder: &Path) -> Result<(), String> {
        let program = own_program().map_err(|error| error.to_string())?;
        install_merge_driver(folder, &program)
    }
}

impl fmt::Debug for Clones {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Clones").field("reached", &self.reached).finish_non_exhaustive()
    }
}
