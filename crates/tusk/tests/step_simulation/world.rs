//! The world of the simulation: issues, workers, time, and everything that can go wrong.

use std::fmt::Write as _;

use premath_bd::issues::{
    Applied, Change, ClaimTerms, Holder, IssueChanges, IssueDraft, IssueRow, IssueStore as _, MemoryIssues,
    Operation, apply,
};
use premath_bd::{LeaseGrant, OperatorBasis, OperatorGrant, Permit};
use premath_kernel::{
    BackoffClass, ClassPattern, Digest, EscalationAction, FailureKind, Moment, RetryRule, RetryTable, Status,
    Value,
};
use premath_tusk::session::{
    Checked, Escalation, HeldIssue, StepEvent, StepMachine, StepNext, StepTerms, standing_of,
};

use crate::chance::Chance;

/// The shortest lease there is, so that leases run out.
const TTL: u64 = 30;
/// A world that takes longer than this will never come to its end.
const MOST_ACTIONS: usize = 20_000;
const START: i64 = 1_800_000_000;

/// One process that works, or the gap until the next one of its name.
#[derive(Debug)]
pub(crate) struct Worker {
    name: String,
    /// How far its clock is off, in seconds.
    skew: i64,
    machine: Option<StepMachine>,
    /// When it does its next thing.
    wakes: i64,
    /// What it does until then, and whether a heartbeat goes meanwhile.
    busy: Option<Busy>,
}

/// A command that runs.
#[derive(Debug)]
struct Busy {
    ends: i64,
    beats: bool,
    event: StepEvent,
}

/// Something the judge wants to know.
#[derive(Debug)]
pub(crate) enum Fact {
    /// A claim was acknowledged or not; the store has it.
    Acquired { issue: String, fence: u64 },
    /// A verification behind work passed: its evidence names who, what and under which fence.
    Passed { evidence: Digest },
    /// An issue was closed by somebody who showed this fence and this evidence.
    Closed { issue: String, fence: u64, held_fence: u64, evidence: Digest, step_id: String },
    /// A change by somebody who is not the holder any more was refused.
    Fenced,
    /// A process died.
    Died,
    /// A failure was told of.
    Escalated,
    /// A retry was waited for.
    Waited,
}

/// Everything.
pub(crate) struct World {
    chance: Chance,
    pub(crate) issues: MemoryIssues,
    pub(crate) ids: Vec<String>,
    workers: Vec<Worker>,
    now: i64,
    pub(crate) trace: String,
    pub(crate) facts: Vec<Fact>,
    pub(crate) is_over: bool,
    /// Whether an issue was closed or set aside since it was last looked.
    has_settled: bool,
}

fn table() -> RetryTable {
    let rule = |kind, classes: &[&str], max_attempts, backoff, escalation| RetryRule {
        kind,
        classes: classes.iter().map(|text| ClassPattern::new(text).unwrap()).collect(),
        max_attempts,
        backoff,
        escalation,
    };
    use EscalationAction as Then;
    RetryTable::new(vec![
        rule(
            FailureKind::Transient,
            &["timeout", "lease_store_busy"],
            3,
            BackoffClass::ExponentialShort,
            Then::IssueDiscover,
        ),
        rule(
            FailureKind::Operational,
            &["landing_*", "work_failed"],
            2,
            BackoffClass::FixedShort,
            Then::IssueDiscover,
        ),
        rule(FailureKind::Semantic, &["check_failed"], 1, BackoffClass::None, Then::MarkBlocked),
        rule(FailureKind::Governance, &["governance.*"], 1, BackoffClass::None, Then::MarkBlocked),
        rule(FailureKind::Default, &[], 1, BackoffClass::None, Then::Stop),
    ])
    .unwrap()
}

fn operator() -> Permit {
    Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured))
}

fn leasing() -> Permit {
    let policy = Digest::of_bytes(b"policy");
    Permit::Lease(LeaseGrant::new("instruction://simulated".to_owned(), policy))
}

impl World {
    pub(crate) fn new(mut chance: Chance) -> Self {
        let issues = MemoryIssues::default();
        let count = chance.between(3, 9);
        let mut ids = Vec::new();
        let start = Moment::new(START, 0).unwrap();
        for number in 1..=count {
            let id = format!("bd-{number}");
            let draft = IssueDraft { id: Some(id.clone()), title: id.clone(), ..IssueDraft::default() };
            let operation = Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() };
            assert!(matches!(apply(&issues, operator(), &operation, &start).unwrap(), Applied::Written(_)));
            ids.push(id);
        }
        let workers = (1..=chance.between(2, 5))
            .map(|number| Worker {
                name: format!("w{number}"),
                skew: i64::try_from(chance.between(0, 40)).unwrap() - 20,
                machine: None,
                wakes: START,
                busy: None,
            })
            .collect();
        let (trace, facts) = (String::new(), Vec::new());
        Self { chance, issues, ids, workers, now: START, trace, facts, is_over: false, has_settled: false }
    }

    /// The last lines of the trace.
    pub(crate) fn tail(&self) -> String {
        let lines: Vec<&str> = self.trace.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }

    pub(crate) fn row(&self, id: &str) -> Option<IssueRow> {
        self.issues.view().unwrap().row(id).unwrap()
    }

    /// Lets one worker after the other do something until every issue is settled.
    pub(crate) fn run(&mut self) {
        for _ in 0..MOST_ACTIONS {
            if std::mem::take(&mut self.has_settled) && self.is_settled() {
                self.is_over = true;
                return;
            }
            // The first of those who wake earliest; chance decided when they wake.
            let at = (0..self.workers.len()).min_by_key(|at| self.workers[*at].wakes).unwrap();
            self.now = self.now.max(self.workers[at].wakes);
            self.act(at);
        }
    }

    fn is_settled(&self) -> bool {
        let view = self.issues.view().unwrap();
        let status = |id: &String| view.row(id).unwrap().map(|row| row.status());
        self.ids.iter().all(|id| matches!(status(id), Some(Status::Closed | Status::Blocked)))
    }

    fn clock(&self, at: usize) -> Moment {
        Moment::new(self.now + self.workers[at].skew, 0).unwrap()
    }

    fn note(&mut self, at: usize, what: &str) {
        let (now, name) = (self.now - START, &self.workers[at].name);
        writeln!(self.trace, "{now} {name} {what}").unwrap();
    }

    fn sleep(&mut self, at: usize, low: u64, high: u64) {
        let seconds = self.chance.between(low, high);
        self.workers[at].wakes = self.now + i64::try_from(seconds).unwrap();
    }

    /// Ends a process. Whatever it knew is gone.
    fn die(&mut self, at: usize) {
        self.note(at, "dies");
        self.facts.push(Fact::Died);
        self.workers[at].machine = None;
        self.workers[at].busy = None;
        self.sleep(at, 1, 90);
    }

    fn act(&mut self, at: usize) {
        if self.workers[at].machine.is_none() {
            self.boot(at);
            return;
        }
        if let Some(busy) = self.workers[at].busy.take() {
            self.go_on(at, busy);
            return;
        }
        if self.chance.percent(4) {
            self.die(at);
            return;
        }
        let next = owned(&self.workers[at].machine.as_ref().unwrap().next());
        let event = self.perform(at, next);
        // The change is made, and whoever made it never learns.
        if self.chance.percent(3) {
            self.die(at);
            return;
        }
        match event {
            Some(event) => self.feed(at, event),
            None => self.workers[at].wakes = self.now.max(self.workers[at].wakes),
        }
    }

    fn boot(&mut self, at: usize) {
        let name = self.workers[at].name.clone();
        let own = {
            let view = self.issues.view().unwrap();
            let lease = |id: &str| view.row(id).unwrap().and_then(|row| row.lease());
            self.ids.iter().find(|id| lease(id).is_some_and(|lease| lease.owner == name)).cloned()
        };
        let terms = StepTerms { worker: name, resumes: own, retry: table() };
        self.workers[at].machine = Some(StepMachine::new(terms));
        self.note(at, "boots");
        self.sleep(at, 0, 3);
    }

    fn feed(&mut self, at: usize, event: StepEvent) {
        self.note(at, event.name());
        let machine = self.workers[at].machine.as_mut().unwrap();
        machine.feed(event).unwrap();
        if matches!(machine.next(), StepNext::Done(_)) {
            let told = format!("{:?}", owned(&machine.next()));
            self.note(at, &told);
            self.workers[at].machine = None;
            self.sleep(at, 1, 20);
        } else {
            self.sleep(at, 0, 2);
        }
    }

    /// A command goes on: its heartbeat renews, or finds the lease lost; or it comes to its end.
    fn go_on(&mut self, at: usize, busy: Busy) {
        let held = self.workers[at].machine.as_ref().unwrap().held().cloned().unwrap();
        if busy.beats {
            let operation = Operation::LeaseRenew {
                id: held.issue_id.clone(),
                holder: self.holder(at, &held),
                ttl_seconds: TTL,
            };
            let renewed = apply(&self.issues, leasing(), &operation, &self.clock(at)).unwrap();
            if matches!(renewed, Applied::Refused(_)) {
                self.facts.push(Fact::Fenced);
                self.feed(at, StepEvent::LeaseLost);
                return;
            }
        }
        if self.now >= busy.ends {
            if let StepEvent::Checked(checked) = &busy.event
                && checked.is_passed()
            {
                self.facts.push(Fact::Passed { evidence: checked.evidence.clone() });
            }
            self.feed(at, busy.event);
        } else {
            self.workers[at].wakes = busy.ends.min(self.now + i64::try_from(TTL / 3).unwrap());
            self.workers[at].busy = Some(busy);
        }
    }

    fn holder(&self, at: usize, held: &HeldIssue) -> Holder {
        let name = &self.workers[at].name;
        Holder {
            owner: Some(name.clone()),
            lease_id: Some(format!("lease1_{}_{name}", held.issue_id)),
            fence: Some(held.fence),
        }
    }

    /// Does what a machine asks for; none when it takes its time.
    fn perform(&mut self, at: usize, next: Owned) -> Option<StepEvent> {
        let step_id = self.workers[at].machine.as_ref().unwrap().step_id().unwrap_or_default();
        match next {
            Owned::Claim(issue) => Some(self.claim(at, issue)),
            Owned::Before => Some(checked(&[], &format!("before {step_id}"))),
            Owned::Work(held) => self.command(at, &held, &step_id, false),
            Owned::After(held) => self.command(at, &held, &step_id, true),
            Owned::Land(held) => Some(self.land(&held, &step_id)),
            Owned::Close(held, evidence) => Some(self.close(at, &held, evidence, step_id)),
            Owned::Wait(seconds) => {
                self.facts.push(Fact::Waited);
                self.sleep(at, seconds, seconds);
                Some(StepEvent::Waited)
            }
            Owned::Look(held) => {
                let row = self.row(&held.issue_id);
                let lease = row.as_ref().and_then(IssueRow::lease);
                let status = row.as_ref().map(IssueRow::status);
                Some(StepEvent::Stands(standing_of(status, lease.as_ref(), held.fence, self.clock(at))))
            }
            Owned::Renew(held) => Some(self.renew(at, &held)),
            Owned::Escalate(escalation) => Some(self.escalate(at, &escalation)),
            Owned::Release(held) => {
                let operation =
                    Operation::LeaseRelease { id: held.issue_id.clone(), holder: self.holder(at, &held) };
                let released = apply(&self.issues, leasing(), &operation, &self.clock(at)).unwrap();
                if matches!(released, Applied::Refused(_)) {
                    self.facts.push(Fact::Fenced);
                }
                Some(StepEvent::Released)
            }
            Owned::Publish(row) => {
                self.note(at, &row);
                Some(StepEvent::Published)
            }
            Owned::Done(_) => Some(StepEvent::Published),
        }
    }

    fn claim(&mut self, at: usize, issue: Option<String>) -> StepEvent {
        if self.chance.percent(5) {
            return StepEvent::ClaimRefused { class: "lease_store_busy".to_owned() };
        }
        let name = self.workers[at].name.clone();
        let mut terms = ClaimTerms { ttl_seconds: TTL, ..ClaimTerms::of(&name) };
        let operation = match issue {
            Some(id) => {
                terms.lease_id = Some(format!("lease1_{id}_{name}"));
                Operation::Claim { id, terms }
            }
            None => Operation::ClaimNext { terms },
        };
        match apply(&self.issues, leasing(), &operation, &self.clock(at)).unwrap() {
            Applied::Written(written) => {
                let row = &written.row;
                let fence = row.lease().unwrap().fence;
                let issue = row.id().to_owned();
                let labels = row.object().get("labels").and_then(Value::as_array).unwrap_or_default();
                let is_escalation = labels.iter().any(|label| label.as_text() == Some("escalation"));
                self.facts.push(Fact::Acquired { issue: issue.clone(), fence });
                let (title, rev) = (issue.clone(), row.rev());
                StepEvent::Claimed(HeldIssue { issue_id: issue, title, fence, rev, is_escalation })
            }
            Applied::Nothing(_) => StepEvent::NothingToClaim,
            Applied::Refused(refusal) => StepEvent::ClaimRefused { class: refusal.class.code().to_owned() },
        }
    }

    /// A command begins: how long it takes, whether a heartbeat goes, and how it will end is decided by chance.
    fn command(&mut self, at: usize, held: &HeldIssue, step_id: &str, verifies: bool) -> Option<StepEvent> {
        let is_slow = self.chance.percent(15);
        let takes = if is_slow { self.chance.between(20, 120) } else { self.chance.between(0, 5) };
        let beats = !self.chance.percent(25);
        // Every fourth issue cannot be done, and verification says so.
        let is_hopeless = held.issue_id.ends_with(['4', '8']);
        let is_flaky = held.issue_id.ends_with(['3', '6']);
        let classes: &[&str] = match verifies {
            true if is_hopeless => &["check_failed"],
            true => &[],
            false if self.chance.percent(if is_flaky { 70 } else { 15 }) => &["timeout"],
            false if self.chance.percent(5) => &["work_failed"],
            false if self.chance.percent(2) => &["never_heard_of"],
            false => &[],
        };
        let what = if verifies { "after" } else { "work" };
        let event = checked(classes, &format!("{what} {step_id}"));
        let ends = self.now + i64::try_from(takes).unwrap();
        self.workers[at].busy = Some(Busy { ends, beats, event });
        self.workers[at].wakes = if beats { self.now.min(ends) } else { ends };
        None
    }

    /// Landing succeeds, or finds a conflict now and then; what is told of a conflict is what failed work is told of.
    fn land(&mut self, held: &HeldIssue, step_id: &str) -> StepEvent {
        if self.chance.percent(10) {
            return checked(&["landing_conflict"], &format!("land {step_id}"));
        }
        StepEvent::Landed { refs: vec![format!("git://commit/{}", held.fence)] }
    }

    fn close(&mut self, at: usize, held: &HeldIssue, evidence: Digest, step_id: String) -> StepEvent {
        let changes = IssueChanges { status: Change::Set("closed".to_owned()), ..IssueChanges::default() };
        let (id, holder) = (held.issue_id.clone(), self.holder(at, held));
        let operation = Operation::Update { id, changes: Box::new(changes), holder };
        match apply(&self.issues, operator(), &operation, &self.clock(at)).unwrap() {
            Applied::Written(written) => {
                let held_fence =
                    written.before.as_ref().and_then(IssueRow::lease).map_or(0, |lease| lease.fence);
                let (issue, fence) = (held.issue_id.clone(), held.fence);
                self.facts.push(Fact::Closed { issue, fence, held_fence, evidence, step_id });
                self.has_settled = true;
                StepEvent::Closed { refs: Vec::new() }
            }
            Applied::Nothing(_) => StepEvent::Refused { class: "lease_issue_closed".to_owned() },
            Applied::Refused(refusal) => {
                self.facts.push(Fact::Fenced);
                StepEvent::Refused { class: refusal.class.code().to_owned() }
            }
        }
    }

    fn renew(&mut self, at: usize, held: &HeldIssue) -> StepEvent {
        let holder = self.holder(at, held);
        let operation = Operation::LeaseRenew { id: held.issue_id.clone(), holder, ttl_seconds: TTL };
        match apply(&self.issues, leasing(), &operation, &self.clock(at)).unwrap() {
            Applied::Written(_) | Applied::Nothing(_) => StepEvent::Renewed,
            Applied::Refused(refusal) => StepEvent::Refused { class: refusal.class.code().to_owned() },
        }
    }

    /// As the harness does it: an id that follows from what it is about, then the issue set aside; and a process may die in
    /// between.
    fn escalate(&mut self, at: usize, escalation: &Escalation) -> StepEvent {
        let issue = escalation.held.issue_id.clone();
        if escalation.action == EscalationAction::IssueDiscover {
            let id = format!("{issue}-esc-{}", escalation.classes.join("-"));
            if self.row(&id).is_none() {
                let draft = IssueDraft {
                    id: Some(id.clone()),
                    title: id.clone(),
                    labels: vec!["escalation".to_owned()],
                    ..IssueDraft::default()
                };
                let (draft, prefix) = (Box::new(draft), "bd".to_owned());
                let operation = Operation::Discover { parent: issue.clone(), draft, prefix };
                let made = apply(&self.issues, operator(), &operation, &self.clock(at)).unwrap();
                assert!(matches!(made, Applied::Written(_)), "{made:?}");
                self.facts.push(Fact::Escalated);
                self.ids.push(id);
            }
            if self.chance.percent(20) {
                // Died between the two; the machine goes with it.
                return StepEvent::Refused { class: "lease_stale".to_owned() };
            }
        }
        let changes = IssueChanges { status: Change::Set("blocked".to_owned()), ..IssueChanges::default() };
        let holder = self.holder(at, &escalation.held);
        let operation = Operation::Update { id: issue, changes: Box::new(changes), holder };
        match apply(&self.issues, operator(), &operation, &self.clock(at)).unwrap() {
            Applied::Written(_) | Applied::Nothing(_) => {
                self.has_settled = true;
                StepEvent::Escalated { refs: Vec::new() }
            }
            Applied::Refused(refusal) => {
                self.facts.push(Fact::Fenced);
                StepEvent::Refused { class: refusal.class.code().to_owned() }
            }
        }
    }
}

fn checked(classes: &[&str], evidence: &str) -> StepEvent {
    let classes = classes.iter().map(ToString::to_string).collect();
    StepEvent::Checked(Checked { classes, evidence: Digest::of_bytes(evidence.as_bytes()) })
}

/// What a machine asks for, on its own.
#[derive(Debug)]
enum Owned {
    Claim(Option<String>),
    Before,
    Work(HeldIssue),
    After(HeldIssue),
    Land(HeldIssue),
    Close(HeldIssue, Digest),
    Wait(u64),
    Look(HeldIssue),
    Renew(HeldIssue),
    Escalate(Escalation),
    Release(HeldIssue),
    Publish(String),
    Done(#[expect(dead_code, reason = "it is part of the trace")] String),
}

fn owned(next: &StepNext<'_>) -> Owned {
    match next {
        StepNext::Claim { issue_id } => Owned::Claim(issue_id.map(ToOwned::to_owned)),
        StepNext::VerifyBefore(_) => Owned::Before,
        StepNext::Work(held) => Owned::Work((*held).clone()),
        StepNext::VerifyAfter(held) => Owned::After((*held).clone()),
        StepNext::Land { held, .. } => Owned::Land((*held).clone()),
        StepNext::Close { held, evidence } => Owned::Close((*held).clone(), (*evidence).clone()),
        StepNext::Wait { seconds } => Owned::Wait(*seconds),
        StepNext::Look(held) => Owned::Look((*held).clone()),
        StepNext::Renew(held) => Owned::Renew((*held).clone()),
        StepNext::Escalate(escalation) => Owned::Escalate((*escalation).clone()),
        StepNext::Release(held) => Owned::Release((*held).clone()),
        StepNext::Publish(row) => Owned::Publish(format!("{} {}", row.step_id, row.result_class)),
        StepNext::Done(outcome) => Owned::Done(outcome.token().to_owned()),
    }
}
