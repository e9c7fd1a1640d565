//! The door of a client that is no person: an agent of somebody else, at the other end of a protocol.
//!
//! What it changes and what it writes down is linked to an instruction that it names with each call, or refused. It must not
//! make a permit of a person, whatever the configuration says.

use premath_bd::{Maintenance, MaintenanceGrant, Permit};
use premath_tusk::sandbox::Interrupt;

use super::refusal::EVIDENCE_MISSING;
use crate::workspace::{DoorRefusal, LinkedCall, MutationDoor};

/// What the name of a client begins with, wherever an actor is named.
pub(super) const CLIENT_PREFIX: &str = "external:";
/// How long the name of a client may be.
const LONGEST_NAME: usize = 48;
/// What a client is called that says nothing usable.
const NAMELESS: &str = "client";
/// The name of the door of a person, which nobody else gets.
const TERMINAL: &str = "terminal";

/// The door of a client.
#[derive(Debug, Clone)]
pub struct ClientDoor {
    client: String,
    is_step: bool,
    instruction: Option<String>,
    call_id: Option<String>,
    interrupt: Interrupt,
}

impl ClientDoor {
    /// The door of a client that calls itself `name`. `is_step` says that premath started this process for a step of its own.
    #[must_use]
    pub fn new(name: &str, is_step: bool) -> Self {
        Self {
            client: safe_name(name),
            is_step,
            instruction: None,
            call_id: None,
            interrupt: Interrupt::default(),
        }
    }

    /// What breaks off the calls through this door.
    #[must_use]
    pub fn interrupted_by(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// The same for one call that names an instruction, and perhaps what to call its turn.
    #[must_use]
    pub fn under(mut self, instruction: Option<String>, call_id: Option<String>) -> Self {
        (self.instruction, self.call_id) = (instruction, call_id);
        self
    }
}

/// A name that can be part of a path and of a reference.
fn safe_name(name: &str) -> String {
    let kept = |letter: char| {
        if letter.is_ascii_alphanumeric() || letter == '-' { letter.to_ascii_lowercase() } else { '-' }
    };
    let safe: String = name.chars().take(LONGEST_NAME).map(kept).collect();
    match safe.trim_matches('-') {
        "" => NAMELESS.to_owned(),
        TERMINAL => format!("{NAMELESS}-{TERMINAL}"),
        safe => safe.to_owned(),
    }
}

impl MutationDoor for ClientDoor {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        if self.is_step {
            return Err(in_a_step());
        }
        match action {
            // An instruction is decided by its policy and its checks, not by whoever runs it; what is written down was
            // linked before anybody asks here.
            "instruction.run"
            | "harness.session.write"
            | "harness.feature.write"
            | "harness.trajectory.append"
            | "harness.kpi.remediate" => {
                let by = Some(format!("{CLIENT_PREFIX}{}", self.client));
                Ok(Permit::Maintenance(MaintenanceGrant::new(Maintenance::Record).by(by, None)))
            }
            _ => Err(refusal(
                "a client changes nothing without an instruction",
                "run an instruction (`instruction_run`) and name it as `instruction` with the call",
            )),
        }
    }

    fn linked(&self) -> Option<Result<LinkedCall, DoorRefusal>> {
        if self.is_step {
            return Some(Err(in_a_step()));
        }
        let instruction = self.instruction.clone()?;
        Some(Ok(LinkedCall {
            instruction,
            client: self.client.clone(),
            model_ref: None,
            call_id: self.call_id.clone(),
        }))
    }

    fn actor(&self) -> Option<String> {
        Some(format!("{CLIENT_PREFIX}{}", self.client))
    }

    fn interrupt(&self) -> Option<Interrupt> {
        Some(self.interrupt.clone())
    }

    fn links_records(&self) -> bool {
        true
    }

    fn is_client(&self) -> bool {
        true
    }
}

fn in_a_step() -> DoorRefusal {
    refusal(
        "this process was started by premath for a step, and a step changes nothing on its own",
        "ask for the change in the turn that runs this step",
    )
}

fn refusal(detail: &str, hint: &str) -> DoorRefusal {
    DoorRefusal { class: EVIDENCE_MISSING, detail: detail.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests;
