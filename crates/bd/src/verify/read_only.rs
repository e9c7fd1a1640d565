//! A file system that refuses to change anything, so that whoever verifies cannot.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::disk::{Access, Disk, DiskFile, FolderEntry};

/// Another file system, to be read only. Files it opens are opened for reading.
#[derive(Debug)]
pub(crate) struct ReadOnly(pub(crate) Arc<dyn Disk>);

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl Disk for ReadOnly {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        match access {
            Access::Read => self.0.open(path, access),
            Access::Append | Access::Update | Access::Replace => refused(),
        }
    }

    fn create_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        self.0.list(folder)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }
}
