//! The driver of a run: it does what the machine says, writes down what happened, and decides nothing.
//!
//! The order of writing is the promise: what the machine decided is durable before it is done, what happened is durable
//! before it is acted on, and an effect has its intent on disk before it begins (I7). Rows wait for each other and are
//! written together: at most two syncs a turn, however many calls it has.

mod governed;
mod planned;
mod programs;

use std::collections::{BTreeMap, BTreeSet};

use premath_bd::{Change, JournalEvent, StoreError};
use premath_kernel::Object;

use self::governed::hold_what_changed;
use self::planned::{all_or_none, hold_to_plan, next_step};
use super::answer::Answer;
use super::event::Event;
use super::held_text::HeldText;
use super::machine::{Machine, Unexpected};
use super::plan::PLAN_STOPPED;
use super::ports::{
    AnswerError, AnswerPort, Crew, IssuePort, ObjectPort, Person, PolicyPort, RunJournal, Stopwatch,
};
use super::records;
use super::redaction::{hold_written, redact_parts, written_arguments};
use super::redrive::INTENDED;
use super::renaming::Renaming;
use super::step::{Admitted, PlannedCall, Step};
use super::toolbox::{Prepared, Ran, Toolbox};
use super::watch::{AppliedIntent, IntentOutcome, RunEvent, RunReport};
use crate::context::{CompactionArtifact, HandoffPacket};
use crate::evidence::{CallOutcome, Payload};
use crate::model::ModelEvent;
use crate::policy::{ApprovedPlan, RunPolicy};
use crate::tools::ToolKind;
use crate::tools::clip::{head, tail};

/// Why a driver gave up. The journal has everything until then; the run can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// A store gave no answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine and the driver disagree: a fault of ours.
    #[error("the run cannot go on")]
    Unexpected(#[from] Unexpected),
}

/// Everything a driver works with.
pub struct Ports<'p> {
    /// The journal.
    pub journal: &'p mut dyn RunJournal,
    /// Whoever answers.
    pub models: &'p mut dyn AnswerPort,
    /// The tools.
    pub tools: &'p Toolbox,
    /// Issue memory.
    pub issues: &'p mut dyn IssuePort,
    /// Payloads.
    pub objects: &'p mut dyn ObjectPort,
    /// A person.
    pub person: &'p mut dyn Person,
    /// Policy. A run that is under one and has none here runs nothing.
    pub policy: Option<&'p mut dyn PolicyPort>,
    /// Whoever runs workers.
    pub crew: &'p mut dyn Crew,
    /// Time.
    pub time: &'p dyn Stopwatch,
    /// Whoever watches.
    pub watch: &'p mut (dyn FnMut(&RunEvent<'_>) + Send),
}

impl std::fmt::Debug for Ports<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Ports").field("tools", &self.tools).finish_non_exhaustive()
    }
}

/// Whether a run begins or goes on.
#[derive(Debug)]
pub enum Beginning {
    /// It begins.
    Fresh,
    /// It goes on: records that its journal lacks come first.
    Resumed {
        /// Those records.
        unwritten: Vec<JournalEvent>,
    },
}

/// Drives a machine to its end.
///
/// # Errors
/// A store that gives no answer. Nothing is lost by it.
pub async fn drive(
    machine: &mut Machine,
    ports: &mut Ports<'_>,
    beginning: Beginning,
) -> Result<RunReport, DriveError> {
    let mut driver = Driver {
        ports,
        rows: Vec::new(),
        operations: BTreeMap::new(),
        is_resumed: false,
        earlier_millis: 0,
        announced: None,
        withheld: BTreeSet::new(),
    };
    driver.begin(machine, beginning)?;
    loop {
        driver.note(machine.take_records());
        driver.announce(machine);
        let event = match machine.next() {
            Step::CallModel(call) => {
                driver.flush()?;
                driver.answer(*call).await?
            }
            Step::CallTools(calls)
                if calls.iter().any(|call| call.caller.is_some())
                    && driver.ports.tools.interrupt.is_requested() =>
            {
                // Nothing of it has begun: the program goes on when the run does.
                Event::Interrupted
            }
            Step::CallTools(calls) => {
                if let Some((call_id, turn, does)) = machine.harness_turn() {
                    let started = RunEvent::TurnStarted { call_id: &call_id, turn, harness: Some(does) };
                    (driver.ports.watch)(&started);
                }
                driver.call(machine, calls, planned::plan(machine))?
            }
            Step::Keep { call, outcome } => driver.keep(machine, call, outcome.clone())?,
            Step::Apply(admitted) => {
                driver.flush()?;
                driver.apply(machine, admitted)?
            }
            Step::Spawn(plans) => {
                driver.flush()?;
                let workers = driver.ports.crew.run(machine, plans, driver.ports.watch)?;
                if driver.ports.tools.interrupt.is_requested() {
                    // They were interrupted too, and go on when this run does.
                    Event::Interrupted
                } else {
                    Event::WorkersReturned { workers }
                }
            }
            Step::Judge { said, calls } => driver.judge(&machine.turn_id(), said, calls)?,
            Step::AskHuman(question) => {
                driver.flush()?;
                let call_id = machine.turn_id();
                driver.check_in(&machine.config().run_id, &call_id, question, machine.asked_about())?
            }
            Step::Confirm(calls) => {
                driver.flush()?;
                driver.confirm(&machine.config().run_id, &machine.turn_id(), calls)?
            }
            Step::AwaitPlan(proposal_id) => {
                driver.flush()?;
                (driver.ports.watch)(&RunEvent::Planned { proposal_id });
                let decision = driver.ports.person.plan(proposal_id)?;
                (driver.ports.watch)(&RunEvent::PlanDecided(&decision));
                Event::PlanDecided(decision)
            }
            Step::Handoff(packet) => driver.hand_over(machine, packet)?,
            Step::Compact(artifact) => driver.compact(artifact)?,
            Step::Done(_) => break,
        };
        driver.feed(machine, event)?;
    }
    driver.flush()?;
    driver.ports.journal.seal()?;
    let report = machine.report();
    (driver.ports.watch)(&RunEvent::Stopped(&report));
    Ok(report)
}

struct Driver<'d, 'p> {
    ports: &'d mut Ports<'p>,
    /// Rows that are not durable yet.
    rows: Vec<JournalEvent>,
    /// The changes that the calls of the open turn ask for.
    operations: BTreeMap<String, Change>,
    /// Whether a change may have been made by a process that died.
    is_resumed: bool,
    /// How long the run took before this process.
    earlier_millis: u64,
    /// The program that whoever watches was told of last, and when.
    announced: Option<(String, u64)>,
    /// The calls of programs whose arguments hold a secret.
    withheld: BTreeSet<String>,
}

impl Driver<'_, '_> {
    fn begin(&mut self, machine: &mut Machine, beginning: Beginning) -> Result<(), DriveError> {
        let config = machine.config();
        let denied = config.policy.as_ref().map(RunPolicy::denied).unwrap_or_default();
        (self.ports.watch)(&RunEvent::Started {
            run_id: &config.run_id,
            task: &config.task,
            issue_id: config.issue_id.as_deref(),
            models: &config.models,
            pattern: config.workflow.pattern.token(),
            is_resumed: matches!(beginning, Beginning::Resumed { .. }),
            depth: config.depth(),
            reads_history: self.ports.tools.reads_history(),
            denied: &denied,
            blocked: &config.blocked,
            workdir: &self.ports.tools.workdir,
        });
        if let Beginning::Resumed { unwritten } = beginning {
            // A turn whose beginning nobody wrote down has done nothing: it begins now.
            let is_new = unwritten.iter().any(|row| row.kind() == records::CALLED);
            self.note(unwritten);
            self.is_resumed = true;
            self.earlier_millis = machine.report().wall_millis;
            if !is_new {
                self.close_what_was_open(machine)?;
            }
        }
        Ok(())
    }

    /// Calls whose end nobody saw are closed as interrupted: nothing is run a second time.
    fn close_what_was_open(&mut self, machine: &mut Machine) -> Result<(), DriveError> {
        if let Step::CallTools(calls) = machine.next() {
            let has_effects = calls.iter().any(|call| call.runs() && matches!(call.kind, ToolKind::Effect));
            if machine.harness_turn().is_some() && !has_effects {
                // Nobody could be told to ask again, and asking has no effect before the turn is closed.
                return Ok(());
            }
            let mut outcomes = Vec::with_capacity(calls.len());
            for call in calls {
                outcomes.push(self.reviewed(&machine.turn_id(), &call.call.name, call.interrupted())?);
            }
            let elapsed_millis = self.elapsed_millis();
            self.feed(machine, Event::ToolsFinished { outcomes, elapsed_millis, traces: Vec::new() })?;
            self.note(machine.take_records());
        }
        Ok(())
    }

    /// Since the run began, whoever drove it.
    fn elapsed_millis(&self) -> u64 {
        self.earlier_millis.saturating_add(self.ports.time.elapsed_millis())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.ports.journal.append(&self.rows)?;
        self.rows.clear();
        Ok(())
    }

    fn feed(&mut self, machine: &mut Machine, event: Event) -> Result<(), DriveError> {
        self.rows.push(event.row());
        let before = machine.last_verdict().map(|verdict| verdict.call_id.clone());
        machine.feed(event)?;
        if let Some(verdict) =
            machine.last_verdict().filter(|verdict| Some(&verdict.call_id) != before.as_ref())
        {
            (self.ports.watch)(&RunEvent::Closed(verdict));
        }
        Ok(())
    }

    async fn answer(&mut self, call: super::step::ModelCall) -> Result<Event, DriveError> {
        self.operations.clear();
        self.withheld.clear();
        self.announced = None;
        self.ports.tools.secrets.begin_turn();
        if self.ports.tools.interrupt.is_requested() {
            return Ok(Event::Interrupted);
        }
        (self.ports.watch)(&RunEvent::TurnStarted { call_id: &call.call_id, turn: call.turn, harness: None });
        let watch = &mut *self.ports.watch;
        let policy = self.ports.policy.as_deref();
        let secrets = &self.ports.tools.secrets;
        let redact = |text: &str| match policy {
            Some(policy) => secrets.scrub(&policy.redact(text)).into_owned(),
            None => text.to_owned(),
        };
        let mut held = HeldText::new(&redact);
        let mut names = Renaming::new(call.turn);
        let mut tell = |event: &ModelEvent| watch(&RunEvent::Model(&names.event(event, &redact)));
        let mut seen = |event: &ModelEvent| held.take(event, &mut tell);
        let answered = self.ports.models.answer(&call.request, &mut seen).await;
        held.finish(&mut tell);
        Ok(match answered {
            Err(AnswerError::Interrupted) => Event::Interrupted,
            Err(AnswerError::Model(error)) => Event::ModelFailed {
                error_kind: error.kind.as_str().to_owned(),
                message: crate::context::plain_line(&redact(&error.message), 2_000),
            },
            Ok(answered) => {
                let (mut response, mut attempts) = (answered.response, answered.attempts);
                if let Some(policy) = &mut self.ports.policy {
                    policy.charge(answered.cost_micros.unwrap_or(0))?;
                    let written = written_arguments(secrets, &response.parts, &|text| policy.redaction(text));
                    let redact = |text: &str| secrets.scrub(&policy.redact(text)).into_owned();
                    redact_parts(&mut response.parts, &redact);
                    names.parts(&mut response.parts, &redact);
                    hold_written(secrets, written, &response.parts);
                    Renaming::stop(&mut response.stop, &redact);
                    Renaming::word(&mut response.response_id, &redact);
                    attempts.iter_mut().for_each(|attempt| *attempt = redact(attempt));
                }
                (self.ports.watch)(&RunEvent::Answered {
                    call_id: &call.call_id,
                    model: &answered.reference,
                    usage: response.usage,
                    cost_micros: answered.cost_micros,
                    stop: response.stop.to_string(),
                });
                Event::Answered(Box::new(Answer {
                    model_ref: answered.reference,
                    parts: response.parts,
                    stop: response.stop,
                    usage: response.usage,
                    cost_micros: answered.cost_micros,
                    response_id: response.response_id,
                    attempts,
                    elapsed_millis: self.elapsed_millis(),
                }))
            }
        })
    }

    fn call(
        &mut self,
        machine: &Machine,
        calls: &[PlannedCall],
        plan: Option<&ApprovedPlan>,
    ) -> Result<Event, DriveError> {
        let is_nested = calls.iter().any(|call| call.caller.is_some());
        let budget = if is_nested { self.ports.tools.budget } else { self.shown_budget(machine) };
        let has_effects = calls.iter().any(|call| call.runs() && matches!(call.kind, ToolKind::Effect));
        // What was agreed to is looked at again, whether it happens now or when the turn is closed.
        let is_agreed = calls.iter().any(|call| call.runs() && call.approval.is_some());
        let mut prepared =
            if has_effects || is_agreed { self.ports.tools.prepare(calls) } else { Prepared::default() };
        hold_what_changed(calls, &mut prepared);
        if has_effects {
            let row = self.intended(calls, &prepared)?;
            self.rows.push(row);
            self.flush()?;
        }
        for call in calls {
            let diff = prepared.diff(&call.call.id);
            let arguments = self.shown_arguments(call);
            (self.ports.watch)(&RunEvent::CallStarted {
                tool_call_id: &call.call.id,
                tool: &call.call.name,
                arguments: &arguments,
                diff: diff.as_deref(),
                program: call.caller.as_ref().map(|caller| caller.parent.as_str()),
            });
        }
        let mut ran = self.ports.tools.run(calls, &prepared, self.ports.time);
        if let Some(plan) = plan {
            hold_to_plan(plan, calls, self.ports.tools, &mut ran);
        }
        let mut reviewed = Vec::with_capacity(calls.len());
        for (ran, call) in ran.into_iter().zip(calls) {
            let outcome = self.reviewed(&machine.turn_id(), &call.call.name, ran.outcome)?;
            reviewed.push(Ran { outcome, ..ran });
        }
        if plan.is_some() {
            all_or_none(calls, &mut reviewed);
        }
        let elapsed_millis = self.elapsed_millis();
        let mut outcomes = Vec::with_capacity(calls.len());
        if !is_nested {
            // The calls of a program come after one another, and what the first ask for is of the same turn.
            self.operations.clear();
        }
        let mut traces = Vec::new();
        for (Ran { outcome, operation, trace }, call) in reviewed.into_iter().zip(calls) {
            self.operations.extend(operation.map(|operation| (call.call.id.clone(), operation)));
            let outcome = self.kept(outcome, budget)?;
            let millis = trace.as_ref().map_or(0, |trace| trace.duration_micros / 1000);
            traces.extend(trace);
            (self.ports.watch)(&RunEvent::CallFinished { tool: &call.call.name, outcome: &outcome, millis });
            outcomes.push(outcome);
        }
        Ok(Event::ToolsFinished { outcomes, elapsed_millis, traces })
    }

    /// What is about to happen, with how to take it back.
    fn intended(&mut self, calls: &[PlannedCall], prepared: &Prepared) -> Result<JournalEvent, StoreError> {
        let mut intents = Vec::new();
        for call in calls.iter().filter(|call| call.runs() && matches!(call.kind, ToolKind::Effect)) {
            let undo = prepared.undo.get(&call.call.id).map(crate::tools::UndoRecord::to_value);
            let fields = Object::fields()
                .field("tool", call.call.name.as_str())
                .field("toolCallId", call.call.id.as_str());
            let fields = match undo {
                None => fields,
                Some(undo) => {
                    let bytes = premath_kernel::encode(&undo);
                    if bytes.len() <= LONGEST_ROW {
                        fields.field("undo", undo)
                    } else {
                        fields.field("objectRef", self.ports.objects.store(&bytes)?)
                    }
                }
            };
            intents.push(fields.finish().into_owned());
        }
        Ok(JournalEvent::new(INTENDED, Object::fields().field("intents", intents)))
    }

    /// An outcome that a row can carry: what is too long for what the model is shown becomes an object.
    fn kept(&mut self, mut outcome: CallOutcome, budget: usize) -> Result<CallOutcome, StoreError> {
        let Payload::Inline(text) = &outcome.payload else { return Ok(outcome) };
        if text.len() <= budget {
            return Ok(outcome);
        }
        let reference = self.ports.objects.store(text.as_bytes())?;
        let (head, tail) = (head(text, budget).to_owned(), tail(text, budget).to_owned());
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        outcome.payload = Payload::Stored { reference, bytes, head, tail };
        Ok(outcome)
    }

    fn apply(&mut self, machine: &Machine, admitted: Vec<Admitted>) -> Result<Event, DriveError> {
        let turn_digest =
            machine.last_verdict().map(|verdict| verdict.turn_digest.clone()).unwrap_or_default();
        self.ports.issues.witness(&machine.witnesses())?;
        // The steps of a plan come one after the other; nothing comes behind one that failed.
        let plan = planned::plan(machine);
        let mut is_stopped = false;
        let mut outcomes = Vec::with_capacity(admitted.len());
        for Admitted { tool_call_id, action, intent_digest, grant } in admitted {
            let earlier =
                if self.is_resumed { self.ports.issues.found(&turn_digest, &intent_digest)? } else { None };
            let outcome = match (earlier, grant) {
                (Some(outcome), _) => outcome,
                _behind if is_stopped => IntentOutcome::Refused {
                    class: PLAN_STOPPED.to_owned(),
                    detail: "a step before it failed".to_owned(),
                },
                (None, Err((class, detail))) => IntentOutcome::Refused { class, detail },
                (None, Ok(grant)) => match self.change(machine, plan, &tool_call_id) {
                    Ok(change) => self.ports.issues.apply(grant, &change)?,
                    Err(refused) => refused,
                },
            };
            is_stopped |= plan.is_some() && matches!(outcome, IntentOutcome::Refused { .. });
            let applied = AppliedIntent { tool_call_id, action, intent_digest, outcome };
            (self.ports.watch)(&RunEvent::Applied(&applied));
            outcomes.push(applied);
        }
        self.is_resumed = false;
        Ok(Event::Applied { outcomes })
    }

    /// The change that an admitted call asks for: as it was planned, and of a plan as it was shown.
    fn change(
        &mut self,
        machine: &Machine,
        plan: Option<&ApprovedPlan>,
        tool_call_id: &str,
    ) -> Result<Change, IntentOutcome> {
        if let Some(plan) = plan {
            return next_step(plan, tool_call_id, machine, self.ports.tools);
        }
        let planned = self.operations.remove(tool_call_id);
        planned.or_else(|| machine.planned(tool_call_id, self.ports.tools)).ok_or_else(|| {
            IntentOutcome::Refused {
                class: "intent_changed".to_owned(),
                detail: "what was asked for can no longer be planned".to_owned(),
            }
        })
    }

    fn hand_over(&mut self, machine: &Machine, packet: &HandoffPacket) -> Result<Event, DriveError> {
        self.ports.objects.store(packet.summary.as_bytes())?;
        let required = machine.config().required_artifacts.iter();
        let carried = packet.artifacts.iter().map(|artifact| &artifact.reference);
        let mut observed = Vec::new();
        for reference in carried.chain(required) {
            observed.push((reference.clone(), self.ports.objects.look(reference)?));
        }
        Ok(Event::HandoffStored { observed })
    }

    fn compact(&mut self, artifact: &CompactionArtifact) -> Result<Event, DriveError> {
        self.ports.objects.store(&premath_kernel::encode(&artifact.to_value()))?;
        let dropped_turns = u64::try_from(artifact.dropped().len()).unwrap_or(u64::MAX);
        (self.ports.watch)(&RunEvent::Compacted { dropped_turns });
        Ok(Event::CompactionStored)
    }
}

/// The most bytes of a record inside a row.
const LONGEST_ROW: usize = 64 * 1024;
