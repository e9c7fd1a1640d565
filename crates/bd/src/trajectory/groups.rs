//! Failures put together by their class: how many, and which was the last.

use std::collections::BTreeMap;

use premath_kernel::Moment;
use premath_wire::time::format_time;
use premath_wire::v1::ProjectionMode;

use super::order::Entry;
use super::query::list_of;
use super::step::{Step, read_line};
use super::view::View;

/// Failures of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureCluster {
    /// The class; where a row names none, its result class.
    pub failure_class: String,
    /// How many rows.
    pub count: u64,
    /// When the last of them ended.
    pub latest_finished_at: String,
    /// Which step that was.
    pub latest_step_id: String,
}

/// Failures as they are found, in any order.
#[derive(Debug, Default)]
pub(super) struct Groups(BTreeMap<String, Group>);

#[derive(Debug, Clone)]
struct Group {
    count: u64,
    finished_at: Moment,
    step_id: String,
}

impl Group {
    fn take(&mut self, other: &Self) {
        self.count += other.count;
        let is_later = (other.finished_at, &other.step_id) > (self.finished_at, &self.step_id);
        if is_later {
            self.finished_at = other.finished_at;
            self.step_id.clone_from(&other.step_id);
        }
    }
}

impl Groups {
    /// The failures of a mode that the index covers; `None` when the index does not keep its word.
    pub(super) fn of_indexed<C>(view: &View<C>, mode: ProjectionMode) -> Option<Self> {
        let mut groups = Self::default();
        let Some(index) = &view.index else { return Some(groups) };
        // Successes have no class of failure: the list of all steps is never needed.
        let list =
            if mode == ProjectionMode::Latest { list_of(ProjectionMode::Failed) } else { list_of(mode) };
        let mut cursor = index.cursor();
        let mut entries: Vec<Entry> =
            (0..index.length(list)).map(|at| cursor.entry(list, at)).collect::<Option<_>>()?;
        entries.sort_unstable_by_key(|entry| entry.place);
        for entry in entries {
            let line = view.reader.line(entry.place).ok()?;
            let value = read_line(&line).ok()??;
            groups.take(&Step::of(&value).ok()?, &entry);
        }
        Some(groups)
    }

    pub(super) fn take(&mut self, step: &Step<'_>, entry: &Entry) {
        if !entry.is_failed {
            return;
        }
        let one = Group { count: 1, finished_at: step.finished_at, step_id: step.step_id.to_owned() };
        for class in step.failure_classes() {
            match self.0.get_mut(class) {
                Some(group) => group.take(&one),
                None => drop(self.0.insert(class.to_owned(), one.clone())),
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (class, group) in other.0 {
            match self.0.get_mut(&class) {
                Some(held) => held.take(&group),
                None => drop(self.0.insert(class, group)),
            }
        }
    }

    /// The most frequent first, and how many there are.
    pub(super) fn finish(self, limit: usize) -> (Vec<FailureCluster>, u64) {
        let count = u64::try_from(self.0.len()).unwrap_or(u64::MAX);
        let mut groups: Vec<(String, Group)> = self.0.into_iter().collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
        groups.truncate(limit);
        let clusters = groups.into_iter().map(|(failure_class, group)| FailureCluster {
            failure_class,
            count: group.count,
            latest_finished_at: format_time(group.finished_at),
            latest_step_id: group.step_id,
        });
        (clusters.collect(), count)
    }
}
