//! One change that somebody outside asks for, with an instruction in hand.
//!
//! Taking, keeping and letting go of work needs the instruction alone; everything else is a turn of its own. Refusals are on
//! record. It must not fall back on whatever the caller would be allowed without the instruction.

use premath_bd::doors_folder;
use premath_bd::issues::{Applied, FileIssues, Operation};

use super::door::{Changed, HarnessDoor};
use super::link::{Linked, link};
use super::refusal::{Denied, denied, evidence_missing};
use crate::agent::RunRefused;
use crate::governance::package_refusal;
use crate::recording::{For, apply};
use crate::table::{ActionError, Link};
use crate::workspace::{LinkedCall, Workspace};

/// Makes one change that is linked to an instruction.
///
/// # Errors
/// A store or a policy that gives no answer.
pub(crate) fn linked_change(
    workspace: &Workspace,
    store: &FileIssues,
    call: &LinkedCall,
    operation: &Operation,
) -> Result<Result<(Applied, Link), RunRefused>, ActionError> {
    // Another repository has its own policies and its own ledgers, and this one's say nothing there.
    if store.path() != workspace.issues_path(None) {
        let hint = "go to the repository that the issues belong to, and run an instruction there";
        let why = evidence_missing("an instruction is for the issue memory of its own repository", hint);
        return refuse(workspace, call, operation, why);
    }
    let linked = match link(workspace, &call.instruction)? {
        Ok(linked) => linked,
        Err(why) => return refuse(workspace, call, operation, why),
    };
    if operation.is_about_a_lease() {
        // Whoever holds work may keep it and let go of it under any policy; nobody takes more.
        let keeps = matches!(operation, Operation::LeaseRenew { .. } | Operation::LeaseRelease { .. });
        if let Some(why) = if keeps { None } else { package_refusal(workspace)? } {
            return refuse(workspace, call, operation, why);
        }
        return match linked.lease_permit(operation) {
            Ok(permit) => {
                let applied = apply(workspace, store, permit, operation, For::Door)?;
                Ok(Ok((applied, linked_to(&linked, None))))
            }
            Err(why) => refuse(workspace, call, operation, why),
        };
    }
    let model_ref = call.model_ref.clone().unwrap_or_else(|| format!("external:{}", call.client));
    let door = HarnessDoor::new(workspace, &model_ref, &doors_folder(&workspace.root), &call.client)?;
    let call_id = call.call_id.clone().unwrap_or_else(|| workspace.ids.fresh());
    match door.change(&linked, &call_id, operation, (&operation.args_digest(), None), &[])? {
        Changed::Applied { applied, witness_ref, .. } => {
            Ok(Ok((applied, linked_to(&linked, Some(witness_ref)))))
        }
        Changed::Refused(why) => Ok(Err(why)),
    }
}

/// What an answer says of the instruction behind it.
pub(super) fn linked_to(linked: &Linked, witness_ref: Option<String>) -> Link {
    Link {
        instruction_ref: linked.instruction_ref().to_owned(),
        policy_digest: linked.policy_digest().as_str().to_owned(),
        witness_ref,
    }
}

fn refuse<T>(
    workspace: &Workspace,
    call: &LinkedCall,
    operation: &Operation,
    why: RunRefused,
) -> Result<Result<T, RunRefused>, ActionError> {
    let what = Denied {
        action: operation.action(),
        issue_id: operation.issue_id(),
        instruction: Some(&call.instruction),
        door: &call.client,
    };
    denied(workspace, &what, &why)?;
    Ok(Err(why))
}
