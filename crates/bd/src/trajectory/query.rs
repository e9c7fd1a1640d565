//! The projection: the latest steps, or the failed ones, or those worth another try, with counts over all of them.

use premath_kernel::Value;
use premath_wire::v1::ProjectionMode;

use super::Trajectory;
use super::groups::{FailureCluster, Groups};
use super::index::List;
use super::order::{Entry, First, Keyed};
use super::step::Step;
use super::tally::Warning;
use super::view::{Collect, Reliance, View, keyed_at};
use crate::error::StoreError;

/// Whether failures are put together by their class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// They are not.
    None,
    /// They are.
    ByFailureClass,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Which rows.
    pub mode: ProjectionMode,
    /// How many rows, and how many groups, at most.
    pub limit: usize,
    /// Whether failures are put together by their class.
    pub grouping: Grouping,
}

/// What a trajectory answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    /// All steps.
    pub total: u64,
    /// Those that did not succeed.
    pub failed: u64,
    /// Those of them where trying again may help.
    pub retry_needed: u64,
    /// The rows, in order, as they stand in the log.
    pub items: Vec<Value<'static>>,
    /// Failures of the mode by class, the most frequent first, and how many classes there are.
    pub groups: Option<(Vec<FailureCluster>, u64)>,
    /// How many warnings there are.
    pub warning_count: u64,
    /// The first of them.
    pub warnings: Vec<Warning>,
}

pub(super) fn is_asked_for(mode: ProjectionMode, entry: &Entry) -> bool {
    match mode {
        ProjectionMode::Latest => true,
        ProjectionMode::Failed => entry.is_failed,
        ProjectionMode::RetryNeeded => entry.is_worth_a_retry,
    }
}

pub(super) const fn list_of(mode: ProjectionMode) -> List {
    match mode {
        ProjectionMode::Latest => List::All,
        ProjectionMode::Failed => List::Failed,
        ProjectionMode::RetryNeeded => List::WorthARetry,
    }
}

/// The first rows of the mode behind the index, and their failures.
struct Asked {
    query: Query,
    first: First,
    groups: Option<Groups>,
}

impl Collect for Asked {
    fn step(&mut self, step: &Step<'_>, entry: &Entry) {
        if !is_asked_for(self.query.mode, entry) {
            return;
        }
        self.first.take(step, entry.place);
        if let Some(groups) = &mut self.groups {
            groups.take(step, entry);
        }
    }
}

impl Trajectory {
    /// Answers a question. Lines that are no rows are passed over and named in the warnings.
    ///
    /// # Errors
    /// `Missing` when there is no such file; `Io` when it cannot be read.
    pub fn query(&self, query: &Query) -> Result<Projection, StoreError> {
        for reliance in Reliance::ALL {
            let make = || Asked {
                query: *query,
                first: First::new(query.limit),
                groups: (query.grouping == Grouping::ByFailureClass).then(Groups::default),
            };
            if let Some(projection) = answer(self.view(reliance, make)?, query) {
                return Ok(projection);
            }
        }
        Err(StoreError::corrupt(self.path(), "it changes while it is read"))
    }
}

/// `None` when the index does not keep its word.
fn answer(view: View<Asked>, query: &Query) -> Option<Projection> {
    let indexed = from_index(&view, query)?;
    let groups = match &view.collected.groups {
        None => None,
        Some(_) => Some(Groups::of_indexed(&view, query.mode)?),
    };
    let (warning_count, warnings) = view.warnings();
    let (log, collected) = view.apart();
    let mut first = collected.first;
    indexed.into_iter().for_each(|keyed| first.add(keyed));
    let items = first.finish().iter().map(|keyed| log.row(keyed.entry.place)).collect::<Option<Vec<_>>>()?;
    let groups = groups.zip(collected.groups).map(|(mut all, behind)| {
        all.merge(behind);
        all.finish(query.limit)
    });
    Some(Projection {
        total: log.tally.steps,
        failed: log.tally.failed,
        retry_needed: log.tally.worth_a_retry,
        items,
        groups,
        warning_count,
        warnings,
    })
}

/// The first rows of the mode that the index covers.
fn from_index(view: &View<Asked>, query: &Query) -> Option<Vec<Keyed>> {
    let Some(index) = &view.index else { return Some(Vec::new()) };
    let list = list_of(query.mode);
    let count = index.length(list).min(u64::try_from(query.limit).unwrap_or(u64::MAX));
    let mut cursor = index.cursor();
    (0..count).map(|at| keyed_at(&view.reader, &cursor.entry(list, at)?)).collect()
}
