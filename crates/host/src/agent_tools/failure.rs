//! Why an action gave no answer, as a model reads it. It must not show where on the machine something is.

use premath_bd::StoreError;
use premath_tusk::tools::ToolFailure;
use premath_wire::{InputError, Segment};

use crate::table::ActionError;

/// An action that gave no answer.
pub(super) fn failure(error: ActionError) -> ToolFailure {
    match error {
        ActionError::Input(error) => refused_argument(&error),
        ActionError::Store(error) => unread(&error),
        ActionError::Unknown { .. }
        | ActionError::Envelope(_)
        | ActionError::Source(_)
        | ActionError::Model(_)
        | ActionError::Sandbox(_)
        | ActionError::NotRetained { .. }
        | ActionError::Unavailable { .. }
        | ActionError::Unwritable { .. } => {
            ToolFailure::new("issues.unavailable", "issue memory gives no answer here")
        }
    }
}

/// An argument that the schema lets through and its meaning does not.
fn refused_argument(error: &InputError) -> ToolFailure {
    let mut pointer = String::new();
    for segment in error.path.segments() {
        match segment {
            Segment::Key(key) => pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1"))),
            Segment::Index(index) => pointer.push_str(&format!("/{index}")),
        }
    }
    let mut failure = ToolFailure::new("tool.schema_invalid", format!("at `{pointer}`: {}", error.what));
    failure.pointers.push(pointer);
    failure
}

fn unread(error: &StoreError) -> ToolFailure {
    match error {
        StoreError::Missing { .. } => {
            ToolFailure::new("issues.missing", "this repository has no issue memory")
        }
        StoreError::Busy { .. } => {
            ToolFailure::new("issues.busy", "another process is changing issue memory").retryable()
        }
        StoreError::Io { doing, source, .. } => {
            ToolFailure::new("issues.system", format!("cannot {doing} issue memory: {source}")).retryable()
        }
        StoreError::Poisoned { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Newer { .. }
        | StoreError::Untrusted { .. }
        | StoreError::DerivedDamaged { .. }
        | StoreError::Input(_) => {
            ToolFailure::new("issues.damaged", "issue memory is damaged; a person has to mend it")
        }
    }
}
