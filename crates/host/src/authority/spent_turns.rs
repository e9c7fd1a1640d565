//! Whether the turns that permits were spent for are still in a journal: a change may be looked into for as long as its
//! permit is on record.
//!
//! Only doors without a model are asked for theirs. Runs may keep nothing, and may be forgotten; promotions have a history of
//! their own. It must not judge a journal that cannot be read: whoever verifies lanes says what is wrong with it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Cursor, Journal, StoreError, doors_folder, sessions};
use premath_kernel::{Strictness, Value, encode};
use premath_wire::v1::{JoinCheck, PermitRow};

use crate::workspace::Workspace;

/// So many rows are held at once.
const PAGE: usize = 1_000;
/// What the doors of runs are called.
const RUN: &str = "run:";
/// What the actions of promotions are called.
const POLICY: &str = "policy.";

/// Of spent permits those whose turn is in no journal.
///
/// # Errors
/// `Io` when a folder or a file cannot be read.
pub(super) fn without_turn(workspace: &Workspace, rows: &[PermitRow]) -> Result<Vec<PermitRow>, StoreError> {
    let begins =
        |text: &Option<String>, with: &str| text.as_deref().is_some_and(|text| text.starts_with(with));
    let is_asked = |row: &&PermitRow| {
        row.turn_digest.is_some() && !begins(&row.door, RUN) && !begins(&row.action, POLICY)
    };
    let mut left: Vec<PermitRow> = rows.iter().filter(is_asked).cloned().collect();
    // What was applied names its permit. Turns are only computed for a door that died before it could say so.
    for kept in [applied, turn] {
        if left.is_empty() {
            return Ok(left);
        }
        let Some(found) = found(workspace, kept)? else { return Ok(Vec::new()) };
        let is_found = |name: &Option<String>| name.as_ref().is_some_and(|name| found.contains(name));
        left.retain(|row| !is_found(&row.permit_id) && !is_found(&row.turn_digest));
    }
    Ok(left)
}

/// What the events of every door come to; none when a journal cannot be read.
fn found(
    workspace: &Workspace,
    kept: fn(&Value<'_>) -> Option<String>,
) -> Result<Option<BTreeSet<String>>, StoreError> {
    let mut found = BTreeSet::new();
    for folder in folders(workspace) {
        for session in sessions(workspace.disk.as_ref(), &folder)? {
            let journal = Journal::open(Arc::clone(&workspace.disk), &folder, &session)?;
            let mut cursor = Cursor::START;
            loop {
                let page = match journal.read_from(cursor, PAGE) {
                    Err(StoreError::Missing { .. }) => break,
                    Err(StoreError::Corrupt { .. }) => return Ok(None),
                    page => page?,
                };
                if page.unreadable_count > 0 {
                    return Ok(None);
                }
                found.extend(page.rows.iter().filter_map(|row| kept(&row.event)));
                if page.is_end {
                    break;
                }
                cursor = page.next;
            }
        }
    }
    Ok(Some(found))
}

fn folders(workspace: &Workspace) -> [PathBuf; 2] {
    [doors_folder(&workspace.root), workspace.root.join(".premath").join("workers")]
}

/// The permit that an event says was applied.
fn applied(event: &Value<'_>) -> Option<String> {
    let event = event.as_object()?;
    event.get("kind").filter(|kind| kind.as_text() == Some("harness.applied"))?;
    event.get("permitId")?.as_text().map(str::to_owned)
}

/// The digest of the turn that an event is.
fn turn(event: &Value<'_>) -> Option<String> {
    let event = event.as_object()?;
    event.get("kind").filter(|kind| kind.as_text() == Some("harness.turn"))?;
    let read = JoinCheck::read(&encode(event.get("turn")?), Strictness::Strict).ok()?;
    Some(JoinCheck::normalize(read.turn).ok()?.digests().turn.as_str().to_owned())
}
