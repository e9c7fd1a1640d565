//! What a machine makes of an answer: its calls are looked at, limits and repeats are counted, and a person is asked where
//! one must be, before anything runs.

use premath_kernel::{ActionMode, Digest, ExecutionPattern};

use super::adapter;
use super::answer::Answer;
use super::code::CODE_EXECUTION;
use super::machine::Machine;
use super::plan;
use super::progress;
use super::records;
use super::state::{Open, Paused, Phase, Purpose};
use super::step::PlannedCall;
use super::watch::{Decision, RunOutcome, StopCause};
use crate::context::exceeded;
use crate::context::views::Spent;
use crate::evidence::CallOutcome;
use crate::model::{StopReason, Usage};

impl Machine {
    /// A turn that the harness answers itself: the same checks, nobody asked.
    pub(super) fn harness(&mut self, purpose: Purpose) {
        let is_over = exceeded(&self.run_state()).contains(&"turns");
        if is_over || self.is_workflow_over() {
            let name = if is_over { "turns" } else { "workflowTurns" };
            self.stop(StopCause::Limit(name.to_owned()), Some(Paused::Calling(purpose)));
            return;
        }
        let call_id = self.count_turn(&purpose);
        let calls = progress::harness_calls(&self.config, &purpose, &call_id);
        let answer = Answer {
            model_ref: match purpose {
                Purpose::Plan => "harness:plan".to_owned(),
                Purpose::Work
                | Purpose::Route
                | Purpose::Descent
                | Purpose::Branches
                | Purpose::Judgement => {
                    format!("harness:{}", self.config.workflow.pattern.token())
                }
            },
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
    pub(super) fn over(&self, asked_for: &[PlannedCall]) -> Option<&'static str> {
        let budget = self.state.used.of(&self.config.limits);
        let spawns = asked_for.iter().filter(|call| progress::is_spawn(call) && call.runs()).count();
        let mut workers = budget.workers;
        workers.used = workers.used.saturating_add(u64::try_from(spawns).unwrap_or(u64::MAX));
        let spent = [
            ("tokens", budget.tokens),
            ("costMicros", budget.cost_micros),
            ("wallMillis", budget.wall_millis),
            ("toolCalls", budget.tool_calls),
            ("workers", workers),
        ];
        let is_over = |spent: &Spent| spent.limit.is_some_and(|limit| spent.used > limit);
        spent.into_iter().find(|(_, spent)| is_over(spent)).map(|(name, _)| name)
    }

    /// An answer: its calls are looked at, and a person is asked where one must be.
    pub(super) fn answered(&mut self, purpose: Purpose, answer: Answer) {
        let used = &mut self.state.used;
        let usage = answer.usage;
        let input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        used.tokens = used.tokens.saturating_add(input).saturating_add(usage.output_tokens);
        used.cost_micros = used.cost_micros.saturating_add(answer.cost_micros.unwrap_or(0));
        used.wall_millis = used.wall_millis.max(answer.elapsed_millis);
        if input > 0 {
            self.state.meter.reported(input);
        }
        if matches!(purpose, Purpose::Work | Purpose::Route) {
            self.state.due = None;
        }
        let calls = match self.config.action_mode {
            ActionMode::Text if !purpose.is_harness() => {
                adapter::calls(&self.config.normalizer, &answer.text(), &self.call_id())
            }
            ActionMode::Text | ActionMode::Json | ActionMode::Code => answer.calls().cloned().collect(),
        };
        if let Some(detail) = unanswerable(&calls) {
            self.state.last_text = answer.text();
            self.end(RunOutcome::FailedClosed { classes: vec!["tool.schema_invalid".to_owned()], detail });
            return;
        }
        let mut planned = self.tools.plan(calls, &self.state.found, &|tool| self.may_ask_for(&purpose, tool));
        if self.config.action_mode == ActionMode::Code && !purpose.is_harness() {
            self.hint_at_programs(&mut planned);
        }
        if answer.stop == StopReason::MaxTokens && self.config.evidence.is_computed() {
            let why = "it was not run: the answer was cut off at its longest, so its calls may not be all; make the call \
                       again";
            plan::hold_all(&mut planned, plan::ANSWER_CUT_OFF, why);
        }
        if !is_handled(&answer.stop) {
            let why = "it was not run: the answer ended in a way that is not handled";
            plan::hold_all(&mut planned, plan::TURN_REFUSED, why);
        }
        self.state.used.tool_calls += u64::try_from(planned.len()).unwrap_or(u64::MAX);
        self.hold_workers(&mut planned);
        self.note_repeats(&planned);
        if purpose == Purpose::Descent {
            plan::hold_all(&mut planned, "handing_over", "it was not run: the session is being handed over");
        }
        let stop = self.over(&planned).map(|name| {
            plan::hold_all(&mut planned, "limit_exceeded", "it was not run: a limit of the run is reached");
            RunOutcome::Stopped(StopCause::Limit(name.to_owned()))
        });
        let said = answer.text();
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
            guards: Vec::new(),
            said,
            programs: None,
        };
        self.look_at(open);
    }

    /// Whether an answer may call a tool by itself: where programs call, it only asks for programs.
    fn may_ask_for(&self, purpose: &Purpose, tool: &str) -> bool {
        match self.config.action_mode {
            ActionMode::Code if !purpose.is_harness() => tool == CODE_EXECUTION,
            ActionMode::Code | ActionMode::Json | ActionMode::Text => self.may_call(purpose, tool),
        }
    }

    /// Whether a tool may be called in a turn of this purpose. The harness calls what it needs.
    pub(super) fn may_call(&self, purpose: &Purpose, tool: &str) -> bool {
        match purpose {
            Purpose::Branches | Purpose::Judgement | Purpose::Plan => true,
            Purpose::Route => tool == progress::CHOOSE_ROUTE,
            Purpose::Work | Purpose::Descent => {
                let pattern = self.config.workflow.pattern;
                match tool {
                    progress::SPAWN_WORKER => pattern == ExecutionPattern::OrchestratorWorkers,
                    progress::CHOOSE_ROUTE => false,
                    _other => true,
                }
            }
        }
    }

    /// Workers that would be too deep are not asked for.
    fn hold_workers(&self, calls: &mut [PlannedCall]) {
        if self.config.limits.depth.is_none_or(|most| self.config.depth() < most) {
            return;
        }
        for call in calls.iter_mut().filter(|call| progress::is_spawn(call) && call.runs()) {
            let why = "it was not spawned: workers of workers go no deeper here";
            call.refusal = Some(CallOutcome::failed(&call.call.id, "limit_exceeded", false, why));
        }
    }

    pub(super) fn note_repeats(&mut self, calls: &[PlannedCall]) {
        let mut now = std::collections::BTreeMap::new();
        for call in calls {
            let signature = plan::signature(&call.call);
            let before = self.state.repeated.get(&signature).copied().unwrap_or(0);
            *now.entry(signature).or_insert(before) += 1;
        }
        // What programs call shows when they have ended: whoever is asked is asked before one more begins.
        let programs = self.state.repeated_programs.as_ref().filter(|_| !calls.is_empty());
        let programs = programs.map_or(0, |(_, turns)| *turns);
        self.state.used.identical_calls = now.values().copied().max().unwrap_or(0).max(programs);
        self.state.repeated = now;
    }

    /// Why a person is to be asked before the calls of a turn run.
    pub(super) fn question(&self, open: &Open) -> Option<String> {
        let limits = &self.config.limits;
        let turns = self.state.used.turns;
        // Workers count too, so a checkpoint may be passed between two turns; it is due all the same.
        let is_due = |every: u64| every == 0 || turns / every > self.state.checkpointed / every;
        if limits.checkpoint_every.is_some_and(is_due) {
            return Some(format!("turn {turns} is a checkpoint"));
        }
        let named = |call: &&PlannedCall| call.runs() && limits.checkpoint_before.contains(&call.call.name);
        if let Some(call) = open.calls.iter().find(named) {
            return Some(format!("`{}` is about to run", call.call.name));
        }
        let repeats = self.state.used.identical_calls;
        let is_stuck = limits.identical_calls.is_some_and(|limit| repeats >= limit && limit > 0);
        is_stuck.then(|| format!("the same call was made {repeats} times in a row"))
    }

    pub(super) fn ask(&mut self, question: String, open: Box<Open>) {
        self.records.push(records::asked(&open.call_id, &question));
        self.state.phase = Phase::Asking { question, open };
    }

    pub(super) fn decided(&mut self, question: String, mut open: Box<Open>, decision: Decision) {
        match decision {
            Decision::Continue => {
                open.checkpoint = Some(Digest::of_bytes(records::asked(&open.call_id, &question).bytes()));
                self.state.checkpointed = self.state.used.turns;
                self.state.repeated.clear();
                self.state.repeated_programs = None;
                self.state.used.identical_calls = self.state.used.identical_calls.min(1);
                self.confirm_or_execute(*open);
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
            Decision::Expired => {
                let cause = StopCause::QuestionExpired(question.clone());
                self.stop(cause, Some(Paused::Asking { question, open }));
            }
        }
    }

    /// The calls under way have ended.
    pub(super) fn ran(&mut self, mut open: Open, elapsed_millis: u64) {
        self.state.used.wall_millis = self.state.used.wall_millis.max(elapsed_millis);
        if open.stop.is_none() {
            open.stop = self.over(&[]).map(|name| RunOutcome::Stopped(StopCause::Limit(name.to_owned())));
        }
        if open.is_nested() { self.part_ended(open) } else { self.conclude(open) }
    }

    pub(super) fn execute(&mut self, open: Open) {
        if open.calls.is_empty() {
            self.conclude(open);
        } else if self.is_code(&open) && !open.is_nested() && open.calls.iter().any(PlannedCall::runs) {
            self.begin_programs(open);
        } else {
            self.state.phase = Phase::Executing(Box::new(open));
        }
    }
}

/// Whether the loop knows what to do after such an end.
const fn is_handled(stop: &StopReason) -> bool {
    match stop {
        StopReason::EndTurn | StopReason::ToolUse | StopReason::MaxTokens | StopReason::PauseTurn => true,
        StopReason::Refusal | StopReason::Other(_) => false,
    }
}

/// Why the calls of an answer cannot be told apart, and so cannot be answered.
fn unanswerable(calls: &[crate::model::ToolCall]) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    let twin = calls.iter().find(|call| call.id.trim().is_empty() || !seen.insert(call.id.trim()))?;
    let shown = crate::context::plain_line(&twin.id, 100);
    Some(format!("two calls of one answer have the id `{shown}`, or it is blank"))
}
