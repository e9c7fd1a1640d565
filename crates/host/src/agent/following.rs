//! Following a run: the rows of its journal behind a cursor, also while another process writes it.
//!
//! What a run that keeps nothing said is not followed: only what stays of it. It must not change anything, and must not tell
//! a row that is not durable.

use premath_bd::{Cursor, JournalRow, StoreError};
use premath_kernel::{Number, Object, Value};
use premath_wire::time::format_time;

use super::resume::missing;
use super::retention;
use crate::actions::issue::invalid;
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
        Err(StoreError::Corrupt { .. }) if is_beyond(workspace, run_id, cursor)? => {
            let what = format!("the run has no row {} yet", cursor.seq());
            return Err(invalid(&what, "cursor").into());
        }
        page => page?,
    };
    let last = page.rows.last().or(page.before.as_ref());
    let has_stopped = page.is_end && last.is_some_and(|row| kind(&row.event) == Some("run.stopped"));
    Ok(FollowedRows { rows: page.rows, next: page.next, has_more: !page.is_end, has_stopped })
}

/// Whether a cursor is behind the end: whoever has it has another run, or one that was cut off before it was durable.
fn is_beyond(workspace: &Workspace, run_id: &str, cursor: Cursor) -> Result<bool, ActionError> {
    let page = retention::kept(workspace, run_id)?.read_from(Cursor::START, usize::MAX)?;
    Ok(page.next.seq() < cursor.seq())
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
