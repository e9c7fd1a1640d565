//! An append-only file of lines that survives its writer.
//!
//! One append path: a lock that dies with its process, one write of the line and its newline, one sync, and only then
//! the answer. Beside the log lies its head, a small file that says how long the log is and what its lines hash to; it is
//! written after each append without a sync, so it may lag behind a crash but never runs ahead of the log.
//! In a clone with a key, the head and the rows carry MACs: what nobody of this clone wrote is read, and never written to.
//! It must not know what a line means, and must not tell "empty" from "unreadable" by guessing.

mod authenticity;
mod head;
mod mend;
mod merge_record;
mod reader;
mod replace;
mod scan;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::clone_auth::LogAuth;
use crate::disk::Disk;

pub use self::authenticity::Authenticity;
use self::authenticity::Custody;
pub(crate) use self::authenticity::{RowForm, sign_plain_row};
pub use self::head::Extent;
pub(crate) use self::head::from_hex;
pub use self::reader::LogReader;
pub use self::replace::Replacement;
pub use self::writer::LogWriter;

/// How long a writer waits for another. Longer than any honest writer needs, short enough for a person to be told.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a reader waits for a writer to finish its append before it looks for itself.
const READER_PATIENCE: Duration = Duration::from_millis(250);

/// How a log stands to its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// They agree.
    Anchored,
    /// The log goes on behind the head: a writer was interrupted between its append and its note of it.
    Longer,
    /// There is no head, or none that can be read: nothing to compare with.
    Unanchored,
    /// Lines that the head knows of are gone.
    Shorter,
    /// Lines that the head knows of are not what they were.
    Changed,
}

impl Standing {
    /// Whether somebody other than a writer of ours changed the log.
    #[must_use]
    pub const fn is_tampered(self) -> bool {
        matches!(self, Self::Shorter | Self::Changed)
    }
}

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Its first byte.
    pub offset: u64,
    /// Its length without the newline.
    pub length: u32,
}

/// A log, by name. Cheap to clone; opening it happens when it is read or written.
#[derive(Debug, Clone)]
pub struct Log {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    lock_path: PathBuf,
    head_path: PathBuf,
    temporary_path: PathBuf,
    poisoned: Arc<AtomicBool>,
    patience: Duration,
    /// What authenticates it; none on a bare file system.
    pub(crate) auth: Option<LogAuth>,
    custody: Custody,
    rows: RowForm,
    /// Whether its newest head is also kept outside the repository, so that it is refused when it was rolled back.
    is_recorded: bool,
}

impl Log {
    /// The log of chained rows in this file, which stays on this machine.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self {
            auth: disk.clone_auth().map(|auth| auth.of_log(&path)),
            custody: Custody::Machine,
            rows: RowForm::Chained,
            is_recorded: true,
            lock_path: beside(&path, "lock"),
            head_path: beside(&path, "head"),
            temporary_path: beside(&path, "tmp"),
            disk,
            path,
            poisoned: Arc::new(AtomicBool::new(false)),
            patience: PATIENCE,
        }
    }

    /// The same log, which git may carry from clone to clone.
    #[must_use]
    pub(crate) fn tracked(self, rows: RowForm) -> Self {
        Self { custody: Custody::Tracked, rows, ..self }
    }

    /// The same log, whose newest head is not kept outside the repository: for one that is soon deleted.
    #[must_use]
    pub(crate) fn unrecorded(self) -> Self {
        Self { is_recorded: false, ..self }
    }

    /// Whether its newest head is kept outside the repository.
    pub(crate) const fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// The same log, for a writer that waits for another no longer than this.
    #[must_use]
    pub(crate) fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file system it is on.
    #[must_use]
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }
}

/// A file that belongs to another: `issues.jsonl` and `issues.jsonl.head`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// The folder a file is in; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
