//! Views of issue memory that are kept in memory between two looks, for a process that looks again and again.
//!
//! A kept view is used again only when the log and its head are, to the last byte that is looked at, those it was made of; any
//! change by anybody makes a new one. It must not outlive a damaged index, and it decides nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use premath_kernel::Moment;

use super::view::FileView;
use crate::error::StoreError;
use crate::issues::facts::Facts;
use crate::issues::graph::GraphView;
use crate::issues::row::LineProblem;
use crate::issues::store::{IssueView, Limit, RowRef};
use crate::log::{LogReader, Standing};

/// So many are kept: one for each thread that looks at the same time.
const MOST: usize = 8;

/// Views that were looked at before.
#[derive(Debug, Default)]
pub struct KeptIssues(Mutex<Vec<(PathBuf, FileView<LogReader>)>>);

impl KeptIssues {
    /// A view of this file that still tells the truth.
    pub(super) fn take(&self, path: &Path) -> Option<FileView<LogReader>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().rposition(|(place, _)| place == path)?;
        let (_, view) = kept.swap_remove(at);
        drop(kept);
        view.is_current().then_some(view)
    }

    fn keep(&self, path: PathBuf, view: FileView<LogReader>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((path, view));
    }

    /// Forgets every view of a file.
    pub(super) fn forget(&self, path: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(place, _)| place != path);
    }
}

/// A view that goes back among the kept ones when nobody looks any more.
#[derive(Debug)]
pub(super) struct Held {
    view: Option<FileView<LogReader>>,
    path: PathBuf,
    kept: Arc<KeptIssues>,
}

impl Held {
    pub(super) fn new(view: FileView<LogReader>, path: &Path, kept: &Arc<KeptIssues>) -> Self {
        Self { view: Some(view), path: path.to_owned(), kept: Arc::clone(kept) }
    }

    fn view(&self) -> Result<&FileView<LogReader>, StoreError> {
        // It is taken out only by dropping.
        let gone = || StoreError::DerivedDamaged { path: self.path.clone(), detail: "gone".to_owned() };
        self.view.as_ref().ok_or_else(gone)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(view) = self.view.take() {
            self.kept.keep(std::mem::take(&mut self.path), view);
        }
    }
}

impl IssueView for Held {
    fn find(&self, id: &str) -> Result<Option<RowRef>, StoreError> {
        self.view()?.find(id)
    }

    fn line(&self, row: RowRef) -> Result<Vec<u8>, StoreError> {
        self.view()?.line(row)
    }

    fn facts(&self, id: &str) -> Result<Option<Facts>, StoreError> {
        self.view()?.facts(id)
    }

    fn dependents(&self, id: &str) -> Result<Vec<String>, StoreError> {
        self.view()?.dependents(id)
    }

    fn ready(&self, limit: Limit) -> Result<Vec<RowRef>, StoreError> {
        self.view()?.ready(limit)
    }

    fn first_claimable(&self, now: Moment) -> Result<Option<String>, StoreError> {
        self.view()?.first_claimable(now)
    }

    fn all(&self) -> Result<Vec<RowRef>, StoreError> {
        self.view()?.all()
    }

    fn graph(&self) -> Result<GraphView, StoreError> {
        self.view()?.graph()
    }

    fn highest_number(&self, prefix: &str) -> Result<u64, StoreError> {
        self.view()?.highest_number(prefix)
    }

    fn problems(&self) -> Result<Vec<LineProblem>, StoreError> {
        self.view()?.problems()
    }

    fn row_count(&self) -> u64 {
        self.view.as_ref().map_or(0, IssueView::row_count)
    }

    fn standing(&self) -> Standing {
        self.view.as_ref().map_or(Standing::Unanchored, IssueView::standing)
    }
}
