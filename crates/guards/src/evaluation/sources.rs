//! How guards do on each source of a data set, and on sources they were tuned on against those they were not.
//!
//! A row counts for each guard that looked at it and that some row names. It must not know texts.

use std::collections::BTreeMap;

use super::Confusion;
use super::dataset::{RowSource, Split};

/// How guards did on one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCount {
    /// Which source.
    pub source: RowSource,
    /// Each guard, by name.
    pub guards: BTreeMap<String, Confusion>,
}

/// How guards did on all sources of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitCount {
    /// Which split.
    pub split: Split,
    /// Each guard, by name.
    pub guards: BTreeMap<String, Confusion>,
}

/// Counts while rows are looked at.
#[derive(Debug, Default)]
pub(super) struct Sources {
    sources: BTreeMap<RowSource, BTreeMap<String, Confusion>>,
    splits: BTreeMap<Split, BTreeMap<String, Confusion>>,
}

impl Sources {
    pub(super) fn count(&mut self, source: &RowSource, guard: &str, expected: bool, found: bool) {
        let by_source = self.sources.entry(source.clone()).or_default();
        let by_split = self.splits.entry(source.split).or_default();
        for guards in [by_source, by_split] {
            guards.entry(guard.to_owned()).or_default().count(expected, found);
        }
    }

    pub(super) fn finish(self) -> (Vec<SourceCount>, Vec<SplitCount>) {
        let sources = self.sources.into_iter().map(|(source, guards)| SourceCount { source, guards });
        let splits = self.splits.into_iter().map(|(split, guards)| SplitCount { split, guards });
        (sources.collect(), splits.collect())
    }
}
