//! The real file system, clock and source of names. The only module of this crate that touches the system.

#![expect(clippy::disallowed_methods, reason = "this module owns the stores' access to the system")]

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use premath_kernel::Moment;

use super::{Access, Disk, DiskFile, FileStat, FolderEntry, LockMode, LockOutcome};
use crate::clock::{Clock, IdSource};
use crate::clone_auth::CloneAuth;

/// The file system of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn clone_auth(&self) -> Option<&Arc<CloneAuth>> {
        None
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        match access {
            Access::Read => options.read(true),
            Access::Append => options.read(true).append(true).create(true),
            Access::Update => options.read(true).write(true).create(true).truncate(false),
            Access::Replace => options.read(true).write(true).create(true).truncate(true),
            Access::New => options.read(true).write(true).create_new(true),
        };
        Ok(Box::new(OsFile(options.open(path)?)))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    fn create_private_folder(&self, path: &Path) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            let behind = if kind.is_symlink() { std::fs::metadata(entry.path()).ok() } else { None };
            let reached = behind.map_or(kind, |behind| behind.file_type());
            let is_special = !(reached.is_dir() || reached.is_file() || reached.is_symlink());
            entries.push(FolderEntry { name, is_folder: kind.is_dir(), is_special });
        }
        entries.sort();
        Ok(entries)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()
    }
}

#[derive(Debug)]
struct OsFile(File);

impl DiskFile for OsFile {
    fn stat(&self) -> io::Result<FileStat> {
        let metadata = self.0.metadata()?;
        let moment = |seconds: i64, nanos: i64| {
            Moment::new(seconds, u32::try_from(nanos).unwrap_or_default()).ok_or(io::ErrorKind::InvalidData)
        };
        let modified = moment(metadata.mtime(), metadata.mtime_nsec())?;
        let changed = moment(metadata.ctime(), metadata.ctime_nsec())?;
        Ok(FileStat { length: metadata.len(), modified, changed, identity: metadata.ino() })
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.0.write_at(bytes, offset)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn lock(&self, mode: LockMode, patience: Duration) -> io::Result<LockOutcome> {
        let tried = match mode {
            LockMode::Shared => self.0.try_lock_shared(),
            LockMode::Exclusive => self.0.try_lock(),
        };
        match tried {
            Ok(()) => Ok(LockOutcome::Held),
            // Whoever only looks must not stand in the queue.
            Err(TryLockError::WouldBlock) if patience.is_zero() => Ok(LockOutcome::Busy),
            Err(TryLockError::WouldBlock) => wait_for_lock(self.0.try_clone()?, mode, patience),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Waits in the kernel's queue, not by asking again and again. The system call has no deadline, so a thread makes it;
/// when we give up first, the lock it may still get is let go at once, because the clone is dropped with the thread.
fn wait_for_lock(file: File, mode: LockMode, patience: Duration) -> io::Result<LockOutcome> {
    let (sender, receiver) = mpsc::sync_channel::<io::Result<()>>(0);
    thread::Builder::new().name("lock".to_owned()).stack_size(64 * 1024).spawn(move || {
        let locked = match mode {
            LockMode::Shared => file.lock_shared(),
            LockMode::Exclusive => file.lock(),
        };
        let failed = locked.is_err();
        // A rendezvous: it fails exactly when nobody waits any more.
        if sender.send(locked).is_err() && !failed {
            drop(file.unlock());
        }
    })?;
    match receiver.recv_timeout(patience) {
        Ok(locked) => locked.map(|()| LockOutcome::Held),
        Err(_) => Ok(LockOutcome::Busy),
    }
}

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsClock;

impl Clock for OsClock {
    fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        Moment::new(seconds, since.subsec_nanos()).unwrap_or(Moment::EPOCH)
    }
}

/// Names that sort by the time they were given.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsIds;

impl IdSource for OsIds {
    fn fresh(&self) -> String {
        uuid::Uuid::now_v7().to_string()
    }
}
