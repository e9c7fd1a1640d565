//! The instruction that a refused call named, for its envelope: which one, and under which policy.
//!
//! Whoever reads a refusal learns what it was judged under. It must not say that the instruction holds.

use premath_bd::PermitLedger;

use super::envelope::checked_id;
use super::policy::Policies;
use super::witness::read_witness;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What a call named.
#[derive(Debug)]
pub(crate) struct NamedInstruction {
    /// How rows name the instruction.
    pub(crate) reference: String,
    /// The policy of its witness, or the one in force; none where it cannot be read.
    pub(crate) policy_digest: Option<String>,
}

/// The instruction that calls through this workspace's door name; none where they name none, or no possible one.
///
/// # Errors
/// A store that gives no answer.
pub(crate) fn named_instruction(workspace: &Workspace) -> Result<Option<NamedInstruction>, ActionError> {
    let Some(Ok(call)) = workspace.door.linked() else { return Ok(None) };
    let id = call.instruction.strip_prefix("instruction://").unwrap_or(&call.instruction);
    if checked_id(id).is_err() {
        return Ok(None);
    }
    let witnessed = read_witness(workspace, id)?.map(|(witness, _)| witness.policy_digest);
    // A policy that cannot be read is what the refusal is about; it has no digest to name.
    let in_force = || {
        let policies = Policies::load(workspace).ok()?;
        policies.own().map(|policy| policy.digest.as_str().to_owned())
    };
    Ok(Some(NamedInstruction {
        reference: PermitLedger::reference(id),
        policy_digest: witnessed.or_else(in_force),
    }))
}
