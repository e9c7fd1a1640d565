//! A file system in memory that loses, tears, reorders and refuses, for the tests of everything that stores something.
//!
//! What is written is volatile until it is synced: a file's bytes by `sync`, names by `sync_folder`. [`SimDisk::crash`]
//! is one possible disk after a power loss, [`SimDisk::kill`] the disk after its process ended. After a failed sync
//! readers still see what was written, but it never reaches the disk unless it is written again; a failed sync of a
//! folder leaves its names as undecided as they were. Locks are never waited for: one that is held elsewhere is busy at
//! once. It must not draw randomness or read a clock; equal choices give equal disks.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use premath_bd::{Access, Disk};
//! use premath_testkit::faulty_disk::{Seeded, SimDisk};
//!
//! let disk = SimDisk::new();
//! disk.open(Path::new("a"), Access::Append)?.append(b"never synced")?;
//! let mut seeded = Seeded::new(7);
//! let after = disk.crash(&mut |limit| seeded.below(limit));
//! let stored: Arc<dyn Disk> = Arc::new(after);
//! # drop(stored);
//! # Ok::<(), std::io::Error>(())
//! ```

mod choices;
mod content;
mod faults;
mod file;
mod names;
mod state;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use premath_bd::{Access, CloneAuth, Disk, DiskFile, FolderEntry};
use premath_kernel::Moment;

pub use choices::{Every, Seeded};
pub use faults::{Failure, Fault, Lasting, Operation};

use content::Content;
use faults::Verdict;
use file::SimFile;
use state::State;

type Interruption = Box<dyn FnOnce() + Send>;

struct Shared {
    state: Mutex<State>,
    recording: Mutex<Option<Vec<State>>>,
    /// What happens before the operation with this number.
    interruption: Mutex<Option<(u64, Interruption)>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a disk after {} operations", self.state().faults.count(None))
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        held(&self.state)
    }

    /// Every operation begins here: it may be interrupted, is recorded, counted and judged.
    fn begin(&self, operation: Operation) -> (MutexGuard<'_, State>, Verdict) {
        let number = self.state().faults.count(None) + 1;
        let due = held(&self.interruption).take_if(|(at, _)| *at <= number);
        if let Some((_, interrupt)) = due {
            interrupt();
        }
        let mut state = self.state();
        if operation.changes()
            && let Some(recording) = held(&self.recording).as_mut()
        {
            recording.push(state.clone());
        }
        let verdict = state.faults.judge(operation);
        (state, verdict)
    }
}

/// The disk. Clones are the same disk.
#[derive(Debug, Clone)]
pub struct SimDisk(Arc<Shared>);

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl SimDisk {
    /// An empty disk. Relative paths begin at its root.
    #[must_use]
    pub fn new() -> Self {
        Self::with(State::new())
    }

    fn with(state: State) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(state),
            recording: Mutex::new(None),
            interruption: Mutex::new(None),
        }))
    }

    /// A disk that a power loss may leave now. `choose(n)` picks one of n possibilities; 0 is always the one in which
    /// least survives.
    #[must_use]
    pub fn crash(&self, choose: &mut dyn FnMut(usize) -> usize) -> Self {
        Self::with(self.0.state().survivor(choose))
    }

    /// The disk as the next process finds it when this one is ended now: all that was written is seen, none of it is
    /// more durable than before, and no lock is held.
    #[must_use]
    pub fn kill(&self) -> Self {
        Self::with(self.0.state().without_process())
    }

    /// From now on keeps the disk as it is before each operation that may change it.
    pub fn record(&self) {
        *held(&self.0.recording) = Some(Vec::new());
    }

    /// The disks that were kept, and the disk as it is now. Ends the recording.
    #[must_use]
    pub fn recorded(&self) -> Vec<Self> {
        let mut states = held(&self.0.recording).take().unwrap_or_default();
        states.push(self.0.state().clone());
        states.into_iter().map(Self::with).collect()
    }

    /// Remembers how far a test has come. Disks that are made from this one keep it.
    pub fn set_mark(&self, mark: u64) {
        self.0.state().mark = mark;
    }

    /// What was last remembered.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.0.state().mark
    }

    /// Makes something fail. Several failures count side by side; the first that is due wins.
    pub fn fail(&self, failure: Failure) {
        self.0.state().faults.add(failure);
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        self.0.state().faults.clear();
    }

    /// How many operations there were, of a kind or of all.
    #[must_use]
    pub fn count(&self, of: Option<Operation>) -> u64 {
        self.0.state().faults.count(of)
    }

    /// What was made to fail so far, in order.
    #[must_use]
    pub fn failed(&self) -> Vec<Operation> {
        self.0.state().faults.failed.clone()
    }

    /// Runs `what` before the `nth` operation from now, between two steps of whoever is using the disk.
    pub fn interrupt(&self, nth: u64, what: impl FnOnce() + Send + 'static) {
        let at = self.count(None) + nth;
        *held(&self.0.interruption) = Some((at, Box::new(what)));
    }

    /// From now on all files together may hold so many bytes; any number without a limit.
    pub fn set_capacity(&self, capacity: Option<u64>) {
        self.0.state().capacity = capacity;
    }

    /// The time that later changes are stamped with; each is a nanosecond later than the one before.
    pub fn set_time(&self, time: Moment) {
        self.0.state().time = time;
    }

    /// What readers see in a file.
    ///
    /// # Errors
    /// When it is not there.
    pub fn bytes(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        let state = self.0.state();
        let inode = state.find(path.as_ref())?;
        Ok(state.content(inode)?.bytes().to_vec())
    }

    /// Puts a file there as somebody else would: durably, with its folders, stamped with a new time.
    ///
    /// # Errors
    /// When its place is taken by a folder.
    pub fn put(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let path = path.as_ref();
        let mut state = self.0.state();
        state.create_folder(path.parent().unwrap_or_else(|| Path::new("")))?;
        let inode = state.open(path, true)?;
        state.sync_all_names();
        let now = state.tick();
        *state.content_mut(inode)? = Content::durable(bytes.to_vec(), now);
        Ok(())
    }

    /// Changes a file's bytes on the disk itself, as decay does: no time is stamped.
    ///
    /// # Errors
    /// When it is not there.
    pub fn rot(&self, path: impl AsRef<Path>, bytes: Vec<u8>) -> io::Result<()> {
        let mut state = self.0.state();
        let inode = state.find(path.as_ref())?;
        state.content_mut(inode)?.replace_durably(bytes);
        Ok(())
    }
}

impl Disk for SimDisk {
    fn clone_auth(&self) -> Option<&Arc<CloneAuth>> {
        None
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        let (mut state, verdict) = self.0.begin(Operation::Open);
        verdict.proceed()?;
        if access == Access::New && state.open(path, false).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = state.open(path, access != Access::Read)?;
        if access == Access::Replace {
            let now = state.tick();
            state.content_mut(inode)?.set_length(0, now);
        }
        let handle = state.new_handle();
        Ok(Box::new(SimFile { shared: Arc::clone(&self.0), inode, handle, access }))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let (mut state, verdict) = self.0.begin(Operation::CreateFolder);
        verdict.proceed()?;
        state.create_folder(path)
    }

    fn create_private_folder(&self, path: &Path) -> io::Result<()> {
        self.create_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (mut state, verdict) = self.0.begin(Operation::Remove);
        verdict.proceed()?;
        state.remove_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (mut state, verdict) = self.0.begin(Operation::Rename);
        verdict.proceed()?;
        state.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let (mut state, verdict) = self.0.begin(Operation::Remove);
        verdict.proceed()?;
        state.remove(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        let (state, verdict) = self.0.begin(Operation::List);
        verdict.proceed()?;
        state.list(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let (mut state, verdict) = self.0.begin(Operation::SyncFolder);
        verdict.proceed()?;
        state.sync_folder(folder)
    }
}
