//! The calls that a program makes at once: each is looked at, and as many as may run at the same time are begun.
//!
//! A call that cannot be made is a condition, is written down and counts like one that is made. It must not run a tool.

use std::collections::BTreeSet;

use premath_kernel::ExecutionPattern;
use premath_repl::{HostCall, HostFailure};

use super::{ANSWER, Program, running};
use crate::evidence::CallOutcome;
use crate::model::ToolCall;
use crate::tools::FoundTools;
use crate::turn_loop::code::{CodeLimits, RefusedCall, condition};
use crate::turn_loop::machine::Machine;
use crate::turn_loop::records;
use crate::turn_loop::state::Open;
use crate::turn_loop::step::{PlannedCall, ProgramCaller};
use crate::turn_loop::terms::MOST_CALLS;

/// The class of a call that a limit keeps from being made.
const LIMIT: &str = "limit_exceeded";
/// The class of a call that is not made because of how much those before it gave back.
const RESULTS: &str = "budget.results";
/// So many calls of one program that were not made have a row; all are counted.
const MOST_REFUSED: u64 = 64;

impl Machine {
    /// Takes as many calls of the batch as run at the same time at most; says whether there were any.
    pub(super) fn begin_part(&mut self, open: &mut Open) -> bool {
        let is_single = self.config.workflow.pattern == ExecutionPattern::Single;
        let most = self.config.code.unwrap_or(CodeLimits::standard()).results();
        let Some(program) = running(open) else { return false };
        if program.given >= most {
            let refused = program.refuse_waiting(&too_much(most));
            self.note_refused(open, &refused);
            return false;
        }
        let mut part = program.next_part(usize::try_from(MOST_CALLS).unwrap_or(usize::MAX));
        if part.is_empty() {
            return false;
        }
        // A pattern of one answer has one group; else each part is one.
        let group =
            if is_single { ANSWER.to_owned() } else { format!("{}#{}", program.parent, program.parts) };
        program.made.extend(part.iter().map(|call| call.call.id.clone()));
        for call in &mut part {
            call.caller = Some(ProgramCaller { parent: program.parent.clone(), group: group.clone() });
        }
        self.records.push(records::program_called(&program.parent, &part));
        open.calls = part;
        open.outcomes = Vec::new();
        true
    }

    /// Looks at the calls of a batch. One that cannot be made is a condition.
    pub(super) fn plan_batch(
        &mut self,
        open: &mut Open,
        calls: &[HostCall],
    ) -> Vec<Result<PlannedCall, HostFailure>> {
        let is_stopped = open.stop.is_some();
        let Some(programs) = &mut open.programs else { return Vec::new() };
        let taken: BTreeSet<String> =
            programs.asked.iter().map(|(call, _)| call.call.id.trim().to_owned()).collect();
        let mut in_turn = programs.asked.len() + programs.nested.len();
        let found: Vec<FoundTools> = self.state.found.iter().chain(&programs.so_far.found).cloned().collect();
        let Some(program) = &mut programs.running else { return Vec::new() };
        let (mut batch, mut refused) = (Vec::with_capacity(calls.len()), Vec::new());
        for call in calls {
            let planned = match self.no_more(is_stopped, in_turn) {
                Some(failure) => Err(failure),
                None => {
                    self.state.used.tool_calls += 1;
                    self.bindings.call(call).and_then(|(binding, arguments)| {
                        let id = fresh_id(program, &taken);
                        let call = ToolCall::new(id, binding.tool.clone(), arguments);
                        let is_offered = self.may_call(&open.purpose, &call.name);
                        let planned = self.tools.look_nested(call, &found, is_offered);
                        match planned.refusal.as_ref().and_then(CallOutcome::failure) {
                            Some(failure) => Err(condition(failure)),
                            None => Ok(planned),
                        }
                    })
                }
            };
            match &planned {
                Ok(_) => {
                    program.numbered += 1;
                    in_turn += 1;
                }
                Err(failure) => refused.push(RefusedCall::of(call, &failure.class)),
            }
            batch.push(planned);
        }
        self.note_refused(open, &refused);
        batch
    }

    /// Why no further call is made in the turn; none when one may be.
    fn no_more(&self, is_stopped: bool, in_turn: usize) -> Option<HostFailure> {
        let is_single = self.config.workflow.pattern == ExecutionPattern::Single;
        let most = self.config.limits.tool_calls;
        let message = if is_stopped {
            "it was not run: the run is to stop".to_owned()
        } else if is_single && u64::try_from(in_turn).is_ok_and(|made| made >= MOST_CALLS) {
            format!(
                "it was not run: one answer of the pattern `single` makes {MOST_CALLS} calls at most, its programs among them"
            )
        } else if let Some(most) = most.filter(|most| self.state.used.tool_calls >= *most) {
            format!("it was not run: the run makes {most} tool calls at most")
        } else {
            return None;
        };
        Some(HostFailure { class: LIMIT.to_owned(), message, retryable: false })
    }

    /// Calls that are not made are written down, the first of a program one by one.
    fn note_refused(&mut self, open: &mut Open, refused: &[RefusedCall]) {
        let Some(program) = running(open) else { return };
        let room = MOST_REFUSED.saturating_sub(program.refused);
        program.refused += u64::try_from(refused.len()).unwrap_or(u64::MAX);
        let named = refused.get(..refused.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            self.records.push(records::program_refused(&program.parent, named));
        }
    }
}

/// An id below that of the program, and nobody else's.
fn fresh_id(program: &mut Program, taken: &BTreeSet<String>) -> String {
    loop {
        let id = format!("{}.{}", program.parent, program.numbered + 1);
        if !taken.contains(&id) {
            return id;
        }
        program.numbered += 1;
    }
}

fn too_much(most: u64) -> HostFailure {
    let message = format!("it was not run: what the calls of one program give back is {most} bytes at most");
    HostFailure { class: RESULTS.to_owned(), message, retryable: false }
}
