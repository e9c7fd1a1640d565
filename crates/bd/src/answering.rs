//! Who answers in a conversation: one process at a time, for as long as it lives.
//!
//! The lock is the system's, on a file that is never removed: its existence means nothing, and a process that dies lets go
//! of it. It must not wait longer than somebody looks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::{Access, Disk, DiskFile, LockMode, LockOutcome};
use crate::document::make_folder;
use crate::error::StoreError;

/// Longer than somebody who only looks whether it is held holds it.
const PATIENCE: Duration = Duration::from_millis(250);

/// A conversation in which nobody else answers, until this is dropped.
#[derive(Debug)]
pub struct Answering {
    _lock: Box<dyn DiskFile>,
}

impl Answering {
    /// Holds a conversation; none while somebody else does.
    ///
    /// # Errors
    /// What the system says.
    pub fn begin(disk: &dyn Disk, root: &Path, conversation: &str) -> Result<Option<Self>, StoreError> {
        let path = lock_path(root, conversation);
        let lock = match disk.open(&path, Access::Update) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                make_folder(disk, &folder(root))?;
                disk.open(&path, Access::Update)
            }
            opened => opened,
        };
        let lock = lock.map_err(StoreError::io("open", &path))?;
        match lock.lock(LockMode::Exclusive, PATIENCE).map_err(StoreError::io("lock", &path))? {
            LockOutcome::Held => Ok(Some(Self { _lock: lock })),
            LockOutcome::Busy => Ok(None),
        }
    }

    /// Whether somebody answers in a conversation now.
    ///
    /// # Errors
    /// What the system says.
    pub fn is_held(disk: &dyn Disk, root: &Path, conversation: &str) -> Result<bool, StoreError> {
        let path = lock_path(root, conversation);
        let lock = match disk.open(&path, Access::Read) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            opened => opened.map_err(StoreError::io("open", &path))?,
        };
        let looked = lock.lock(LockMode::Shared, Duration::ZERO).map_err(StoreError::io("lock", &path))?;
        Ok(looked == LockOutcome::Busy)
    }
}

fn folder(root: &Path) -> PathBuf {
    root.join(".premath").join("conversations")
}

fn lock_path(root: &Path, conversation: &str) -> PathBuf {
    folder(root).join(format!("{conversation}.lock"))
}
