//! From a change back over the instruction it is linked to: the permit that was spent, the instruction and its checks, and
//! whoever asked for it.

use std::sync::Arc;

use premath_bd::{PermitLedger, StoreError};
use premath_wire::v1::WhyKind;

use super::Trail;
use crate::authority::{checked_id, read_witness};
use crate::table::ActionError;

/// How an instruction is named in rows.
const SCHEME: &str = "instruction://";
/// How the own instruction of a run is.
const OF_A_RUN: &str = "instruction://run-";

/// Whether a change goes back to a run, which has a journal of its own.
pub(super) fn is_of_a_run(reference: Option<&str>) -> bool {
    reference.is_none_or(|reference| reference.starts_with(OF_A_RUN))
}

impl Trail<'_> {
    /// The instruction behind a change.
    pub(super) fn by_instruction(
        &mut self,
        depth: u64,
        reference: Option<&str>,
        permit: Option<&str>,
    ) -> Result<(), ActionError> {
        let Some(id) = reference.and_then(|reference| reference.strip_prefix(SCHEME)) else { return Ok(()) };
        if checked_id(id).is_err() {
            self.unknown(depth, format!("`{id}` is no instruction"));
            return Ok(());
        }
        let ledger = PermitLedger::open(Arc::clone(&self.workspace.disk), &self.workspace.root, id)?;
        let rows = match ledger.rows() {
            Err(StoreError::Corrupt { .. }) => {
                self.unknown(depth, format!("the permit ledger of {id} was changed by somebody else"));
                return Ok(());
            }
            rows => rows?,
        };
        if let Some(permit) = permit {
            match rows.iter().find(|row| row.permit_id.as_deref() == Some(permit)) {
                Some(row) => {
                    let door = row.door.as_deref().unwrap_or("somebody");
                    let step = self.step(depth, WhyKind::Permit, format!("a permit that {door} spent"));
                    step.at = Some(row.at.clone());
                    step.evidence = Some(permit.to_owned());
                }
                None => self.unknown(depth, format!("no ledger here has the permit {permit}")),
            }
        }
        let Some(issued) = rows.iter().rfind(|row| row.event == "issued") else {
            self.unknown(depth, format!("instruction {id} was not issued here"));
            return Ok(());
        };
        self.instruction(depth, id, issued.witness_digest.as_deref(), &issued.at)?;
        let actor = issued.actor.clone().unwrap_or_else(|| "somebody without a name".to_owned());
        self.step(depth + 1, WhyKind::Person, actor);
        Ok(())
    }

    fn instruction(
        &mut self,
        depth: u64,
        id: &str,
        issued: Option<&str>,
        at: &str,
    ) -> Result<(), ActionError> {
        let checks = match read_witness(self.workspace, id)? {
            Some((witness, digest)) if Some(digest.as_str()) == issued => {
                let passed = |one: &premath_wire::v1::InstructionCheckResult| {
                    format!("{} {}", one.check_id, one.status)
                };
                witness.results.iter().map(passed).collect::<Vec<_>>().join(", ")
            }
            Some(_) => "its witness is not the one that was issued".to_owned(),
            None => "its witness is gone".to_owned(),
        };
        let step = self.step(depth, WhyKind::Instruction, format!("instruction {id}: {checks}"));
        step.at = Some(at.to_owned());
        step.evidence = Some(format!("{SCHEME}{id}"));
        Ok(())
    }
}
