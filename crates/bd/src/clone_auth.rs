//! The key of a clone, and what it authenticates: heads of logs, rows, acceptances.
//!
//! The key is derived from a secret of the user and the place of the clone, so that all worktrees of a clone share it and a
//! copy elsewhere does not have it. Whoever can write the repository but cannot read the user's state folder cannot make a
//! MAC. The bytes of a key must not be printed, serialised or written down.

mod keyed_disk;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hmac::{Hmac, KeyInit as _, Mac as _};
use premath_kernel::hex;
use sha2::Sha256;

use crate::disk::Disk;
use crate::log::{folder_of, from_hex};

pub use self::keyed_disk::KeyedDisk;

/// What the key of a clone is derived for.
const CLONE_LABEL: &[u8] = b"premath.clone.v1";
/// The folder of a repository that its logs are in.
const HOME: &str = ".premath";
/// What a slash is in the name of a record. No part of a path of ours has it.
const RECORD_SEPARATOR: &str = "%2F";
const RECORD_SUFFIX: &str = ".head";

/// The key of one clone.
#[derive(Clone)]
pub struct CloneKey(Hmac<Sha256>);

impl CloneKey {
    /// The key of the clone at a place, which is the canonical path of its common git folder, or of its root without git.
    #[must_use]
    pub fn derive(secret: &[u8; 32], place: &Path) -> Self {
        let mut derived = keyed(secret);
        derived.update(CLONE_LABEL);
        derived.update(place.as_os_str().as_encoded_bytes());
        Self(keyed(&derived.finalize().into_bytes().into()))
    }

    /// The MAC over some texts for one purpose, in hexadecimal.
    pub(crate) fn mac(&self, purpose: MacPurpose, parts: &[&str]) -> String {
        hex(&self.over(purpose, parts).finalize().into_bytes())
    }

    /// Whether that is the MAC over them. Takes as long for a wrong one as for a right one.
    pub(crate) fn verifies(&self, purpose: MacPurpose, parts: &[&str], claimed: &str) -> bool {
        from_hex(claimed).is_some_and(|claimed| self.over(purpose, parts).verify_slice(&claimed).is_ok())
    }

    fn over(&self, purpose: MacPurpose, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(purpose.label());
        for part in parts {
            // The length in front of each part keeps two lists of parts from running into the same bytes.
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

impl fmt::Debug for CloneKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CloneKey")
    }
}

/// A key of 32 bytes fills the block of the hash with zeros behind it, as HMAC has it.
fn keyed(key: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = [0_u8; 64];
    block.iter_mut().zip(key).for_each(|(place, byte)| *place = *byte);
    Hmac::<Sha256>::new(&block.into())
}

/// What a MAC is for. One that was made for one purpose is worth nothing for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MacPurpose {
    /// The head of a log.
    Head,
    /// A chained row.
    Row,
    /// A row of issue memory.
    IssueRow,
    /// What a person accepted of a log.
    Acceptance,
    /// What a merge came to.
    Merge,
}

impl MacPurpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::Head => b"premath.log.head.v1",
            Self::Row => b"premath.log.row.v1",
            Self::IssueRow => b"premath.issue.row.v1",
            Self::Acceptance => b"premath.log.acceptance.v1",
            Self::Merge => b"premath.log.merge.v1",
        }
    }
}

/// The clone that a folder belongs to, as whoever looked says.
#[derive(Debug, Clone)]
pub struct CloneIdentity {
    /// Its key; why there is none, where there is none.
    pub key: Result<CloneKey, String>,
    /// Keys that it had before, as without git: what they signed still counts, nothing more is signed with them.
    pub former_keys: Vec<CloneKey>,
    /// The canonical path of the folder that was asked about: logs are bound to it.
    pub place: String,
    /// The folder for the newest heads of this clone, outside every repository.
    pub records: Option<PathBuf>,
}

/// A file as git has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Where: `commit 1a2b3c4`, or `the index`.
    pub version: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// How git merges issue memory in a clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeDriver {
    /// Nothing asks for a way of its own, or there is no git repository.
    Unasked,
    /// With this program.
    Installed,
    /// As text: the configuration of the clone does not name this program.
    Missing,
}

/// Looks up clones and what git has checked out: the composition root knows how.
pub trait CloneLookup: fmt::Debug + Send + Sync {
    /// The clone that a folder belongs to. Nothing is made for it.
    fn identify(&self, folder: &Path) -> CloneIdentity;

    /// Makes the secret that keys are derived from, where there is none.
    ///
    /// # Errors
    /// Why there can be none.
    fn create_secret(&self, folder: &Path) -> Result<(), String>;

    /// The versions of a file that git has at `HEAD` and in the index; none where there is no git.
    fn committed(&self, path: &Path) -> Vec<CommittedFile>;

    /// Whether a folder is in a repository of git.
    fn is_in_git(&self, _folder: &Path) -> bool {
        false
    }

    /// How the git repository around a folder merges a file that is named from there.
    fn merge_driver(&self, _folder: &Path, _file: &str) -> MergeDriver {
        MergeDriver::Unasked
    }

    /// Tells git to merge issue memory with this program. Nothing is done where there is no git.
    ///
    /// # Errors
    /// What git says.
    fn install_merge_driver(&self, _folder: &Path) -> Result<(), String> {
        Ok(())
    }
}

/// Authenticates the logs of whichever clone they belong to.
#[derive(Debug)]
pub struct CloneAuth {
    lookup: Box<dyn CloneLookup>,
    known: Mutex<BTreeMap<PathBuf, Arc<CloneIdentity>>>,
}

impl CloneAuth {
    /// With a way to look clones up. Each folder whose clone has a key is looked up once.
    #[must_use]
    pub fn new(lookup: impl CloneLookup + 'static) -> Self {
        Self { lookup: Box::new(lookup), known: Mutex::new(BTreeMap::new()) }
    }

    /// Forgets the newest heads of the logs of a repository: for whoever begins a new one where an earlier one was.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget_records(self: &Arc<Self>, disk: &dyn Disk, root: &Path) -> std::io::Result<()> {
        let auth = self.of_log(&root.join(HOME).join("log"));
        let identity = auth.identity();
        let Some(folder) = &identity.records else { return Ok(()) };
        for log in auth.recorded_logs(disk)? {
            disk.remove(&folder.join(record_name(&log)))?;
        }
        Ok(())
    }

    /// Whether a folder is in a repository of git.
    #[must_use]
    pub fn is_in_git(&self, folder: &Path) -> bool {
        self.lookup.is_in_git(folder)
    }

    /// How the git repository around a folder merges a file that is named from there.
    #[must_use]
    pub fn merge_driver(&self, folder: &Path, file: &str) -> MergeDriver {
        self.lookup.merge_driver(folder, file)
    }

    /// Tells git to merge issue memory with this program.
    ///
    /// # Errors
    /// What git says.
    pub fn install_merge_driver(&self, folder: &Path) -> Result<(), String> {
        self.lookup.install_merge_driver(folder)
    }

    /// What authenticates one log.
    pub(crate) fn of_log(self: &Arc<Self>, path: &Path) -> LogAuth {
        let (folder, relative) = split(path);
        let name = format!("{}/{relative}", self.identity(&folder).place);
        LogAuth { auth: Arc::clone(self), folder, relative, name }
    }

    /// The clone that a folder belongs to. One without a key is looked up again: somebody may make it meanwhile.
    fn identity(&self, folder: &Path) -> Arc<CloneIdentity> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = known.get(folder) {
            return Arc::clone(identity);
        }
        let identity = Arc::new(self.lookup.identify(folder));
        if identity.key.is_ok() {
            known.insert(folder.to_owned(), Arc::clone(&identity));
        }
        identity
    }
}

/// What authenticates one log: the key of its clone, bound to the place of the log.
#[derive(Debug, Clone)]
pub(crate) struct LogAuth {
    auth: Arc<CloneAuth>,
    folder: PathBuf,
    relative: String,
    name: String,
}

impl LogAuth {
    fn identity(&self) -> Arc<CloneIdentity> {
        self.auth.identity(&self.folder)
    }

    /// Makes the secret that the key is derived from, where there is none and can be one.
    pub(crate) fn make_key(&self) {
        if self.missing_key().is_some() {
            // Why there can be none is what a missing key is reported with.
            drop(self.auth.lookup.create_secret(&self.folder));
        }
    }

    /// Why there is no key; `None` where there is one.
    pub(crate) fn missing_key(&self) -> Option<String> {
        self.identity().key.as_ref().err().cloned()
    }

    /// The MAC over something of this log; none without a key.
    pub(crate) fn sign(&self, purpose: MacPurpose, parts: &[&str]) -> Option<String> {
        self.identity().key.as_ref().ok().map(|key| key.mac(purpose, &self.bound(parts)))
    }

    /// Whether this clone made that MAC over something of this log.
    pub(crate) fn verifies(&self, purpose: MacPurpose, parts: &[&str], claimed: &str) -> bool {
        let (parts, identity) = (self.bound(parts), self.identity());
        let mut keys = identity.key.iter().chain(&identity.former_keys);
        keys.any(|key| key.verifies(purpose, &parts, claimed))
    }

    fn bound<'p>(&'p self, parts: &[&'p str]) -> Vec<&'p str> {
        std::iter::once(self.name.as_str()).chain(parts.iter().copied()).collect()
    }

    /// The versions of a file that git has.
    pub(crate) fn committed(&self, path: &Path) -> Vec<CommittedFile> {
        self.auth.lookup.committed(path)
    }

    /// Where the newest head of the log is kept outside the repository; nowhere without a key.
    pub(crate) fn record_path(&self) -> Option<PathBuf> {
        let identity = self.identity();
        let folder = identity.records.as_ref().filter(|_| identity.key.is_ok())?;
        Some(folder.join(record_name(&self.relative)))
    }

    /// Where it is kept which merges of the log this clone made; nowhere without a key.
    pub(crate) fn merges_path(&self) -> Option<PathBuf> {
        self.record_path().map(|path| path.with_extension("merges"))
    }

    /// Which logs have such a record, by their paths from the folder of the repository.
    pub(crate) fn recorded_logs(&self, disk: &dyn Disk) -> std::io::Result<Vec<String>> {
        let identity = self.identity();
        let Some(folder) = &identity.records else { return Ok(Vec::new()) };
        let entries = match disk.list(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            listed => listed?,
        };
        let log = |name: &str| Some(name.strip_suffix(RECORD_SUFFIX)?.replace(RECORD_SEPARATOR, "/"));
        Ok(entries.iter().filter_map(|entry| log(&entry.name)).collect())
    }
}

fn record_name(relative: &str) -> String {
    format!("{}{RECORD_SUFFIX}", relative.replace('/', RECORD_SEPARATOR))
}

/// The folder that a log belongs to, and its path from there: from the `.premath` it is in, or from its own folder.
fn split(path: &Path) -> (PathBuf, String) {
    let is_home = |part: &Component<'_>| part.as_os_str() == HOME;
    let parts: Vec<Component<'_>> = path.components().collect();
    match parts.iter().rposition(is_home) {
        Some(at) => {
            let relative: Vec<_> =
                parts.iter().skip(at).map(|part| part.as_os_str().to_string_lossy()).collect();
            (parts.iter().take(at).collect(), relative.join("/"))
        }
        None => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (folder_of(path).to_owned(), name)
        }
    }
}
