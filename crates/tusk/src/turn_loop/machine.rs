//! The machine of a run: it is told what happened and says what is to be done next. It owns every decision and does nothing.
//!
//! Everything it is told is an [`Event`], everything it decides leaves a record; both are rows of the journal, in the order
//! in which they come. Run again on the same events it writes the same records, byte for byte. It must not read a clock,
//! wait, store, or keep a proof between two steps: proofs are earned when they are asked for.

use premath_bd::JournalEvent;
use premath_kernel::{ActionMode, Digest, Digests, FailureClass, NormalizedTurn};

use super::check::{ConfigError, check};
use super::code::{Bindings, CODE_EXECUTION};
use super::config::{Relation, RunConfig};
use super::event::Event;
use super::plan::Toolset;
use super::progress;
use super::records;
use super::state::{Open, Paused, Phase, Purpose, State};
use super::step::{ModelCall, PlannedCall, Step};
use super::terms::{Terms, most_calls};
use super::turn_case::TurnCase;
use super::watch::{RunOutcome, RunReport, StopCause, Verdict};
use super::workflow::Workflow;
use crate::context::RunState;
use crate::model::{
    CacheMarker, Delivery, Message, ModelRequest, Offers, ParallelCalls, SystemBlock, SystemText, ToolChoice,
    ToolOffer, UserPart,
};
use crate::policy::RunPolicy;
use crate::tools::Catalogue;

/// An event that does not fit what the machine waits for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{event}` cannot happen while the run {waits}")]
pub struct Unexpected {
    /// The kind of the event.
    pub event: &'static str,
    /// What the machine waits for.
    pub waits: &'static str,
}

/// The machine of a run.
#[derive(Debug)]
pub struct Machine {
    pub(super) config: RunConfig,
    pub(super) tools: Toolset,
    pub(super) terms: Terms,
    pub(super) bindings: Bindings,
    pub(super) state: State,
    pub(super) records: Vec<JournalEvent>,
    pub(super) last_verdict: Option<Verdict>,
    pub(super) last_digests: Option<Digests>,
    pub(super) last_rendered: Vec<String>,
    /// The last turn that was judged and asked for no change.
    pub(super) last_turn: Option<NormalizedTurn>,
    pub(super) last_case: Option<TurnCase>,
    /// Whether the last turn is kept as it was handed to the kernel: for export, never for a run that is driven.
    pub(super) records_turns: bool,
}

impl Machine {
    /// A machine that has not begun: its first step is there, and the record of its beginning.
    ///
    /// # Errors
    /// A configuration that cannot run.
    pub fn new(config: RunConfig) -> Result<Self, ConfigError> {
        let issue = config.issue_id.as_deref();
        let mut limits = config.limits.clone();
        if config.parent.as_ref().is_some_and(|parent| parent.relation == Relation::Successor) {
            // What went before has used them; the limit stops the run where it is reached, and it can be raised there.
            limits.workers = None;
        }
        check(&config.workflow, config.action_mode, &config.models, issue, &limits)?;
        let tools = Toolset::new(
            Catalogue::of_specs(config.tools.iter().cloned())?,
            &config.profile,
            most_calls(&config),
        );
        if config.action_mode == ActionMode::Code && tools.catalogue().get(CODE_EXECUTION).is_none() {
            return Err(ConfigError::CodeMode);
        }
        let terms = Terms::of(&config, tools.catalogue())?;
        let bindings = match config.action_mode {
            ActionMode::Code => Bindings::of(tools.catalogue().specs()),
            ActionMode::Json | ActionMode::Text => Bindings::default(),
        };
        let state = State::new(system(&config), Offers::default(), config.incoming.clone());
        let mut machine = Self {
            config,
            tools,
            terms,
            bindings,
            state,
            records: Vec::new(),
            last_verdict: None,
            last_digests: None,
            last_rendered: Vec::new(),
            last_turn: None,
            last_case: None,
            records_turns: false,
        };
        machine.records.push(records::started(&machine.config));
        machine.state.push(Message::user_text(machine.config.opening.clone()));
        machine.offer();
        let first = progress::first(&machine.config);
        machine.begin(first);
        Ok(machine)
    }

    /// What it was made from.
    #[must_use]
    pub const fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The records since the last time, to be written in this order before anything else happens.
    pub fn take_records(&mut self) -> Vec<JournalEvent> {
        std::mem::take(&mut self.records)
    }

    /// How the last turn was judged.
    #[must_use]
    pub const fn last_verdict(&self) -> Option<&Verdict> {
        self.last_verdict.as_ref()
    }

    /// The digests of the last turn that was judged.
    #[must_use]
    pub const fn last_digests(&self) -> Option<&Digests> {
        self.last_digests.as_ref()
    }

    /// The last turn that was judged, as it was handed to the kernel; none unless a redrive records turns.
    #[must_use]
    pub const fn last_case(&self) -> Option<&TurnCase> {
        self.last_case.as_ref()
    }

    /// What the model is shown of the calls of the last turn, in their order.
    #[must_use]
    pub fn last_rendered(&self) -> &[String] {
        &self.last_rendered
    }

    /// The digest of the mutation policy that the run is under.
    #[must_use]
    pub const fn mutation_policy(&self) -> &Digest {
        &self.terms.spec().mutation_policy
    }

    /// What is to be done next. Asked twice, it says the same; permits are earned anew each time.
    #[must_use]
    pub fn next(&self) -> Step<'_> {
        match &self.state.phase {
            Phase::Calling(purpose) => Step::CallModel(Box::new(ModelCall {
                call_id: self.call_id(),
                turn: self.state.turn,
                request: self.request(purpose),
            })),
            Phase::Judging(open) => {
                // What was said was looked at with the answer; what a program calls says nothing beside it.
                let said = if open.is_nested() { "" } else { open.said.as_str() };
                Step::Judge { said, calls: &open.calls }
            }
            Phase::Asking { question, .. } => Step::AskHuman(question),
            Phase::Confirming(open) => Step::Confirm(&open.calls),
            Phase::Planning { proposal_id, .. } => Step::AwaitPlan(proposal_id),
            Phase::Executing(open) => Step::CallTools(&open.calls),
            Phase::Keeping { call, outcome, .. } => Step::Keep { call, outcome },
            Phase::Handing { packet, .. } => Step::Handoff(packet),
            Phase::Applying(applying) => Step::Apply(self.admitted(applying)),
            Phase::Spawning { plans, .. } => Step::Spawn(plans),
            Phase::Compacting { artifact, .. } => Step::Compact(artifact),
            Phase::Ended(outcome) => Step::Done(outcome),
        }
    }

    /// Tells it what happened.
    ///
    /// # Errors
    /// An event that does not fit; nothing has changed then.
    pub fn feed(&mut self, event: Event) -> Result<(), Unexpected> {
        let kind = event.kind();
        let waits = waits(&self.state.phase);
        let unexpected = || Unexpected { event: kind, waits };
        // The phase is put back where an event does not fit it.
        let phase = std::mem::replace(&mut self.state.phase, Phase::Ended(RunOutcome::Completed));
        match (phase, event) {
            (Phase::Calling(purpose), Event::Answered(answer)) => self.answered(purpose, *answer),
            (Phase::Calling(purpose), Event::ModelFailed { error_kind, message }) => {
                let cause = StopCause::Model { kind: error_kind, message };
                self.stop(cause, Some(Paused::Calling(purpose)));
            }
            (Phase::Calling(purpose), Event::Interrupted) => {
                self.stop(StopCause::Interrupted, Some(Paused::Calling(purpose)));
            }
            (Phase::Judging(open), Event::Judged(judged)) => self.judged(*open, *judged),
            (Phase::Asking { question, open }, Event::PersonDecided { decision }) => {
                self.decided(question, open, decision);
            }
            (Phase::Confirming(open), Event::Confirmed { confirmations }) => {
                self.confirmed(open, &confirmations);
            }
            (Phase::Planning { proposal_id, after }, Event::PlanDecided(plan))
                if plan.proposal_id == proposal_id =>
            {
                self.planned_out(plan, after);
            }
            (Phase::Executing(open), Event::ToolsFinished { outcomes, elapsed_millis, traces: _ })
                if fits(&open, &outcomes) =>
            {
                self.ran(Open { outcomes, ..*open }, elapsed_millis);
            }
            (Phase::Executing(open), Event::Interrupted) if open.is_nested() => {
                self.stop(StopCause::Interrupted, Some(Paused::Looking(open)));
            }
            (Phase::Keeping { call, open, .. }, Event::ProgramKept { outcome })
                if call.call.id == outcome.tool_call_id =>
            {
                self.kept(*open, *outcome);
            }
            (Phase::Handing { packet, open }, Event::HandoffStored { observed }) => {
                let packet = self.carrying(*packet, &observed);
                self.close_turn(Open { handoff: Some((packet, observed)), ..*open });
            }
            (Phase::Applying(applying), Event::Applied { outcomes }) => self.applied(*applying, outcomes),
            (Phase::Spawning { plans, after }, Event::Interrupted) => {
                self.stop(StopCause::Interrupted, Some(Paused::Spawning { plans, after }));
            }
            (Phase::Spawning { plans, after }, Event::WorkersReturned { workers }) => {
                self.returned(plans, after, &workers);
            }
            (Phase::Compacting { artifact, purpose }, Event::CompactionStored) => {
                self.state.compacted = Some(artifact);
                self.call(purpose);
            }
            (Phase::Ended(RunOutcome::Stopped(cause)), Event::Resumed { limits }) => {
                self.resume(&cause, limits);
            }
            // A process that died left no end behind; the machine is where it was.
            (
                phase @ (Phase::Calling(_)
                | Phase::Judging(_)
                | Phase::Asking { .. }
                | Phase::Confirming(_)
                | Phase::Planning { .. }
                | Phase::Executing(_)
                | Phase::Keeping { .. }
                | Phase::Handing { .. }
                | Phase::Applying(_)
                | Phase::Spawning { .. }
                | Phase::Compacting { .. }),
                Event::Resumed { limits: None },
            ) => self.state.phase = phase,
            (phase, _) => {
                self.state.phase = phase;
                return Err(unexpected());
            }
        }
        Ok(())
    }

    /// What the run came to so far.
    #[must_use]
    pub fn report(&self) -> RunReport {
        let used = self.state.used;
        let outcome = match &self.state.phase {
            Phase::Ended(outcome) => outcome.clone(),
            Phase::Calling(_)
            | Phase::Judging(_)
            | Phase::Asking { .. }
            | Phase::Confirming(_)
            | Phase::Planning { .. }
            | Phase::Executing(_)
            | Phase::Keeping { .. }
            | Phase::Handing { .. }
            | Phase::Applying(_)
            | Phase::Spawning { .. }
            | Phase::Compacting { .. } => RunOutcome::Stopped(StopCause::Interrupted),
        };
        RunReport {
            run_id: self.config.run_id.clone(),
            outcome,
            text: self.state.last_text.clone(),
            turns: used.turns,
            refused_turns: self.state.refused_turns,
            tool_calls: used.tool_calls,
            tokens: used.tokens,
            cost_micros: used.cost_micros,
            wall_millis: used.wall_millis,
            workers: used.workers,
            filtered_tokens: self.state.filtered.shown,
            unfiltered_tokens: self.state.filtered.unfiltered,
            applied: self.state.changes,
            is_kept: self.config.policy.as_ref().is_none_or(RunPolicy::keeps_payloads),
        }
    }

    /// What is left of its workflow, for the session that goes on from it.
    #[must_use]
    pub fn remaining(&self) -> Workflow {
        progress::remaining(&self.config.workflow, &self.state.progress)
    }

    /// What a judge said, when the run was to judge.
    #[must_use]
    pub const fn judgement(&self) -> Option<&(bool, String)> {
        self.state.verdict.as_ref()
    }

    /// What the workflow asked for and no answer has come to yet: whoever goes on has to be asked it again.
    #[must_use]
    pub fn due(&self) -> Option<&str> {
        self.state.due.as_deref()
    }

    /// The calls that a person is asked about; none while nobody is asked.
    #[must_use]
    pub fn asked_about(&self) -> &[PlannedCall] {
        match &self.state.phase {
            Phase::Asking { open, .. } => &open.calls,
            Phase::Calling(_)
            | Phase::Judging(_)
            | Phase::Confirming(_)
            | Phase::Planning { .. }
            | Phase::Executing(_)
            | Phase::Keeping { .. }
            | Phase::Handing { .. }
            | Phase::Applying(_)
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => &[],
        }
    }

    /// The digest over every message so far.
    #[must_use]
    pub const fn context_digest(&self) -> &Digest {
        &self.state.context_digest
    }

    /// How much is left of each limit, for whoever runs below.
    #[must_use]
    pub fn run_state(&self) -> RunState {
        let pending = self.state.applied.iter().map(records::pending_intent).collect();
        let obligations = self.obligations();
        RunState {
            open_calls: Vec::new(),
            budget: self.state.used.of(&self.config.limits),
            obligations,
            plan: progress::plan(&self.config, &self.state.progress),
            pending_intents: pending,
            source_refs: Vec::new(),
        }
    }

    fn obligations(&self) -> Vec<String> {
        let artifacts = self.config.required_artifacts.iter().map(|path| format!("leave `{path}` behind"));
        let issue = self.config.issue_id.iter().map(|id| format!("work on issue {id}"));
        issue.chain(artifacts).collect()
    }

    /// The turn that was begun last.
    #[must_use]
    pub fn turn_id(&self) -> String {
        self.call_id()
    }

    pub(super) fn call_id(&self) -> String {
        format!("{}.t{:04}", self.config.run_id, self.state.turn)
    }

    /// Begins a turn: it counts, and its record is left.
    pub(super) fn count_turn(&mut self, purpose: &Purpose) -> String {
        self.state.used.turns += 1;
        self.state.turn += 1;
        let call_id = self.call_id();
        self.records.push(records::called(&call_id, self.state.turn, purpose, &self.state.context_digest));
        call_id
    }

    /// The open turn, when the harness answers it itself, and what for.
    pub(super) fn harness_turn(&self) -> Option<(String, u64, &'static str)> {
        match &self.state.phase {
            Phase::Executing(open) if open.purpose.is_harness() => {
                Some((open.call_id.clone(), self.state.turn, open.purpose.token()?))
            }
            Phase::Executing(_)
            | Phase::Calling(_)
            | Phase::Judging(_)
            | Phase::Asking { .. }
            | Phase::Confirming(_)
            | Phase::Planning { .. }
            | Phase::Keeping { .. }
            | Phase::Handing { .. }
            | Phase::Applying(_)
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => None,
        }
    }

    /// What the model may call now.
    pub(super) fn offer(&mut self) {
        let names: Vec<String> =
            self.state.found.iter().flat_map(|found| found.names.iter().cloned()).collect();
        let is_choosing = progress::purpose(&self.config, &self.state.progress) == Purpose::Route;
        let spawns = self.config.workflow.pattern == premath_kernel::ExecutionPattern::OrchestratorWorkers;
        let offered =
            self.tools.catalogue().offer(&names).into_iter().filter(|offer| match offer.name.as_str() {
                progress::CHOOSE_ROUTE => is_choosing,
                progress::SPAWN_WORKER => spawns,
                _other => true,
            });
        let mut offered: Vec<ToolOffer> = offered.collect();
        match self.config.action_mode {
            ActionMode::Json => {}
            ActionMode::Text => offered.clear(),
            ActionMode::Code => self.offer_programs(&mut offered, &names),
        }
        if let Some(last) = offered.last_mut() {
            last.cache = CacheMarker::Here;
        }
        self.state.offers = offered.into();
    }

    fn request(&self, purpose: &Purpose) -> ModelRequest {
        ModelRequest {
            tools: self.state.offers.clone(),
            system: self.state.system.clone(),
            messages: self.state.history.clone(),
            tool_choice: match purpose {
                _any if self.state.offers.is_empty() => ToolChoice::Auto,
                Purpose::Route if self.config.action_mode == ActionMode::Code => {
                    ToolChoice::Named(CODE_EXECUTION.to_owned())
                }
                Purpose::Route => ToolChoice::Named(progress::CHOOSE_ROUTE.to_owned()),
                Purpose::Descent => ToolChoice::Forbidden,
                Purpose::Work | Purpose::Branches | Purpose::Judgement | Purpose::Plan => ToolChoice::Auto,
            },
            parallel_calls: if most_calls(&self.config) > 1 {
                ParallelCalls::Allowed
            } else {
                ParallelCalls::OneAtATime
            },
            max_output_tokens: self.config.context.output_tokens,
            stop_sequences: Vec::new(),
            reasoning: None,
            delivery: Delivery::Streamed,
        }
    }

    /// Goes to the next turn: a model's, or the harness's own.
    pub(super) fn begin(&mut self, purpose: Purpose) {
        if purpose.is_harness() { self.harness(purpose) } else { self.call(purpose) }
    }

    /// Whether one more turn needs a measured reason that nobody has given.
    pub(super) fn is_workflow_over(&self) -> bool {
        let is_reached = |limit| self.state.used.turns >= limit;
        self.config.autonomy.is_none() && self.config.limits.workflow_turns.is_some_and(is_reached)
    }

    /// Ends before the work is done; `paused` is where it goes on.
    pub(super) fn stop(&mut self, cause: StopCause, paused: Option<Paused>) {
        self.state.paused = paused;
        self.end(RunOutcome::Stopped(cause));
    }

    pub(super) fn end(&mut self, outcome: RunOutcome) {
        let outcome = match (outcome, self.state.unverified.take()) {
            // Whoever asked for a change that the gate refused, and made nothing of it, has not completed the work.
            (RunOutcome::Completed, Some(refused)) => RunOutcome::FailedClosed {
                classes: vec![FailureClass::UseEvidenceMissing.code().to_owned()],
                detail: refused.detail,
            },
            (outcome, _) => outcome,
        };
        self.state.phase = Phase::Ended(outcome);
        let report = self.report();
        self.records.push(records::stopped(&report));
    }

    fn resume(&mut self, cause: &StopCause, limits: Option<super::limits::Limits>) {
        if let Some(limits) = limits {
            self.config.limits = limits;
            self.tools.limit_calls(most_calls(&self.config));
            // The documents of a run that could be bound before can be bound with other numbers.
            if let Ok(terms) = Terms::of(&self.config, self.tools.catalogue()) {
                self.terms = terms;
            }
        }
        match self.state.paused.take() {
            Some(Paused::Calling(purpose)) if self.is_called(cause) => {
                self.state.phase = Phase::Calling(purpose);
            }
            Some(Paused::Calling(purpose)) => self.begin(purpose),
            Some(Paused::Asking { question, open }) => self.ask(question, open),
            Some(Paused::Confirming(open)) => self.state.phase = Phase::Confirming(open),
            Some(Paused::Looking(open)) => self.look_at(*open),
            Some(Paused::Planning { proposal_id, after }) => {
                self.state.phase = Phase::Planning { proposal_id, after };
            }
            Some(Paused::Spawning { plans, after }) => self.state.phase = Phase::Spawning { plans, after },
            None => self.begin(progress::purpose(&self.config, &self.state.progress)),
        }
    }

    /// Whether the turn had begun when the run stopped: it is asked again, not counted again.
    const fn is_called(&self, cause: &StopCause) -> bool {
        match cause {
            StopCause::Interrupted | StopCause::Model { .. } => true,
            StopCause::Limit(_)
            | StopCause::NeedsPerson(_)
            | StopCause::QuestionExpired(_)
            | StopCause::Declined => false,
        }
    }

    pub(super) fn wait_with(&mut self, text: String) {
        self.state.waiting.push(UserPart::Text { text, cache: CacheMarker::None });
    }
}

fn system(config: &RunConfig) -> SystemText {
    let last = config.system.len().saturating_sub(1);
    let block = |(at, text): (usize, &String)| SystemBlock {
        text: text.clone(),
        cache: if at == last { CacheMarker::Here } else { CacheMarker::None },
    };
    config.system.iter().enumerate().map(block).collect()
}

/// Whether there is one outcome for each call, in their order.
fn fits(open: &Open, outcomes: &[crate::evidence::CallOutcome]) -> bool {
    open.calls.len() == outcomes.len()
        && open.calls.iter().zip(outcomes).all(|(call, outcome)| call.call.id == outcome.tool_call_id)
}

const fn waits(phase: &Phase) -> &'static str {
    match phase {
        Phase::Calling(_) => "waits for an answer",
        Phase::Judging(_) => "waits for policy",
        Phase::Asking { .. } | Phase::Confirming(_) => "waits for a person",
        Phase::Planning { .. } => "waits for a plan",
        Phase::Executing(_) => "waits for its tools",
        Phase::Keeping { .. } => "waits for the store of payloads",
        Phase::Handing { .. } => "waits for a stored handoff",
        Phase::Applying(_) => "waits for the store of issues",
        Phase::Spawning { .. } => "waits for its workers",
        Phase::Compacting { .. } => "waits for a stored compaction",
        Phase::Ended(_) => "has ended",
    }
}
