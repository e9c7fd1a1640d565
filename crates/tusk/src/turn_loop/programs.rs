//! How a machine runs the programs of an answer: each batch of calls that a program makes is planned, judged, confirmed and run
//! as calls of the same open turn, and goes back into the program.
//!
//! A call that would keep the turn open is none: the program gets the condition, and the turn never sees it. So no program can
//! have an effect and then spoil the turn that has to account for it. It must not run a tool.

mod batches;
mod dropped;
mod given;
mod repeats;

use std::collections::BTreeSet;

use premath_kernel::ActionMode;
use premath_repl::Step;

use super::code::{CODE_EXECUTION, CodeLimits, Ended, Program, ended, signatures};
use super::machine::Machine;
use super::records;
use super::state::{Open, Phase};
use super::step::PlannedCall;
use crate::context::plain_line;
use crate::evidence::CallOutcome;
use crate::model::ToolOffer;
use crate::tools::{FoundTools, ToolSpec};

/// The group of the calls of an answer itself.
pub(super) const ANSWER: &str = "answer";

/// The programs of an answer.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The calls of the answer, with what came of those that have ended.
    asked: Vec<(PlannedCall, Option<CallOutcome>)>,
    /// Which of them is on its way.
    at: usize,
    running: Option<Program>,
    /// The calls of programs that have ended, in order.
    nested: Vec<(PlannedCall, CallOutcome)>,
    /// The programs that have ended.
    pub(crate) ended: Vec<Ended>,
    /// What the turn has come to so far.
    pub(super) so_far: SoFar,
}

/// What the calls of programs did, as far as the calls behind them must know.
#[derive(Debug, Default)]
pub(super) struct SoFar {
    /// What was destroyed, or is to be.
    pub(super) destroyed: BTreeSet<(String, String)>,
    /// Whether anything was changed, or is to be.
    pub(super) has_changed: bool,
    /// Whether a plan was proposed.
    pub(super) is_proposed: bool,
    /// Tools that were found.
    found: Vec<FoundTools>,
}

impl Programs {
    /// The call whose program is on its way.
    pub(super) fn current(&self) -> Option<&PlannedCall> {
        self.asked.get(self.at).map(|(call, _)| call)
    }

    /// Whether a program waits for calls.
    pub(super) const fn is_running(&self) -> bool {
        self.running.is_some()
    }
}

impl Open {
    /// Whether its calls are those of a program.
    pub(crate) fn is_nested(&self) -> bool {
        self.programs.as_ref().is_some_and(|programs| programs.is_running())
    }
}

impl Machine {
    /// The call whose program is on its way, or has just ended.
    pub(super) fn program(&self) -> Option<&PlannedCall> {
        match &self.state.phase {
            Phase::Keeping { call, .. } => Some(call),
            Phase::Judging(open)
            | Phase::Asking { open, .. }
            | Phase::Confirming(open)
            | Phase::Executing(open) => {
                open.programs.as_ref().filter(|programs| programs.is_running())?.current()
            }
            Phase::Calling(_)
            | Phase::Planning { .. }
            | Phase::Handing { .. }
            | Phase::Applying(_)
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => None,
        }
    }

    /// Whether the calls of a turn are programs.
    pub(super) fn is_code(&self, open: &Open) -> bool {
        self.config.action_mode == ActionMode::Code && !open.purpose.is_harness()
    }

    /// What a model is offered that writes programs: one tool, which tells of tools that were found since.
    pub(super) fn offer_programs(&self, offered: &mut Vec<ToolOffer>, found: &[String]) {
        offered.retain(|offer| offer.name == CODE_EXECUTION);
        let specs = self.tools.catalogue().specs();
        let found: Vec<&ToolSpec> =
            specs.filter(|spec| spec.defer_loading && found.contains(&spec.name)).collect();
        if let (Some(offer), false) = (offered.first_mut(), found.is_empty()) {
            let lines = signatures(found);
            offer.description.push_str(&format!("\nFunctions that a search found:\n{}", lines.join("\n")));
        }
    }

    /// Whoever calls a tool by itself is told how it is called here.
    pub(super) fn hint_at_programs(&self, calls: &mut [PlannedCall]) {
        for call in calls.iter_mut().filter(|call| call.call.name != CODE_EXECUTION) {
            let name = plain_line(&call.call.name, 64);
            if let Some(CallOutcome { status: crate::evidence::CallStatus::Failed(failure), .. }) =
                &mut call.refusal
                && failure.error_code == "tool.unknown_or_disallowed"
            {
                failure.message = format!(
                    "`{name}` is not called by itself here; call it as a function in the program of {CODE_EXECUTION}"
                );
            }
        }
    }

    /// Begins with the programs of an answer that may run.
    pub(super) fn begin_programs(&mut self, mut open: Open) {
        let asked = std::mem::take(&mut open.calls).into_iter().map(|call| {
            let refusal = call.refusal.clone();
            (call, refusal)
        });
        open.programs = Some(Box::new(Programs {
            asked: asked.collect(),
            at: 0,
            running: None,
            nested: Vec::new(),
            ended: Vec::new(),
            so_far: SoFar::default(),
        }));
        self.next_program(open);
    }

    /// Goes to the next program, or on with the turn behind the last.
    fn next_program(&mut self, mut open: Open) {
        let Some(programs) = &mut open.programs else { return self.conclude(open) };
        let next = programs.asked.iter().position(|(_, outcome)| outcome.is_none());
        let Some((at, (call, _))) = next.and_then(|at| Some((at, programs.asked.get(at)?))) else {
            self.state.repeated_programs =
                repeats::called(self.state.repeated_programs.take(), &programs.nested);
            return self.conclude(flat(open));
        };
        let source = call.arguments.as_ref().and_then(|arguments| arguments.text("program"));
        let limits = self.config.code.unwrap_or(CodeLimits::standard());
        let started =
            Program::start(&call.call.id, source.unwrap_or_default(), limits, self.bindings.functions());
        let call = call.clone();
        programs.at = at;
        match started {
            Ok((program, step)) => {
                programs.running = Some(program);
                self.advance(open, step);
            }
            Err(error) => {
                let outcome = CallOutcome::failed(&call.call.id, "program.unusable", false, error.message);
                self.keep(call, outcome, open);
            }
        }
    }

    /// Goes on until a program needs something from outside.
    fn advance(&mut self, mut open: Open, mut step: Step) {
        loop {
            match step {
                Step::Done(evaluation) => {
                    let is_declined = dropped::is_declined(&open);
                    let Some(programs) = &mut open.programs else { return };
                    let (Some(mut program), Some((call, _))) =
                        (programs.running.take(), programs.asked.get(programs.at))
                    else {
                        return;
                    };
                    let call = call.clone();
                    if evaluation.result.is_err() || is_declined {
                        program.dropped = dropped::drop_intents(&mut programs.nested, &program.parent);
                    }
                    let (outcome, row) = ended(&call.call.id, program, evaluation);
                    self.records.push(records::program_ended(&row));
                    programs.ended.push(row);
                    return self.keep(call, outcome, open);
                }
                Step::Calls(calls) => {
                    let batch = self.plan_batch(&mut open, &calls);
                    let Some(program) = running(&mut open) else { return };
                    program.take(batch);
                    if self.begin_part(&mut open) {
                        self.look_at(open);
                        return;
                    }
                    let Some(program) = running(&mut open) else { return };
                    step = program.go_on();
                }
            }
        }
    }

    fn keep(&mut self, call: PlannedCall, outcome: CallOutcome, open: Open) {
        let (call, outcome, open) = (Box::new(call), Box::new(outcome), Box::new(open));
        self.state.phase = Phase::Keeping { call, outcome, open };
    }

    /// What a program came to was looked at and stored.
    pub(super) fn kept(&mut self, mut open: Open, outcome: CallOutcome) {
        if let Some(programs) = &mut open.programs
            && let Some((_, slot)) = programs.asked.get_mut(programs.at)
        {
            *slot = Some(outcome);
        }
        self.next_program(open);
    }
}

fn running(open: &mut Open) -> Option<&mut Program> {
    open.programs.as_mut()?.running.as_mut()
}

/// A turn whose calls are those of the answer, each with those of its program behind it.
fn flat(mut open: Open) -> Open {
    let Some(programs) = &mut open.programs else { return open };
    let mut nested = std::mem::take(&mut programs.nested).into_iter().peekable();
    for (call, outcome) in std::mem::take(&mut programs.asked) {
        let outcome = outcome.unwrap_or_else(|| call.interrupted());
        let parent = call.call.id.trim().to_owned();
        open.calls.push(call);
        open.outcomes.push(outcome);
        let is_below = |(call, _): &(PlannedCall, CallOutcome)| {
            call.caller.as_ref().is_some_and(|caller| caller.parent == parent)
        };
        while let Some((call, outcome)) = nested.next_if(is_below) {
            open.calls.push(call);
            open.outcomes.push(outcome);
        }
    }
    open
}
