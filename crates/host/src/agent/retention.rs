//! Runs that keep nothing: where their payloads are while they need them, and how those go.
//!
//! `.premath/runs/<run>/journal.jsonl` has what stays; the private store of the first run of a work has the rest, until the
//! work is over or somebody has it forgotten. It must not forget what a run can still go on from.

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::{Cursor, Journal, Objects, PrivateRun, StoreError, objects_folder, runs_folder, sessions};
use premath_kernel::Value;
use premath_tusk::policy::Observability;
use premath_wire::v1::{AuditRow, RunForgotten};

use super::kept::RETENTION;
use crate::desk_store::existing_desk;
use crate::table::ActionError;
use crate::workspace::{Retention, Workspace};

/// The repository as a new run sees it: one that keeps nothing has a store of its own.
pub(crate) fn of_new_run(workspace: &Workspace, run_id: &str) -> Workspace {
    let retention = match (&workspace.retention, workspace.settings.policy.observability()) {
        (Retention::Digests { .. }, _) => workspace.retention.clone(),
        (Retention::Payloads, Observability::Disabled) => Retention::Digests { owner: run_id.to_owned() },
        (Retention::Payloads, Observability::Dashboard | Observability::InternalProcessor) => {
            Retention::Payloads
        }
    };
    Workspace { retention, ..workspace.clone() }
}

/// The repository as a run sees it that has begun. Nothing of one whose store is gone can be seen.
pub(super) fn of_run(workspace: &Workspace, run_id: &str) -> Result<Workspace, ActionError> {
    let retention = match owner(workspace, run_id)? {
        None => Retention::Payloads,
        Some(owner) if private(workspace, &owner)?.exists()? => Retention::Digests { owner },
        Some(_) => return Err(ActionError::NotRetained { run_id: run_id.to_owned() }),
    };
    Ok(Workspace { retention, ..workspace.clone() })
}

/// The repository as the run of a plan sees it: as the run does that proposed it, which may be another process by now.
pub(super) fn of_plan(
    workspace: &Workspace,
    plan: &str,
    proposed_by: &str,
) -> Result<Workspace, ActionError> {
    if workspace.retention != Retention::Payloads {
        return Ok(workspace.clone());
    }
    match owner(workspace, plan)?.or(owner(workspace, proposed_by)?) {
        Some(owner) if private(workspace, &owner)?.exists()? => {
            Ok(Workspace { retention: Retention::Digests { owner }, ..workspace.clone() })
        }
        Some(_) => Err(ActionError::NotRetained { run_id: proposed_by.to_owned() }),
        None => Ok(of_new_run(workspace, plan)),
    }
}

/// The run whose private store has the payloads of a run; none for one that keeps them, or never began.
pub(crate) fn owner(workspace: &Workspace, run_id: &str) -> Result<Option<String>, StoreError> {
    let page = match kept(workspace, run_id)?.read_from(Cursor::START, 1) {
        Err(StoreError::Missing { .. }) => return Ok(None),
        page => page?,
    };
    let owner = |event: &Value<'_>| {
        event.as_object()?.get(RETENTION)?.as_object()?.get("owner")?.as_text().map(str::to_owned)
    };
    Ok(page.rows.first().and_then(|row| owner(&row.event)))
}

/// Whether what is left of a run is all there is of it.
pub(super) fn is_forgotten(workspace: &Workspace, run_id: &str) -> Result<bool, StoreError> {
    match owner(workspace, run_id)? {
        None => Ok(false),
        Some(owner) => Ok(!private(workspace, &owner)?.exists()?),
    }
}

pub(super) fn private(workspace: &Workspace, owner: &str) -> Result<PrivateRun, StoreError> {
    PrivateRun::of(Arc::clone(&workspace.disk), &workspace.root, owner)
}

/// The journal that stays.
pub(super) fn kept(workspace: &Workspace, run_id: &str) -> Result<Journal, StoreError> {
    Journal::open(Arc::clone(&workspace.disk), &runs_folder(&workspace.root), run_id)
}

/// The journal that has everything, as long as there is one.
pub(super) fn whole(workspace: &Workspace, run_id: &str) -> Result<Journal, StoreError> {
    match &workspace.retention {
        Retention::Payloads => kept(workspace, run_id),
        Retention::Digests { owner } => private(workspace, owner)?.journal(run_id),
    }
}

/// Where the payloads of runs go.
pub(super) fn objects(workspace: &Workspace) -> Result<Objects, StoreError> {
    let ids = Arc::clone(&workspace.ids);
    Ok(match &workspace.retention {
        Retention::Payloads => {
            Objects::new(Arc::clone(&workspace.disk), ids, objects_folder(&workspace.root))
        }
        Retention::Digests { owner } => private(workspace, owner)?.objects(ids),
    })
}

/// Deletes the private store of a work, and what was asked of people for it.
pub(super) fn forget(workspace: &Workspace, owner: &str) -> Result<(), StoreError> {
    let store = private(workspace, owner)?;
    if let Some(desk) = existing_desk(workspace)? {
        // What was done in this process is in the audit already; what waits there says no more than what is kept.
        crate::desk_store::publish(workspace, &desk)?;
        for run_id in store.runs()? {
            desk.forget_payloads(&run_id)?;
        }
    }
    store.delete()
}

/// Deletes the private store of a run that stopped and that nobody is to go on with.
pub(crate) fn forget_run(workspace: &Workspace, run_id: &str) -> Result<RunForgotten, ActionError> {
    let Some(owner) = owner(workspace, run_id)? else {
        let what = format!("there is no run `{run_id}` that keeps nothing");
        return Err(super::resume::missing(&what));
    };
    let store = private(workspace, &owner)?;
    let is_there = store.exists()?;
    let mut runs = BTreeSet::from([owner.clone(), run_id.to_owned()]);
    if is_there {
        let seen = Workspace { retention: Retention::Digests { owner: owner.clone() }, ..workspace.clone() };
        // Held while it goes: a run that somebody drives is not forgotten under their hands.
        let mut held = Vec::new();
        for run in store.runs()? {
            held.push(store.journal(&run)?.lock_for_deletion()?);
            runs.insert(run);
        }
        forget(&seen, &owner)?;
        let event = premath_kernel::Object::fields().field("kind", "run.forgotten").finish();
        kept(workspace, &owner)?.append(&event, workspace.clock.now())?;
    }
    // Also when it was gone already: whoever was at it may have died before this.
    super::footprint::forgotten(workspace, &runs)?;
    Ok(RunForgotten { action: "run.forget".to_owned(), run_id: owner, was_there: is_there })
}

/// The works that are over and whose private stores are still there: somebody died before they were deleted.
pub(crate) fn left_behind(workspace: &Workspace) -> Result<Vec<(String, PrivateRun)>, ActionError> {
    let mut left = Vec::new();
    for owner in sessions(workspace.disk.as_ref(), &runs_folder(&workspace.root))? {
        let store = private(workspace, &owner)?;
        if store.exists()? && is_over(workspace, &owner, &store)? {
            left.push((owner, store));
        }
    }
    Ok(left)
}

/// Deletes one of them.
pub(crate) fn delete_left(workspace: &Workspace, owner: &str) -> Result<(), StoreError> {
    forget(workspace, owner)
}

/// A work is over when one of its sessions, not a worker, has ended in a way that nobody goes on from.
fn is_over(workspace: &Workspace, owner: &str, store: &PrivateRun) -> Result<bool, ActionError> {
    for run_id in store.runs()?.into_iter().chain([owner.to_owned()]) {
        if super::traces::is_ended_for_good(workspace, &run_id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A row for the audit, without what a run that keeps nothing said or did it with.
pub(crate) fn audited(workspace: &Workspace, mut row: AuditRow) -> Result<AuditRow, StoreError> {
    let is_private = match (&workspace.retention, &row.run_id) {
        (Retention::Digests { .. }, _) => true,
        (Retention::Payloads, Some(run_id)) => owner(workspace, run_id).map(|owner| owner.is_some())?,
        (Retention::Payloads, None) => false,
    };
    if is_private {
        row.targets.clear();
        (row.reason, row.path, row.data) = (None, None, None);
    }
    Ok(row)
}
