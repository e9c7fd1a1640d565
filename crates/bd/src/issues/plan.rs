//! From an operation and what is in the store to the row that would be written, or a refusal. Pure but for reading the
//! view; it must not write, read a clock, or decide who may.

mod dependencies;
mod drafts;
mod leases;
mod updates;

use premath_kernel::{HolderProof, Holding, Lease, Moment, Status, authorise_write};

use super::naming::IdNaming;
use super::operation::{Holder, Operation};
use super::refusal::{IssueRefusal, RefusalClass};
use super::row::IssueRow;
use super::store::IssueView;
use crate::error::StoreError;
use crate::permit::Authority;

/// What would be written.
#[derive(Debug)]
pub(crate) enum Planned {
    /// One row.
    Row {
        /// What it takes the place of.
        before: Option<IssueRow>,
        /// The row, not yet sealed.
        row: IssueRow,
    },
    /// Nothing: everything is as wanted already.
    Nothing(Option<IssueRow>),
}

/// The answer of a plan: a refusal is no accident.
pub(crate) type Answer = Result<Result<Planned, IssueRefusal>, StoreError>;

/// What everything here works on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bench<'b> {
    view: &'b (dyn IssueView + 'b),
    authority: &'b Authority,
    naming: &'b IdNaming,
    now: Moment,
}

/// Plans one operation.
pub(crate) fn plan(
    view: &dyn IssueView,
    operation: &Operation,
    authority: &Authority,
    naming: &IdNaming,
    now: Moment,
) -> Answer {
    let bench = Bench { view, authority, naming, now };
    match operation {
        Operation::Add { draft, prefix } => bench.add(draft, prefix, None),
        Operation::Discover { parent, draft, prefix } => bench.add(draft, prefix, Some(parent)),
        Operation::Update { id, changes, holder } => bench.update(id, changes, holder),
        Operation::Claim { id, terms } => bench.claim(id, terms),
        Operation::ClaimNext { terms } => bench.claim_next(terms),
        Operation::LeaseRenew { id, holder, ttl_seconds } => bench.renew(id, holder, *ttl_seconds),
        Operation::LeaseRelease { id, holder } => bench.release(id, holder),
        Operation::DependencyAdd { id, depends_on, kind, by, holder } => {
            bench.add_dependency(id, depends_on, *kind, by.as_deref(), holder)
        }
        Operation::DependencyRemove { id, depends_on, kind, holder } => {
            bench.remove_dependency(id, depends_on, *kind, holder)
        }
        Operation::DependencyReplace { id, depends_on, from, kind, holder } => {
            bench.replace_dependency(id, depends_on, *from, *kind, holder)
        }
    }
}

/// A refusal inside a plan that went well.
fn refuse<T>(class: RefusalClass, detail: impl Into<String>) -> Result<Result<T, IssueRefusal>, StoreError> {
    Ok(Err(IssueRefusal::new(class, detail)))
}

impl<'b> Bench<'b> {
    /// The issue that must be there.
    fn existing(&self, id: &str) -> Result<Result<IssueRow, IssueRefusal>, StoreError> {
        match self.view.row(id.trim())? {
            Some(row) if row.status() == Status::Deleted => {
                refuse(RefusalClass::NotFound, format!("issue `{}` was deleted", id.trim().escape_debug()))
            }
            Some(row) => Ok(Ok(row)),
            None => refuse(RefusalClass::NotFound, format!("no issue `{}`", id.trim().escape_debug())),
        }
    }

    /// Whether there is an issue that another can depend on. A deleted one is none.
    fn is_there(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.view.facts(id)?.is_some_and(|facts| facts.status != Status::Deleted))
    }

    /// What the lease machine wants to know of an issue.
    fn holding<'h>(&self, row: &'h IssueRow, lease: Option<&'h Lease>) -> Result<Holding<'h>, StoreError> {
        let held_back = match row.facts() {
            Some(facts) => self.view.is_held_back(&facts)?,
            None => false,
        };
        Ok(Holding {
            issue_id: row.id(),
            status: row.status(),
            held_back,
            lease,
            last_fence: row.last_fence(),
            assignee: row.text("assignee"),
        })
    }

    /// Whether this writer may write to the issue. Whoever shows a lease is held to it. Others may write to what nobody
    /// holds; to what somebody holds only a person may, and never a turn or a worker.
    fn may_write(&self, row: &IssueRow, holder: &Holder) -> Result<Result<(), IssueRefusal>, StoreError> {
        let lease = row.lease();
        let is_held = lease.as_ref().is_some_and(|lease| lease.is_active(self.now));
        if !holder.is_named() && (self.authority.is_person || !is_held) {
            return Ok(Ok(()));
        }
        let holding = self.holding(row, lease.as_ref())?;
        Ok(authorise_write(&holding, &proof(holder), self.now).map_err(IssueRefusal::from))
    }
}

fn proof(holder: &Holder) -> HolderProof<'_> {
    HolderProof { owner: holder.owner.as_deref(), lease_id: holder.lease_id.as_deref(), fence: holder.fence }
}

/// The row with another status, and what follows from it: when it was closed, and that closed or open work is nobody's.
fn with_status(row: IssueRow, status: &str, now: Moment) -> IssueRow {
    let (before, after) = (row.status(), Status::from_token(status));
    let row = row.with_text("status", Some(status));
    let row = match (before, after) {
        (Status::Closed, Status::Closed) => row,
        (_, Status::Closed) => row.with_time("closed_at", Some(now)),
        (Status::Closed, _) => row.with("closed_at", None),
        _ => row,
    };
    match after {
        Status::InProgress => row,
        Status::Open | Status::Blocked | Status::Closed | Status::Deleted | Status::Other => {
            let fence = row.last_fence();
            let holder = row.lease().map(|lease| lease.owner);
            // Whoever was assigned by claiming it has given it back; `claim-next` gives it to anybody.
            let is_given_back =
                after == Status::Open && holder.is_some() && row.text("assignee") == holder.as_deref();
            let row = if is_given_back { row.with_text("assignee", None) } else { row };
            keep_fence(row.with_lease(None), fence)
        }
    }
}

/// The row remembers the highest fence in its witness, also when the lease goes.
fn keep_fence(row: IssueRow, fence: u64) -> IssueRow {
    if fence == 0 {
        return row;
    }
    let witness = premath_kernel::Object::fields().field("fence", super::row::counted(fence)).finish();
    row.with("write_witness", Some(witness))
}
