//! A file system together with what authenticates the logs on it.
//!
//! Every log that is opened over it is keyed. It must not change what the file system below it does.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::CloneAuth;
use crate::disk::{Access, Disk, DiskFile, FolderEntry};

/// A file system whose logs carry the key of their clone.
#[derive(Debug, Clone)]
pub struct KeyedDisk {
    disk: Arc<dyn Disk>,
    auth: Arc<CloneAuth>,
}

impl KeyedDisk {
    /// The file system, with what authenticates its logs.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, auth: Arc<CloneAuth>) -> Self {
        Self { disk, auth }
    }
}

impl Disk for KeyedDisk {
    fn clone_auth(&self) -> Option<&Arc<CloneAuth>> {
        Some(&self.auth)
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        self.disk.open(path, access)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.create_folder(path)
    }

    fn create_private_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.create_private_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.remove_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        self.disk.list(folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk.real_path(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.disk.sync_folder(folder)
    }
}
