//! A file system that refuses to change anything, so that whoever verifies cannot, and that has nothing derived on it, so
//! that only what is authority is believed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clone_auth::CloneAuth;
use crate::disk::{Access, Disk, DiskFile, FolderEntry};

/// Another file system, to be read only.
#[derive(Debug)]
pub(crate) struct ReadOnly {
    pub(crate) disk: Arc<dyn Disk>,
    /// Whether indexes are there.
    pub(crate) with_indexes: bool,
}

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl Disk for ReadOnly {
    fn clone_auth(&self) -> Option<&Arc<CloneAuth>> {
        self.disk.clone_auth()
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        let is_index = path.extension().is_some_and(|extension| extension == "index");
        match access {
            Access::Read if is_index && !self.with_indexes => Err(io::ErrorKind::NotFound.into()),
            Access::Read => self.disk.open(path, access),
            Access::Append | Access::Update | Access::Replace | Access::New => refused(),
        }
    }

    fn create_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn create_private_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        self.disk.list(folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk.real_path(path)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }
}
