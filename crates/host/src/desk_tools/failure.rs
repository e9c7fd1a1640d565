//! Refusals of the desk, and a desk that gave no answer, as a model is told of them.

use premath_bd::StoreError;
use premath_bd::desk::{DeskRefusal, DeskRefusalClass};
use premath_tusk::tools::ToolFailure;

pub(super) fn refused(refusal: DeskRefusal) -> ToolFailure {
    let stale = refusal.class == DeskRefusalClass::VersionStale;
    let message =
        if stale { format!("{}; read it again with desk_read_file", refusal.detail) } else { refusal.detail };
    ToolFailure::new(refusal.class.code(), message)
}

pub(super) fn unread(error: &StoreError) -> ToolFailure {
    match error {
        StoreError::Missing { .. } => ToolFailure::new("desk.missing", "this repository has no desk"),
        StoreError::Busy { .. } => {
            ToolFailure::new("desk.busy", "another process is changing the desk").retryable()
        }
        StoreError::Io { doing, source, .. } => {
            ToolFailure::new("desk.system", format!("cannot {doing} the desk: {source}")).retryable()
        }
        StoreError::Poisoned { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Newer { .. }
        | StoreError::Untrusted { .. }
        | StoreError::DerivedDamaged { .. }
        | StoreError::Input(_) => {
            ToolFailure::new("desk.damaged", "the desk cannot be read; a person has to mend it")
        }
    }
}

/// A failure that is about one argument.
pub(super) fn at(mut failure: ToolFailure, pointer: &str) -> ToolFailure {
    failure.pointers.push(pointer.to_owned());
    failure
}
