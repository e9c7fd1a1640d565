//! What every store of issues can do, and the one way in which a change is made: under the store's lock, planned from
//! what is there, sealed with its authority, appended as one row.

use std::fmt::Debug;

use premath_kernel::{DependencyKind, Digest, Moment, Status, Value, natural_cmp};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::to_millis;
use serde_json::value::RawValue;

use super::exchange::Imported;
use super::facts::Facts;
use super::graph::GraphView;
use super::naming::IdNaming;
use super::operation::Operation;
use super::plan::{Planned, plan};
use super::refusal::IssueRefusal;
use super::row::{IssueRow, LineProblem, read_line};
use crate::clock::Clock;
use crate::error::StoreError;
use crate::log::{Place, Standing};
use crate::permit::{MaintenanceGrant, Permit};

/// Where a store keeps a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRef(pub(crate) Place);

/// How many answers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// All of them.
    All,
    /// The first so many.
    First(usize),
}

impl Limit {
    /// Whether so many are enough.
    #[must_use]
    pub const fn is_reached(self, count: usize) -> bool {
        match self {
            Self::All => false,
            Self::First(limit) => count >= limit,
        }
    }
}

/// Issue memory at one moment.
pub trait IssueView: Debug {
    /// Where the row of an issue is.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn find(&self, id: &str) -> Result<Option<RowRef>, StoreError>;

    /// The bytes of a row.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn line(&self, row: RowRef) -> Result<Vec<u8>, StoreError>;

    /// What the graph knows of an issue.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn facts(&self, id: &str) -> Result<Option<Facts>, StoreError>;

    /// Issues with a blocking dependency on this one.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn dependents(&self, id: &str) -> Result<Vec<String>, StoreError>;

    /// The ready issues, in their order.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn ready(&self, limit: Limit) -> Result<Vec<RowRef>, StoreError>;

    /// The first issue that `claim-next` would take for `claimant`.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn first_claimable(&self, claimant: &str, now: Moment) -> Result<Option<String>, StoreError>;

    /// Every issue, deleted ones too, in natural order of the ids.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn all(&self) -> Result<Vec<RowRef>, StoreError>;

    /// Every issue that was not deleted, in natural order of the ids.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn live(&self) -> Result<Vec<RowRef>, StoreError>;

    /// The whole graph.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn graph(&self) -> Result<GraphView, StoreError>;

    /// The highest number of the ids `<prefix>-<number>`.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn highest_number(&self, prefix: &str) -> Result<u64, StoreError>;

    /// Lines that are not as they should be.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn problems(&self) -> Result<Vec<LineProblem>, StoreError>;

    /// How many rows there are in all, superseded ones included.
    fn row_count(&self) -> u64;

    /// Whether others changed the rows behind our back.
    fn standing(&self) -> Standing;

    /// What a question came to when it was last asked of this very view; none where nothing is kept.
    fn kept_answer(&self, _question: &str) -> Option<Box<RawValue>> {
        None
    }

    /// Keeps what a question comes to for as long as the view is kept. It must depend on the view and the question alone: not on
    /// the time, nor on who asks.
    fn keep_answer(&self, _question: &str, _answer: &RawValue) {}
}

/// What happens under a store's lock: looks at the store, and makes the line to append, if any.
pub type Transaction<'t> = dyn FnMut(&dyn IssueView) -> Result<Option<Vec<u8>>, StoreError> + 't;

/// A store of issues.
pub trait IssueStore: Debug {
    /// Issue memory as it is now.
    ///
    /// # Errors
    /// A store that cannot be read: never an empty one in its place.
    fn view(&self) -> Result<Box<dyn IssueView + '_>, StoreError>;

    /// What new ids look like.
    fn naming(&self) -> &IdNaming {
        const { &IdNaming::Sequential }
    }

    /// Lets `change` look at the store under its lock and appends the line it makes, durably.
    ///
    /// # Errors
    /// A store that cannot be read or written; nothing was acknowledged then.
    fn transact(&self, change: &mut Transaction<'_>) -> Result<(), StoreError>;

    /// Rewrites the store with one row per issue; superseded rows move to the history.
    ///
    /// # Errors
    /// A store that cannot be read or written.
    fn compact(&self, grant: MaintenanceGrant) -> Result<Compacted, StoreError>;

    /// Takes over whole rows at once, all or none. What is here stays where it is newer, or where somebody works on it.
    ///
    /// # Errors
    /// A store that cannot be read or written.
    fn import(
        &self,
        grant: MaintenanceGrant,
        rows: Vec<IssueRow>,
        clock: &dyn Clock,
    ) -> Result<Imported, StoreError>;

    /// Every row an issue ever had, oldest first.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn history(&self, id: &str) -> Result<Vec<IssueRow>, StoreError>;
}

/// What compaction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Rows that stay.
    pub kept: u64,
    /// Rows that moved to the history.
    pub moved: u64,
}

/// What a change came to.
#[derive(Debug)]
pub enum Applied {
    /// A row was written.
    Written(Box<Written>),
    /// There was nothing to do: no issue to claim, or everything as wanted already.
    Nothing(Option<IssueRow>),
    /// It was refused, and nothing changed.
    Refused(IssueRefusal),
}

/// A row that was written, and what it took the place of.
#[derive(Debug)]
pub struct Written {
    /// The row.
    pub row: IssueRow,
    /// The row before it.
    pub before: Option<IssueRow>,
}

impl dyn IssueView + '_ {
    /// The row of an issue.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn row(&self, id: &str) -> Result<Option<IssueRow>, StoreError> {
        match self.find(id)? {
            Some(place) => Ok(IssueRow::read(&self.line(place)?)),
            None => Ok(None),
        }
    }

    /// The children of an issue that are not closed, in natural order: it cannot be closed before them.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn open_children(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let mut open = Vec::new();
        for dependent in self.dependents(id)? {
            let Some(facts) = self.facts(&dependent)? else { continue };
            let is_child = facts
                .blocking
                .iter()
                .any(|one| one.kind == DependencyKind::ParentChild && one.depends_on == id);
            if is_child && !facts.status.is_resolved() {
                open.push(dependent);
            }
        }
        open.sort_by(|left, right| natural_cmp(left, right));
        open.dedup();
        Ok(open)
    }

    /// Whether something holds an issue back.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn is_held_back(&self, facts: &Facts) -> Result<bool, StoreError> {
        is_held_back(facts, |id| Ok(self.facts(id)?.map(|facts| facts.status)))
    }
}

/// Whether something holds an issue back, given the status of what it depends on.
pub(crate) fn is_held_back(
    facts: &Facts,
    mut status: impl FnMut(&str) -> Result<Option<Status>, StoreError>,
) -> Result<bool, StoreError> {
    for dependency in &facts.blocking {
        if !dependency.kind.holds_back() {
            continue;
        }
        let target = premath_kernel::TargetState::of(status(&dependency.depends_on)?);
        if premath_kernel::holds_back(dependency.kind, target) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes one change, on the strength of one permit.
///
/// # Errors
/// A store that cannot be read or written; nothing was acknowledged then.
pub fn apply(
    store: &dyn IssueStore,
    permit: Permit,
    operation: &Operation,
    clock: &dyn Clock,
) -> Result<Applied, StoreError> {
    let authority = match permit.authorise(operation) {
        Ok(authority) => authority,
        Err(refusal) => return Ok(Applied::Refused(refusal.into())),
    };
    let mut outcome = None;
    store.transact(&mut |view| {
        // Under the lock: whoever waited for it is as late as the clock says now, not as it said then.
        let now = to_millis(clock.now());
        let planned = plan(view, operation, &authority, store.naming(), now)?;
        Ok(match planned {
            Ok(Planned::Row { before, row }) => {
                let row = row.sealed(before.as_ref(), operation.action(), &authority, now);
                let line = readable(row.line())?;
                outcome = Some(Applied::Written(Box::new(Written { row, before })));
                Some(line)
            }
            Ok(Planned::Nothing(row)) => {
                outcome = Some(Applied::Nothing(row));
                None
            }
            Err(refusal) => {
                outcome = Some(Applied::Refused(refusal));
                None
            }
        })
    })?;
    Ok(outcome.unwrap_or(Applied::Nothing(None)))
}

/// The line, if it will be read again: nothing is acknowledged that readers would refuse.
pub(crate) fn readable(line: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    parse(&line, Limits::default())?;
    Ok(line)
}

/// `iss1_` and the SHA-256 of the canonical rows in id order. What only says how often and by whom a row was written is
/// left out: equal content, equal ref.
///
/// # Errors
/// A store that cannot be read.
pub fn snapshot_ref(view: &dyn IssueView) -> Result<String, StoreError> {
    let mut failure = None;
    let places = view.all()?;
    let rows = places.iter().map_while(|place| match view.line(*place) {
        Ok(line) => Some(content(&line)),
        Err(error) => {
            failure = Some(error);
            None
        }
    });
    let digest = Digest::of_array(rows);
    match failure {
        Some(error) => Err(error),
        None => Ok(digest.as_str().replacen("sha256:", "iss1_", 1)),
    }
}

fn content(line: &[u8]) -> Value<'static> {
    let super::row::Line::Issue(read) = read_line(line) else { return Value::Null };
    let Value::Object(row) = read.1 else { return Value::Null };
    Value::Object(row.without("rev").without("write_witness")).into_owned()
}
