//! Landing as a phase of a step: the commit is brought to where the configuration says, and what came of it is reported.
//!
//! It must not close an issue; work that waits for a review is set aside instead.

use premath_bd::issues::{Applied, Operation};
use premath_kernel::Digest;
use premath_tusk::session::{HeldIssue, StepEvent};
use premath_wire::v1::WorkEventRow;

use super::bench::Bench;
use super::escalation::step_ref;
use super::heartbeat::Heartbeat;
use super::landing::Landing;
use super::step::{Under, about, interrupt_of, judged};
use crate::authority::Changed;
use crate::table::ActionError;

impl Bench<'_> {
    /// Brings the commit of the attempt to where the configuration says.
    pub(super) fn land_step(
        &mut self,
        held: &HeldIssue,
        evidence: &Digest,
        step_id: &str,
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        let (Some(landing), Some(mut tree)) = (self.landing.clone(), under.tree.take()) else {
            return Ok(StepEvent::Landed { refs: Vec::new() });
        };
        let interrupt = interrupt_of(under);
        let landed =
            self.land(&landing, &mut tree, (held, evidence, step_id, &interrupt), &mut under.failure);
        let refs = tree.refs();
        under.tree = Some(tree);
        let event = landed?;
        if interrupt.is_requested() && matches!(event, StepEvent::Interrupted | StepEvent::Checked(_)) {
            return Ok(if under.heartbeat.as_ref().is_some_and(Heartbeat::is_lost) {
                StepEvent::LeaseLost
            } else {
                StepEvent::Interrupted
            });
        }
        if matches!(event, StepEvent::Submitted { .. }) {
            let operation = self.review_operation(&landing, held);
            return self.set_aside(held, (evidence, &operation), (step_id, refs), under);
        }
        if let StepEvent::Checked(checked) = &event {
            let row = WorkEventRow { detail: under.failure.clone(), ..about(held, step_id) };
            self.tell("not_landed", judged(checked, row));
        } else if let Some(commit) = refs.first() {
            let detail = Some(commit.trim_start_matches("git://").replace('/', " "));
            self.tell("landed", WorkEventRow { detail, ..about(held, step_id) });
        }
        Ok(event)
    }

    /// Sets an issue aside whose work waits for a person.
    fn set_aside(
        &mut self,
        held: &HeldIssue,
        (evidence, operation): (&Digest, &Operation),
        (step_id, mut refs): (&str, Vec<String>),
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        if let Err(refused) = self.instructed(held, under)? {
            return Ok(StepEvent::Refused { class: refused.class });
        }
        let Some(instruction) = &under.instruction else {
            return Ok(StepEvent::Refused { class: "mutation.use_evidence_missing".to_owned() });
        };
        let mut cited = vec![step_ref(step_id)];
        cited.extend(refs.iter().cloned());
        let call_id = format!("{step_id}.review");
        match self.door.change(instruction, &call_id, operation, (evidence, None), &cited)? {
            Changed::Refused(refused) => Ok(StepEvent::Refused { class: refused.class }),
            Changed::Applied { applied: Applied::Refused(refusal), .. } => {
                Ok(StepEvent::Refused { class: refusal.class.code().to_owned() })
            }
            Changed::Applied { witness_ref, permit_id, .. } => {
                under.heartbeat = None;
                refs.extend([permit_id, witness_ref]);
                Ok(StepEvent::Submitted { refs })
            }
        }
    }

    /// The checkout for verification is nobody's: what keeps it from being removed is said, and does not undo a step.
    pub(super) fn remove_checkout(&mut self) {
        let removed = self.landing.as_ref().map_or(Ok(()), Landing::remove_verification_tree);
        if let Err(failure) = removed {
            self.tell(
                "checkout_left",
                WorkEventRow { detail: Some(failure.detail), ..WorkEventRow::default() },
            );
        }
    }
}
