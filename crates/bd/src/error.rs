//! Why a store did not do what was asked. `Busy`, `Missing`, `Corrupt` and `Io` are different answers, and none of them
//! is "nothing there".

use std::io;
use std::path::{Path, PathBuf};

use premath_wire::InputError;

/// Why a log is not relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distrust {
    /// Its head is gone or not of this clone, or a line of it is not.
    Foreign,
    /// It is from before logs were keyed, or from a process without a key.
    Unkeyed,
    /// It is older than what this clone knows of it.
    RolledBack,
    /// The key of this clone is not here, so nobody can tell.
    NoKey,
    /// Git left conflict markers in it.
    Unmerged,
}

/// A store that gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file that was named is not there.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// Somebody held the lock for as long as we were willing to wait.
    #[error("lease_store_busy: `{}` is locked by another process", path.display())]
    Busy {
        /// What is locked.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        /// What we were doing.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// An earlier sync failed, so nobody knows what is on the disk: this handle takes nothing more.
    #[error("`{}` could not be made durable earlier; open it anew", path.display())]
    Poisoned {
        /// Which.
        path: PathBuf,
    },
    /// What is on the disk contradicts itself.
    #[error("`{}` is damaged: {detail}", path.display())]
    Corrupt {
        /// Which.
        path: PathBuf,
        /// How.
        detail: String,
    },
    /// Nothing that this clone wrote vouches for it: it can be read, and nothing is done because of it.
    #[error("`{}` cannot be trusted: {detail}", path.display())]
    Untrusted {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: Distrust,
        /// How.
        detail: String,
    },
    /// A newer version of this program wrote it; reading half of it would be guessing.
    #[error("`{}` has version {found}; this program knows {known}", path.display())]
    Newer {
        /// Which.
        path: PathBuf,
        /// The version it has.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// A derived file is not what it should be. It holds nothing of its own: it is deleted and made again.
    #[error("derived file `{}` is damaged: {detail}", path.display())]
    DerivedDamaged {
        /// Which.
        path: PathBuf,
        /// How.
        detail: String,
    },
    /// What was handed in cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
}

impl StoreError {
    /// Adds what was being done, and to what, to a system's error.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    /// As [`Self::io`], where the file must be there already.
    pub(crate) fn opening(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            if source.kind() == io::ErrorKind::NotFound {
                Self::Missing { path: path.to_owned() }
            } else {
                Self::Io { doing: "open", path: path.to_owned(), source }
            }
        }
    }

    pub(crate) fn corrupt(path: &Path, detail: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), detail: detail.into() }
    }
}
