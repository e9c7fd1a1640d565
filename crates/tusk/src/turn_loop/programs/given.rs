//! What the calls of a program came to, as it goes back into the program and counts for the calls behind.

use premath_repl::HostAnswer;

use super::{Program, SoFar, running};
use crate::context::{RenderPolicy, estimate, given, plain_line, render};
use crate::evidence::CallOutcome;
use crate::tools::{FoundTools, Risk, ToolKind};
use crate::turn_loop::code::{CodeLimits, cut, value_of};
use crate::turn_loop::judging::targets_of;
use crate::turn_loop::machine::Machine;
use crate::turn_loop::progress::PROPOSE_PLAN;
use crate::turn_loop::state::Open;
use crate::turn_loop::step::PlannedCall;
use crate::turn_loop::terms::CUT_MARKER;

impl Machine {
    /// The calls under way have ended: what they came to goes into the program when its whole batch has.
    pub(in crate::turn_loop) fn part_ended(&mut self, mut open: Open) {
        let ran: Vec<(PlannedCall, CallOutcome)> =
            std::mem::take(&mut open.calls).into_iter().zip(std::mem::take(&mut open.outcomes)).collect();
        let Some(programs) = &mut open.programs else { return };
        let Some(program) = &mut programs.running else { return };
        let answers = ran.iter().map(|(call, outcome)| self.answer_of(program, call, outcome)).collect();
        program.ended(answers);
        self.note_so_far(&mut programs.so_far, &ran);
        programs.nested.extend(ran);
        if self.begin_part(&mut open) {
            self.look_at(open);
            return;
        }
        if let Some(program) = running(&mut open) {
            let step = program.go_on();
            self.advance(open, step);
        }
    }

    /// What a program gets of one call. A result that is not there as a whole is a condition: what is computed from a part
    /// would look like what is computed from all.
    fn answer_of(&self, program: &mut Program, call: &PlannedCall, outcome: &CallOutcome) -> HostAnswer {
        let (text, truncation) = given(&outcome.payload, &self.program_policy());
        let tokens = estimate(&render(&call.call.name, outcome, &self.render_policy()).text);
        program.unfiltered = program.unfiltered.saturating_add(tokens);
        program.given = program.given.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        program.has_changed |= call.runs() && call.kind != ToolKind::Read;
        let pending = self.pending(outcome).map(|intent| intent.digest().as_str().to_owned());
        if outcome.failure().is_none()
            && pending.is_none()
            && let Some(condition) = cut(call.kind, outcome, &truncation)
        {
            let note = plain_line(&outcome.note, 160);
            program.cut.push(format!("{} {}: {note}", call.call.name, call.call.id));
            return Err(condition);
        }
        let binding = self.bindings.of_tool(&call.call.name);
        value_of(binding, call.kind, outcome, &text, pending.as_deref())
    }

    /// What calls of a program did counts for those behind them.
    fn note_so_far(&self, so_far: &mut SoFar, ran: &[(PlannedCall, CallOutcome)]) {
        let destroys = |call: &&PlannedCall| {
            self.tools.facts(&call.call.name).is_some_and(|facts| facts.risk == Risk::Destructive)
        };
        let running = || ran.iter().map(|(call, _)| call).filter(|call| call.runs());
        so_far.destroyed.extend(targets_of(running().filter(destroys)));
        so_far.has_changed |= running().any(|call| call.kind != ToolKind::Read);
        so_far.is_proposed |= running().any(|call| call.call.name == PROPOSE_PLAN);
        let found = ran.iter().filter(|(_, outcome)| outcome.failure().is_none());
        let found = found.filter_map(|(_, outcome)| outcome.found.as_ref());
        so_far.found.extend(found.map(|(query, names)| FoundTools::new(query, names.clone())));
    }

    /// How much a program is given of a payload.
    pub(in crate::turn_loop) fn program_policy(&self) -> RenderPolicy {
        let limits = self.config.code.unwrap_or(CodeLimits::standard());
        RenderPolicy { max_bytes: limits.result_bytes, marker: CUT_MARKER.to_owned(), ..self.render_policy() }
    }
}
