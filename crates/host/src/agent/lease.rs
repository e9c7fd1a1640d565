//! The lease of a run on its issue: taken when it begins, let go when it ends.

use std::sync::Arc;

use premath_bd::issues::{Applied, ClaimTerms, FileIssues, Holder, IssueRow, IssueStore as _, Operation};
use premath_bd::{LeaseGrant, Permit, StoreError};
use premath_kernel::{Digest, MAX_TTL_SECONDS, MIN_TTL_SECONDS};

use super::people::stored;
use crate::authority::link;
use crate::recording::{For, apply};
use crate::workspace::{DoorRefusal, Workspace};

/// Why a run does not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The failure class.
    pub class: String,
    /// Why.
    pub detail: String,
    /// What to do about it.
    pub hint: String,
}

impl From<DoorRefusal> for Refused {
    fn from(refusal: DoorRefusal) -> Self {
        Self { class: refusal.class.to_owned(), detail: refusal.detail, hint: refusal.hint }
    }
}

/// On whose authority a lease is taken.
#[derive(Debug, Clone)]
pub(super) enum Authority {
    /// Whoever stands at the door.
    Door,
    /// An instruction that somebody named.
    Instruction(String),
    /// The closed turn of a parent, which made the issue.
    Parent { run_id: String, policy: Digest },
}

/// A lease that a run holds.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) row: IssueRow,
    pub(super) holder: Holder,
    basis: Basis,
}

/// What a lease was taken on. Whoever could take it can let go of it on the same, also when the instruction has ended since.
#[derive(Debug, Clone)]
enum Basis {
    Door,
    Granted { instruction_ref: String, policy: Digest },
}

impl Basis {
    fn permit(&self, workspace: &Workspace, operation: &Operation) -> Result<Permit, Refused> {
        match self {
            Self::Door => workspace.door.permit(operation.action()).map_err(Refused::from),
            Self::Granted { instruction_ref, policy } => {
                Ok(Permit::Lease(LeaseGrant::new(instruction_ref.clone(), policy.clone())))
            }
        }
    }
}

fn store(workspace: &Workspace) -> FileIssues {
    FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None))
}

/// What an issue is taken or kept on, looked at now.
fn basis(
    workspace: &Workspace,
    authority: &Authority,
    operation: &Operation,
) -> Result<Result<Basis, Refused>, StoreError> {
    Ok(match authority {
        Authority::Door => Ok(Basis::Door),
        Authority::Instruction(named) => link(workspace, named).map_err(stored)?.and_then(|linked| {
            linked.allows(operation)?;
            let instruction_ref = linked.instruction_ref().to_owned();
            Ok(Basis::Granted { instruction_ref, policy: linked.policy_digest().clone() })
        }),
        Authority::Parent { run_id, policy } => {
            Ok(Basis::Granted { instruction_ref: format!("run://{run_id}"), policy: policy.clone() })
        }
    })
}

/// The same, with the permit for the operation.
fn permit(
    workspace: &Workspace,
    authority: &Authority,
    operation: &Operation,
) -> Result<Result<(Permit, Basis), Refused>, StoreError> {
    let basis = basis(workspace, authority, operation)?;
    Ok(basis.and_then(|basis| Ok((basis.permit(workspace, operation)?, basis))))
}

/// An issue as it is now; none when it is not there.
pub(super) fn look(workspace: &Workspace, issue: &str) -> Result<Option<IssueRow>, StoreError> {
    let store = store(workspace);
    if let Err(StoreError::DerivedDamaged { .. }) = store.view().map(drop) {
        store.discard_index()?;
    }
    Ok(match store.view() {
        Err(StoreError::Missing { .. }) => None,
        view => view?.row(issue)?,
    })
}

/// Takes an issue for a run, or keeps it: a run that died and goes on holds its lease still, and the changes that its closed
/// turn asked for name that lease.
pub(super) fn take(
    workspace: &Workspace,
    issue: &str,
    run_id: &str,
    wall_millis: Option<u64>,
    authority: &Authority,
) -> Result<Result<Held, Refused>, StoreError> {
    let owner = format!("premath/{run_id}");
    let now = workspace.clock.now();
    let lease = look(workspace, issue)?.and_then(|row| row.lease());
    if let Some(lease) = lease.filter(|lease| lease.owner == owner && lease.is_active(now)) {
        let holder = Holder { owner: Some(owner), lease_id: Some(lease.lease_id), fence: Some(lease.fence) };
        let ttl_seconds = seconds(wall_millis);
        let operation = Operation::LeaseRenew { id: issue.to_owned(), holder: holder.clone(), ttl_seconds };
        let (permit, basis) = match permit(workspace, authority, &operation)? {
            Ok(permit) => permit,
            Err(refused) => return Ok(Err(refused)),
        };
        if let Applied::Written(written) =
            apply(workspace, &store(workspace), permit, &operation, For::Run(run_id))?
        {
            return Ok(Ok(Held { row: written.row, holder, basis }));
        }
    }
    claim(workspace, issue, run_id, wall_millis, authority)
}

fn seconds(wall_millis: Option<u64>) -> u64 {
    let seconds = wall_millis.map_or(MAX_TTL_SECONDS, |millis| millis / 1000 + 600);
    seconds.clamp(MIN_TTL_SECONDS, MAX_TTL_SECONDS)
}

/// Takes an issue that nobody holds.
fn claim(
    workspace: &Workspace,
    issue: &str,
    run_id: &str,
    wall_millis: Option<u64>,
    authority: &Authority,
) -> Result<Result<Held, Refused>, StoreError> {
    let store = store(workspace);
    let assignee = format!("premath/{run_id}");
    let terms = ClaimTerms { ttl_seconds: seconds(wall_millis), ..ClaimTerms::of(&assignee) };
    let operation = Operation::Claim { id: issue.to_owned(), terms };
    let (permit, basis) = match permit(workspace, authority, &operation)? {
        Ok(permit) => permit,
        Err(refused) => return Ok(Err(refused)),
    };
    Ok(match apply(workspace, &store, permit, &operation, For::Run(run_id))? {
        Applied::Written(written) => {
            let lease = written.row.lease();
            let holder = Holder {
                owner: Some(assignee),
                lease_id: lease.as_ref().map(|lease| lease.lease_id.clone()),
                fence: lease.as_ref().map(|lease| lease.fence),
            };
            Ok(Held { row: written.row, holder, basis })
        }
        Applied::Nothing(_) => Err(Refused {
            class: "issue_not_found".to_owned(),
            detail: format!("there is no issue `{issue}`"),
            hint: "`premath issue list` shows what there is".to_owned(),
        }),
        Applied::Refused(refusal) => Err(Refused {
            class: refusal.class.code().to_owned(),
            detail: refusal.detail,
            hint: refusal.class.hint().to_owned(),
        }),
    })
}

/// Lets go of it. An issue that was closed, or taken over meanwhile, is nobody's to let go of.
pub(super) fn let_go(workspace: &Workspace, held: &Held) -> Result<(), StoreError> {
    let operation = Operation::LeaseRelease { id: held.row.id().to_owned(), holder: held.holder.clone() };
    let Ok(permit) = held.basis.permit(workspace, &operation) else { return Ok(()) };
    let owner = held.holder.owner.as_deref().and_then(|owner| owner.strip_prefix("premath/"));
    let asked = owner.map_or(For::Door, For::Run);
    match apply(workspace, &store(workspace), permit, &operation, asked)? {
        Applied::Written(_) | Applied::Nothing(_) | Applied::Refused(_) => Ok(()),
    }
}
