//! Issue memory at one moment: the index up to its checkpoint, and the lines since then laid over it.

use std::borrow::Borrow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use premath_kernel::{Moment, Status, is_assigned_to_other, is_ready, natural_cmp};

use crate::error::StoreError;
use crate::issues::facts::Facts;
use crate::issues::graph::GraphView;
use crate::issues::index::{Content, Index, Visit, laid_over};
use crate::issues::row::{IssueRow, Line, LineProblem, LineProblemClass, read_line};
use crate::issues::store::{IssueView, Limit, RowRef, is_held_back};
use crate::log::{LogReader, Place, Standing};

/// No log is so long: from here on places are those of rows that were not written yet.
const PENDING: u64 = 1 << 62;

/// A view over a log that is read, or that is held under a writer's lock.
#[derive(Debug)]
pub(super) struct FileView<R> {
    reader: R,
    index: Option<Index>,
    /// The rows behind the index, the last of each id.
    tail: Content,
    /// The line behind the last newline, when it is whole.
    unterminated: Option<Place>,
    /// Rows that a merge of lines left to be written, each at a place where no log has lines.
    pending: Vec<Vec<u8>>,
    entries: OnceCell<BTreeMap<String, Option<Known>>>,
}

/// What the index says of an issue with a newer row.
#[derive(Debug, Clone, Copy)]
struct Known {
    number: u32,
    /// None for an id that is only named.
    status: Option<Status>,
}

impl<R: Borrow<LogReader> + Debug> FileView<R> {
    pub(super) fn new(reader: R, index: Option<Index>) -> Result<Self, StoreError> {
        let mut tail = Content::default();
        if let Some(index) = &index {
            tail.extent = index.extent();
        }
        let log: &LogReader = reader.borrow();
        let mut number = tail.extent.rows;
        log.each_line::<StoreError>(tail.extent.bytes, |place, line| {
            number += 1;
            tail.take_row(number, place, line);
            Ok(())
        })?;
        let mut unterminated = None;
        if let Some(line) = log.unterminated_line() {
            let place =
                Place { offset: log.extent().bytes, length: u32::try_from(line.len()).unwrap_or(u32::MAX) };
            tail.take_row(number + 1, place, line);
            unterminated = Some(place);
        }
        Ok(Self { reader, index, tail, unterminated, pending: Vec::new(), entries: OnceCell::new() })
    }

    /// The same with rows that stand behind those of the log.
    pub(super) fn with_pending(mut self, rows: &[IssueRow]) -> Self {
        let log: &LogReader = self.reader.borrow();
        let first = log.extent().rows + 2;
        for (row, number) in rows.iter().zip(0_u64..) {
            let line = row.line();
            let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
            self.tail.take_row(first + number, Place { offset: PENDING + number, length }, &line);
            self.pending.push(line);
        }
        self
    }

    /// Whether the log is still the one that this was made of.
    pub(super) fn is_current(&self) -> bool {
        let log: &LogReader = self.reader.borrow();
        log.is_unchanged()
    }

    /// Whether the log would hold more than twice the rows it needs with one more.
    pub(super) fn is_overgrown_with(&self, line: &[u8]) -> Result<bool, StoreError> {
        let rows = self.row_count() + 1;
        let indexed = self.index.as_ref().map_or(0, |index| u64::from(index.issues()) + index.bad_lines());
        if rows <= indexed.saturating_mul(2) {
            return Ok(false);
        }
        let mut needed = indexed + self.tail.bad_lines;
        for entry in self.entries()?.values() {
            needed += u64::from(entry.is_none_or(|entry| entry.status.is_none()));
        }
        if let Line::Issue(read) = read_line(line) {
            needed += u64::from(self.find(&read.0.id)?.is_none());
        }
        Ok(rows > needed.saturating_mul(2))
    }

    /// For each row behind the index what the index says of that issue; looked up once.
    fn entries(&self) -> Result<&BTreeMap<String, Option<Known>>, StoreError> {
        if let Some(entries) = self.entries.get() {
            return Ok(entries);
        }
        let mut entries = BTreeMap::new();
        for id in self.tail.issues.keys() {
            let known = match &self.index {
                Some(index) => match index.number(id)? {
                    Some(number) => Some(Known { number, status: index.status(number)? }),
                    None => None,
                },
                None => None,
            };
            entries.insert(id.clone(), known);
        }
        Ok(self.entries.get_or_init(|| entries))
    }

    fn status(&self, id: &str) -> Result<Option<Status>, StoreError> {
        if let Some((facts, _)) = self.tail.issues.get(id) {
            return Ok(Some(facts.status));
        }
        let Some(index) = &self.index else { return Ok(None) };
        match index.number(id)? {
            Some(number) => index.status(number),
            None => Ok(None),
        }
    }

    fn held_back(&self, facts: &Facts) -> Result<bool, StoreError> {
        is_held_back(facts, |id| self.status(id))
    }

    /// Entries of the index that no longer say the truth about readiness: those with a newer row, and those that depend
    /// on one which was resolved, reopened or made since.
    fn outdated(&self, index: &Index) -> Result<BTreeSet<u32>, StoreError> {
        let mut outdated = BTreeSet::new();
        for ((facts, _), known) in self.tail.issues.values().zip(self.entries()?.values()) {
            let Some(Known { number, status }) = *known else { continue };
            outdated.insert(number);
            if status.is_none_or(|status| status.is_resolved() != facts.status.is_resolved()) {
                outdated.extend(index.dependents(number)?);
            }
        }
        Ok(outdated)
    }

    /// Issues whose readiness the index does not know: their facts and rows, in the order of the ready ones.
    fn unsettled(&self, outdated: &BTreeSet<u32>) -> Result<Vec<(Facts, Place)>, StoreError> {
        let mut unsettled: Vec<(Facts, Place)> = self.tail.issues.values().cloned().collect();
        for number in outdated {
            let Some(index) = &self.index else { continue };
            let (Some(facts), Some(place)) = (index.facts(*number)?, index.row(*number)?) else { continue };
            if !self.tail.issues.contains_key(&facts.id) {
                unsettled.push((facts, place));
            }
        }
        unsettled.sort_by(|left, right| left.0.key().cmp(&right.0.key()));
        Ok(unsettled)
    }

    /// Ready issues in their order, until the visitor has enough: a merge of what the index knows and what it does not.
    fn each_ready(
        &self,
        mut visit: impl FnMut(Ready<'_>) -> Result<Visit, StoreError>,
    ) -> Result<(), StoreError> {
        let outdated = match &self.index {
            Some(index) => self.outdated(index)?,
            None => BTreeSet::new(),
        };
        let mut fresh = Vec::new();
        for (facts, place) in self.unsettled(&outdated)? {
            if is_ready(facts.status, self.held_back(&facts)?) {
                fresh.push((facts, place));
            }
        }
        let mut fresh = fresh.iter().peekable();
        let mut enough = false;
        if let Some(index) = &self.index {
            index.each_ready(|number| {
                if outdated.contains(&number) {
                    return Ok(Visit::More);
                }
                if fresh.peek().is_some() {
                    let Some(facts) = index.facts(number)? else { return Ok(Visit::More) };
                    while let Some((newer, place)) = fresh.next_if(|(newer, _)| newer.key() < facts.key()) {
                        if visit(Ready::Read(newer, *place))? == Visit::Enough {
                            enough = true;
                            return Ok(Visit::Enough);
                        }
                    }
                }
                let answer = visit(Ready::Indexed(index, number))?;
                enough = answer == Visit::Enough;
                Ok(answer)
            })?;
        }
        for (facts, place) in fresh {
            if enough || visit(Ready::Read(facts, *place))? == Visit::Enough {
                break;
            }
        }
        Ok(())
    }

    /// The rows of the issues whose status is wanted, in natural order of the ids.
    fn rows_with(&self, is_wanted: impl Fn(Status) -> bool) -> Result<Vec<RowRef>, StoreError> {
        let mut newer: Vec<&(Facts, Place)> = self.tail.issues.values().collect();
        newer.sort_by(|left, right| natural_cmp(&left.0.id, &right.0.id));
        let newer =
            newer.into_iter().map(|(facts, place)| (facts, is_wanted(facts.status).then_some(*place)));
        let Some(index) = &self.index else {
            return Ok(newer.filter_map(|(_, place)| place).map(RowRef).collect());
        };
        let rows = index.rows()?;
        let mut replaced: BTreeMap<u32, Option<Place>> = BTreeMap::new();
        let mut added: Vec<(u32, Option<Place>)> = Vec::new();
        for (facts, place) in newer {
            match index.search(&facts.id)? {
                Ok(number) => drop(replaced.insert(number, place)),
                Err(before) => added.push((before, place)),
            }
        }
        let mut added = added.into_iter().peekable();
        let mut all = Vec::with_capacity(rows.len());
        for (row, number) in rows.into_iter().zip(0_u32..) {
            while let Some((_, place)) = added.next_if(|(before, _)| *before <= number) {
                all.extend(place.map(RowRef));
            }
            let indexed = row.filter(|(_, status)| is_wanted(*status)).map(|(place, _)| place);
            all.extend(replaced.get(&number).copied().unwrap_or(indexed).map(RowRef));
        }
        all.extend(added.filter_map(|(_, place)| place).map(RowRef));
        Ok(all)
    }

    /// Whether the row at a place is assigned to somebody else than the claimant. The index says only that there is an
    /// assignee, so the row is read.
    fn is_assigned_to_other(&self, row: Option<Place>, claimant: &str) -> Result<bool, StoreError> {
        let Some(place) = row else { return Ok(false) };
        let row = IssueRow::read(&self.line(RowRef(place))?);
        Ok(row.is_some_and(|row| is_assigned_to_other(row.text("assignee"), row.lease().as_ref(), claimant)))
    }

    /// The first issue whose worker let its lease run out, in the order of the ready ones.
    fn first_abandoned(&self, claimant: &str, now: Moment) -> Result<Option<Facts>, StoreError> {
        let is_abandoned = |facts: &Facts| {
            facts.status == Status::InProgress && facts.lease_until.is_some_and(|until| until <= now)
        };
        let mut first: Option<Facts> = None;
        let is_taken = |facts: &Facts, row: Option<Place>| -> Result<bool, StoreError> {
            Ok(self.held_back(facts)? || (facts.is_assigned && self.is_assigned_to_other(row, claimant)?))
        };
        for (facts, place) in self.tail.issues.values() {
            let is_earlier = first.as_ref().is_none_or(|first| facts.key() < first.key());
            if is_earlier && is_abandoned(facts) && !is_taken(facts, Some(*place))? {
                first = Some(facts.clone());
            }
        }
        let Some(index) = &self.index else { return Ok(first) };
        index.each_leased(|number, until| {
            if until > now {
                return Ok(Visit::More);
            }
            let Some(facts) = index.facts(number)? else { return Ok(Visit::More) };
            if self.tail.issues.contains_key(&facts.id) || is_taken(&facts, index.row(number)?)? {
                return Ok(Visit::More);
            }
            if first.as_ref().is_none_or(|first| facts.key() < first.key()) {
                first = Some(facts);
            }
            Ok(Visit::Enough)
        })?;
        Ok(first)
    }
}

/// A ready issue, as far as it had to be read.
enum Ready<'r> {
    Indexed(&'r Index, u32),
    Read(&'r Facts, Place),
}

impl Ready<'_> {
    fn row(&self) -> Result<Option<Place>, StoreError> {
        match self {
            Self::Indexed(index, number) => index.row(*number),
            Self::Read(_, place) => Ok(Some(*place)),
        }
    }

    fn facts(&self) -> Result<Option<Facts>, StoreError> {
        match self {
            Self::Indexed(index, number) => index.facts(*number),
            Self::Read(facts, _) => Ok(Some((*facts).clone())),
        }
    }
}

impl<R: Borrow<LogReader> + Debug> IssueView for FileView<R> {
    fn find(&self, id: &str) -> Result<Option<RowRef>, StoreError> {
        if let Some((_, place)) = self.tail.issues.get(id) {
            return Ok(Some(RowRef(*place)));
        }
        let Some(index) = &self.index else { return Ok(None) };
        match index.number(id)? {
            Some(number) => Ok(index.row(number)?.map(RowRef)),
            None => Ok(None),
        }
    }

    fn line(&self, row: RowRef) -> Result<Vec<u8>, StoreError> {
        let reader: &LogReader = self.reader.borrow();
        if let Some(pending) = row.0.offset.checked_sub(PENDING) {
            let at = usize::try_from(pending).unwrap_or(usize::MAX);
            return Ok(self.pending.get(at).cloned().unwrap_or_default());
        }
        if self.unterminated == Some(row.0) {
            return Ok(reader.unterminated_line().unwrap_or_default().to_vec());
        }
        reader.line(row.0)
    }

    fn facts(&self, id: &str) -> Result<Option<Facts>, StoreError> {
        if let Some((facts, _)) = self.tail.issues.get(id) {
            return Ok(Some(facts.clone()));
        }
        let Some(index) = &self.index else { return Ok(None) };
        match index.number(id)? {
            Some(number) => index.facts(number),
            None => Ok(None),
        }
    }

    fn dependents(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let depends = |facts: &Facts| facts.blocking.iter().any(|one| one.depends_on == id);
        let newer = self.tail.issues.values().filter(|(facts, _)| depends(facts));
        let mut dependents: Vec<String> = newer.map(|(facts, _)| facts.id.clone()).collect();
        if let Some(index) = &self.index
            && let Some(number) = index.number(id)?
        {
            for dependent in index.dependents(number)? {
                let dependent = index.id(dependent)?;
                if !self.tail.issues.contains_key(&dependent) {
                    dependents.push(dependent);
                }
            }
        }
        dependents.sort_by(|left, right| natural_cmp(left, right));
        Ok(dependents)
    }

    fn ready(&self, limit: Limit) -> Result<Vec<RowRef>, StoreError> {
        let mut rows = Vec::new();
        if limit.is_reached(0) {
            return Ok(rows);
        }
        self.each_ready(|ready| {
            rows.extend(ready.row()?.map(RowRef));
            Ok(if limit.is_reached(rows.len()) { Visit::Enough } else { Visit::More })
        })?;
        Ok(rows)
    }

    fn first_claimable(&self, claimant: &str, now: Moment) -> Result<Option<String>, StoreError> {
        let mut first = None;
        self.each_ready(|ready| {
            let is_free = |facts: &Facts| facts.lease_until.is_none_or(|until| until <= now);
            let Some(facts) = ready.facts()?.filter(is_free) else { return Ok(Visit::More) };
            if facts.is_assigned && self.is_assigned_to_other(ready.row()?, claimant)? {
                return Ok(Visit::More);
            }
            first = Some(facts);
            Ok(Visit::Enough)
        })?;
        let abandoned = self.first_abandoned(claimant, now)?;
        let earliest =
            [first, abandoned].into_iter().flatten().min_by(|left, right| left.key().cmp(&right.key()));
        Ok(earliest.map(|facts| facts.id))
    }

    fn all(&self) -> Result<Vec<RowRef>, StoreError> {
        self.rows_with(|_| true)
    }

    fn live(&self) -> Result<Vec<RowRef>, StoreError> {
        self.rows_with(|status| status != Status::Deleted)
    }

    fn graph(&self) -> Result<GraphView, StoreError> {
        let older = match &self.index {
            Some(index) => index.base()?.issues,
            None => Vec::new(),
        };
        let issues = laid_over(older, self.tail.issues.values().cloned().collect());
        Ok(GraphView::new(issues.into_iter().map(|(facts, place)| (facts, RowRef(place))).collect()))
    }

    fn highest_number(&self, prefix: &str) -> Result<u64, StoreError> {
        let newer = self.tail.numbers.get(prefix).copied().unwrap_or(0);
        let older = match &self.index {
            Some(index) => index.highest_number(prefix)?,
            None => 0,
        };
        Ok(newer.max(older))
    }

    fn problems(&self) -> Result<Vec<LineProblem>, StoreError> {
        let reader: &LogReader = self.reader.borrow();
        let mut problems = match &self.index {
            Some(index) => index.problems()?,
            None => Vec::new(),
        };
        problems.extend(self.tail.problems.iter().cloned());
        let line = reader.extent().rows + 1;
        let problem = |class, detail: &str| LineProblem { line, class, detail: detail.to_owned() };
        if self.unterminated.is_some() {
            problems.push(problem(
                LineProblemClass::Unterminated,
                "the last line lacks its newline; it is read all the same",
            ));
        } else if !reader.rest().is_empty() {
            problems.push(problem(
                LineProblemClass::Torn,
                "the last line was cut short; the next change cuts it off",
            ));
        }
        Ok(problems)
    }

    fn row_count(&self) -> u64 {
        let reader: &LogReader = self.reader.borrow();
        reader.extent().rows
    }

    fn standing(&self) -> Standing {
        let reader: &LogReader = self.reader.borrow();
        reader.standing()
    }
}
