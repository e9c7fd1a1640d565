//! How a machine runs the programs of an answer: each batch of calls that a program makes is planned, judged, confirmed and run
//! as calls of the same open turn, and goes back into the program.
//!
//! A call that would keep the turn open is none: the program gets the condition, and the turn never sees it. So no program can
//! have an effect and then spoil the turn that has to account for it. It must not run a tool.

use std::collections::BTreeSet;

use premath_kernel::{ActionMode, ExecutionPattern};
use premath_repl::{HostCall, HostFailure, Step};

use super::code::{CODE_EXECUTION, CodeLimits, Ended, Program, condition, ended, signatures, value_of};
use super::judging::targets_of;
use super::machine::Machine;
use super::progress::PROPOSE_PLAN;
use super::records;
use super::state::{Open, Phase};
use super::step::{PlannedCall, ProgramCaller};
use super::terms::{CUT_MARKER, MOST_CALLS};
use crate::context::{RenderPolicy, estimate, given, plain_line, render};
use crate::evidence::CallOutcome;
use crate::model::{ToolCall, ToolOffer};
use crate::tools::{FoundTools, Risk, ToolKind, ToolSpec};

/// The group of the calls of an answer itself.
pub(super) const ANSWER: &str = "answer";
/// The class of a call that a limit keeps from being made.
const LIMIT: &str = "limit_exceeded";

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
            Phase::Executing(open) if open.is_nested() => open.programs.as_ref()?.current(),
            Phase::Executing(_)
            | Phase::Calling(_)
            | Phase::Judging(_)
            | Phase::Asking { .. }
            | Phase::Confirming(_)
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
                    let Some(programs) = &mut open.programs else { return };
                    let (Some(program), Some((call, _))) =
                        (programs.running.take(), programs.asked.get(programs.at))
                    else {
                        return;
                    };
                    let call = call.clone();
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

    /// Takes as many calls of the batch as run at the same time at most; says whether there were any.
    fn begin_part(&mut self, open: &mut Open) -> bool {
        let is_single = self.config.workflow.pattern == ExecutionPattern::Single;
        let Some(program) = running(open) else { return false };
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
    fn plan_batch(&mut self, open: &mut Open, calls: &[HostCall]) -> Vec<Result<PlannedCall, HostFailure>> {
        let is_single = self.config.workflow.pattern == ExecutionPattern::Single;
        let Some(programs) = &mut open.programs else { return Vec::new() };
        let taken: BTreeSet<String> =
            programs.asked.iter().map(|(call, _)| call.call.id.trim().to_owned()).collect();
        let mut in_turn = programs.asked.len() + programs.nested.len();
        let is_stopped = open.stop.is_some();
        let found: Vec<FoundTools> = self.state.found.iter().chain(&programs.so_far.found).cloned().collect();
        let Some(program) = &mut programs.running else { return Vec::new() };
        let mut batch = Vec::with_capacity(calls.len());
        for call in calls {
            let is_full = is_single && u64::try_from(in_turn).is_ok_and(|made| made >= MOST_CALLS);
            let most = self.config.limits.tool_calls;
            let is_over = most.is_some_and(|most| self.state.used.tool_calls >= most);
            if is_stopped || is_full || is_over {
                batch.push(Err(no_more()));
                continue;
            }
            let planned = self.bindings.call(call).and_then(|(binding, arguments)| {
                let id = fresh_id(program, &taken);
                let call = ToolCall { id, name: binding.tool.clone(), arguments };
                let is_offered = self.may_call(&open.purpose, &call.name);
                let planned = self.tools.look_nested(call, &found, is_offered);
                match planned.refusal.as_ref().and_then(CallOutcome::failure) {
                    Some(failure) => Err(condition(failure)),
                    None => Ok(planned),
                }
            });
            if planned.is_ok() {
                program.numbered += 1;
                self.state.used.tool_calls += 1;
                in_turn += 1;
            }
            batch.push(planned);
        }
        batch
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

    /// The calls under way have ended: what they came to goes into the program when its whole batch has.
    pub(super) fn part_ended(&mut self, mut open: Open) {
        let ran: Vec<(PlannedCall, CallOutcome)> =
            std::mem::take(&mut open.calls).into_iter().zip(std::mem::take(&mut open.outcomes)).collect();
        let (shown, policy) = (self.render_policy(), self.program_policy());
        let mut answers = Vec::with_capacity(ran.len());
        let (mut unfiltered, mut cut) = (0_u64, Vec::new());
        for (call, outcome) in &ran {
            let pending = self.pending(outcome).map(|intent| intent.digest().as_str().to_owned());
            let (text, truncation) = given(&outcome.payload, &policy);
            let tokens = estimate(&render(&call.call.name, outcome, &shown).text);
            unfiltered = unfiltered.saturating_add(tokens);
            if outcome.extent.is_cut || truncation.marker.is_some() {
                cut.push(format!("{} {}: {}", call.call.name, call.call.id, plain_line(&outcome.note, 160)));
            }
            let binding = self.bindings.of_tool(&call.call.name);
            answers.push(value_of(binding, call.kind, outcome, &text, pending.as_deref()));
        }
        let Some(programs) = &mut open.programs else { return };
        self.note_so_far(&mut programs.so_far, &ran);
        programs.nested.extend(ran);
        let Some(program) = &mut programs.running else { return };
        program.unfiltered = program.unfiltered.saturating_add(unfiltered);
        program.cut.extend(cut);
        program.ended(answers);
        if self.begin_part(&mut open) {
            self.look_at(open);
            return;
        }
        if let Some(program) = running(&mut open) {
            let step = program.go_on();
            self.advance(open, step);
        }
    }

    /// What a program came to was looked at and stored.
    pub(super) fn kept(&mut self, mut open: Open, outcome: CallOutcome) {
        if let Some(programs) = &mut open.programs {
            if let Some((_, slot)) = programs.asked.get_mut(programs.at) {
                *slot = Some(outcome);
            }
        }
        self.next_program(open);
    }

    /// How much a program is given of a payload.
    pub(super) fn program_policy(&self) -> RenderPolicy {
        let limits = self.config.code.unwrap_or(CodeLimits::standard());
        RenderPolicy { max_bytes: limits.result_bytes, marker: CUT_MARKER.to_owned(), ..self.render_policy() }
    }
}

fn running(open: &mut Open) -> Option<&mut Program> {
    open.programs.as_mut()?.running.as_mut()
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

fn no_more() -> HostFailure {
    HostFailure {
        class: LIMIT.to_owned(),
        message: "it was not run: a limit of the run is reached, or the run is to stop".to_owned(),
        retryable: false,
    }
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
