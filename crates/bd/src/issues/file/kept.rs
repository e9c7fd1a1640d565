//! Views of issue memory that are kept in memory between two looks, for a process that looks again and again.
//!
//! A kept view is used again only when the log and its head are, to the last byte that is looked at, those it was made of; any
//! change by anybody makes a new one. It must not outlive a damaged index, and it decides nothing.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use premath_kernel::Moment;
use serde_json::value::RawValue;

use super::view::FileView;
use crate::error::StoreError;
use crate::issues::facts::Facts;
use crate::issues::graph::GraphView;
use crate::issues::row::LineProblem;
use crate::issues::store::{IssueView, Limit, RowRef};
use crate::log::{LogReader, Standing};

/// So many are kept: one for each thread that looks at the same time.
const MOST: usize = 8;

/// So many answers are kept with a view, and none that is longer.
const MOST_ANSWERS: usize = 4;
const LONGEST_ANSWER: usize = 64 * 1024;

/// Views that were looked at before.
#[derive(Debug, Default)]
pub struct KeptIssues(Mutex<Vec<(PathBuf, Kept)>>);

/// A view, and what was answered from it.
#[derive(Debug)]
pub(super) struct Kept {
    view: FileView<LogReader>,
    answers: RefCell<Vec<(String, Box<RawValue>)>>,
}

impl From<FileView<LogReader>> for Kept {
    fn from(view: FileView<LogReader>) -> Self {
        Self { view, answers: RefCell::default() }
    }
}

impl KeptIssues {
    /// A view of this file that still tells the truth.
    pub(super) fn take(&self, path: &Path) -> Option<Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().rposition(|(place, _)| place == path)?;
        let (_, taken) = kept.swap_remove(at);
        drop(kept);
        taken.view.is_current().then_some(taken)
    }

    fn keep(&self, path: PathBuf, view: Kept) {
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
    kept_view: Option<Kept>,
    path: PathBuf,
    kept: Arc<KeptIssues>,
}

impl Held {
    pub(super) fn new(view: Kept, path: &Path, kept: &Arc<KeptIssues>) -> Self {
        Self { kept_view: Some(view), path: path.to_owned(), kept: Arc::clone(kept) }
    }

    fn view(&self) -> Result<&FileView<LogReader>, StoreError> {
        // It is taken out only by dropping.
        let gone = || StoreError::DerivedDamaged { path: self.path.clone(), detail: "gone".to_owned() };
        self.kept_view.as_ref().map(|kept| &kept.view).ok_or_else(gone)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(view) = self.kept_view.take() {
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

    fn first_claimable(&self, claimant: &str, now: Moment) -> Result<Option<String>, StoreError> {
        self.view()?.first_claimable(claimant, now)
    }

    fn all(&self) -> Result<Vec<RowRef>, StoreError> {
        self.view()?.all()
    }

    fn live(&self) -> Result<Vec<RowRef>, StoreError> {
        self.view()?.live()
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
        self.kept_view.as_ref().map_or(0, |kept| kept.view.row_count())
    }

    fn standing(&self) -> Standing {
        self.kept_view.as_ref().map_or(Standing::Unanchored, |kept| kept.view.standing())
    }

    fn kept_answer(&self, question: &str) -> Option<Box<RawValue>> {
        let answers = self.kept_view.as_ref()?.answers.borrow();
        answers.iter().find(|(asked, _)| asked == question).map(|(_, answer)| answer.clone())
    }

    fn keep_answer(&self, question: &str, answer: &RawValue) {
        let Some(kept) = &self.kept_view else { return };
        if answer.get().len() <= LONGEST_ANSWER {
            let mut answers = kept.answers.borrow_mut();
            if answers.len() >= MOST_ANSWERS {
                answers.remove(0);
            }
            answers.push((question.to_owned(), answer.to_owned()));
        }
    }
}
