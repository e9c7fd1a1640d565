//! The door of a program: what it changes is linked to an instruction, whatever the configuration lets a person do.
//!
//! It must not let a program through where whoever runs it would be shut out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_bd::Permit;

use crate::workspace::{DoorRefusal, LinkedCall, MutationDoor};

/// Who stands behind the turns of programs in journals and ledgers.
pub(super) const CLIENT: &str = "scheme";

/// The door of one evaluation.
#[derive(Debug)]
pub(super) struct ProgramDoor {
    /// The door of whoever runs the program
    pub(super) outer: Arc<dyn MutationDoor>,
    /// The instruction that was named
    pub(super) instruction: Option<String>,
    /// The evaluation
    pub(super) evaluation: String,
    /// `scheme:<programDigest>`
    pub(super) model_ref: String,
    /// Which call of the evaluation is made
    pub(super) call: AtomicU64,
}

impl MutationDoor for ProgramDoor {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        match action {
            // Its policy and its checks decide about an instruction; the lanes are nobody's authority, and what is
            // written there is linked before.
            "instruction.run"
            | "harness.session.write"
            | "harness.feature.write"
            | "harness.trajectory.append" => self.outer.permit(action),
            _other => Err(instruction_missing()),
        }
    }

    fn linked(&self) -> Option<Result<LinkedCall, DoorRefusal>> {
        let Some(instruction) = &self.instruction else { return Some(Err(instruction_missing())) };
        // A process that may not even run an instruction may not change anything on the strength of one.
        if let Err(refusal) = self.outer.permit("instruction.run") {
            return Some(Err(refusal));
        }
        Some(Ok(LinkedCall {
            instruction: instruction.clone(),
            client: CLIENT.to_owned(),
            model_ref: Some(self.model_ref.clone()),
            call_id: Some(format!("{}.{}", self.evaluation, self.call.load(Ordering::Relaxed))),
        }))
    }

    fn links_records(&self) -> bool {
        true
    }

    fn name(&self) -> Option<&str> {
        Some(CLIENT)
    }

    fn is_client(&self) -> bool {
        self.outer.is_client()
    }

    fn actor(&self) -> Option<String> {
        self.outer.actor()
    }
}

/// What a program is told that has no instruction.
pub(super) fn instruction_missing() -> DoorRefusal {
    DoorRefusal {
        class: "mutation.use_evidence_missing",
        detail: "a program changes nothing without an instruction".to_owned(),
        hint: "`premath instruction-run` runs one; name it with --instruction".to_owned(),
    }
}
