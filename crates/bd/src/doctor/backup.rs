//! Copies of what is about to change, under `.premath/backup/<time>-<name>`. It must not write over an older copy, and a
//! copy is durable before anybody relies on it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::Moment;
use premath_wire::time::format_time;

use crate::disk::{Access, Disk, DiskFile, write_all_at};
use crate::error::StoreError;
use crate::log::{beside, folder_of};
use crate::verify::Lanes;

const BLOCK: usize = 256 * 1024;

/// The folder of copies, at one time.
#[derive(Debug)]
pub(super) struct Backups {
    disk: Arc<dyn Disk>,
    root: PathBuf,
    folder: PathBuf,
    stamp: String,
}

impl Backups {
    /// The copies of one treatment.
    pub(super) fn new(disk: &Arc<dyn Disk>, lanes: &Lanes<'_>, now: Moment) -> Self {
        let whole = Moment::new(now.seconds(), 0).unwrap_or(Moment::EPOCH);
        let stamp = format_time(whole).replace(['-', ':'], "");
        Self { disk: Arc::clone(disk), root: lanes.folder(), folder: lanes.folder().join("backup"), stamp }
    }

    /// Copies a file; `None` when there is none.
    pub(super) fn copy(&self, path: &Path) -> Result<Option<PathBuf>, StoreError> {
        let source = match self.disk.open(path, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(StoreError::io("open", path))?,
        };
        let mut copy = self.begin(path, "")?;
        let mut block = vec![0; BLOCK];
        let mut offset = 0_u64;
        loop {
            match source.read_at(&mut block, offset) {
                Ok(0) => break,
                Ok(count) => {
                    copy.write(block.get(..count).unwrap_or_default())?;
                    offset += u64::try_from(count).unwrap_or(u64::MAX);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(StoreError::io("read", path)(error)),
            }
        }
        copy.finish().map(Some)
    }

    /// Moves a file here.
    pub(super) fn take(&self, path: &Path) -> Result<PathBuf, StoreError> {
        self.found()?;
        let target = self.free_name(path, "")?;
        self.disk.rename(path, &target).map_err(StoreError::io("move", path))?;
        for folder in [self.folder.as_path(), folder_of(path)] {
            self.disk.sync_folder(folder).map_err(StoreError::io("sync", folder))?;
        }
        Ok(target)
    }

    /// Begins a file that belongs to another, such as the lines that were moved out of it.
    pub(super) fn begin(&self, path: &Path, suffix: &str) -> Result<BackupFile, StoreError> {
        self.found()?;
        let target = self.free_name(path, suffix)?;
        let temporary = beside(&target, "tmp");
        let file =
            self.disk.open(&temporary, Access::Replace).map_err(StoreError::io("write", &temporary))?;
        Ok(BackupFile { disk: Arc::clone(&self.disk), file, temporary, target, written: 0 })
    }

    fn found(&self) -> Result<(), StoreError> {
        self.disk.create_folder(&self.folder).map_err(StoreError::io("make", &self.folder))?;
        let parent = folder_of(&self.folder);
        self.disk.sync_folder(parent).map_err(StoreError::io("sync", parent))
    }

    /// `runs/s/journal.jsonl` becomes `<time>-runs~s~journal.jsonl`, with a number when that name is taken.
    fn free_name(&self, path: &Path, suffix: &str) -> Result<PathBuf, StoreError> {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let name = format!("{}-{}{suffix}", self.stamp, parts.join("~").replace('/', ""));
        let mut target = self.folder.join(&name);
        let mut count = 1_u32;
        while self.is_taken(&target)? {
            count += 1;
            target = self.folder.join(format!("{name}.{count}"));
        }
        Ok(target)
    }

    fn is_taken(&self, path: &Path) -> Result<bool, StoreError> {
        match self.disk.open(path, Access::Read) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("open", path)(error)),
        }
    }
}

/// A file among the copies that is being written.
#[derive(Debug)]
pub(super) struct BackupFile {
    disk: Arc<dyn Disk>,
    file: Box<dyn DiskFile>,
    temporary: PathBuf,
    target: PathBuf,
    written: u64,
}

impl BackupFile {
    /// Adds some bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        write_all_at(self.file.as_mut(), bytes, self.written)
            .map_err(StoreError::io("write", &self.temporary))?;
        self.written += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    /// Makes it durable and gives it its name.
    pub(super) fn finish(mut self) -> Result<PathBuf, StoreError> {
        self.file.sync().map_err(StoreError::io("sync", &self.temporary))?;
        self.disk.rename(&self.temporary, &self.target).map_err(StoreError::io("name", &self.target))?;
        let folder = folder_of(&self.target);
        self.disk.sync_folder(folder).map_err(StoreError::io("sync", folder))?;
        Ok(self.target)
    }
}
