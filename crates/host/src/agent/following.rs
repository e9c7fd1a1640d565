//! Following a run: the rows of its journal behind a cursor, also while another process writes it.
//!
//! What a run that keeps nothing said is not followed: only what stays of it. It must not change anything, and must not tell
//! a row that is not durable.

use premath_bd::{Cursor, JournalRow, StoreError};
use premath_kernel::{Number, Object, Value};
use premath_wire::time::format_time;

use super::resume::missing;
use super::retention;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// Some rows of a run, and where to go on.
#[derive(Debug)]
pub struct FollowedRows {
    /// The rows, in their order.
    pub rows: Vec<JournalRow>,
    /// Behind the last of them.
    pub next: Cursor,
    /// Whether there is more behind it already.
    pub has_more: bool,
    /// Whether the run has stopped there. It may be gone on with.
    pub has_stopped: bool,
}

/// At most `limit` rows behind a cursor.
///
/// # Errors
/// No such run, a cursor behind the end of its journal, or a journal that cannot be read.
pub fn follow(
    workspace: &Workspace,
    run_id: &str,
    cursor: Cursor,
    limit: usize,
) -> Result<FollowedRows, ActionError> {
    let page = match retention::kept(workspace, run_id)?.read_from(cursor, limit) {
        Err(StoreError::Missing { .. }) => return Err(missing(&format!("there is no run `{run_id}`"))),
        page => page?,
    };
    let last = page.rows.last().or(page.before.as_ref());
    let has_stopped = page.is_end && last.is_some_and(|row| kind(&row.event) == Some("run.stopped"));
    Ok(FollowedRows { rows: page.rows, next: page.next, has_more: !page.is_end, has_stopped })
}

fn kind<'e>(event: &'e Value<'_>) -> Option<&'e str> {
    event.as_object()?.get("kind")?.as_text()
}

/// A row as whoever follows a run is told it.
#[must_use]
pub fn told_row(row: &JournalRow) -> Value<'_> {
    let seq = Number::unsigned(row.seq).map_or(Value::Null, Value::Number);
    Object::fields()
        .field("at", format_time(row.at))
        .field("digest", row.row_digest.as_str())
        .field("event", row.event.borrowed())
        .field("seq", seq)
        .finish()
}
