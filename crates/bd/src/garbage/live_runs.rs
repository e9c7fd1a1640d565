//! The runs that are under way: journals whose writer holds them now. It must not wait for one.

use std::path::Path;
use std::sync::Arc;

use premath_kernel::Moment;

use crate::error::StoreError;
use crate::journal::{Cursor, Journal, runs_folder, sessions};
use crate::permits::doors_folder;
use crate::verify::Repository;

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct LiveRuns {
    /// Their names, in order.
    pub(super) runs: Vec<String>,
    /// When the oldest of them began. The epoch, before everything, for one whose beginning cannot be read.
    pub(super) since: Option<Moment>,
}

/// Every run, worker and door that holds its journal.
///
/// # Errors
/// `Io` when a folder cannot be listed.
pub(super) fn oldest_live_start(repository: &Repository) -> Result<LiveRuns, StoreError> {
    let mut live = LiveRuns::default();
    let workers = repository.folder().join("workers");
    for folder in [runs_folder(&repository.root), doors_folder(&repository.root), workers] {
        for session in sessions(repository.disk.as_ref(), &folder)? {
            add(repository, &mut live, &folder, session)?;
        }
    }
    live.runs.sort_unstable();
    Ok(live)
}

fn add(
    repository: &Repository,
    live: &mut LiveRuns,
    folder: &Path,
    session: String,
) -> Result<(), StoreError> {
    let journal = Journal::open(Arc::clone(&repository.disk), folder, &session)?;
    if !journal.is_held() {
        return Ok(());
    }
    let first = match journal.read_from(Cursor::START, 1) {
        Ok(page) => page.rows.first().map(|row| row.at),
        // It has just begun, or nobody can say when.
        Err(StoreError::Missing { .. } | StoreError::Corrupt { .. }) => None,
        Err(error) => return Err(error),
    };
    let began = first.unwrap_or(Moment::EPOCH);
    live.since = Some(live.since.map_or(began, |since| since.min(began)));
    live.runs.push(session);
    Ok(())
}
