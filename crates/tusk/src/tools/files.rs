//! The port to the files of a workdir. Every path is relative and in the spelling of [`super::WorkPath`].
//!
//! An implementation must hold that nothing leaves the workdir, whatever a name says and whoever swaps folders for links
//! meanwhile, and that a write is whole or not at all.

mod memory;
mod scoped;

use std::fmt::Debug;
use std::io::{self, Read, Seek};

use premath_kernel::{Access, Digest};

use super::outcome::ToolFailure;
use super::work_path::shown;

pub use memory::MemoryFiles;
pub use scoped::ScopedFiles;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, wherever it leads.
    Link,
    /// Something that no tool opens: a device, a pipe, a socket, or a name that is no text.
    Other,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// The name alone.
    pub name: String,
    /// What it stands for.
    pub kind: EntryKind,
    /// The length of a file in bytes.
    pub length: u64,
}

/// A whole file: its bytes, and the one thing about it that is neither name nor bytes and must survive an edit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileContent {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether it may be executed.
    pub executable: bool,
}

impl FileContent {
    /// The digest of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_bytes(&self.bytes)
    }
}

/// An open file, for reading where one likes.
pub trait WorkFile: Read + Seek + Send {}

impl<Opened: Read + Seek + Send> WorkFile for Opened {}

/// The files of a workdir.
pub trait WorkFiles: Debug + Send + Sync {
    /// What a name stands for; a link at its end is not followed.
    ///
    /// # Errors
    /// What keeps it from being looked at.
    fn metadata(&self, path: &str) -> Result<FileEntry, FileError>;

    /// The names in a folder, sorted; `.` is the workdir.
    ///
    /// # Errors
    /// What keeps it from being listed.
    fn list(&self, path: &str) -> Result<Vec<FileEntry>, FileError>;

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// What keeps it from being opened.
    fn open(&self, path: &str) -> Result<Box<dyn WorkFile>, FileError>;

    /// Reads a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// As `open`; and a file that is longer.
    fn read(&self, path: &str, limit: u64) -> Result<FileContent, FileError>;

    /// Makes a file that was not there, whole or not at all, durable on return. Its folder must exist.
    ///
    /// # Errors
    /// A name that is taken, or what the system says.
    fn create(&self, path: &str, content: &FileContent) -> Result<(), FileError>;

    /// Puts a file in the place of the one that is there, whole or not at all, durable on return.
    ///
    /// # Errors
    /// What the system says.
    fn replace(&self, path: &str, content: &FileContent) -> Result<(), FileError>;

    /// Removes a file or an empty folder.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &str) -> Result<(), FileError>;

    /// Makes a folder in one that exists.
    ///
    /// # Errors
    /// A name that is taken, or what the system says.
    fn make_folder(&self, path: &str) -> Result<(), FileError>;
}

/// Why a file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is no path here.
    #[error("`{}` is not a path here: {why}", shown(path))]
    Invalid {
        /// The path.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// It leads out of the workdir.
    #[error("`{}` leads outside", shown(path))]
    Outside {
        /// The path.
        path: String,
    },
    /// It goes through a link, or is one, and something was to be changed there.
    #[error("`{}` goes through a link; name what it leads to", shown(path))]
    Link {
        /// The path.
        path: String,
    },
    /// The role may not touch it.
    #[error("`{}` is not among what may be {}", shown(path), done(*access))]
    OutOfScope {
        /// The path.
        path: String,
        /// What was to be done to it.
        access: Access,
    },
    /// There is nothing.
    #[error("`{}` does not exist", shown(path))]
    Missing {
        /// The path.
        path: String,
    },
    /// There is something already.
    #[error("`{}` exists already", shown(path))]
    Exists {
        /// The path.
        path: String,
    },
    /// It is not what it should be.
    #[error("`{}` is not a {wanted}", shown(path))]
    WrongKind {
        /// The path.
        path: String,
        /// What was wanted.
        wanted: &'static str,
    },
    /// It holds more than may be read.
    #[error("`{}` is longer than {limit} bytes", shown(path))]
    TooLong {
        /// The path.
        path: String,
        /// The most that may be read.
        limit: u64,
    },
    /// The system failed.
    #[error("`{}` cannot be used", shown(path))]
    System {
        /// The path.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

const fn done(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "written",
    }
}

impl From<FileError> for ToolFailure {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error {
            FileError::Invalid { .. } => Self::new("path.invalid", message),
            FileError::Outside { .. } => Self::new("path.outside", message),
            FileError::Link { .. } => Self::new("path.link", message),
            FileError::OutOfScope { .. } => Self::new("context.scope_violation", message),
            FileError::Missing { .. } => Self::new("file.missing", message),
            FileError::Exists { .. } => Self::new("file.exists", message),
            FileError::WrongKind { .. } => Self::new("file.wrong_kind", message),
            FileError::TooLong { .. } => Self::new("file.too_long", message),
            FileError::System { source, .. } => {
                Self::new("file.system", format!("{message}: {source}")).retryable()
            }
        }
    }
}
