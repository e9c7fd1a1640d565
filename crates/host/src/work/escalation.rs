//! Telling of a failure: another issue, or a note on this one, through a door of its own.
//!
//! The door consumes what failed, and may only discover an issue or mark one blocked. While an issue about the same failure
//! is open no second one is made, also after a crash: its id follows from what it is about. It must not close anything.

use premath_bd::issues::{Applied, Change, Holder, IssueChanges, IssueDraft, Operation};
use premath_kernel::{EscalationAction, Status};
use premath_tusk::session::{Escalation, StepEvent};

use super::bench::Bench;
use super::workable::ESCALATION;
use crate::authority::{Changed, Linked};
use crate::table::ActionError;

/// So often the same failure of the same issue may be told of after it was thought to be mended.
const MOST: u32 = 1_000;

/// What came of one change.
enum Told {
    Done(Vec<String>),
    Refused(String),
}

impl Bench<'_> {
    /// Tells of a failure of a step; of what went wrong in words, where that is known.
    pub(super) fn escalate(
        &self,
        linked: &Linked,
        escalation: &Escalation,
        (step_id, failure): (&str, Option<&str>),
    ) -> Result<StepEvent, ActionError> {
        let mut refs = Vec::new();
        let discovered = match escalation.action {
            EscalationAction::IssueDiscover => match self.discover(linked, escalation, (step_id, failure))? {
                (Told::Refused(class), _) => return Ok(StepEvent::Refused { class }),
                (Told::Done(made), id) => {
                    refs.extend(made);
                    Some(id)
                }
            },
            EscalationAction::MarkBlocked | EscalationAction::Stop => None,
        };
        match self.block(linked, escalation, (step_id, failure), discovered.as_deref())? {
            Told::Refused(class) => Ok(StepEvent::Refused { class }),
            Told::Done(made) => {
                refs.extend(made);
                Ok(StepEvent::Escalated { refs })
            }
        }
    }

    /// The issue that is about the failure: the one that is open, or a new one.
    fn discover(
        &self,
        linked: &Linked,
        escalation: &Escalation,
        (step_id, failure): (&str, Option<&str>),
    ) -> Result<(Told, String), ActionError> {
        let issue_id = &escalation.held.issue_id;
        let classes = escalation.classes.join(", ");
        let said = in_words(failure);
        for number in 1..=MOST {
            let id = escalation_id(issue_id, &escalation.classes, number);
            match self.look(&id)?.map(|row| row.status()) {
                Some(Status::Closed | Status::Deleted) => continue,
                Some(_) => return Ok((Told::Done(Vec::new()), id)),
                None => {}
            }
            let description = format!(
                "Work on {issue_id} failed {} times with {classes} (step {step_id}){said}.\n\nAcceptance: {issue_id} can be \
                 worked on again.",
                escalation.attempts
            );
            let draft = IssueDraft {
                id: Some(id.clone()),
                title: format!("Escalation of {issue_id}: {classes}"),
                texts: vec![("description", description)],
                issue_type: Some("bug".to_owned()),
                labels: vec![ESCALATION.to_owned()],
                ..IssueDraft::default()
            };
            let prefix = self.workspace().settings.issue_prefix.value.clone();
            let operation = Operation::Discover { parent: issue_id.clone(), draft: Box::new(draft), prefix };
            let told = self.told(linked, (escalation, step_id, "discover"), &operation)?;
            // Somebody else made it between the look and the change.
            let told = match told {
                Told::Refused(class) if class == "issue_exists" => Told::Done(Vec::new()),
                told @ (Told::Done(_) | Told::Refused(_)) => told,
            };
            return Ok((told, id));
        }
        Ok((Told::Refused("environment_escalations".to_owned()), String::new()))
    }

    fn block(
        &self,
        linked: &Linked,
        escalation: &Escalation,
        (step_id, failure): (&str, Option<&str>),
        discovered: Option<&str>,
    ) -> Result<Told, ActionError> {
        let classes = escalation.classes.join(", ");
        let said = in_words(failure);
        let because = discovered.map_or_else(String::new, |id| format!("; see {id}"));
        let changes = IssueChanges {
            status: Change::Set("blocked".to_owned()),
            append_notes: Some(format!("blocked by step {step_id}: {classes}{said}{because}")),
            ..IssueChanges::default()
        };
        let holder: Holder = self.holder(&escalation.held);
        let id = escalation.held.issue_id.clone();
        let operation = Operation::Update { id, changes: Box::new(changes), holder };
        self.told(linked, (escalation, step_id, "block"), &operation)
    }

    fn told(
        &self,
        linked: &Linked,
        (escalation, step_id, what): (&Escalation, &str, &str),
        operation: &Operation,
    ) -> Result<Told, ActionError> {
        let call_id = format!("{step_id}.{what}");
        let changed = self.retry_door.change(
            linked,
            &call_id,
            operation,
            (&escalation.evidence, None),
            &[step_ref(step_id)],
        )?;
        Ok(match changed {
            Changed::Applied { applied: Applied::Written(written), witness_ref, permit_id } => {
                let row = format!("issue://{}@{}", written.row.id(), written.row.rev());
                Told::Done(vec![row, witness_ref, permit_id])
            }
            Changed::Applied { applied: Applied::Nothing(_), witness_ref, .. } => {
                Told::Done(vec![witness_ref])
            }
            Changed::Applied { applied: Applied::Refused(refusal), .. } => {
                Told::Refused(refusal.class.code().to_owned())
            }
            Changed::Refused(refused) => Told::Refused(refused.class),
        })
    }
}

fn in_words(failure: Option<&str>) -> String {
    failure.map_or_else(String::new, |failure| format!(": {failure}"))
}

/// How a step is cited.
pub(super) fn step_ref(step_id: &str) -> String {
    format!("step://{step_id}")
}

/// The id of the issue that is about these failures of an issue: the same whoever asks.
fn escalation_id(issue_id: &str, classes: &[String], number: u32) -> String {
    let named: Vec<String> = classes
        .iter()
        .map(|class| class.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect())
        .collect();
    format!("{issue_id}-esc-{}-{number}", named.join("-"))
}
