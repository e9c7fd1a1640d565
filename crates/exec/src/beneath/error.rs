//! Why a name was not opened. Each names the path as it was given.

use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use premath_tusk::tools::files::EntryKind;

/// Why a name was not opened.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// It is no path below a root.
    #[error("`{}` is not a path here: {why}", path.display())]
    Invalid {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It leads out of the root.
    #[error("`{}` leads outside", path.display())]
    Outside {
        /// The path.
        path: PathBuf,
    },
    /// It lies in a folder of premath's own.
    #[error("`{}` belongs to premath and is not read as a file", path.display())]
    Reserved {
        /// The path.
        path: PathBuf,
    },
    /// It goes through a link, or is one, and something was to be changed there.
    #[error("`{}` goes through a link", path.display())]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// There is nothing.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// There is something already.
    #[error("`{}` exists already", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// It is not a regular file.
    #[error("`{}` is not a regular file but a {}", path.display(), words(*found))]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        found: EntryKind,
    },
    /// It holds more than was to be read.
    #[error("`{}` is longer than {limit} bytes", path.display())]
    TooLong {
        /// The path.
        path: PathBuf,
        /// The most that was to be read.
        limit: u64,
    },
    /// The system cannot keep a path below a root, so nothing is opened.
    #[error("`{}` was not opened: this system cannot resolve paths below a root", path.display())]
    Unsupported {
        /// The path.
        path: PathBuf,
    },
    /// The system failed.
    #[error("`{}` cannot be used", path.display())]
    System {
        /// The path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl PathError {
    /// The same about a longer path.
    pub(super) fn about(self, longer: &Path) -> Self {
        match self {
            Self::Link { .. } => Self::Link { path: longer.to_path_buf() },
            Self::Invalid { .. }
            | Self::Outside { .. }
            | Self::Reserved { .. }
            | Self::Missing { .. }
            | Self::Exists { .. }
            | Self::NotAFile { .. }
            | Self::TooLong { .. }
            | Self::Unsupported { .. }
            | Self::System { .. } => self,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the errors of a system are no decision of ours")]
    pub(super) fn from_errno(path: &Path, error: Errno) -> Self {
        let path = path.to_path_buf();
        match error {
            Errno::EXDEV => Self::Outside { path },
            Errno::ENOENT => Self::Missing { path },
            Errno::EEXIST => Self::Exists { path },
            Errno::ENAMETOOLONG => Self::Invalid { path, why: "it is too long" },
            Errno::ELOOP => {
                Self::Invalid { path, why: "it goes through too many links, or one that is none" }
            }
            Errno::ENOTDIR => Self::Invalid { path, why: "it goes through something that is no folder" },
            Errno::ENXIO | Errno::ENODEV => Self::NotAFile { path, found: EntryKind::Other },
            Errno::ENOSYS | Errno::E2BIG => Self::Unsupported { path },
            other => Self::System { path, source: other.into() },
        }
    }
}

const fn words(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => "file",
        EntryKind::Folder => "folder",
        EntryKind::Link => "link",
        EntryKind::Other => "device, pipe or socket",
    }
}
