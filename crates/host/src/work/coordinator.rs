//! The coordinator: one slot per worktree, each with a worker of its own, all at the same time.
//!
//! Decisions are made in one place, one after the other: before a slot starts a worker, what there is to do, the graph and
//! the throughput figure are looked at again. A worker is a process and may die; its slot goes on. It must not claim, close or
//! mend anything itself.

mod facts;
mod slot;
mod standing;
mod stuck;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use premath_bd::{Access, DiskFile, LockMode, LockOutcome, StoreError};
use premath_tusk::session::{SlotNext, allowed_workers, slot_next};
use premath_wire::time::format_time;
use premath_wire::v1::{CoordinatorAnswer, WORK_EVENT_KIND, WorkEventRow, WorkerAnswer};

use self::facts::{Facts, HeldRow, facts};
use self::slot::{Slot, slots};
use self::standing::{ROLLBACK, Standing};
use super::WorkWatch;
use super::publishing::recover_dead;
use super::request::WorkWishes;
use crate::agent::RunRefused;
use crate::table::{ActionError, Host};

/// How long nothing happens before everything is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// So many deaths in a row without anything done are no accident.
const MOST_DEATHS: u64 = 12;
/// So many failures of the environment in a row end a slot: it says what is missing, and nothing is gained by asking again.
const MOST_FAILURES: u64 = 3;
/// The lock that keeps a second coordinator out, in the state folder.
const LOCK: &str = "coordinator.lock";

/// What a coordinator is asked for.
#[derive(Debug, Clone)]
pub struct CoordinatorRequest {
    /// Where work is done.
    pub worktrees: Vec<PathBuf>,
    /// How often each slot starts a worker; without end when absent.
    pub rounds: Option<u64>,
}

/// What came of one worker.
#[derive(Debug)]
pub enum Child {
    /// It ended by itself.
    Ended(Box<WorkerAnswer>),
    /// It did not begin.
    Refused(RunRefused),
    /// Something that it needs is not there, or gives no answer.
    Failed {
        /// The class of the error.
        class: String,
        /// What it said.
        detail: String,
    },
    /// It gave no answer.
    Died {
        /// What is known of it.
        detail: String,
    },
}

/// Whoever starts workers.
pub trait Crew: Sync {
    /// Starts a worker for one step, tells what it does, and waits for its end.
    fn run(&self, worker_id: &str, worktree: &Path, tell: &mut dyn FnMut(WorkEventRow)) -> Child;
}

/// What came of asking for coordination.
#[derive(Debug)]
pub enum Coordination {
    /// It went to its end.
    Done(Box<CoordinatorAnswer>),
    /// It did not begin.
    Refused(RunRefused),
}

/// What slots tell.
enum Message {
    Event(WorkEventRow),
    Over(usize, Child),
}

/// Runs workers over worktrees until nothing is left to do.
///
/// # Errors
/// A store that gives no answer. Workers that run are waited for all the same.
pub fn coordinate(
    host: &Host<'_>,
    request: &CoordinatorRequest,
    crew: &dyn Crew,
    wishes: &WorkWishes,
    watch: &mut WorkWatch<'_>,
) -> Result<Coordination, ActionError> {
    if let Err(refused) = super::retry_policy::load(host.workspace)? {
        return Ok(Coordination::Refused(refused));
    }
    let Some(_lock) = lock(host)? else { return Ok(Coordination::Refused(already_running())) };
    let standing = Standing::load(host.workspace)?;
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        let mut coordinator = Coordinator {
            host,
            request,
            slots: slots(&request.worktrees),
            standing,
            most_at_once: 0,
            waits_for: None,
            outcome: None,
            classes: Vec::new(),
            flaky: BTreeSet::new(),
            submitted: Vec::new(),
            watch,
        };
        coordinator.mend()?;
        let start = |at: usize, worker: String, worktree: PathBuf, tell: Sender<Message>| {
            let work = move || {
                let child = crew.run(&worker, &worktree, &mut |row| drop(tell.send(Message::Event(row))));
                // The coordinator listens until every worker is over.
                drop(tell.send(Message::Over(at, child)));
            };
            std::thread::Builder::new().name("slot".to_owned()).spawn_scoped(scope, work).is_ok()
        };
        coordinator.run(wishes, &tell, &told, &start).map(|answer| Coordination::Done(Box::new(answer)))
    })
}

/// The lock of the coordinator; none while another process has it.
fn lock(host: &Host<'_>) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
    let path = host.workspace.root.join(".premath").join(LOCK);
    let failed = |source| StoreError::Io { doing: "lock", path: path.clone(), source };
    let file = host.workspace.disk.open(&path, Access::Update).map_err(failed)?;
    Ok(match file.lock(LockMode::Exclusive, Duration::ZERO).map_err(failed)? {
        LockOutcome::Held => Some(file),
        LockOutcome::Busy => None,
    })
}

fn already_running() -> RunRefused {
    RunRefused {
        class: "coordinator_running".to_owned(),
        detail: "another coordinator works on this repository".to_owned(),
        hint: "wait for its end, or add workers to its work with `premath worker`".to_owned(),
    }
}

type Start<'s> = dyn Fn(usize, String, PathBuf, Sender<Message>) -> bool + 's;

struct Coordinator<'c, 'w> {
    host: &'c Host<'c>,
    request: &'c CoordinatorRequest,
    slots: Vec<Slot>,
    standing: Standing,
    most_at_once: usize,
    /// What was said last to be held by others.
    waits_for: Option<HeldRow>,
    outcome: Option<&'static str>,
    classes: Vec<String>,
    flaky: BTreeSet<String>,
    submitted: Vec<String>,
    watch: &'c mut WorkWatch<'w>,
}

impl Coordinator<'_, '_> {
    fn run(
        &mut self,
        wishes: &WorkWishes,
        tell: &Sender<Message>,
        told: &Receiver<Message>,
        start: &Start<'_>,
    ) -> Result<CoordinatorAnswer, ActionError> {
        let mut failure = None;
        let mut is_draining = false;
        loop {
            if wishes.drain.is_requested() && !is_draining {
                is_draining = true;
                self.outcome = Some("interrupted");
                self.tell_all("draining", WorkEventRow::default());
            }
            if !is_draining && failure.is_none() && self.outcome.is_none() {
                failure = self.start_slots(tell, start).err();
            }
            let running = self.running();
            let is_over = self.slots.iter().all(|slot| slot.is_over || slot.is_running);
            if running == 0 && (is_draining || failure.is_some() || self.outcome.is_some() || is_over) {
                break;
            }
            match told.recv_timeout(LOOK_AGAIN) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {
                    self.slots.iter_mut().for_each(|slot| slot.is_idle = false);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        failure.map_or_else(|| self.answer(), Err)
    }

    /// Workers of an earlier coordinator may have closed an issue and been killed before they could say so.
    fn mend(&mut self) -> Result<(), ActionError> {
        for at in 0..self.slots.len() {
            self.mend_slot(at)?;
        }
        Ok(())
    }

    fn mend_slot(&mut self, at: usize) -> Result<(), ActionError> {
        let Some(slot) = self.slots.get(at) else { return Ok(()) };
        if let Some(step_id) = recover_dead(self.host.workspace, &slot.row.worker_id)? {
            let row = WorkEventRow {
                step_id: Some(step_id),
                result: Some("verified_accept".to_owned()),
                detail: Some("its worker was killed before it could say so".to_owned()),
                ..WorkEventRow::default()
            };
            self.tell("published", at, row);
        }
        Ok(())
    }

    fn running(&self) -> usize {
        self.slots.iter().filter(|slot| slot.is_running).count()
    }

    /// Looks at everything again for each slot that has nothing to do.
    fn start_slots(&mut self, tell: &Sender<Message>, start: &Start<'_>) -> Result<(), ActionError> {
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get(at) else { continue };
            if !slot.may_start(self.host.workspace.clock.now()) {
                continue;
            }
            if self.request.rounds.is_some_and(|rounds| slot.row.started >= rounds) {
                self.end_slot(at, "rounds");
                continue;
            }
            let worker = slot.row.worker_id.clone();
            let facts = facts(self.host, &worker)?;
            let kpi = self.standing.kpi(self.host)?;
            let wanted = self.slots.iter().filter(|slot| !slot.is_over).count();
            let allowed = allowed_workers(kpi, wanted, self.standing.workers);
            match slot_next(facts.work, self.running(), allowed) {
                SlotNext::Start => self.start(at, tell, start)?,
                SlotNext::Wait => {
                    self.waiting(&facts);
                    if let Some(slot) = self.slots.get_mut(at) {
                        slot.is_idle = true;
                    }
                }
                SlotNext::Done => {
                    self.outcome = Some("done");
                    return Ok(());
                }
                SlotNext::Refuse => {
                    self.outcome = Some("refused");
                    self.classes = facts.classes;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, at: usize, tell: &Sender<Message>, start: &Start<'_>) -> Result<(), ActionError> {
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        slot.is_running = true;
        slot.row.started += 1;
        let (worker, worktree) = (slot.row.worker_id.clone(), slot.worktree.clone());
        let running = self.running();
        if running > self.most_at_once {
            self.most_at_once = running;
            self.standing.ran(self.host.workspace, running)?;
        }
        self.tell("starting", at, WorkEventRow::default());
        if !start(at, worker, worktree, tell.clone()) {
            let detail = "no thread could be started".to_owned();
            self.take(Message::Over(at, Child::Died { detail }));
        }
        Ok(())
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Event(row) => {
                if row.event == "flaky" {
                    self.flaky.extend(row.issue_id.clone());
                }
                (self.watch)(&row);
            }
            Message::Over(at, child) => {
                let is_done = matches!(&child, Child::Ended(answer) if answer.steps > 0);
                if is_done {
                    // A step that ended may have given others something to do.
                    self.slots.iter_mut().for_each(|slot| slot.is_idle = false);
                }
                self.over(at, child);
            }
        }
    }

    fn over(&mut self, at: usize, child: Child) {
        let now = self.host.workspace.clock.now();
        let Some(slot) = self.slots.get_mut(at) else { return };
        slot.is_running = false;
        match child {
            Child::Ended(answer) => {
                slot.deaths = 0;
                slot.row.completed += count(answer.completed.len());
                slot.row.escalated += count(answer.escalated.len());
                self.submitted.extend(answer.submitted.iter().cloned());
                slot.row.outcome.clone_from(&answer.outcome);
                slot.is_idle = answer.outcome == "idle";
                // Each of its workers makes one step, and could not know.
                let alike = slot.streak(&answer);
                if answer.outcome == "stopped" || alike.is_some() {
                    self.classes.extend(alike.unwrap_or(answer.failure_classes));
                    self.end_slot(at, "stopped");
                }
            }
            Child::Refused(refused) => {
                let row = WorkEventRow {
                    detail: Some(refused.detail),
                    failure_classes: vec![refused.class.clone()],
                    ..WorkEventRow::default()
                };
                self.classes.push(refused.class);
                self.tell("refused", at, row);
                self.end_slot(at, "refused");
            }
            Child::Failed { class, detail } => {
                slot.died(now);
                let is_enough = slot.deaths >= MOST_FAILURES;
                let row = WorkEventRow {
                    detail: Some(detail),
                    failure_classes: vec![class.clone()],
                    ..WorkEventRow::default()
                };
                self.tell("failed", at, row);
                if is_enough {
                    self.classes.push(class);
                    self.end_slot(at, "failed");
                }
            }
            Child::Died { detail } => {
                slot.died(now);
                let is_enough = slot.deaths >= MOST_DEATHS;
                let row = WorkEventRow { detail: Some(detail), ..WorkEventRow::default() };
                self.tell("died", at, row);
                // A store that gives no answer now is asked again when the next worker begins.
                if let Err(error) = self.mend_slot(at) {
                    let row = WorkEventRow { detail: Some(error.to_string()), ..WorkEventRow::default() };
                    self.tell("failed", at, row);
                }
                if is_enough {
                    self.classes.push("environment_worker".to_owned());
                    self.end_slot(at, "died");
                }
            }
        }
    }

    fn end_slot(&mut self, at: usize, outcome: &str) {
        if let Some(slot) = self.slots.get_mut(at) {
            slot.is_over = true;
            outcome.clone_into(&mut slot.row.outcome);
        }
        let row = WorkEventRow { result: Some(outcome.to_owned()), ..WorkEventRow::default() };
        self.tell("slot_ended", at, row);
    }

    /// Nothing can be taken, and somebody who is no worker of this coordinator holds what is left: said once for each lease.
    fn waiting(&mut self, facts: &Facts) {
        let is_ours = |held: &&HeldRow| {
            self.slots.iter().any(|slot| slot.is_running && slot.row.worker_id == held.owner)
        };
        let others = facts.held.iter().filter(|held| !is_ours(held));
        let Some(first) = others.min_by_key(|held| held.until).filter(|_| facts.work.claimable == 0) else {
            return;
        };
        if self.waits_for.as_ref() == Some(first) {
            return;
        }
        self.waits_for = Some(first.clone());
        let detail = format!("{} holds it until {}", first.owner, format_time(first.until));
        let issue_id = Some(first.issue_id.clone());
        self.tell_all("waiting", WorkEventRow { issue_id, detail: Some(detail), ..WorkEventRow::default() });
    }

    fn tell(&mut self, event: &str, at: usize, row: WorkEventRow) {
        let worker_id = self.slots.get(at).map(|slot| slot.row.worker_id.clone()).unwrap_or_default();
        self.tell_all(event, WorkEventRow { worker_id, ..row });
    }

    /// Tells of something that is no worker's in particular.
    fn tell_all(&mut self, event: &str, row: WorkEventRow) {
        let (kind, event) = (WORK_EVENT_KIND.to_owned(), event.to_owned());
        (self.watch)(&WorkEventRow { kind, event, ..row });
    }

    fn answer(&mut self) -> Result<CoordinatorAnswer, ActionError> {
        let left = facts(self.host, "")?;
        let is = |outcome: &str| self.slots.iter().any(|slot| slot.row.outcome == outcome);
        let outcome = match self.outcome {
            Some(outcome) => outcome,
            None if is("rounds") => "rounds",
            None if is("refused") => "refused",
            None => "stopped",
        };
        let stuck = if outcome == "done" { stuck::stuck(self.host)? } else { Vec::new() };
        self.classes.sort_unstable();
        self.classes.dedup();
        let kpi_state = self.standing.kpi_state(self.host)?;
        if matches!(outcome, "done" | "rounds") && kpi_state != ROLLBACK {
            self.standing.ended(self.host.workspace, self.most_at_once)?;
        }
        Ok(CoordinatorAnswer {
            action: "coordinator.run".to_owned(),
            outcome: outcome.to_owned(),
            most_at_once: count(self.most_at_once),
            completed: self.slots.iter().map(|slot| slot.row.completed).sum(),
            kpi_state,
            claimable: count(left.work.claimable),
            held: count(left.work.held),
            failure_classes: self.classes.clone(),
            slots: self.slots.iter().map(|slot| slot.row.clone()).collect(),
            submitted: self.submitted.clone(),
            flaky: self.flaky.iter().cloned().collect(),
            stuck,
            removed_worktrees: Vec::new(),
            kept_worktrees: Vec::new(),
        })
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
