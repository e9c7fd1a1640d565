//! Who stands at the terminal: the one place that makes a person's permit, and only as the configuration allows.
//!
//! A process that premath started is never a person, whatever it says.

use premath_bd::{Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, Permit};
use premath_host::{DoorRefusal, LinkedCall, MutationDoor, TerminalAuthority};

/// The door of a terminal.
#[derive(Debug)]
pub(crate) struct TerminalDoor {
    /// What the configuration lets a terminal change.
    pub(crate) authority: TerminalAuthority,
    /// The reason that was given with the command.
    pub(crate) reason: Option<String>,
    /// The name of the person, where the system knows one.
    pub(crate) actor: Option<String>,
    /// Whether this process was started by premath for a step of its own.
    pub(crate) is_step: bool,
    /// The instruction that was named with the command.
    pub(crate) instruction: Option<NamedInstruction>,
}

/// An instruction that a command names.
#[derive(Debug, Clone)]
pub(crate) struct NamedInstruction {
    /// Which.
    pub(crate) id: String,
    /// What to call the turn.
    pub(crate) call_id: Option<String>,
}

impl MutationDoor for TerminalDoor {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        if self.is_step {
            return Err(not_a_person());
        }
        match upkeep(action) {
            // Lanes are nobody's authority: whoever may write the files may write them.
            Some(purpose @ Maintenance::Record) => Ok(self.maintenance(purpose, None)),
            // No issue changes, so nobody needs a reason; but a repair accepts rows that somebody tampered with.
            Some(
                purpose @ (Maintenance::Compact
                | Maintenance::CollectGarbage
                | Maintenance::Repair
                | Maintenance::Trust),
            ) => match self.authority {
                TerminalAuthority::InstructionLinked => Err(instruction_needed()),
                TerminalAuthority::Operator | TerminalAuthority::HumanOverride => {
                    Ok(self.maintenance(purpose, self.given().map(str::to_owned)))
                }
            },
            Some(purpose @ Maintenance::Import) => self.basis().map(|basis| match basis {
                OperatorBasis::Configured => self.maintenance(purpose, None),
                OperatorBasis::Override { reason } => self.maintenance(purpose, Some(reason)),
            }),
            None => self.basis().map(|basis| Permit::Operator(OperatorGrant::new(self.actor.clone(), basis))),
        }
    }

    fn linked(&self) -> Option<Result<LinkedCall, DoorRefusal>> {
        let named = self.instruction.as_ref()?;
        if self.is_step {
            return Some(Err(not_a_person()));
        }
        Some(Ok(LinkedCall {
            instruction: named.id.clone(),
            client: "terminal".to_owned(),
            model_ref: None,
            call_id: named.call_id.clone(),
        }))
    }

    fn actor(&self) -> Option<String> {
        self.actor.clone()
    }
}

fn not_a_person() -> DoorRefusal {
    refusal(
        "this process was started by premath for a step, and a step is not a person",
        "ask for the change in the turn that runs this step",
    )
}

fn upkeep(action: &str) -> Option<Maintenance> {
    match action {
        "issue.compact" => Some(Maintenance::Compact),
        "workspace.gc" => Some(Maintenance::CollectGarbage),
        "issue.import" | "workspace.init" => Some(Maintenance::Import),
        // An instruction is decided by its policy and its checks, not by whoever runs it.
        "audit.verify"
        | "instruction.run"
        | "harness.session.write"
        | "harness.feature.write"
        | "harness.trajectory.append"
        | "harness.kpi.remediate" => Some(Maintenance::Record),
        "workspace.trust" => Some(Maintenance::Trust),
        _ if action.starts_with("doctor") || action.ends_with(".doctor") => Some(Maintenance::Repair),
        _ => None,
    }
}

impl TerminalDoor {
    fn maintenance(&self, purpose: Maintenance, reason: Option<String>) -> Permit {
        Permit::Maintenance(MaintenanceGrant::new(purpose).by(self.actor.clone(), reason))
    }

    /// The reason that was given, where it says something.
    fn given(&self) -> Option<&str> {
        self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty())
    }

    /// Why the person may do it.
    fn basis(&self) -> Result<OperatorBasis, DoorRefusal> {
        match (self.authority, self.given()) {
            (TerminalAuthority::Operator, None) => Ok(OperatorBasis::Configured),
            (TerminalAuthority::Operator | TerminalAuthority::HumanOverride, Some(reason)) => {
                Ok(OperatorBasis::Override { reason: reason.to_owned() })
            }
            (TerminalAuthority::HumanOverride, None) => Err(refusal(
                "premath.toml lets a person change this only with a reason",
                "say why with --override-reason",
            )),
            (TerminalAuthority::InstructionLinked, _) => Err(instruction_needed()),
        }
    }
}

fn instruction_needed() -> DoorRefusal {
    refusal(
        "premath.toml lets nothing be changed without an instruction",
        "run an instruction and name it with --instruction, or set `[mutation] cli = \"operator\"` in premath.toml",
    )
}

fn refusal(detail: &str, hint: &str) -> DoorRefusal {
    DoorRefusal { class: "mutation.use_evidence_missing", detail: detail.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests;
