//! How many syncs a durable append costs: the real file system, with the syncs counted.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use premath_bd::{Access, Disk, DiskFile, FileStat, FolderEntry, LockMode, LockOutcome, Log, OsDisk};

use super::Figure;
use crate::error::CliError;

/// Appends to be averaged over; the head is synced with every 256th.
const APPENDS: u32 = 64;

pub(super) fn syncs_per_append(folder: &Path) -> Result<Figure, CliError> {
    let syncs = Arc::new(AtomicU32::new(0));
    let disk = Arc::new(CountingDisk(Arc::clone(&syncs)));
    let log = Log::new(disk, folder.join(".premath/counted.jsonl"));
    let failed =
        |error: premath_bd::StoreError| CliError::environment(error, "is there room for temporary files?");
    log.write().map_err(failed)?.append(b"{}").map_err(failed)?;
    let before = syncs.load(Ordering::Relaxed);
    for _ in 0..APPENDS {
        log.write().map_err(failed)?.append(b"{}").map_err(failed)?;
    }
    let value = f64::from(syncs.load(Ordering::Relaxed) - before) / f64::from(APPENDS);
    Ok(Figure {
        name: "syncs of a durable append".to_owned(),
        value,
        unit: "syncs",
        limit: 1.0,
        at_least: false,
    })
}

#[derive(Debug)]
struct CountingDisk(Arc<AtomicU32>);

impl Disk for CountingDisk {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(CountingFile(OsDisk.open(path, access)?, Arc::clone(&self.0))))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_folder(path)
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

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
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
