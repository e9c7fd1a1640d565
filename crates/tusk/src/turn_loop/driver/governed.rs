//! The driver's way to policy and to people: what is asked, what is shown, what is looked at. It decides nothing.

use premath_bd::StoreError;
use premath_kernel::Digest;

use super::{DriveError, Driver};
use crate::evidence::CallOutcome;
use crate::policy::{Effect, Judged};
use crate::turn_loop::event::Event;
use crate::turn_loop::people::Confirmation;
use crate::turn_loop::plan::arguments_digest;
use crate::turn_loop::ports::{AskedConfirmation, Checkpoint, SecretUse};
use crate::turn_loop::step::PlannedCall;
use crate::turn_loop::toolbox::Prepared;
use crate::turn_loop::watch::{AskedCall, RunEvent};

impl Driver<'_, '_> {
    /// Has policy look at an answer. Without anybody to ask, nothing is allowed.
    pub(super) fn judge(
        &mut self,
        call_id: &str,
        said: &str,
        calls: &[PlannedCall],
    ) -> Result<Event, DriveError> {
        let governed = self.ports.tools.governed(calls);
        let judged = match &mut self.ports.policy {
            Some(policy) => policy.judge(call_id, said, &governed)?,
            None => Judged::default(),
        };
        for judgement in judged.calls.iter().filter(|judgement| judgement.effect != Effect::Allow) {
            let call = calls.iter().find(|call| call.call.id == judgement.tool_call_id);
            let tool = call.map(|call| call.call.name.as_str()).unwrap_or_default();
            (self.ports.watch)(&RunEvent::Judged { tool, judgement });
        }
        Ok(Event::Judged(Box::new(judged)))
    }

    /// Has a person look at a turn.
    pub(super) fn check_in(
        &mut self,
        run_id: &str,
        call_id: &str,
        question: &str,
        calls: &[PlannedCall],
    ) -> Result<Event, DriveError> {
        self.show_what_is_asked(question, calls);
        let decision = self.ports.person.decide(&Checkpoint { run_id, call_id, question, calls })?;
        (self.ports.watch)(&RunEvent::Decided { decision });
        Ok(Event::PersonDecided { decision })
    }

    /// Has a person agree to the calls that policy asks about, or not.
    pub(super) fn confirm(
        &mut self,
        run_id: &str,
        call_id: &str,
        calls: &[PlannedCall],
    ) -> Result<Event, DriveError> {
        let mut waiting: Vec<PlannedCall> = calls.iter().filter(|call| call.asks()).cloned().collect();
        // It may have waited for long: policy and the things it is about are looked at as they are now.
        let is_gone =
            |call: &PlannedCall| call.uses_secrets() && self.ports.tools.secret_places(call).is_empty();
        let (gone, held): (Vec<PlannedCall>, Vec<PlannedCall>) = waiting.into_iter().partition(is_gone);
        waiting = held;
        let forbidden = match &mut self.ports.policy {
            Some(policy) => policy.again(call_id, &self.ports.tools.governed(&waiting))?,
            None => Vec::new(),
        };
        waiting.retain(|call| !forbidden.contains(&call.call.id));
        waiting.extend(gone);
        let prepared = self.ports.tools.previewed(&waiting);
        let governed = self.ports.tools.governed(&waiting);
        let targets = |id: &str| {
            governed.iter().find(|call| call.tool_call_id == id).and_then(|call| call.targets.clone().ok())
        };
        let asked: Vec<AskedConfirmation<'_>> = waiting
            .iter()
            .map(|call| AskedConfirmation {
                run_id,
                call_id,
                call,
                targets: targets(&call.call.id),
                arguments_digest: arguments_digest(&call.call).as_str().to_owned(),
                preview: prepared.preview(&call.call.id),
                secrets: self.secret_use(call),
            })
            .collect();
        let mut confirmations = self.ports.person.confirm(&asked)?;
        confirmations.extend(forbidden.into_iter().map(Confirmation::forbidden));
        (self.ports.watch)(&RunEvent::Confirmed { confirmations: &confirmations });
        Ok(Event::Confirmed { confirmations })
    }

    fn secret_use(&self, call: &PlannedCall) -> SecretUse {
        if !call.uses_secrets() {
            return SecretUse::None;
        }
        let places = self.ports.tools.secret_places(call);
        if places.is_empty() { SecretUse::Gone } else { SecretUse::Held(places) }
    }

    /// What came of a call, as it may be seen and kept.
    pub(super) fn reviewed(
        &mut self,
        call_id: &str,
        tool: &str,
        outcome: CallOutcome,
    ) -> Result<CallOutcome, StoreError> {
        let mut outcome = match &mut self.ports.policy {
            Some(policy) => policy.review(call_id, tool, outcome)?,
            None => outcome,
        };
        self.ports.tools.scrub(&mut outcome);
        Ok(outcome)
    }

    /// Whoever is asked sees what would run.
    fn show_what_is_asked(&mut self, question: &str, waiting: &[PlannedCall]) {
        let prepared = self.ports.tools.previewed(waiting);
        let calls: Vec<AskedCall<'_>> = waiting
            .iter()
            .filter(|call| call.runs())
            .map(|call| AskedCall {
                tool: &call.call.name,
                arguments: &call.call.arguments,
                diff: prepared.preview(&call.call.id),
            })
            .collect();
        (self.ports.watch)(&RunEvent::Asked { question, calls: &calls });
    }
}

/// What a person agreed to is what they were shown; what would change something else by now does not run.
pub(super) fn hold_what_changed(calls: &[PlannedCall], prepared: &mut Prepared) {
    for call in calls.iter().filter(|call| call.runs()) {
        let Some(shown) = call.approval.as_ref().and_then(|approval| approval.preview.as_ref()) else {
            continue;
        };
        let now = prepared.preview(&call.call.id).map(|shown| Digest::of_bytes(shown.as_bytes()));
        if now.is_none_or(|now| now.as_str() != shown) {
            let message = "it was not run: what it would change is not what was agreed to any more";
            let outcome = CallOutcome::failed(&call.call.id, "approval_stale", true, message);
            prepared.failed.insert(call.call.id.clone(), outcome);
        }
    }
}
