//! The real file system with its syncs counted, those of heads apart from all others.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use premath_bd::{Access, CloneAuth, Disk, DiskFile, FileStat, FolderEntry, LockMode, LockOutcome, OsDisk};

/// The syncs so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Syncs {
    others: Arc<AtomicU32>,
    heads: Arc<AtomicU32>,
}

impl Syncs {
    /// A disk that counts here.
    pub(super) fn disk(&self) -> Arc<dyn Disk> {
        Arc::new(CountingDisk(self.clone()))
    }

    /// Of heads of logs, which are synced every 256 lines.
    pub(super) fn heads(&self) -> u32 {
        self.heads.load(Ordering::Relaxed)
    }

    /// Of everything else.
    pub(super) fn others(&self) -> u32 {
        self.others.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct CountingDisk(Syncs);

impl Disk for CountingDisk {
    fn clone_auth(&self) -> Option<&Arc<CloneAuth>> {
        None
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        let is_head = path.extension().is_some_and(|extension| extension == "head");
        let counter = if is_head { &self.0.heads } else { &self.0.others };
        Ok(Box::new(CountingFile(OsDisk.open(path, access)?, Arc::clone(counter))))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_folder(path)
    }

    fn create_private_folder(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_private_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        OsDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        OsDisk.list(folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        OsDisk.real_path(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.0.others.fetch_add(1, Ordering::Relaxed);
        OsDisk.sync_folder(folder)
    }
}

#[derive(Debug)]
struct CountingFile(Box<dyn DiskFile>, Arc<AtomicU32>);

impl DiskFile for CountingFile {
    fn stat(&self) -> io::Result<FileStat> {
        self.0.stat()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.0.write_at(bytes, offset)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.sync()
    }

    fn lock(&self, mode: LockMode, patience: Duration) -> io::Result<LockOutcome> {
        self.0.lock(mode, patience)
    }
}
