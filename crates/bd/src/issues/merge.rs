//! Three versions of issue memory made into one, by id, revision and field: what git's merge driver does, and what becomes of
//! files whose lines another program merged.
//!
//! Pure: equal versions give equal bytes, whichever side is called ours, and no clock is read.
//! No row and no value of either side may be lost. What cannot be decided is on record in the row (`conflicts`).

mod conflict;
mod divergence;
mod fields;
mod identity;
mod notes;
mod side;

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::natural_cmp;

pub use self::conflict::FieldConflict;
use self::divergence::{newest, resolve};
use self::identity::{derived_id, is_same_issue, precedence};
use self::side::{Side, id_of};
use super::row::IssueRow;
use crate::error::StoreError;
use crate::log::{Log, LogReader};

/// Issues that have one id may be told apart so often; beyond it they are merged like one.
const RENAMINGS: usize = 64;

/// What three versions of issue memory come to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergedIssues {
    /// The file.
    pub bytes: Vec<u8>,
    /// Issues with fields that the sides changed to different values.
    pub disputed: Vec<String>,
    /// Issues that have another id here than on their branch: the id they had, the one they have.
    pub renamed: Vec<(String, String)>,
}

/// Merges two versions of issue memory that began with a third.
#[must_use]
pub fn merge_issues(base: &[u8], ours: &[u8], theirs: &[u8]) -> MergedIssues {
    if let Some(bytes) = undisputed(base, ours, theirs) {
        return MergedIssues { bytes: bytes.to_vec(), ..MergedIssues::default() };
    }
    let mut sides = [base, ours, theirs].map(Side::read);
    let mut renamed = Vec::new();
    for _ in 0..RENAMINGS {
        let Some(collision) = collision(&sides) else { break };
        sides = collision.told_apart(sides);
        renamed.push((collision.id, collision.other_id));
    }
    let mut out = merged_lines(&sides);
    let mut disputed = Vec::new();
    for (id, rows) in changed_rows(&sides, &out) {
        let Some(wanted) = wanted_row(&sides, &id) else { continue };
        let former = renamed.iter().find(|(_, other)| *other == id).map(|(former, _)| former);
        let wanted = match former.filter(|_| rows.iter().all(|row| row.former_id().is_none())) {
            Some(former) => conflict::renamed(wanted, former),
            None => wanted,
        };
        if !wanted.conflicts().is_empty() {
            disputed.push(id);
        }
        if rows.last() != Some(&wanted) || resolve(&rows).current.is_some() {
            out.push(wanted.sealed_merge(&newest(&rows), &rows).line());
        }
    }
    MergedIssues { bytes: joined(&out), disputed, renamed }
}

/// Merges two versions of the history of issue memory that began with a third: every row of each is there once.
#[must_use]
pub fn merge_histories(base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    match undisputed(base, ours, theirs) {
        Some(bytes) => bytes.to_vec(),
        None => joined(&merged_lines(&[base, ours, theirs].map(Side::read))),
    }
}

/// The version that is left when at most one side changed anything.
fn undisputed<'b>(base: &'b [u8], ours: &'b [u8], theirs: &'b [u8]) -> Option<&'b [u8]> {
    if ours == theirs || theirs == base {
        return Some(ours);
    }
    (ours == base).then_some(theirs)
}

/// Rows to write behind those of a file whose lines another program put together from several branches; none for a file that
/// is as its head says. Rows that a branch compacted are looked up in
/// the history file.
///
/// # Errors
/// The log cannot be read.
pub(crate) fn unwritten_merges(reader: &LogReader, history: &Log) -> Result<Vec<IssueRow>, StoreError> {
    if reader.is_described() {
        return Ok(Vec::new());
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    reader.each_line::<StoreError>(0, |_, line| {
        if let Some(id) = id_of(line) {
            *counts.entry(id).or_default() += 1;
        }
        Ok(())
    })?;
    counts.retain(|_, count| *count > 1);
    let mut rows = rows_of(reader, |id| counts.contains_key(id))?;
    rows.retain(|_, rows| !resolve(rows).is_plain());
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut older = match history.read() {
        Ok(history) => rows_of(&history, |id| rows.contains_key(id))?,
        Err(StoreError::Missing { .. }) => BTreeMap::new(),
        Err(error) => return Err(error),
    };
    let resolutions = rows.into_iter().map(|(id, rows)| {
        let mut all = older.remove(&id).unwrap_or_default();
        all.sort_by_key(IssueRow::rev);
        all.retain(|row| !rows.contains(row));
        all.extend(rows);
        resolve(&all)
    });
    Ok(resolutions.flat_map(|one| one.renamed.into_iter().chain(one.current)).collect())
}

fn rows_of(
    reader: &LogReader,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Vec<IssueRow>>, StoreError> {
    let mut rows: BTreeMap<String, Vec<IssueRow>> = BTreeMap::new();
    reader.each_line::<StoreError>(0, |_, line| {
        let row = id_of(line).filter(|id| is_wanted(id)).and_then(|_| IssueRow::read(line));
        if let Some(row) = row {
            rows.entry(row.id().to_owned()).or_default().push(row);
        }
        Ok(())
    })?;
    Ok(rows)
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    bytes
}

/// Where a row belongs among others: its id and its revision.
type Standing = (String, u64);

/// The lines that are left: those of the base which neither side took out, where they stood, then what the sides added, in
/// natural order of the ids.
fn merged_lines([base, ours, theirs]: &[Side<'_>; 3]) -> Vec<Vec<u8>> {
    let (before, one, other) = (base.set(), ours.set(), theirs.set());
    let mut seen = BTreeSet::new();
    let kept = base.lines().filter(|line| one.contains(line) && other.contains(line) && seen.insert(*line));
    let mut lines: Vec<Vec<u8>> = kept.map(<[u8]>::to_vec).collect();
    let mut added: Vec<(Option<Standing>, &[u8])> = one
        .union(&other)
        .filter(|line| !before.contains(*line))
        .map(|line| (id_of(line).map(|id| (id, IssueRow::read(line).map_or(0, |row| row.rev()))), *line))
        .collect();
    added.sort_by(|(left, line), (right, other)| {
        let by_id = match (left, right) {
            (Some((left, rev)), Some((right, other))) => natural_cmp(left, right).then(rev.cmp(other)),
            (left, right) => left.is_none().cmp(&right.is_none()),
        };
        by_id.then_with(|| line.cmp(other))
    });
    lines.extend(added.into_iter().map(|(_, line)| line.to_vec()));
    lines
}

/// The rows of each issue that has not the same lines on all sides, as they stand in the merged file.
fn changed_rows(sides: &[Side<'_>; 3], out: &[Vec<u8>]) -> BTreeMap<String, Vec<IssueRow>> {
    let mut rows: BTreeMap<String, Vec<IssueRow>> =
        changed_ids(sides).into_iter().map(|id| (id, Vec::new())).collect();
    for line in out {
        let known = id_of(line).and_then(|id| rows.get_mut(&id));
        if let Some(known) = known {
            known.extend(IssueRow::read(line));
        }
    }
    rows
}

fn changed_ids(sides: &[Side<'_>; 3]) -> BTreeSet<String> {
    let ids: BTreeSet<&str> = sides.iter().flat_map(Side::ids).collect();
    let [base, ours, theirs] = sides;
    let is_changed =
        |id: &&str| !base.lines_of(id).eq(ours.lines_of(id)) || !base.lines_of(id).eq(theirs.lines_of(id));
    ids.into_iter().filter(is_changed).map(ToOwned::to_owned).collect()
}

/// The row of an issue on one side, when several branches are put together in it already.
fn current(rows: &[IssueRow]) -> Option<IssueRow> {
    resolve(rows).current.or_else(|| rows.last().cloned())
}

/// The row that the sides come to. Where they were merged, its revision and witness are those of one of them.
fn wanted_row(sides: &[Side<'_>; 3], id: &str) -> Option<IssueRow> {
    let [before, ours, theirs] =
        [0, 1, 2].map(|at| sides.get(at).map(|side| side.rows(id)).unwrap_or_default());
    let (one, other) = match (current(&ours), current(&theirs)) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    let common = || ours.iter().rev().find(|row| theirs.contains(row)).cloned();
    let base = current(&before).or_else(common);
    // A side that has seen the other one's row has the last word.
    let is_seen = |row: &IssueRow, rows: &[IssueRow]| rows.contains(row);
    if one == other || base.as_ref() == Some(&other) || is_seen(&other, &ours) {
        return Some(one);
    }
    if base.as_ref() == Some(&one) || is_seen(&one, &theirs) {
        return Some(other);
    }
    Some(fields::merged(base.as_ref(), &one, &other))
}

/// Two issues that were given the same id.
struct Collision {
    id: String,
    other_id: String,
    /// Whether each side has the issue that is to have another id.
    is_there: [bool; 3],
}

fn collision(sides: &[Side<'_>; 3]) -> Option<Collision> {
    let [base, ours, theirs] = sides;
    for id in changed_ids(sides) {
        let shares = ours.lines_of(&id).any(|line| theirs.lines_of(&id).any(|other| other == line));
        if shares {
            continue;
        }
        let (one, other) = (ours.rows(&id), theirs.rows(&id));
        let (Some(first), Some(other_first)) = (first_row(&one), first_row(&other)) else { continue };
        if is_same_issue(first, other_first) {
            continue;
        }
        let loser = if precedence(first, other_first).is_lt() { other_first } else { first };
        let has =
            |side: &Side<'_>| first_row(&side.rows(&id)).is_some_and(|first| is_same_issue(first, loser));
        let other_id = derived_id(loser);
        return Some(Collision { is_there: [has(base), has(ours), has(theirs)], id, other_id });
    }
    None
}

/// The row that an issue began with, as far as it is known.
fn first_row(rows: &[IssueRow]) -> Option<&IssueRow> {
    rows.iter().min_by_key(|row| row.rev())
}

impl Collision {
    /// The sides with the issue under another id where it is there.
    fn told_apart<'l>(&self, sides: [Side<'l>; 3]) -> [Side<'l>; 3] {
        let [has_base, _, _] = self.is_there;
        // What the base says of an id that is not in it is about no issue, and stays.
        let stays: BTreeSet<Vec<u8>> = match (has_base, sides.first()) {
            (false, Some(base)) => base.lines().map(<[u8]>::to_vec).collect(),
            _ => BTreeSet::new(),
        };
        let mut is_there = self.is_there.into_iter();
        sides.map(|side| match is_there.next() {
            Some(true) => side.renaming(&self.id, &self.other_id, |line| stays.contains(line)),
            Some(false) | None => side,
        })
    }
}
