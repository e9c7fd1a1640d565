//! Rows of other stores: JSONL as beads writes it, taken over as it is, and rows to hand out.
//!
//! It must not guess: a line that cannot be read is reported with its number and left out, everything else stays as it
//! was written, fields and values of other tools included.

use premath_kernel::Moment;

use super::row::{IssueRow, Line, LineProblem, LineProblemClass, read_line};
use super::store::{IssueView, readable};
use crate::error::StoreError;
use crate::permit::{Authority, MaintenanceGrant};

/// A file of rows that was read.
#[derive(Debug, Default)]
pub struct Exchange {
    /// The rows, the last of each id.
    pub rows: Vec<IssueRow>,
    /// Lines that are no rows.
    pub problems: Vec<LineProblem>,
}

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Rows that were new or newer, and written.
    pub written: u64,
    /// Issues whose row here stays: it is newer, or somebody works on it.
    pub kept: Vec<String>,
    /// When they were written, as each of them says.
    pub at: Moment,
}

/// The lines that an import would write, and the issues it would leave as they are.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) lines: Vec<Vec<u8>>,
    kept: Vec<String>,
}

impl Merged {
    /// What it comes to.
    pub(crate) fn counted(&self, at: Moment) -> Imported {
        let written = u64::try_from(self.lines.len()).unwrap_or(u64::MAX);
        Imported { written, kept: self.kept.clone(), at }
    }
}

/// Reads a file of rows.
#[must_use]
pub fn read_exchange(bytes: &[u8]) -> Exchange {
    let mut exchange = Exchange::default();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1_u64..) {
        if number == 1 && super::row::without_mark(line).len() < line.len() {
            let detail = "the file begins with a byte order mark".to_owned();
            exchange.problems.push(LineProblem { line: 1, class: LineProblemClass::ByteOrderMark, detail });
        }
        match read_line(line) {
            Line::Blank => {}
            Line::Issue(read) => exchange.rows.extend(IssueRow::from_value(read.1.into_owned())),
            Line::Bad(class, detail) => exchange.problems.push(LineProblem { line: number, class, detail }),
        }
    }
    exchange.rows.reverse();
    let mut seen = std::collections::BTreeSet::new();
    exchange.rows.retain(|row| seen.insert(row.id().to_owned()));
    exchange.rows.reverse();
    exchange
}

/// What an import would write: new rows, and those that differ from what is here and are newer.
pub(crate) fn merged(
    view: &dyn IssueView,
    grant: &MaintenanceGrant,
    rows: Vec<IssueRow>,
    now: Moment,
) -> Result<Merged, StoreError> {
    let authority = Authority::maintenance(grant);
    let mut merged = Merged::default();
    for row in rows {
        let before = view.row(row.id())?;
        if before.as_ref().is_some_and(|before| content(before) == content(&row)) {
            continue;
        }
        if before.as_ref().is_some_and(|before| stays(before, &row, now)) {
            merged.kept.push(row.id().to_owned());
            continue;
        }
        // The revision goes on from the higher of the two, the fence likewise: an import never hands out an old fence.
        let rev = before.as_ref().map_or(0, IssueRow::rev).max(row.rev());
        let fence = before.as_ref().map_or(0, IssueRow::last_fence).max(row.last_fence());
        let row = row.with("rev", Some(super::row::counted(rev)));
        let witness = premath_kernel::Object::fields().field("fence", super::row::counted(fence)).finish();
        let row = row.with("write_witness", (fence > 0).then_some(witness));
        let row = row.sealed(before.as_ref(), "issue.import", &authority, now);
        merged.lines.push(readable(row.line())?);
    }
    Ok(merged)
}

/// Whether the row that is here outlives another: somebody holds the work, or it was changed later. A row that does not
/// say when it was changed is no newer than one that does.
fn stays(here: &IssueRow, other: &IssueRow, now: Moment) -> bool {
    let is_held = here.lease().is_some_and(|lease| lease.is_active(now));
    is_held || changed_at(here).is_some_and(|at| changed_at(other).is_none_or(|other| other <= at))
}

/// When a row was changed last, or its issue deleted.
fn changed_at(row: &IssueRow) -> Option<Moment> {
    row.time("updated_at").max(row.time("deleted_at"))
}

/// A row without what only says how often and by whom it was written.
fn content(row: &IssueRow) -> IssueRow {
    row.clone().with("rev", None).with("write_witness", None)
}
