//! The port to the folders of a workdir as they are on disk, for comparing them before and after a command.
//!
//! An implementation follows no link, neither at the end of a path nor on the way, and never leaves the workdir. It must not
//! cache: two equal stamps mean that nobody wrote between them.

use std::fmt::Debug;

use premath_kernel::Digest;

use super::files::{EntryKind, FileError};

/// What the system says about a name without opening it. Any write gives another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// What the name stands for.
    pub kind: EntryKind,
    /// The length in bytes.
    pub length: u64,
    /// Kind and permission bits, as the system has them.
    pub mode: u32,
    /// The number of the file in its file system.
    pub inode: u64,
    /// When its bytes were written last: seconds and nanoseconds.
    pub modified: (i64, i64),
    /// When anything about it was changed last: seconds and nanoseconds.
    pub changed: (i64, i64),
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The name alone. One that is no text is shown with replacement characters, and its kind is `Other`.
    pub name: String,
    /// What it stands for.
    pub stamp: FileStamp,
}

/// The bytes of a file, or the target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeContent {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The stamp after they were read.
    pub stamp: FileStamp,
}

/// The folders of a workdir.
pub trait WorkTree: Debug + Send + Sync {
    /// The names in a folder, sorted; `.` is the workdir.
    ///
    /// # Errors
    /// What keeps it from being listed; `Missing` when it is gone.
    fn entries(&self, folder: &str) -> Result<Vec<TreeEntry>, FileError>;

    /// Reads a file, or the target of a link, of at most `limit` bytes.
    ///
    /// # Errors
    /// What keeps it from being read; `TooLong` when there is more.
    fn content(&self, path: &str, limit: u64) -> Result<TreeContent, FileError>;

    /// The digest of a file, or of the target of a link, however long, with the stamp after it was read.
    ///
    /// # Errors
    /// What keeps it from being read.
    fn digest(&self, path: &str) -> Result<(Digest, FileStamp), FileError>;
}
