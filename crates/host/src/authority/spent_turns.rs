//! Whether the turns that permits were spent for are still in a journal: a change may be looked into for as long as its
//! permit is on record.
//!
//! The turn of a run is in the journal of that run, also when the run kept nothing else; that of a client or a worker is in
//! their journals. Promotions have a history of their own. It must not judge a journal that cannot be read: the check of the
//! lanes says what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Cursor, Journal, StoreError, doors_folder, runs_folder, sessions};
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
    let is_asked = |row: &&PermitRow| row.turn_digest.is_some() && !begins(&row.action, POLICY);
    let (of_runs, mut left): (Vec<PermitRow>, Vec<PermitRow>) =
        rows.iter().filter(is_asked).cloned().partition(|row| begins(&row.door, RUN));
    let mut gone = without_turn_of_run(workspace, of_runs)?;
    // What was applied names its permit. Turns are only computed for a door that died before it could say so.
    for kept in [applied, turn] {
        if left.is_empty() {
            return Ok(gone);
        }
        let Some(found) = found(workspace, kept)? else { return Ok(gone) };
        let is_found = |name: &Option<String>| name.as_ref().is_some_and(|name| found.contains(name));
        left.retain(|row| !is_found(&row.permit_id) && !is_found(&row.turn_digest));
    }
    gone.extend(left);
    Ok(gone)
}

/// Of permits that runs spent those whose turn is not in the journal of their run.
fn without_turn_of_run(workspace: &Workspace, rows: Vec<PermitRow>) -> Result<Vec<PermitRow>, StoreError> {
    let mut by_run: BTreeMap<String, Vec<PermitRow>> = BTreeMap::new();
    for row in rows {
        let run = row.door.as_deref().and_then(|door| door.strip_prefix(RUN)).unwrap_or_default();
        by_run.entry(run.to_owned()).or_default().push(row);
    }
    let mut gone = Vec::new();
    for (run, rows) in by_run {
        let Ok(journal) = Journal::open(Arc::clone(&workspace.disk), &runs_folder(&workspace.root), &run)
        else {
            continue;
        };
        let mut turns = BTreeSet::new();
        if !read_all(&journal, closed_turn, &mut turns)? {
            continue;
        }
        let is_there = |row: &PermitRow| row.turn_digest.as_ref().is_some_and(|turn| turns.contains(turn));
        gone.extend(rows.into_iter().filter(|row| !is_there(row)));
    }
    Ok(gone)
}

/// The digest of the turn that an event says was closed.
fn closed_turn(event: &Value<'_>) -> Option<String> {
    let event = event.as_object()?;
    event.get("kind").filter(|kind| kind.as_text() == Some("turn.closed"))?;
    event.get("turnDigest")?.as_text().map(str::to_owned)
}

/// Adds what the events of a journal come to. Whether it could be read; one that is not there has no events.
fn read_all(
    journal: &Journal,
    kept: fn(&Value<'_>) -> Option<String>,
    found: &mut BTreeSet<String>,
) -> Result<bool, StoreError> {
    let mut cursor = Cursor::START;
    loop {
        let page = match journal.read_from(cursor, PAGE) {
            Err(StoreError::Missing { .. }) => return Ok(true),
            Err(StoreError::Corrupt { .. }) => return Ok(false),
            page => page?,
        };
        if page.unreadable_count > 0 {
            return Ok(false);
        }
        found.extend(page.rows.iter().filter_map(|row| kept(&row.event)));
        if page.is_end {
            return Ok(true);
        }
        cursor = page.next;
    }
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
            if !read_all(&journal, kept, &mut found)? {
                return Ok(None);
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
