//! The instruction behind the changes of a run: one that somebody named, or one of the run's own, which is issued when the
//! first change is asked for, and again when its witness has ended.
//!
//! Every change is linked anew: an instruction that was edited, withdrawn or outlived since permits nothing. It must not let a
//! run change anything for which nobody could answer.

use std::sync::Arc;

use premath_bd::issues::Operation;
use premath_bd::{Distrust, Permit, PermitLedger, Spend, StoreError, TurnGrant};
use premath_kernel::Digest;
use premath_tusk::policy::GovernancePin;
use premath_tusk::turn_loop::RunConfig;

use super::lease::{Authority, Refused};
use super::run::Ground;
use crate::actions::conformance::NoVectors;
use crate::authority::{
    Denied, InstructionScope, Linked, NewInstruction, denied, evidence_missing, issue_as, link,
};
use crate::governance::pinned_refusal;
use crate::outside::NoModels;
use crate::table::{ActionError, Host};

const CLAIM_PREFIX: &str = "capabilities.change_morphisms.";

/// What stands behind the changes of one run.
#[derive(Debug)]
pub(super) struct RunAuthority<'g> {
    ground: Ground<'g>,
    run_id: String,
    instruction: Option<String>,
    actions: Vec<String>,
    /// The policy package that the run is bound to.
    pinned: Option<GovernancePin>,
}

/// The instruction that a run writes for itself, when nobody named one. It follows from the run's name alone, so that the same
/// run says the same again.
pub(super) fn own_instruction(run_id: &str) -> String {
    PermitLedger::reference(&own_name(run_id))
}

/// The ledger of the instruction that a run writes for itself.
pub(crate) fn own_ledger(run_id: &str) -> String {
    own_name(run_id)
}

/// The instruction of a run that goes on from another, or works for it: the same that somebody named, else its own.
pub(super) fn inherited(config: &RunConfig, run_id: &str) -> Option<String> {
    let reference = config.instruction_ref.as_deref()?;
    if is_own(reference, &config.run_id) {
        return Some(own_instruction(run_id));
    }
    Some(reference.to_owned())
}

/// On whose authority a run holds its issue: the instruction's that somebody named, else whoever's who stands at the door.
pub(super) fn authority(config: &RunConfig) -> Authority {
    let named = config.instruction_ref.clone().filter(|reference| !is_own(reference, &config.run_id));
    named.map_or(Authority::Door, Authority::Instruction)
}

fn is_own(reference: &str, run_id: &str) -> bool {
    reference.strip_prefix("instruction://").unwrap_or(reference) == own_name(run_id)
}

/// What an instruction of a run's own is called. Long names are cut, and told apart by a digest.
fn own_name(run_id: &str) -> String {
    let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
    let name: String = run_id.chars().map(|one| if plain(one) { one } else { '-' }).collect();
    if name == run_id && name.len() <= 64 {
        return format!("run-{name}");
    }
    let digest = Digest::of_bytes(run_id.as_bytes());
    let tail: String = digest.as_str().chars().rev().take(12).collect();
    let head: String = name.chars().take(48).collect();
    format!("run-{head}-{tail}")
}

impl<'g> RunAuthority<'g> {
    pub(super) fn new(ground: Ground<'g>, config: &RunConfig) -> Self {
        let action = |claim: &String| claim.strip_prefix(CLAIM_PREFIX).map(str::to_owned);
        Self {
            ground,
            run_id: config.run_id.clone(),
            instruction: config.instruction_ref.clone(),
            actions: config.capabilities.iter().filter_map(action).collect(),
            pinned: config.policy.as_ref().and_then(|policy| policy.governance.clone()),
        }
    }

    /// The permit for one change, of issues or of something else, spent; or why there is none, which is on record then.
    pub(super) fn permit(
        &self,
        grant: TurnGrant,
        operation: Option<&Operation>,
    ) -> Result<Result<Permit, Refused>, ActionError> {
        let action = grant.intent().action.as_str().to_owned();
        let issue = operation.and_then(Operation::issue_id);
        let permit = self.spent(grant, &action, operation)?;
        if let Err(why) = &permit {
            let door = format!("run:{}", self.run_id);
            let instruction = self.instruction.as_deref();
            denied(
                self.ground.workspace,
                &Denied { action: &action, issue_id: issue, instruction, door: &door },
                why,
            )?;
        }
        Ok(permit)
    }

    fn spent(
        &self,
        grant: TurnGrant,
        action: &str,
        operation: Option<&Operation>,
    ) -> Result<Result<Permit, Refused>, ActionError> {
        let workspace = self.ground.workspace;
        if let Some(refused) = pinned_refusal(workspace, self.pinned.as_ref())? {
            return Ok(Err(refused));
        }
        let linked = match self.linked()? {
            Ok(linked) => linked,
            Err(refused) => return Ok(Err(refused)),
        };
        let covered = match operation {
            Some(operation) => linked.allows(operation),
            None => linked.covers(action, None),
        };
        if let Err(refused) = covered {
            return Ok(Err(refused));
        }
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, linked.id())?;
        // A run that died between spending and changing asks again, and has looked whether the change was made.
        let door = format!("run:{}", self.run_id);
        let spend = Spend { door: &door, issue_id: operation.and_then(Operation::issue_id), again: true };
        Ok(match ledger.spend(grant, &spend, workspace.clock.as_ref())? {
            Ok(spent) => Ok(Permit::Turn(spent)),
            Err(why) => {
                Err(evidence_missing(why.to_string(), "ask for the change again in a turn of its own"))
            }
        })
    }

    /// The instruction as it is now.
    fn linked(&self) -> Result<Result<Linked, Refused>, ActionError> {
        let workspace = self.ground.workspace;
        let Some(reference) = &self.instruction else {
            let hint = "runs that began before changes were linked cannot change anything; start a new one";
            return Ok(Err(evidence_missing("the run has no instruction", hint)));
        };
        let id = reference.strip_prefix("instruction://").unwrap_or(reference);
        if !is_own(reference, &self.run_id) {
            return link(workspace, id);
        }
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, id)?;
        let holds = match ledger.issued() {
            // Nothing is issued over a ledger that was rolled back; linking says why.
            Err(StoreError::Untrusted { reason: Distrust::RolledBack, .. }) => true,
            issued => issued?.is_some_and(|issued| workspace.clock.now() < issued.expires_at),
        };
        if holds {
            return link(workspace, id);
        }
        let sandbox = self.ground.agent.sandbox();
        let host = Host {
            vectors: &NoVectors,
            workspace,
            models: &NoModels,
            sandbox: sandbox.as_ref(),
            agent: self.ground.agent,
        };
        let new = NewInstruction {
            name: own_name(&self.run_id),
            intent: format!("changes of run {}", self.run_id),
            scope: InstructionScope::Repository,
            checks: vec!["store".to_owned()],
            claims: self.actions.clone(),
        };
        issue_as(&host, id, &new)
    }
}
