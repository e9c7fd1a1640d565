//! `harness.step`: one step, driven. The machine says what is next; it is done here, and the machine is told.

use premath_bd::StoreError;
use premath_bd::issues::{Applied, Change, IssueChanges, Operation};
use premath_kernel::{Digest, Value};
use premath_tusk::sandbox::{Interrupt, Profile};
use premath_tusk::session::{
    Checked, Escalation, HeldIssue, StepEvent, StepMachine, StepNext, StepOutcome, StepRow, StepTerms,
};
use premath_wire::v1::{WorkEventRow, WorkStepAnswer};

use super::beginning::{begin, check, refuse};
use super::bench::Bench;
use super::command::{Line, Purpose, run};
use super::escalation::step_ref;
use super::heartbeat::{Heartbeat, Pulse};
use super::landing::{Landing, LandingFailure, ResolvedWork, StepTree};
use super::place::Place;
use super::request::{WorkCommand, WorkRequest, WorkWishes};
use crate::agent::RunRefused as Refused;
use crate::authority::{Changed, Linked, VerifiedCommand};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// What a step leaves for whoever asked for it.
#[derive(Debug)]
pub(super) struct Stepped {
    pub(super) outcome: StepOutcome,
    pub(super) step_ids: Vec<String>,
    pub(super) classes: Vec<String>,
    pub(super) verification: Option<Checked>,
    pub(super) refs: Vec<String>,
}

/// `harness.step`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let request = WorkRequest::read_in(host.workspace, args)?;
    let refused = |refused: Refused| refuse("harness.step", host.workspace, refused);
    if let Some(missing) = request.baseline_missing(host.workspace) {
        return refused(missing);
    }
    request.commands()?;
    let place = Place::of(host.workspace, request.worker_id.as_deref())?;
    if let Some(unsupported) = request.unsupported() {
        return refused(unsupported);
    }
    request.ready(host)?;
    let ResolvedWork { mut request, landing } = match Landing::resolve(host, request, &place.worker)? {
        Ok(resolved) => resolved,
        Err(why) => return refused(why),
    };
    request.verifies_base = landing.is_some();
    let bound = match request.bound(host.workspace, &place) {
        Ok(bound) => bound,
        Err(why) => return refused(why),
    };
    let _lock = place.enter(host.workspace)?;
    let booted = match begin(host, &request, &place)? {
        Ok(booted) => booted,
        Err(why) => return refused(why),
    };
    let Some(lease) = booted.lease else {
        let class = booted.boot.refused.first().cloned().unwrap_or_default();
        let hint = "`premath dep diagnostics` says what is wrong".to_owned();
        return refused(Refused { class, detail: "the graph of open issues is broken".to_owned(), hint });
    };
    let mut watch = |_: &WorkEventRow| {};
    let wishes = WorkWishes { drain: host.agent.interrupt(), ..WorkWishes::default() };
    let under = (booted.retry, lease);
    let bench = Bench::new(host, (&request, place.clone()), under, (wishes, &mut watch))?;
    let mut bench = bench.landing(landing);
    let stepped = bench.step(booted.boot.resumes.or(bound), booted.baseline)?;
    bench.remove_checkout();
    answered(host, &place, stepped)
}

fn answered(host: &Host<'_>, place: &Place, stepped: Stepped) -> Result<Answer, ActionError> {
    let class = match &stepped.outcome {
        StepOutcome::Idle | StepOutcome::Completed { .. } | StepOutcome::Submitted { .. } => "accepted",
        StepOutcome::Escalated { .. }
        | StepOutcome::Lost { .. }
        | StepOutcome::Stopped { .. }
        | StepOutcome::Interrupted { .. } => "rejected",
    };
    let document = WorkStepAnswer {
        action: "harness.step".to_owned(),
        worker_id: place.worker.clone(),
        outcome: stepped.outcome.token().to_owned(),
        issue_id: stepped.outcome.issue_id().map(str::to_owned),
        step_ids: stepped.step_ids,
        failure_classes: stepped.classes.clone(),
        verification: stepped.verification.as_ref().map(check),
        refs: stepped.refs.clone(),
        session_ref: shown(place.session(host.workspace).path()),
    };
    let mut answer = Answer::new(class, &document)?;
    answer.witness_refs =
        stepped.refs.into_iter().filter(|reference| reference.starts_with("witness://")).collect();
    answer.failure_classes = stepped.classes;
    Ok(answer)
}

/// What an attempt has beside the machine.
pub(super) struct Under {
    pub(super) started_at: String,
    pub(super) heartbeat: Option<Heartbeat>,
    pub(super) instruction: Option<Linked>,
    pub(super) baseline: Option<Checked>,
    /// What went wrong with the work of this attempt, in words.
    pub(super) failure: Option<String>,
    /// The tree that is worked on, where work is landed.
    pub(super) tree: Option<StepTree>,
    /// Why the working tree could not be made ready for this attempt.
    pub(super) unprepared: Option<LandingFailure>,
    pub(super) stepped: Stepped,
}

impl Bench<'_> {
    /// Drives one step to its end.
    pub(super) fn step(
        &mut self,
        resumes: Option<String>,
        baseline: Option<Checked>,
    ) -> Result<Stepped, ActionError> {
        let retry = self.retry.table.clone();
        let mut machine = StepMachine::new(StepTerms { worker: self.place.worker.clone(), resumes, retry });
        let stepped = Stepped {
            outcome: StepOutcome::Idle,
            step_ids: Vec::new(),
            classes: Vec::new(),
            verification: None,
            refs: Vec::new(),
        };
        let mut under = Under {
            started_at: self.now(),
            heartbeat: None,
            instruction: None,
            baseline,
            failure: None,
            tree: None,
            unprepared: None,
            stepped,
        };
        loop {
            let next = machine.next();
            if let StepNext::Done(outcome) = next {
                self.queue = None;
                under.stepped.outcome = outcome.clone();
                if let StepOutcome::Stopped { classes, .. } = outcome {
                    under.stepped.classes.clone_from(classes);
                }
                return Ok(under.stepped);
            }
            let event = match self.perform(&machine, &next, &mut under) {
                Ok(event) => event,
                Err(error) => {
                    under.heartbeat = None;
                    // What cannot be given back either runs out; the error says what is wrong.
                    drop(machine.held().map(|held| self.release(held)));
                    return Err(error);
                }
            };
            machine.feed(event).map_err(|error| ActionError::Unavailable {
                what: error.to_string(),
                hint: "this is a fault of premath".to_owned(),
            })?;
        }
    }

    fn perform(
        &mut self,
        machine: &StepMachine,
        next: &StepNext<'_>,
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        let step_id = machine.step_id().unwrap_or_default();
        match next {
            StepNext::Claim { issue_id } => self.take(*issue_id, under),
            StepNext::VerifyBefore(held) => self.before(held, &step_id, under),
            StepNext::Work(held) => self.work(held, &step_id, under),
            StepNext::VerifyAfter(held) => self.after(held, &step_id, under),
            StepNext::Land { held, evidence } => self.land_step(held, evidence, &step_id, under),
            StepNext::Close { held, evidence } => self.close(held, evidence, &step_id, under),
            StepNext::Wait { seconds } => Ok(self.wait(*seconds, &step_id)),
            StepNext::Look(held) => self.stands(held),
            StepNext::Renew(held) => {
                let event = self.renew(held)?;
                under.started_at = self.now();
                if event == StepEvent::Renewed {
                    under.heartbeat = Some(self.heartbeat(held));
                }
                Ok(event)
            }
            StepNext::Escalate(escalation) => {
                let event = self.tell_of(escalation, &step_id, under)?;
                self.told_of(escalation, &step_id, &event);
                Ok(event)
            }
            StepNext::Release(held) => {
                under.heartbeat = None;
                let event = self.release(held)?;
                self.tell("released", about(held, &step_id));
                Ok(event)
            }
            StepNext::Publish(row) => {
                if let Some(held) = machine.held() {
                    self.put_on_record(row, held, under)?;
                }
                Ok(StepEvent::Published)
            }
            StepNext::Done(_) => Ok(StepEvent::Published),
        }
    }

    fn take(&mut self, issue_id: Option<&str>, under: &mut Under) -> Result<StepEvent, ActionError> {
        under.heartbeat = None;
        under.started_at = self.now();
        let event = self.claim(issue_id)?;
        if let StepEvent::Claimed(held) = &event {
            under.heartbeat = Some(self.heartbeat(held));
            under.instruction = None;
            under.tree = None;
            self.queue = None;
            self.tell("claimed", WorkEventRow { detail: Some(held.title.clone()), ..about(held, "") });
        }
        Ok(event)
    }

    /// How things stand. What boot found out a moment ago, before anything was done, need not be found out again.
    fn before(
        &mut self,
        held: &HeldIssue,
        step_id: &str,
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        self.enter_attempt(held, step_id)?;
        under.failure = None;
        if let Some(landing) = self.landing.clone() {
            let before = under.tree.take();
            let interrupt = interrupt_of(under);
            match self.prepare(&landing, held, (before, &interrupt))? {
                Ok(tree) => under.tree = Some(tree),
                Err(failure) => {
                    let checked = self.landing_failed(&failure)?;
                    under.unprepared = Some(failure);
                    return Ok(StepEvent::Checked(checked));
                }
            }
        }
        match under.baseline.take() {
            Some(checked) => Ok(StepEvent::Checked(checked)),
            None => self.verify(held, step_id, under),
        }
    }

    fn after(
        &mut self,
        held: &HeldIssue,
        step_id: &str,
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        let event = match (self.landing.clone(), under.tree.take()) {
            (Some(landing), Some(mut tree)) => {
                let interrupt = interrupt_of(under);
                let checked =
                    self.verify_tree(&landing, &mut tree, held, (step_id, &interrupt), &mut under.failure)?;
                under.tree = Some(tree);
                self.ended(checked, under)
            }
            _ => self.verify(held, step_id, under)?,
        };
        if let StepEvent::Checked(checked) = &event {
            under.stepped.verification = Some(checked.clone());
            self.tell("verified", judged(checked, about(held, step_id)));
        }
        Ok(event)
    }

    fn verify(&self, held: &HeldIssue, step_id: &str, under: &Under) -> Result<StepEvent, ActionError> {
        let line = Line {
            purpose: Purpose::Verify,
            text: self.request.verify.as_deref().unwrap_or_default(),
            folder: self.folder.clone(),
            environment: self.environment(held, step_id),
            limit: self.request.verify_limit,
            tree: None,
        };
        self.in_sandbox(&line, under)
    }

    fn work(&mut self, held: &HeldIssue, step_id: &str, under: &mut Under) -> Result<StepEvent, ActionError> {
        if let Some(failure) = under.unprepared.take() {
            return self.landing_event(&failure, &mut under.failure);
        }
        if let Some(commit) = under.tree.as_ref().and_then(|tree| tree.adopted.clone()) {
            let text = format!("commit {commit} of an earlier attempt is verified again");
            let evidence = self.evidence.put(text.as_bytes())?;
            self.tell("adopted", WorkEventRow { detail: Some(text), ..about(held, step_id) });
            return Ok(StepEvent::Checked(Checked { classes: Vec::new(), evidence }));
        }
        // Nothing is worked on that nobody gave an instruction for.
        let instructed = self.instructed(held, under)?;
        // Nor what could not be closed afterwards.
        let covered = instructed.and_then(|()| match &under.instruction {
            Some(instruction) => instruction.covers("issue.update", Some(&held.issue_id)),
            None => Ok(()),
        });
        if let Err(refused) = covered {
            let told = format!("{}: {}", refused.class, refused.detail);
            let evidence = self.evidence.put(told.as_bytes())?;
            under.failure = Some(refused.detail);
            return Ok(StepEvent::Checked(Checked { classes: vec![refused.class], evidence }));
        }
        let event = match &self.request.work {
            Some(WorkCommand::Shell(text)) => {
                let mut environment = self.environment(held, step_id);
                if let Some(conflict) = under.tree.as_ref().and_then(|tree| tree.conflict.as_ref()) {
                    environment.push(("PREMATH_CONFLICT".to_owned(), conflict.message.clone()));
                    environment.push(("PREMATH_CONFLICT_PATHS".to_owned(), conflict.paths.join("\n")));
                }
                let line = Line {
                    purpose: Purpose::Work,
                    text,
                    folder: self.folder.clone(),
                    environment,
                    limit: self.request.work_limit,
                    tree: None,
                };
                self.in_sandbox(&line, under)?
            }
            Some(WorkCommand::Agent { model }) => {
                let interrupt =
                    under.heartbeat.as_ref().map(|beat| beat.interrupt.clone()).unwrap_or_default();
                let conflict = under.tree.as_ref().and_then(|tree| tree.conflict.as_ref());
                let conflict = conflict.map(|conflict| conflict.message.clone());
                let checked =
                    self.agent(held, (step_id, conflict.as_deref()), model.as_deref(), &interrupt)?;
                self.ended(checked, under)
            }
            Some(WorkCommand::Scheme { file }) => {
                let interrupt =
                    under.heartbeat.as_ref().map(|beat| beat.interrupt.clone()).unwrap_or_default();
                let instruction = under.instruction.as_ref().map(Linked::id);
                let (checked, failure) = self.program(held, step_id, (file, instruction), &interrupt)?;
                under.failure = failure;
                self.ended(checked, under)
            }
            None => {
                let evidence = self.evidence.put(b"work_command_unsupported")?;
                StepEvent::Checked(Checked { classes: vec!["work_command_unsupported".to_owned()], evidence })
            }
        };
        if let StepEvent::Checked(checked) = &event {
            let row = WorkEventRow { detail: under.failure.clone(), ..about(held, step_id) };
            self.tell("worked", judged(checked, row));
        }
        Ok(event)
    }

    fn in_sandbox(&self, line: &Line<'_>, under: &Under) -> Result<StepEvent, ActionError> {
        let interrupt = under.heartbeat.as_ref().map(|beat| beat.interrupt.clone()).unwrap_or_default();
        let checked = run(self.host, &self.evidence, line, &interrupt)?;
        Ok(self.ended(checked, under))
    }

    /// What ran came to its end: by itself, because the lease was lost, or because somebody asked for it.
    fn ended(&self, checked: Checked, under: &Under) -> StepEvent {
        if under.heartbeat.as_ref().is_some_and(Heartbeat::is_lost) {
            return StepEvent::LeaseLost;
        }
        if self.wishes.abandon.is_requested() {
            return StepEvent::Interrupted;
        }
        StepEvent::Checked(checked)
    }

    fn close(
        &mut self,
        held: &HeldIssue,
        evidence: &Digest,
        step_id: &str,
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        let changes = IssueChanges { status: Change::Set("closed".to_owned()), ..IssueChanges::default() };
        let operation = Operation::Update {
            id: held.issue_id.clone(),
            changes: Box::new(changes),
            holder: self.holder(held),
        };
        if let Err(refused) = self.instructed(held, under)? {
            return Ok(StepEvent::Refused { class: refused.class });
        }
        let Some(instruction) = &under.instruction else {
            return Ok(StepEvent::Refused { class: "mutation.use_evidence_missing".to_owned() });
        };
        let mut refs = vec![step_ref(step_id)];
        refs.extend(under.tree.as_ref().map(StepTree::refs).unwrap_or_default());
        let verified = self.request.verify.as_ref().map(|script| VerifiedCommand {
            script: script.clone(),
            profile: Profile::WorkspaceWrite.as_str(),
            evidence: evidence.clone(),
        });
        let stands_on = (evidence, verified.as_ref());
        let event = match self.door.change(instruction, step_id, &operation, stands_on, &refs) {
            Err(ActionError::Store(StoreError::Busy { .. })) => {
                StepEvent::Refused { class: "lease_store_busy".to_owned() }
            }
            Err(error) => return Err(error),
            Ok(Changed::Refused(refused)) => StepEvent::Refused { class: refused.class },
            Ok(Changed::Applied { applied: Applied::Refused(refusal), .. }) => {
                StepEvent::Refused { class: refusal.class.code().to_owned() }
            }
            Ok(Changed::Applied { applied: Applied::Nothing(_), .. }) => {
                StepEvent::Refused { class: "lease_issue_closed".to_owned() }
            }
            Ok(Changed::Applied { applied: Applied::Written(written), witness_ref, permit_id }) => {
                under.heartbeat = None;
                let row = format!("issue://{}@{}", written.row.id(), written.row.rev());
                StepEvent::Closed { refs: vec![row, permit_id, witness_ref] }
            }
        };
        if matches!(event, StepEvent::Closed { .. }) {
            self.tell("closed", about(held, step_id));
            if let (Some(landing), Some(tree)) = (&self.landing, &under.tree)
                && let Err(failure) = landing.finish(tree)
            {
                let row = WorkEventRow { detail: Some(failure.detail), ..about(held, step_id) };
                self.tell("marks_left", row);
            }
        }
        Ok(event)
    }

    /// Makes sure of an instruction for changes of the issue: one that has ended meanwhile is followed by another.
    pub(super) fn instructed(
        &self,
        held: &HeldIssue,
        under: &mut Under,
    ) -> Result<Result<(), Refused>, ActionError> {
        let given = match &under.instruction {
            None => Some(self.instruct(held)?),
            Some(before) => self.instruct_again(held, before)?,
        };
        Ok(match given {
            None => Ok(()),
            Some(given) => given.map(|linked| under.instruction = Some(linked)),
        })
    }

    fn tell_of(
        &self,
        escalation: &Escalation,
        step_id: &str,
        under: &mut Under,
    ) -> Result<StepEvent, ActionError> {
        under.stepped.classes.clone_from(&escalation.classes);
        if let Err(refused) = self.instructed(&escalation.held, under)? {
            return Ok(StepEvent::Refused { class: refused.class });
        }
        match &under.instruction {
            Some(instruction) => self.escalate(instruction, escalation, (step_id, under.failure.as_deref())),
            None => Ok(StepEvent::Refused { class: "mutation.use_evidence_missing".to_owned() }),
        }
    }

    /// Says what came of telling of a failure.
    fn told_of(&mut self, escalation: &Escalation, step_id: &str, event: &StepEvent) {
        let refusal = if let StepEvent::Refused { class } = event { Some(class.clone()) } else { None };
        let name = if refusal.is_some() { "escalation_refused" } else { "escalated" };
        let row = WorkEventRow {
            result: Some(escalation.action.token().to_owned()),
            failure_classes: escalation.classes.iter().cloned().chain(refusal).collect(),
            ..about(&escalation.held, step_id)
        };
        self.tell(name, row);
    }

    fn put_on_record(
        &mut self,
        row: &StepRow,
        held: &HeldIssue,
        under: &mut Under,
    ) -> Result<(), ActionError> {
        let instruction = under.instruction.as_ref().map(Linked::instruction_ref);
        self.publish(row, held, &under.started_at, instruction)?;
        under.stepped.step_ids.push(row.step_id.clone());
        under.stepped.refs.extend(row.refs.iter().cloned());
        let told = WorkEventRow {
            result: Some(row.result_class.clone()),
            failure_classes: row.failure_classes.clone(),
            ..about(held, &row.step_id)
        };
        self.tell("published", told);
        Ok(())
    }

    /// Lets time pass, unless somebody asks for the end.
    fn wait(&mut self, seconds: u64, step_id: &str) -> StepEvent {
        let row = WorkEventRow {
            step_id: Some(step_id.to_owned()).filter(|id| !id.is_empty()),
            detail: Some(format!("again in {seconds} s")),
            ..WorkEventRow::default()
        };
        self.tell("retrying", row);
        self.host.agent.pause(std::time::Duration::from_secs(seconds), &self.wishes.abandon);
        if self.wishes.abandon.is_requested() { StepEvent::Interrupted } else { StepEvent::Waited }
    }

    fn heartbeat(&self, held: &HeldIssue) -> Heartbeat {
        Heartbeat::start(Pulse {
            workspace: self.workspace().clone(),
            linked: std::sync::Arc::clone(&self.lease),
            issue_id: held.issue_id.clone(),
            holder: self.holder(held),
            ttl_seconds: self.request.ttl_seconds,
            worker: self.place.worker.clone(),
            abandon: self.wishes.abandon.clone(),
        })
    }

    pub(super) fn environment(&self, held: &HeldIssue, step_id: &str) -> Vec<(String, String)> {
        [
            ("PREMATH_ISSUE_ID", held.issue_id.as_str()),
            ("PREMATH_ISSUE_TITLE", held.title.as_str()),
            ("PREMATH_STEP_ID", step_id),
            ("PREMATH_WORKER_ID", self.place.worker.as_str()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }
}

/// What ends whatever runs in an attempt.
pub(super) fn interrupt_of(under: &Under) -> Interrupt {
    under.heartbeat.as_ref().map(|beat| beat.interrupt.clone()).unwrap_or_default()
}

pub(super) fn about(held: &HeldIssue, step_id: &str) -> WorkEventRow {
    WorkEventRow {
        issue_id: Some(held.issue_id.clone()),
        step_id: Some(step_id.to_owned()).filter(|id| !id.is_empty()),
        ..WorkEventRow::default()
    }
}

pub(super) fn judged(checked: &Checked, row: WorkEventRow) -> WorkEventRow {
    WorkEventRow {
        result: Some(if checked.is_passed() { "passed" } else { "failed" }.to_owned()),
        failure_classes: checked.classes.clone(),
        ..row
    }
}
