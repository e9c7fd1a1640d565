//! The driver's part in programs: whoever watches is told of them, and what they come to is looked at and stored.
//!
//! It runs nothing: the machine runs the program, and its calls are calls like any other.

use std::borrow::Cow;

use premath_bd::JournalEvent;

use super::{DriveError, Driver};
use crate::JsonText;
use crate::evidence::CallOutcome;
use crate::turn_loop::event::Event;
use crate::turn_loop::machine::Machine;
use crate::turn_loop::step::PlannedCall;
use crate::turn_loop::watch::RunEvent;
use crate::turn_loop::withheld::withheld;

impl Driver<'_, '_> {
    /// Tells whoever watches of a program when the first is heard of it.
    pub(super) fn announce(&mut self, machine: &Machine) {
        let Some(call) = machine.program() else { return };
        if self.announced.as_ref().is_some_and(|(id, _)| *id == call.call.id) {
            return;
        }
        self.announced = Some((call.call.id.clone(), self.elapsed_millis()));
        (self.ports.watch)(&RunEvent::CallStarted {
            tool_call_id: &call.call.id,
            tool: &call.call.name,
            arguments: &call.call.arguments,
            diff: None,
            program: None,
        });
    }

    /// Takes the machine's records, without arguments of programs that nobody may keep.
    pub(super) fn note(&mut self, records: Vec<JournalEvent>) {
        let Some(policy) = self.ports.policy.as_deref() else { return self.rows.extend(records) };
        let redact = |text: &str| policy.redact(text);
        for row in records {
            let (row, ids) = withheld(row, &redact);
            self.rows.push(row);
            self.withheld.extend(ids);
        }
    }

    /// What a call is called with, as whoever watches may see it.
    pub(super) fn shown_arguments<'c>(&self, call: &'c PlannedCall) -> Cow<'c, JsonText> {
        if self.withheld.contains(&call.call.id) {
            return Cow::Owned(JsonText::empty_object());
        }
        Cow::Borrowed(&call.call.arguments)
    }

    /// How much of a result a model can be shown: a program is given more.
    pub(super) fn shown_budget(&self, machine: &Machine) -> usize {
        let shown = machine.config().context.result_bytes / 10 * 9;
        self.ports.tools.budget.min(usize::try_from(shown).unwrap_or(usize::MAX))
    }

    /// Has what a program came to looked at like any result, and stored where it is too long for what the model is shown.
    pub(super) fn keep(
        &mut self,
        machine: &Machine,
        call: &PlannedCall,
        outcome: CallOutcome,
    ) -> Result<Event, DriveError> {
        let outcome = self.reviewed(&machine.turn_id(), &call.call.name, outcome)?;
        let outcome = self.kept(outcome, self.shown_budget(machine))?;
        let began = self.announced.take().map_or(0, |(_, began)| began);
        let millis = self.elapsed_millis().saturating_sub(began);
        (self.ports.watch)(&RunEvent::CallFinished { tool: &call.call.name, outcome: &outcome, millis });
        Ok(Event::ProgramKept { outcome: Box::new(outcome) })
    }
}
