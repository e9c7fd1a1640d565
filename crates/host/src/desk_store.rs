//! The desk of a repository: where its database is, and how what happened there gets into the audit log.
//!
//! The database notes what happened in the same transaction; the notes move to the log afterwards, in order, and one that
//! comes twice, however much later, is known by its id. It must not decide anything.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::StoreError;
use premath_bd::desk::Desk;
use premath_kernel::{Object, Value};
use premath_wire::v1::AuditRow;
use premath_wire::{UnknownFields, decode};

use crate::agent::retention::audited;
use crate::recording::{anchored, audit_log};
use crate::workspace::Workspace;

/// Where the desk of a repository is.
#[must_use]
pub fn desk_path(workspace: &Workspace) -> PathBuf {
    workspace.root.join(".premath").join("desk.db")
}

/// The desk of a repository; it is made where there is none.
///
/// # Errors
/// It cannot be opened.
pub fn open_desk(workspace: &Workspace) -> Result<Desk, StoreError> {
    Desk::open(&desk_path(workspace), Arc::clone(&workspace.clock), Arc::clone(&workspace.ids))
}

/// The desk of a repository, where there is one.
///
/// # Errors
/// It is there and cannot be opened.
pub fn existing_desk(workspace: &Workspace) -> Result<Option<Desk>, StoreError> {
    let (clock, ids) = (Arc::clone(&workspace.clock), Arc::clone(&workspace.ids));
    match Desk::open_existing(&desk_path(workspace), clock, ids) {
        Ok(desk) => Ok(Some(desk)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Moves what the desk noted to the audit log.
///
/// # Errors
/// The log cannot be written; what was not moved waits for the next time.
pub fn publish(workspace: &Workspace, desk: &Desk) -> Result<(), StoreError> {
    let log = audit_log(workspace);
    let path = desk_path(workspace);
    let read = |note: &Value<'_>| {
        let row: AuditRow =
            decode(&by_name(note), UnknownFields::Ignore).map_err(|error| StoreError::Corrupt {
                path: path.clone(),
                detail: format!("a note for the audit cannot be read: {error}"),
            })?;
        anchored(workspace, audited(workspace, row)?)
    };
    let mut take = |notes: &[Value<'_>]| {
        let rows = notes.iter().map(read).collect::<Result<Vec<_>, StoreError>>()?;
        log.append_once(&rows).map(drop)
    };
    desk.drain(&mut take).map(drop)
}

/// A note with its targets as the log has them: by name.
fn by_name<'n>(note: &'n Value<'n>) -> Value<'n> {
    let Some(members) = note.as_object() else { return note.borrowed() };
    let name = |target: &'n Value<'n>| target.as_object()?.get("name").map(Value::borrowed);
    let members = members.iter().map(|(key, value)| match (key, value.as_array()) {
        ("targets", Some(targets)) => (key.into(), Value::Array(targets.iter().filter_map(name).collect())),
        _other => (key.into(), value.borrowed()),
    });
    Object::from_members(members.collect::<Vec<_>>()).map_or_else(|_| note.borrowed(), Value::Object)
}
