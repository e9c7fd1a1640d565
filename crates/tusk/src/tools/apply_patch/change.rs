//! What becomes of one file: what it was, byte for byte, and what it is known by afterwards.

use std::fmt;

use premath_kernel::Digest;

use super::LARGEST;
use super::commit::FileState;
use crate::tools::files::{FileContent, FileError, WorkFiles};
use crate::tools::work_path::WorkPath;

/// What becomes of one file. A move is two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: WorkPath,
    /// What it is before; none when it is not there.
    pub before: Option<FileContent>,
    /// What it is after; none when it goes.
    pub after: Option<AfterFile>,
}

/// A file as a patch leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterFile {
    /// All of it.
    Here(FileContent),
    /// What it is known by: all that is kept of it once the patch was applied.
    Known {
        /// The digest of its bytes.
        digest: Digest,
        /// Whether it may be executed.
        executable: bool,
    },
}

impl AfterFile {
    /// The digest of its bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        match self {
            Self::Here(content) => content.digest(),
            Self::Known { digest, .. } => digest.clone(),
        }
    }

    /// Whether it may be executed.
    #[must_use]
    pub const fn is_executable(&self) -> bool {
        match self {
            Self::Here(content) => content.executable,
            Self::Known { executable, .. } => *executable,
        }
    }

    /// All of it, where it is at hand.
    #[must_use]
    pub const fn content(&self) -> Option<&FileContent> {
        match self {
            Self::Here(content) => Some(content),
            Self::Known { .. } => None,
        }
    }

    fn is(&self, content: &FileContent) -> bool {
        match self {
            Self::Here(here) => here == content,
            Self::Known { digest, executable } => {
                *executable == content.executable && *digest == content.digest()
            }
        }
    }
}

impl FileChange {
    /// The digest of what it is before.
    #[must_use]
    pub fn before_digest(&self) -> Option<Digest> {
        self.before.as_ref().map(FileContent::digest)
    }

    /// The digest of what it is after.
    #[must_use]
    pub fn after_digest(&self) -> Option<Digest> {
        self.after.as_ref().map(AfterFile::digest)
    }

    /// Which version that is.
    pub(super) fn state_of(&self, current: &Current) -> FileState {
        let is_new = match (&self.after, current) {
            (Some(after), Current::File(content)) => after.is(content),
            (None, Current::Nothing) => true,
            (Some(_), Current::Nothing) | (None, Current::File(_)) => false,
            (Some(_) | None, Current::Foreign) => return FileState::Foreign,
        };
        if current.content() == self.before.as_ref() {
            FileState::Old
        } else if is_new {
            FileState::New
        } else {
            FileState::Foreign
        }
    }
}

impl fmt::Display for FileChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match (&self.before, &self.after) {
            (None, _) => "A",
            (Some(_), Some(_)) => "M",
            (Some(_), None) => "D",
        };
        write!(formatter, "{letter} {}", self.path)
    }
}

/// What is there under a name.
#[derive(Debug)]
pub(super) enum Current {
    /// A file that is short enough.
    File(FileContent),
    /// Nothing.
    Nothing,
    /// Something that no patch leaves behind.
    Foreign,
}

impl Current {
    /// The file, if it is one.
    pub(super) const fn content(&self) -> Option<&FileContent> {
        match self {
            Self::File(content) => Some(content),
            Self::Nothing | Self::Foreign => None,
        }
    }
}

/// Looks at what is there under a name.
pub(super) fn current(files: &dyn WorkFiles, path: &WorkPath) -> Result<Current, FileError> {
    match files.read(path.as_str(), LARGEST) {
        Ok(content) => Ok(Current::File(content)),
        Err(FileError::Missing { .. }) => Ok(Current::Nothing),
        Err(FileError::WrongKind { .. } | FileError::TooLong { .. }) => Ok(Current::Foreign),
        Err(error) => Err(error),
    }
}
