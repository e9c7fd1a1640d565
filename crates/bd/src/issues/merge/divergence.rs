//! The rows of one issue as they stand in a file: which of them no other follows, and what they come to when there are
//! several, as after a merge that put the lines of two branches one behind the other.
//!
//! Rows that say what they follow are believed. Of others a row follows the one before it, unless there is another sealed row
//! with its revision. It must not look at rows of another id.

use std::collections::{BTreeMap, BTreeSet};

use super::conflict::renamed;
use super::fields;
use super::identity::{derived_id, is_same_issue, precedence};
use super::side::with_other_id;
use crate::issues::row::IssueRow;

/// What the rows of one id come to.
#[derive(Debug, Default)]
pub(super) struct Resolution {
    /// The row that stands when it is not the last one: to be written behind it.
    pub(super) current: Option<IssueRow>,
    /// Other issues that had the id, under ids of their own.
    pub(super) renamed: Vec<IssueRow>,
}

impl Resolution {
    /// Whether the last row stands, as in any ordinary file.
    pub(super) fn is_plain(&self) -> bool {
        self.current.is_none() && self.renamed.is_empty()
    }
}

/// One end of the history of an issue: its newest row, and the row it began with.
#[derive(Debug, Clone, Copy)]
struct End {
    newest: usize,
    first: usize,
}

/// The ends of the rows of one id, and the row that they have in common.
#[derive(Debug, Default)]
struct Ends {
    ends: Vec<End>,
    base: Option<usize>,
    has_no_base: bool,
}

/// What the rows of one id come to, in the order in which they stand.
pub(super) fn resolve(rows: &[IssueRow]) -> Resolution {
    let Some(last) = rows.len().checked_sub(1) else { return Resolution::default() };
    let found = ends(rows);
    if let [only] = found.ends.as_slice() {
        let stands = rows.get(only.newest).filter(|_| only.newest != last);
        let current = stands.map(|row| row.clone().sealed_merge(&[row], rows));
        return Resolution { current, renamed: Vec::new() };
    }
    let base = found.base.filter(|_| !found.has_no_base).and_then(|at| rows.get(at));
    let mut groups = groups(rows, &found.ends, base);
    groups.sort_by(|one, other| precedence(one.first, other.first));
    let mut groups = groups.into_iter();
    let keeper = groups.next();
    let mut resolution = Resolution::default();
    let mut all: Vec<&IssueRow> = keeper.iter().flat_map(|group| group.rows.iter().copied()).collect();
    for group in groups {
        let row = with_other_id(group.content(None), group.first.id(), &derived_id(group.first));
        resolution.renamed.push(renamed(row, group.first.id()).sealed_merge(&group.rows, rows));
        all.extend(&group.rows);
    }
    resolution.current = keeper.map(|group| group.content(base).sealed_merge(&all, rows));
    resolution
}

/// The rows that no other one follows.
pub(super) fn newest(rows: &[IssueRow]) -> Vec<&IssueRow> {
    ends(rows).ends.iter().filter_map(|end| rows.get(end.newest)).collect()
}

/// The ends that are of one issue.
struct Group<'r> {
    first: &'r IssueRow,
    rows: Vec<&'r IssueRow>,
}

impl Group<'_> {
    fn content(&self, base: Option<&IssueRow>) -> IssueRow {
        let mut rows = self.rows.iter();
        let first = rows.next().map_or_else(|| self.first.clone(), |row| (*row).clone());
        rows.fold(first, |merged, row| fields::merged(base, &merged, row))
    }
}

fn groups<'r>(rows: &'r [IssueRow], ends: &[End], base: Option<&IssueRow>) -> Vec<Group<'r>> {
    let mut groups: Vec<Group<'r>> = Vec::new();
    for end in ends {
        let (Some(first), Some(newest)) = (rows.get(end.first), rows.get(end.newest)) else { continue };
        let known = groups.iter_mut().find(|group| base.is_some() || is_same_issue(group.first, first));
        match known {
            Some(group) => group.rows.push(newest),
            None => groups.push(Group { first, rows: vec![newest] }),
        }
    }
    for group in &mut groups {
        group.rows.sort_by_cached_key(|row| (row.version(), row.line()));
    }
    groups
}

fn ends(rows: &[IssueRow]) -> Ends {
    let versions: Vec<String> = rows.iter().map(IssueRow::version).collect();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (version, at) in versions.iter().zip(0..) {
        places.entry(version).or_insert(at);
    }
    // A row that another one follows is no end, also where it stands behind it.
    let followed: BTreeSet<&str> = rows.iter().flat_map(IssueRow::parents).collect();
    let mut found = Ends::default();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for ((row, version), at) in rows.iter().zip(&versions).zip(0..) {
        if let Some(twin) = seen.get(version.as_str()) {
            // A sealed row that is there already says nothing new; a changed copy is somebody's hand, and the last line wins.
            if row.seal().is_none() || rows.get(*twin) != Some(row) {
                found.follow_last(at);
            }
            continue;
        }
        let parents = row.parents();
        if named.contains(version.as_str()) {
            found.note_ancestor(at);
        } else if parents.is_empty() {
            found.take_unlinked(rows, at);
        } else {
            found.take_linked(rows, at, &parents, &places);
        }
        seen.insert(version, at);
        named.extend(row.parents());
    }
    found
        .ends
        .retain(|end| versions.get(end.newest).is_none_or(|version| !followed.contains(version.as_str())));
    if found.ends.is_empty() {
        found.follow_last(rows.len().saturating_sub(1));
    }
    found
}

impl Ends {
    fn follow_last(&mut self, at: usize) {
        match self.ends.last_mut() {
            Some(end) => end.newest = at,
            None => self.ends.push(End { newest: at, first: at }),
        }
    }

    /// A row that stands behind those that follow it: they may have left each other there.
    fn note_ancestor(&mut self, at: usize) {
        self.base = Some(self.base.unwrap_or(at));
    }

    /// A row that does not say what it follows.
    fn take_unlinked(&mut self, rows: &[IssueRow], at: usize) {
        let before = rows.get(..at).unwrap_or_default();
        let Some(row) = rows.get(at) else { return };
        let newest = self.ends.iter().filter_map(|end| rows.get(end.newest));
        let is_older = row.rev() > 0
            && newest.clone().next().is_some()
            && newest.clone().all(|one| one.rev() > row.rev());
        let is_twin = |one: &IssueRow| one.rev() == row.rev() && one.seal_holds() == Some(true);
        let has_twin = row.rev() > 0 && before.iter().any(is_twin);
        if !(is_older || has_twin) || row.seal_holds() != Some(true) {
            self.follow_last(at);
        } else if !has_twin && row.rev() <= 1 && newest.clone().all(|one| is_same_issue(row, one)) {
            // What they began with, from before a compaction of one side.
        } else {
            let base = before.iter().rposition(|one| one.rev() < row.rev());
            self.branch_off(rows, at, base);
        }
    }

    fn take_linked(
        &mut self,
        rows: &[IssueRow],
        at: usize,
        parents: &[&str],
        places: &BTreeMap<&str, usize>,
    ) {
        let Some(row) = rows.get(at) else { return };
        let is_followed = |end: &End| {
            let Some(newest) = rows.get(end.newest) else { return false };
            let is_unlinked = newest.parents().is_empty() && newest.rev() < row.rev();
            parents.contains(&newest.version().as_str()) || (row.is_merge() && is_unlinked)
        };
        let first = self.ends.iter().find(|end| is_followed(end)).map(|end| end.first);
        if let Some(first) = first {
            self.ends.retain(|end| !is_followed(end));
            self.ends.push(End { newest: at, first });
        } else if self.ends.is_empty() {
            self.ends.push(End { newest: at, first: at });
        } else {
            let base = parents.iter().filter_map(|parent| places.get(*parent)).min().copied();
            self.branch_off(rows, at, base);
        }
    }

    /// Another end, which leaves the others at a row, or at one that is not here.
    fn branch_off(&mut self, rows: &[IssueRow], at: usize, base: Option<usize>) {
        let first = match base {
            Some(base) => {
                self.base = Some(self.base.map_or(base, |known| known.min(base)));
                let begins = |end: &End| end.first <= base;
                self.ends.iter().find(|end| begins(end)).map_or(at, |end| end.first)
            }
            None => {
                self.has_no_base = true;
                at
            }
        };
        debug_assert!(rows.len() > at, "the end is one of the rows");
        self.ends.push(End { newest: at, first });
    }
}
