//! The file system as this crate sees it: few operations, each of them one system call, so that every one of them can
//! be made to fail.
//!
//! Stores are written against [`Disk`]; [`OsDisk`] is the real one, the testkit has one that loses, tears and refuses.
//! It must not hide an error, repeat a failed call or buffer.

mod os;

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_kernel::Moment;

use crate::clone_auth::CloneAuth;

pub use self::os::{OsClock, OsDisk, OsIds};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading; it must exist.
    Read,
    /// Appending and reading; made when it does not exist.
    Append,
    /// Reading and writing anywhere; made when it does not exist.
    Update,
    /// Writing from the start; emptied when it exists.
    Replace,
    /// Writing from the start; it must not exist, not even as a link.
    New,
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Its length in bytes.
    pub length: u64,
    /// When it was last written.
    pub modified: Moment,
    /// When anything about it last changed. Unlike the time before, nobody can set it back.
    pub changed: Moment,
    /// Which file it is, however it is called.
    pub identity: u64,
}

/// How a lock is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// With other readers.
    Shared,
    /// With nobody.
    Exclusive,
}

/// Whether a lock was had in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockOutcome {
    /// It is held until the file is dropped or its process ends.
    Held,
    /// Somebody else kept it for as long as we were willing to wait.
    Busy,
}

/// A thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// Its name, without the folder.
    pub name: String,
    /// Whether it is a folder itself.
    pub is_folder: bool,
    /// Whether it is neither a file nor a folder, nor a link to one: opening a pipe waits for somebody to write.
    pub is_special: bool,
}

/// A file system.
pub trait Disk: Debug + Send + Sync {
    /// What authenticates the logs on it; none on a bare file system, whose logs nobody vouches for.
    fn clone_auth(&self) -> Option<&Arc<CloneAuth>>;

    /// Opens a file.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>>;

    /// Makes a folder and those above it; an existing one is fine.
    ///
    /// # Errors
    /// What the system says.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes one folder that nobody but its owner can look into; an existing one is fine. The folder above it must be there.
    ///
    /// # Errors
    /// What the system says.
    fn create_private_folder(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder in which nothing is left.
    ///
    /// # Errors
    /// What the system says.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Gives a file another name, replacing what had it.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// What is in a folder, sorted by name.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>>;

    /// Where a path leads when every link on the way is followed; the path itself on a file system without links.
    ///
    /// # Errors
    /// What the system says, also when nothing is there.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.open(path, Access::Read).map(|_| path.to_owned())
    }

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// What the system says. Not to be tried again.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// An open file.
pub trait DiskFile: Debug + Send {
    /// What is known of it.
    ///
    /// # Errors
    /// What the system says.
    fn stat(&self) -> io::Result<FileStat>;

    /// Reads at a place; fewer bytes than asked for mean the end or a short read, none means the end.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at the end in one call and returns how many bytes were taken.
    ///
    /// # Errors
    /// What the system says.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes at a place in one call and returns how many bytes were taken.
    ///
    /// # Errors
    /// What the system says.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Cuts or extends it.
    ///
    /// # Errors
    /// What the system says.
    fn set_length(&mut self, length: u64) -> io::Result<()>;

    /// Makes its content durable.
    ///
    /// # Errors
    /// What the system says. Not to be tried again: after a failure nobody knows what is on the disk.
    fn sync(&mut self) -> io::Result<()>;

    /// Waits for a lock that ends with this handle or its process, whichever is first.
    ///
    /// # Errors
    /// What the system says.
    fn lock(&self, mode: LockMode, patience: Duration) -> io::Result<LockOutcome>;
}

/// Reads exactly as many bytes as there are between `offset` and the end of `buffer`'s length, or says that they end.
///
/// # Errors
/// `UnexpectedEof` when the file is shorter.
pub fn read_exactly(file: &dyn DiskFile, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0_usize;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        let at = offset.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
        match file.read_at(rest, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads from `offset` to the end, at most `limit` bytes.
///
/// # Errors
/// What the system says.
pub fn read_to_end(file: &dyn DiskFile, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
    let length = file.stat()?.length.saturating_sub(offset);
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(limit);
    let mut bytes = vec![0; length];
    match read_exactly(file, &mut bytes, offset) {
        Ok(()) => Ok(bytes),
        // It was cut while we read: read what there is now.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let shorter = usize::try_from(file.stat()?.length.saturating_sub(offset)).unwrap_or(usize::MAX);
            bytes.truncate(shorter.min(length));
            read_exactly(file, &mut bytes, offset).map(|()| bytes)
        }
        Err(error) => Err(error),
    }
}

/// Writes everything at a place, in as many calls as it takes. For files that are not yet anybody's authority.
///
/// # Errors
/// What the system says.
pub fn write_all_at(file: &mut dyn DiskFile, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut done = 0_usize;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        let at = offset.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
        match file.write_at(rest, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
