//! Issue memory without files: the slow and obvious twin that the file store is held to.
//!
//! Everything is computed from all rows each time. It must not share shortcuts with the file store.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use premath_kernel::{Holding, Moment, Status, is_claimable, natural_cmp};
use premath_wire::time::to_millis;

use super::exchange::{Imported, merged};
use super::facts::Facts;
use super::graph::GraphView;
use super::row::{IssueRow, Line, LineProblem, read_line};
use super::store::{Compacted, IssueStore, IssueView, Limit, RowRef, Transaction};
use crate::clock::Clock;
use crate::error::StoreError;
use crate::log::{Place, Standing};
use crate::permit::MaintenanceGrant;

/// Rows in memory.
#[derive(Debug, Default)]
pub struct MemoryIssues {
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    current: Vec<Vec<u8>>,
    superseded: Vec<Vec<u8>>,
}

impl MemoryIssues {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IssueStore for MemoryIssues {
    fn view(&self) -> Result<Box<dyn IssueView + '_>, StoreError> {
        Ok(Box::new(MemoryView::new(self.rows().current.clone())))
    }

    fn transact(&self, change: &mut Transaction<'_>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let line = change(&MemoryView::new(rows.current.clone()))?;
        rows.current.extend(line);
        Ok(())
    }

    fn compact(&self, _grant: MaintenanceGrant) -> Result<Compacted, StoreError> {
        let mut rows = self.rows();
        let view = MemoryView::new(rows.current.clone());
        let kept: Vec<Vec<u8>> =
            view.all()?.into_iter().map(|row| view.line(row)).collect::<Result<_, _>>()?;
        let is_row = |line: &[u8]| matches!(read_line(line), Line::Issue(_));
        let (moved, bad): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
            view.lines.iter().filter(|line| !kept.contains(line)).cloned().partition(|line| is_row(line));
        let compacted = Compacted { kept: count(kept.len()), moved: count(moved.len()) };
        rows.superseded.extend(moved);
        rows.current = bad.into_iter().chain(kept).collect();
        Ok(compacted)
    }

    fn import(
        &self,
        grant: MaintenanceGrant,
        imported: Vec<IssueRow>,
        clock: &dyn Clock,
    ) -> Result<Imported, StoreError> {
        let mut rows = self.rows();
        let view = MemoryView::new(rows.current.clone());
        let now = to_millis(clock.now());
        let merged = merged(&view, &grant, imported, now)?;
        let answer = merged.counted(now);
        rows.current.extend(merged.lines);
        Ok(answer)
    }

    fn history(&self, id: &str) -> Result<Vec<IssueRow>, StoreError> {
        let rows = self.rows();
        let all = rows.superseded.iter().chain(&rows.current);
        let mut history: Vec<IssueRow> =
            all.filter_map(|line| IssueRow::read(line)).filter(|row| row.id() == id).collect();
        history.dedup();
        Ok(history)
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[derive(Debug)]
struct MemoryView {
    lines: Vec<Vec<u8>>,
    /// The last row of every id.
    issues: BTreeMap<String, (Facts, RowRef)>,
}

impl MemoryView {
    fn new(lines: Vec<Vec<u8>>) -> Self {
        let mut issues = BTreeMap::new();
        for (line, offset) in lines.iter().zip(0_u64..) {
            if let Line::Issue(read) = read_line(line) {
                let facts = read.0;
                issues.insert(facts.id.clone(), (facts, RowRef(Place { offset, length: 0 })));
            }
        }
        Self { lines, issues }
    }

    fn held_back(&self, facts: &Facts) -> bool {
        let status = |id: &str| Ok(self.issues.get(id).map(|(facts, _)| facts.status));
        super::store::is_held_back(facts, status).unwrap_or(true)
    }
}

impl IssueView for MemoryView {
    fn find(&self, id: &str) -> Result<Option<RowRef>, StoreError> {
        Ok(self.issues.get(id).map(|(_, row)| *row))
    }

    fn line(&self, row: RowRef) -> Result<Vec<u8>, StoreError> {
        let at = usize::try_from(row.0.offset).unwrap_or(usize::MAX);
        Ok(self.lines.get(at).cloned().unwrap_or_default())
    }

    fn facts(&self, id: &str) -> Result<Option<Facts>, StoreError> {
        Ok(self.issues.get(id).map(|(facts, _)| facts.clone()))
    }

    fn dependents(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let depends = |facts: &Facts| facts.blocking.iter().any(|one| one.depends_on == id);
        let issues = self.issues.values().filter(|(facts, _)| depends(facts));
        let mut dependents: Vec<String> = issues.map(|(facts, _)| facts.id.clone()).collect();
        dependents.sort_by(|left, right| natural_cmp(left, right));
        Ok(dependents)
    }

    fn ready(&self, limit: Limit) -> Result<Vec<RowRef>, StoreError> {
        let view = self.graph()?;
        let mut ready: Vec<u32> = view.graph.ready();
        ready.sort_by(|left, right| {
            let key = |number: u32| view.node(number).map(Facts::key);
            key(*left).cmp(&key(*right))
        });
        let rows =
            ready.into_iter().filter_map(|number| view.rows.get(usize::try_from(number).ok()?).copied());
        Ok(match limit {
            Limit::All => rows.collect(),
            Limit::First(count) => rows.take(count).collect(),
        })
    }

    fn first_claimable(&self, claimant: &str, now: Moment) -> Result<Option<String>, StoreError> {
        let claimable = self.issues.values().filter(|(facts, row)| {
            let Some(row) = self.line(*row).ok().and_then(|line| IssueRow::read(&line)) else { return false };
            let lease = row.lease();
            let holding = Holding {
                issue_id: &facts.id,
                status: facts.status,
                held_back: self.held_back(facts),
                lease: lease.as_ref(),
                last_fence: row.last_fence(),
                assignee: row.text("assignee"),
            };
            is_claimable(&holding, claimant, now)
        });
        Ok(claimable
            .min_by(|left, right| left.0.key().cmp(&right.0.key()))
            .map(|(facts, _)| facts.id.clone()))
    }

    fn all(&self) -> Result<Vec<RowRef>, StoreError> {
        Ok(self.graph()?.rows)
    }

    fn live(&self) -> Result<Vec<RowRef>, StoreError> {
        let graph = self.graph()?;
        let issues = graph.facts.iter().zip(graph.rows);
        Ok(issues.filter(|(facts, _)| facts.status != Status::Deleted).map(|(_, row)| row).collect())
    }

    fn graph(&self) -> Result<GraphView, StoreError> {
        Ok(GraphView::new(self.issues.values().cloned().collect()))
    }

    fn highest_number(&self, prefix: &str) -> Result<u64, StoreError> {
        let numbers =
            self.issues.keys().filter_map(|id| super::index::numbered(id)).filter(|(its, _)| *its == prefix);
        Ok(numbers.map(|(_, number)| number).max().unwrap_or(0))
    }

    fn problems(&self) -> Result<Vec<LineProblem>, StoreError> {
        let lines = self.lines.iter().zip(1_u64..);
        Ok(lines
            .filter_map(|(line, number)| match read_line(line) {
                Line::Bad(class, detail) => Some(LineProblem { line: number, class, detail }),
                Line::Blank | Line::Issue(_) => None,
            })
            .collect())
    }

    fn row_count(&self) -> u64 {
        count(self.lines.len())
    }

    fn standing(&self) -> Standing {
        Standing::Anchored
    }
}
