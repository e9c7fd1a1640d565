//! Why an action gave no answer, as every door tells it: the class, what to do next, and whether trying again may help.
//!
//! It must not decide how a door ends; a terminal has exit codes, a program has conditions.

use std::path::Path;

use premath_bd::desk::Desk;
use premath_bd::{AuditLog, Distrust, StoreError};
use premath_tusk::model::ModelErrorKind;

use crate::table::ActionError;

/// The class of whatever is missing around the program.
const ENVIRONMENT: &str = "environment";

impl ActionError {
    /// The stable class.
    #[must_use]
    pub fn class(&self) -> &str {
        match self {
            Self::Unknown { .. } => "host_action_unknown",
            Self::Input(error) | Self::Store(StoreError::Input(error)) => error.class.code(),
            Self::Envelope(fault) => fault.class,
            Self::Store(StoreError::Busy { .. }) => "lease_store_busy",
            Self::Store(StoreError::Untrusted { .. }) => "log_untrusted",
            Self::NotRetained { .. } => "payload_not_retained",
            Self::Store(
                StoreError::Missing { .. }
                | StoreError::Io { .. }
                | StoreError::Poisoned { .. }
                | StoreError::Corrupt { .. }
                | StoreError::Newer { .. }
                | StoreError::DerivedDamaged { .. },
            )
            | Self::Source(_)
            | Self::Model(_)
            | Self::Sandbox(_)
            | Self::Unavailable { .. }
            | Self::Unwritable { .. } => ENVIRONMENT,
        }
    }

    /// What to do next, where that can be said of every door.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Store(error) => store_hint(error),
            Self::Unavailable { hint, .. } => Some(hint),
            Self::Unknown { .. }
            | Self::Input(_)
            | Self::Envelope(_)
            | Self::Source(_)
            | Self::Model(_)
            | Self::Sandbox(_)
            | Self::NotRetained { .. }
            | Self::Unwritable { .. } => None,
        }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::Busy { .. }),
            Self::Model(failure) => matches!(
                failure.error.kind,
                ModelErrorKind::RateLimit
                    | ModelErrorKind::Overloaded
                    | ModelErrorKind::Timeout
                    | ModelErrorKind::Unavailable
            ),
            Self::Unknown { .. }
            | Self::Input(_)
            | Self::Envelope(_)
            | Self::Source(_)
            | Self::Sandbox(_)
            | Self::NotRetained { .. }
            | Self::Unavailable { .. }
            | Self::Unwritable { .. } => false,
        }
    }
}

/// Whether git carries a log from clone to clone, so that a person edits and commits it.
fn is_tracked(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_local = [AuditLog::FILE_NAME, "journal.jsonl"].contains(&name.as_ref());
    !is_local && path.parent().is_none_or(|folder| folder.file_name().is_none_or(|name| name != "permits"))
}

/// What to do about a store that gave no answer.
#[must_use]
pub fn store_hint(error: &StoreError) -> Option<&'static str> {
    Some(match error {
        StoreError::Input(_) => return None,
        StoreError::Busy { .. } => "another process is writing; try again",
        StoreError::Io { .. } => "look at the permissions and the free space of the folder",
        StoreError::Missing { .. } => {
            "run `premath init` in the root of the project, or name a file that exists"
        }
        StoreError::Poisoned { .. } => {
            "run the command again; `premath verify` says whether anything is damaged"
        }
        StoreError::Untrusted { reason: Distrust::NoKey, .. } => {
            "set XDG_STATE_HOME or HOME to the folder that holds the key of this clone; it must lie outside the repository"
        }
        StoreError::Untrusted { reason: Distrust::Unkeyed, .. } => {
            "`premath trust --upgrade --reason TEXT` verifies what was written before keys, and takes it over on record"
        }
        StoreError::Untrusted { reason: Distrust::Unmerged, .. } => {
            "`premath init` installs the merge driver; then `git checkout --merge FILE` merges the file again, and `git add FILE` ends the conflict"
        }
        StoreError::Untrusted { path, .. } if is_tracked(path) => {
            "commit the change, restore the file, or accept it on record with `premath doctor --fix`"
        }
        StoreError::Untrusted { .. } => {
            "`premath verify` says what is wrong; `premath trust --reason TEXT` takes a copied log over, on record"
        }
        StoreError::Newer { .. } => "use the version of premath that wrote it, or a newer one",
        // Nothing can be made good from half a database.
        StoreError::Corrupt { path, .. } if path.file_name().is_some_and(|name| name == Desk::FILE_NAME) => {
            "put a backup in its place, or move it away to begin a new desk"
        }
        StoreError::Corrupt { .. } | StoreError::DerivedDamaged { .. } => {
            "`premath doctor` explains the damage, `premath doctor --fix` mends it"
        }
    })
}
