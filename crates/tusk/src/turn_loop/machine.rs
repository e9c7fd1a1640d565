//! The machine of a run: it is told what happened and says what is to be done next. It owns every decision and does nothing.
//!
//! Everything it is told is an [`Event`], everything it decides leaves a record; both are rows of the journal, in the order
//! in which they come. Run again on the same events it writes the same records, byte for byte. It must not read a clock,
//! wait, store, or keep a proof between two steps: proofs are earned when they are asked for.

use premath_bd::{JournalEvent, TurnGrant};
use premath_bd::issues::Operation;
use premath_kernel::{ActionMode, ActivePolicy, Claims, Digest, Digests, Text, Value, admit, close};

use super::adapter;
use super::answer::Answer;
use super::config::RunConfig;
use super::event::Event;
use super::plan::{self, Toolset};
use super::progress;
use super::records;
use super::state::{Applying, Open, Paused, Phase, Purpose, State};
use super::step::{Admitted, ModelCall, Step};
use super::terms::{Terms, TermsError};
use super::watch::{Decision, RunOutcome, RunReport, StopCause, Verdict};
use super::workflow::Judge;
use super::toolbox::Toolbox;
use crate::context::{HandoffPacket, PacketArtifact, RunState, exceeded};
use crate::model::{
    CacheMarker, Delivery, Message, ModelRequest, Offers, ParallelCalls, StopReason, SystemBlock, SystemText,
    ToolChoice, ToolOffer, Usage, UserPart,
};
use crate::tools::{Catalogue, CatalogueError};

/// Why there is no machine for a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Programs cannot be run yet.
    #[error("action mode `code` needs the evaluator, which is not here; use `json`")]
    CodeMode,
    /// Whoever makes something does not judge it.
    #[error("`{model}` would judge its own work; name another model or a command as the evaluator")]
    SelfJudging {
        /// Who.
        model: String,
    },
    /// A pattern without its parts.
    #[error("pattern `{pattern}` needs {what}")]
    Incomplete {
        /// The pattern.
        pattern: &'static str,
        /// What is not there.
        what: &'static str,
    },
    /// A tool that cannot be used.
    #[error("the tools of the run cannot be used")]
    Tools(#[from] CatalogueError),
    /// A policy that cannot be used.
    #[error("the policies of the run cannot be used")]
    Terms(#[from] TermsError),
}

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
    pub(super) state: State,
    pub(super) records: Vec<JournalEvent>,
    pub(super) last_verdict: Option<Verdict>,
    pub(super) last_digests: Option<Digests>,
    pub(super) last_rendered: Vec<String>,
}

impl Machine {
    /// A machine that has not begun: its first step is there, and the record of its beginning.
    ///
    /// # Errors
    /// A configuration that cannot run.
    pub fn new(config: RunConfig) -> Result<Self, ConfigError> {
        check(&config)?;
        let tools = Toolset::new(Catalogue::of_specs(config.tools.iter().cloned())?, &config.profile);
        let terms = Terms::of(&config, tools.catalogue())?;
        let state = State::new(system(&config), Offers::default(), config.incoming.clone());
        let mut machine =
            Self { config, tools, terms, state, records: Vec::new(), last_verdict: None, last_digests: None, last_rendered: Vec::new() };
        machine.records.push(records::started(&machine.config));
        machine.state.push(Message::user_text(machine.config.opening.clone()));
        machine.offer();
        let first = progress::first(&machine.config.workflow);
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
                turn: self.state.used.turns,
                request: self.request(purpose),
            })),
            Phase::Asking { question, .. } => Step::AskHuman(question),
            Phase::Executing(open) => Step::CallTools(&open.calls),
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
            (Phase::Asking { question, open }, Event::PersonDecided { decision }) => {
                self.decided(question, open, decision);
            }
            (Phase::Executing(open), Event::ToolsFinished { outcomes, elapsed_millis })
                if fits(&open, &outcomes) =>
            {
                self.state.used.wall_millis = self.state.used.wall_millis.max(elapsed_millis);
                let open = Open { outcomes, ..*open };
                self.conclude(open);
            }
            (Phase::Handing { packet, open }, Event::HandoffStored { observed }) => {
                let packet = self.carrying(*packet, &observed);
                self.close_turn(Open { handoff: Some((packet, observed)), ..*open });
            }
            (Phase::Applying(applying), Event::Applied { outcomes }) => self.applied(*applying, outcomes),
            (Phase::Spawning { after, .. }, Event::WorkersReturned { workers }) => {
                self.returned(after, &workers);
            }
            (Phase::Compacting { artifact, purpose }, Event::CompactionStored) => {
                self.state.compacted = Some(artifact);
                self.call(purpose);
            }
            (Phase::Ended(RunOutcome::Stopped(cause)), Event::Resumed { limits }) => {
                self.resume(cause, limits);
            }
            // A process that died left no end behind; the machine is where it was.
            (phase @ (Phase::Calling(_) | Phase::Asking { .. } | Phase::Executing(_) | Phase::Handing { .. }
                | Phase::Applying(_) | Phase::Spawning { .. } | Phase::Compacting { .. }),
                Event::Resumed { limits: None }) => self.state.phase = phase,
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
            | Phase::Asking { .. }
            | Phase::Executing(_)
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
            applied: self.state.changes,
        }
    }

    /// The witness of the closed turn whose changes are being made.
    #[must_use]
    pub fn witness(&self) -> Option<Value<'static>> {
        match &self.state.phase {
            Phase::Applying(applying) => {
                let claims = Claims::default();
                let assessment = premath_kernel::assess(&applying.turn, None, &claims);
                let witness = premath_kernel::Witness::of(&applying.turn, &assessment, None, &claims);
                Some(witness.into_value().into_owned())
            }
            Phase::Calling(_)
            | Phase::Asking { .. }
            | Phase::Executing(_)
            | Phase::Handing { .. }
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => None,
        }
    }

    /// The change that a call of the closed turn asks for, planned again.
    #[must_use]
    pub fn planned(&self, tool_call_id: &str, tools: &Toolbox) -> Option<Operation> {
        match &self.state.phase {
            Phase::Applying(applying) => {
                let call = applying.calls.iter().find(|call| call.call.id == tool_call_id)?;
                tools.operation(call)
            }
            Phase::Calling(_)
            | Phase::Asking { .. }
            | Phase::Executing(_)
            | Phase::Handing { .. }
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => None,
        }
    }

    /// A packet with the files that were required and are there.
    fn carrying(&self, mut packet: HandoffPacket, observed: &[(String, Option<String>)]) -> HandoffPacket {
        for path in &self.config.required_artifacts {
            let there = observed.iter().find(|(reference, _)| reference == path);
            let digest = there.and_then(|(_, digest)| digest.as_deref()).and_then(Digest::claimed);
            packet.artifacts.extend(digest.map(|digest| PacketArtifact { reference: path.clone(), digest }));
        }
        packet
    }

    /// What a judge said, when the run was to judge.
    #[must_use]
    pub const fn judgement(&self) -> Option<&(bool, String)> {
        self.state.verdict.as_ref()
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

    pub(super) fn call_id(&self) -> String {
        format!("{}.t{:04}", self.config.run_id, self.state.used.turns)
    }

    /// What the model may call now.
    pub(super) fn offer(&mut self) {
        let names: Vec<String> =
            self.state.found.iter().flat_map(|found| found.names.iter().cloned()).collect();
        let is_choosing = progress::purpose(&self.config, &self.state.progress) == Purpose::Route;
        let spawns = self.config.workflow.pattern == premath_kernel::ExecutionPattern::OrchestratorWorkers;
        let offered = self.tools.catalogue().offer(&names).into_iter().filter(|offer| {
            match offer.name.as_str() {
                progress::CHOOSE_ROUTE => is_choosing,
                progress::SPAWN_WORKER => spawns,
                _other => true,
            }
        });
        let mut offered: Vec<ToolOffer> = offered.collect();
        if self.config.action_mode == ActionMode::Text {
            offered.clear();
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
                Purpose::Route => ToolChoice::Named(progress::CHOOSE_ROUTE.to_owned()),
                Purpose::Descent => ToolChoice::Forbidden,
                Purpose::Work | Purpose::Branches | Purpose::Judgement => ToolChoice::Auto,
            },
            parallel_calls: ParallelCalls::Allowed,
            max_output_tokens: self.config.context.output_tokens,
            stop_sequences: Vec::new(),
            reasoning: None,
            delivery: Delivery::Streamed,
        }
    }

    /// The permits of a closed turn, each earned from its evidence.
    fn admitted(&self, applying: &Applying) -> Vec<Admitted> {
        let claims = Claims::new(self.config.capabilities.iter().filter_map(|text| Text::new(text)).collect());
        let policy = self.terms.mutation_policy();
        let active = policy.map_or(ActivePolicy::NotSupplied, ActivePolicy::Supplied);
        let grant = |intent: &premath_kernel::Intent| {
            let refusal = |refusal: &premath_kernel::Refusal| {
                let first = refusal.reasons().first();
                let detail = first.map(|reason| reason.detail.clone()).unwrap_or_default();
                (refusal.classes().iter().map(|class| class.code()).collect::<Vec<_>>().join(", "), detail)
            };
            let join = close(&applying.turn).map_err(|refused| refusal(&refused))?;
            let ready = admit(join, intent, &active, &claims).map_err(|refused| refusal(&refused))?;
            TurnGrant::new(ready, intent.clone())
                .map_err(|refused| ("permit_mismatch".to_owned(), refused.detail))
        };
        let admitted = applying.intents.iter().map(|(tool_call_id, intent)| Admitted {
            tool_call_id: tool_call_id.clone(),
            action: intent.action.as_str().to_owned(),
            intent_digest: intent.digest().as_str().to_owned(),
            grant: grant(intent),
        });
        admitted.collect()
    }

    /// Goes to the next turn: a model's, or the harness's own.
    pub(super) fn begin(&mut self, purpose: Purpose) {
        if purpose.is_harness() { self.harness(purpose) } else { self.call(purpose) }
    }

    /// A turn that the harness answers itself: the same checks, nobody asked.
    fn harness(&mut self, purpose: Purpose) {
        if exceeded(&self.run_state()).contains(&"turns") {
            self.stop(StopCause::Limit("turns".to_owned()), Some(Paused::Calling(purpose)));
            return;
        }
        self.state.used.turns += 1;
        let call_id = self.call_id();
        self.records.push(records::called(&call_id, self.state.used.turns, &purpose, &self.state.context_digest));
        let calls = progress::harness_calls(&self.config, &purpose, &call_id, &self.state.last_text);
        let answer = Answer {
            model_ref: format!("harness:{}", self.config.workflow.pattern.token()),
            parts: calls.into_iter().map(crate::model::AssistantPart::ToolCall).collect(),
            stop: StopReason::ToolUse,
            usage: Usage::default(),
            cost_micros: None,
            response_id: None,
            attempts: Vec::new(),
            elapsed_millis: self.state.used.wall_millis,
        };
        self.answered(purpose, answer);
    }

    /// The limit that the open turn is over: nothing of it may run.
    fn over(&self) -> Option<&'static str> {
        let budget = self.state.used.of(&self.config.limits);
        let spent = [
            ("tokens", budget.tokens),
            ("costMicros", budget.cost_micros),
            ("wallMillis", budget.wall_millis),
            ("toolCalls", budget.tool_calls),
        ];
        let is_over = |spent: &crate::context::views::Spent| spent.limit.is_some_and(|limit| spent.used > limit);
        spent.into_iter().find(|(_, spent)| is_over(spent)).map(|(name, _)| name)
    }

    /// An answer: its calls are looked at, and a person is asked where one must be.
    fn answered(&mut self, purpose: Purpose, answer: Answer) {
        let used = &mut self.state.used;
        let usage = answer.usage;
        let input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        used.tokens = used.tokens.saturating_add(input).saturating_add(usage.output_tokens);
        used.cost_micros = used.cost_micros.saturating_add(answer.cost_micros.unwrap_or(0));
        used.wall_millis = used.wall_millis.max(answer.elapsed_millis);
        if input > 0 {
            self.state.meter.reported(input);
        }
        let calls = match self.config.action_mode {
            ActionMode::Text if !purpose.is_harness() => {
                adapter::calls(&self.config.normalizer, &answer.text(), &self.call_id())
            }
            ActionMode::Text | ActionMode::Json | ActionMode::Code => answer.calls().cloned().collect(),
        };
        let mut planned = self.tools.plan(calls, &self.state.found);
        self.state.used.tool_calls += u64::try_from(planned.len()).unwrap_or(u64::MAX);
        self.note_repeats(&planned);
        let stop = self.over().map(|name| {
            plan::hold_all(&mut planned, "limit_exceeded", "it was not run: a limit of the run is reached");
            RunOutcome::Stopped(StopCause::Limit(name.to_owned()))
        });
        let open = Open {
            call_id: self.call_id(),
            purpose,
            answer,
            calls: planned,
            outcomes: Vec::new(),
            checkpoint: None,
            stop,
            handoff: None,
            compaction: self.state.compacted.take(),
        };
        match self.question(&open).filter(|_| open.stop.is_none()) {
            Some(question) => self.ask(question, Box::new(open)),
            None => self.execute(open),
        }
    }

    fn note_repeats(&mut self, calls: &[super::step::PlannedCall]) {
        let mut now = std::collections::BTreeMap::new();
        for call in calls {
            let Some(signature) = plan::signature(&call.call) else { continue };
            let before = self.state.repeated.get(signature.as_str()).copied().unwrap_or(0);
            now.insert(signature.as_str().to_owned(), before + 1);
        }
        self.state.used.identical_calls = now.values().copied().max().unwrap_or(0);
        self.state.repeated = now;
    }

    /// Why a person is to be asked before the calls of a turn run.
    fn question(&self, open: &Open) -> Option<String> {
        let limits = &self.config.limits;
        let turns = self.state.used.turns;
        if limits.checkpoint_every.is_some_and(|every| every == 0 || turns.is_multiple_of(every)) {
            return Some(format!("turn {turns} is a checkpoint"));
        }
        let named = |call: &&super::step::PlannedCall| {
            call.runs() && limits.checkpoint_before.contains(&call.call.name)
        };
        if let Some(call) = open.calls.iter().find(named) {
            return Some(format!("`{}` is about to run", call.call.name));
        }
        let repeats = self.state.used.identical_calls;
        let is_stuck = limits.identical_calls.is_some_and(|limit| repeats >= limit && limit > 0);
        is_stuck.then(|| format!("the same call was made {repeats} times in a row"))
    }

    fn ask(&mut self, question: String, open: Box<Open>) {
        self.records.push(records::asked(&open.call_id, &question));
        self.state.phase = Phase::Asking { question, open };
    }

    fn decided(&mut self, question: String, mut open: Box<Open>, decision: Decision) {
        match decision {
            Decision::Continue => {
                open.checkpoint = Some(Digest::of_bytes(records::asked(&open.call_id, &question).bytes()));
                self.state.repeated.clear();
                self.state.used.identical_calls = self.state.used.identical_calls.min(1);
                self.execute(*open);
            }
            Decision::Stop => {
                open.checkpoint = Some(Digest::of_bytes(records::asked(&open.call_id, &question).bytes()));
                self.state.used.identical_calls = self.state.used.identical_calls.min(1);
                plan::hold_all(&mut open.calls, "declined", "it was not run: a person said no");
                open.stop = Some(RunOutcome::Stopped(StopCause::Declined));
                self.execute(*open);
            }
            Decision::NoAnswer => {
                let cause = StopCause::NeedsPerson(question.clone());
                self.stop(cause, Some(Paused::Asking { question, open }));
            }
        }
    }

    fn execute(&mut self, open: Open) {
        if open.calls.is_empty() {
            self.conclude(open);
        } else {
            self.state.phase = Phase::Executing(Box::new(open));
        }
    }

    /// Ends before the work is done; `paused` is where it goes on.
    pub(super) fn stop(&mut self, cause: StopCause, paused: Option<Paused>) {
        self.state.paused = paused;
        self.end(RunOutcome::Stopped(cause));
    }

    pub(super) fn end(&mut self, outcome: RunOutcome) {
        self.state.phase = Phase::Ended(outcome);
        let report = self.report();
        self.records.push(records::stopped(&report));
    }

    fn resume(&mut self, cause: StopCause, limits: Option<super::limits::Limits>) {
        if let Some(limits) = limits {
            self.config.limits = limits;
            // The documents of a run that could be bound before can be bound with other numbers.
            if let Ok(terms) = Terms::of(&self.config, self.tools.catalogue()) {
                self.terms = terms;
            }
        }
        match self.state.paused.take() {
            Some(Paused::Calling(purpose)) if self.is_called(&cause) => {
                self.state.phase = Phase::Calling(purpose);
            }
            Some(Paused::Calling(purpose)) => self.begin(purpose),
            Some(Paused::Asking { question, open }) => self.ask(question, open),
            None => self.begin(progress::purpose(&self.config, &self.state.progress)),
        }
    }

    /// Whether the turn had begun when the run stopped: it is asked again, not counted again.
    const fn is_called(&self, cause: &StopCause) -> bool {
        match cause {
            StopCause::Interrupted | StopCause::Model { .. } => true,
            StopCause::Limit(_) | StopCause::NeedsPerson(_) | StopCause::Declined => false,
        }
    }

    pub(super) fn wait_with(&mut self, text: String) {
        self.state.waiting.push(UserPart::Text { text, cache: CacheMarker::None });
    }
}

fn check(config: &RunConfig) -> Result<(), ConfigError> {
    let workflow = &config.workflow;
    let incomplete = |what| ConfigError::Incomplete { pattern: workflow.pattern.token(), what };
    if config.action_mode == ActionMode::Code {
        return Err(ConfigError::CodeMode);
    }
    if let Some(Judge::Model { reference, .. }) = workflow.evaluator.as_ref().map(|one| &one.judge)
        && config.models.contains(reference)
    {
        return Err(ConfigError::SelfJudging { model: reference.clone() });
    }
    match workflow.pattern {
        premath_kernel::ExecutionPattern::Parallel if workflow.branches.is_empty() => {
            Err(incomplete("at least one branch"))
        }
        premath_kernel::ExecutionPattern::Route if workflow.routes.is_empty() => {
            Err(incomplete("at least one route"))
        }
        premath_kernel::ExecutionPattern::EvaluatorOptimizer if workflow.evaluator.is_none() => {
            Err(incomplete("an evaluator"))
        }
        premath_kernel::ExecutionPattern::Single
        | premath_kernel::ExecutionPattern::Chain
        | premath_kernel::ExecutionPattern::Route
        | premath_kernel::ExecutionPattern::Parallel
        | premath_kernel::ExecutionPattern::OrchestratorWorkers
        | premath_kernel::ExecutionPattern::EvaluatorOptimizer => {
            if workflow.spawns() && config.issue_id.is_none() {
                return Err(incomplete("an issue, which its workers are children of"));
            }
            Ok(())
        }
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
        Phase::Asking { .. } => "waits for a person",
        Phase::Executing(_) => "waits for its tools",
        Phase::Handing { .. } => "waits for a stored handoff",
        Phase::Applying(_) => "waits for the store of issues",
        Phase::Spawning { .. } => "waits for its workers",
        Phase::Compacting { .. } => "waits for a stored compaction",
        Phase::Ended(_) => "has ended",
    }
}
