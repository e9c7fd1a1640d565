//! What happened within a span of time: what the throughput figure is computed from.

use std::collections::BTreeSet;

use premath_kernel::{Moment, worker_of};

use super::Trajectory;
use super::index::{Index, List};
use super::order::Entry;
use super::step::{Step, read_line};
use super::tally::Warning;
use super::view::{Collect, Reliance, View};
use crate::error::StoreError;

/// Counts over the rows that ended within a span of time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WindowCounts {
    /// Rows of the whole trajectory.
    pub total_rows: u64,
    /// Rows that ended in the window.
    pub window_rows: u64,
    /// Those of them that succeeded at an issue.
    pub completed_rows: u64,
    /// Workers with a row in the window.
    pub active_workers: u64,
    /// When the newest row of the window ended that failed.
    pub newest_failed_at: Option<Moment>,
    /// Rows that end after it.
    pub future_rows: u64,
    /// How many warnings there are.
    pub warning_count: u64,
    /// The first of them.
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: Moment,
    end: Moment,
}

#[derive(Debug)]
struct Counted {
    span: Span,
    rows: u64,
    completed: u64,
    newest_failed_at: Option<Moment>,
    future: u64,
    workers: BTreeSet<String>,
}

impl Counted {
    fn new(span: Span) -> Self {
        Self { span, rows: 0, completed: 0, newest_failed_at: None, future: 0, workers: BTreeSet::new() }
    }
}

impl Collect for Counted {
    fn step(&mut self, step: &Step<'_>, entry: &Entry) {
        if entry.finished_at > self.span.end {
            self.future += 1;
            return;
        }
        if entry.finished_at < self.span.start {
            return;
        }
        let issue = step.issue_id();
        self.rows += 1;
        if entry.is_failed {
            self.newest_failed_at = self.newest_failed_at.max(Some(entry.finished_at));
        }
        self.completed += u64::from(issue.is_some() && !entry.is_failed);
        if let Some(worker) = worker_of(step.step_id, issue)
            && !self.workers.contains(worker)
        {
            self.workers.insert(worker.to_owned());
        }
    }
}

impl Trajectory {
    /// Counts the rows that ended from `start` to `end`, both included.
    ///
    /// # Errors
    /// `Missing` when there is no such file; `Io` when it cannot be read.
    pub fn window(&self, start: Moment, end: Moment) -> Result<WindowCounts, StoreError> {
        let span = Span { start, end };
        for reliance in Reliance::ALL {
            let mut view = self.view(reliance, || Counted::new(span))?;
            if with_index(&mut view).is_some() {
                let (warning_count, warnings) = view.warnings();
                let counted = view.collected;
                return Ok(WindowCounts {
                    total_rows: view.tally.steps,
                    window_rows: counted.rows,
                    completed_rows: counted.completed,
                    newest_failed_at: counted.newest_failed_at,
                    active_workers: u64::try_from(counted.workers.len()).unwrap_or(u64::MAX),
                    future_rows: counted.future,
                    warning_count,
                    warnings,
                });
            }
        }
        Err(StoreError::corrupt(self.path(), "it changes while it is read"))
    }
}

/// Adds what the index covers; `None` when it does not keep its word.
fn with_index(view: &mut View<Counted>) -> Option<()> {
    let Some(index) = &view.index else { return Some(()) };
    let span = view.collected.span;
    let (entries, future) = entries_in(index, span)?;
    view.collected.future += future;
    for entry in entries {
        let line = view.reader.line(entry.place).ok()?;
        let value = read_line(&line).ok()??;
        let step = Step::of(&value).ok()?;
        if step.finished_at != entry.finished_at {
            return None;
        }
        view.collected.step(&step, &entry);
    }
    Some(())
}

/// The entries of a span as they lie in the log, and how many come after it.
fn entries_in(index: &Index, span: Span) -> Option<(Vec<Entry>, u64)> {
    let mut cursor = index.cursor();
    let first = cursor.partition(|entry| entry.finished_at > span.end)?;
    let behind = cursor.partition(|entry| entry.finished_at >= span.start)?;
    let mut entries: Vec<Entry> =
        (first..behind).map(|at| cursor.entry(List::All, at)).collect::<Option<_>>()?;
    entries.sort_unstable_by_key(|entry| entry.place);
    Some((entries, first))
}
