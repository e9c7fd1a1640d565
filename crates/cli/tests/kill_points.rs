//! R1: kill -9 at every system call of every command that changes something.
//!
//! Each command is traced once; then it is started again for each of its calls, in a fresh copy of the same store, and
//! killed when it enters that call. What counts is the state it leaves, never its exit code: rows that were there are
//! there once and unchanged, the change is there whole or not at all, and surely if it was acknowledged; the stores are
//! sound, and the next change works.

#![expect(clippy::unwrap_used, reason = "a store that cannot be prepared fails the test")]

mod crash;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crash::cases::{CASES, Case};
use crash::state::{Known, State, others, texts};
use crash::{Call, Tracer, Workplace, amount, figures, is_whole, patience};
use premath_host::{ACTIONS, Door};

/// How many points the slice has; the whole must have at least 500.
const SLICE: usize = 150;
const WHOLE: usize = 500;

/// A command with what it does when nobody kills it.
struct Learned {
    case: &'static Case,
    place: Workplace,
    known: Known,
    before: State,
    after: State,
    calls: Vec<Call>,
}

/// What was found at all points of a run.
#[derive(Debug, Default)]
struct Findings {
    killed: usize,
    escaped: usize,
    /// Points after which the change was there, and was not, by command.
    there: BTreeMap<&'static str, usize>,
    absent: BTreeMap<&'static str, usize>,
    lost: Vec<String>,
    duplicated: Vec<String>,
    torn: Vec<String>,
    wedged: Vec<String>,
}

impl Learned {
    fn of(case: &'static Case, tracer: Tracer) -> Self {
        let place = (case.prepare)();
        // Readers may leave an index behind: what is read is a copy, so that the command finds what it would find.
        let known = texts(&place.copied(), case.lane);
        let before = State::read(&primed(&place, case), case.lane, &known);
        let run = primed(&place, case);
        let (answer, calls) = tracer.learn(&run, case.arguments);
        assert!(answer.is_accepted(), "{}: {answer:?}", case.name);
        assert_eq!(run.unsound(), None, "{}", case.name);
        let after = State::read(&run, case.lane, &known);
        Self { case, place, known, before, after, calls }
    }

    /// Kills the command when it enters a call, and looks at what is left.
    fn judge(&self, call: &Call, tracer: Tracer, findings: &Mutex<Findings>) {
        let case = self.case;
        let place = primed(&self.place, case);
        let foreign = others(&place, case.lane);
        let answer = tracer.killed(&place, case.arguments, call);
        let state = State::read(&place, case.lane, &self.known);
        let mut unsound: Vec<String> = Vec::new();
        if place.lane("").exists() {
            unsound.extend(place.unsound());
        }
        let is_foreign_changed = others(&place, case.lane) != foreign;
        let next = place.run_within(patience(), case.lane.next);
        let later = State::read(&place, case.lane, &self.known);
        unsound.extend(place.unsound());

        let at = format!("{} killed at {} {}: `{}`", case.name, call.name, call.nth, call.shown);
        let mut findings = findings.lock().unwrap();
        if answer.is_killed() {
            findings.killed += 1
        } else {
            findings.escaped += 1
        }
        if is_foreign_changed {
            findings.lost.push(format!("{at}: a file of another lane was changed"));
        }
        self.compare(&at, &state, answer.document().is_some(), &mut findings);
        findings.torn.extend(unsound.into_iter().map(|problem| format!("{at}: {problem}")));
        if !next.is_accepted() {
            findings.wedged.push(format!("{at}: the next change: {next:?}"));
        } else if case.lane.is_finished_by_next && later != self.after {
            findings.lost.push(format!("{at}: the next change did not finish it: {later:?}"));
        } else if let Some(row) = missing(&state, &later, case).filter(|_| !case.lane.is_finished_by_next) {
            findings.lost.push(format!("{at}: the next change took {row}"));
        }
    }

    /// Compares what is left with what was there before and with what should come of the change.
    fn compare(&self, at: &str, state: &State, is_acknowledged: bool, findings: &mut Findings) {
        let lane = self.case.lane;
        let is_between = lane.is_finished_by_next && state.rows(lane) == self.before.rows(lane);
        if *state == self.after {
            *findings.there.entry(self.case.name).or_default() += 1;
        } else if is_between || *state == self.before {
            *findings.absent.entry(self.case.name).or_default() += 1;
            if is_acknowledged {
                findings.lost.push(format!("{at}: acknowledged, and not there"));
            }
        } else {
            self.classify(at, state, findings);
        }
    }

    /// Says what is wrong with a state that is neither the one before nor the one after.
    fn classify(&self, at: &str, state: &State, findings: &mut Findings) {
        let rows = state.rows(self.case.lane);
        let twice: Vec<&String> =
            rows.iter().filter(|(_, rows)| rows.len() > 1).map(|(name, _)| name).collect();
        let (before, after) = (self.before.rows(self.case.lane), self.after.rows(self.case.lane));
        // What the change does not touch must be as it was.
        let untouched = before.iter().filter(|(name, row)| after.get(*name) == Some(*row));
        let lost: Vec<&String> =
            untouched.filter(|(name, row)| rows.get(*name) != Some(*row)).map(|(name, _)| name).collect();
        let message = format!("{at}: twice {twice:?}, lost {lost:?}, left {state:?}");
        if !twice.is_empty() {
            findings.duplicated.push(message);
        } else if !lost.is_empty() {
            findings.lost.push(message);
        } else {
            findings.torn.push(message);
        }
    }
}

/// A copy of the store whose log knows the file it is in, as it does in daily use.
fn primed(place: &Workplace, case: &Case) -> Workplace {
    let place = place.copied();
    if !case.lane.primer.is_empty() {
        place.accepted(case.lane.primer);
    }
    place
}

/// A row that the next change did not leave as it was.
fn missing(state: &State, later: &State, case: &Case) -> Option<String> {
    let later = later.rows(case.lane);
    state.rows(case.lane).into_iter().find(|(name, rows)| later.get(name) != Some(rows)).map(|(name, _)| name)
}

/// As many points of each command, evenly spread and not at the same places in all, or every point.
fn chosen(learned: &[Learned]) -> Vec<(&Learned, &Call)> {
    let commands = learned.len();
    let mut points = Vec::new();
    for (command, learned) in learned.iter().enumerate() {
        let calls = learned.calls.len();
        let share = SLICE * (command + 1) / commands - SLICE * command / commands;
        let wanted = amount(share, calls).min(calls);
        // The part of a step by which this command is ahead of the first.
        let place = |index: usize| (index * commands + command) * calls / (wanted * commands);
        let places = (0..wanted).map(|index| if wanted == calls { index } else { place(index) });
        points.extend(places.filter_map(|place| learned.calls.get(place)).map(|call| (learned, call)));
    }
    points
}

/// Kills at every chosen point, on as many threads as there are processors.
fn kill(points: &[(&Learned, &Call)], tracer: Tracer) -> Findings {
    let findings = Mutex::new(Findings::default());
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().unwrap().get();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((learned, call)) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    learned.judge(call, tracer, &findings);
                }
            });
        }
    });
    findings.into_inner().unwrap()
}

#[test]
fn whoever_is_killed_leaves_the_change_whole_or_not_at_all() {
    let Some(tracer) = Tracer::find() else { return };
    let learned: Vec<Learned> = CASES.iter().map(|case| Learned::of(case, tracer)).collect();
    let points = chosen(&learned);
    let findings = kill(&points, tracer);
    for learned in &learned {
        let name = learned.case.name;
        let count = |counts: &BTreeMap<&str, usize>| counts.get(name).copied().unwrap_or_default();
        let (there, absent) = (count(&findings.there), count(&findings.absent));
        println!("R1  {name}: {} calls, change there {there}, absent {absent}", learned.calls.len());
        if is_whole() && learned.before != learned.after {
            assert!(there > 0 && absent > 0, "{name}: the points of a change lie on both sides of it");
        }
    }
    let wrong = [&findings.lost, &findings.duplicated, &findings.torn, &findings.wedged];
    let [lost, duplicated, torn, wedged] = wrong.map(Vec::len);
    figures(
        "R1",
        &[
            ("commands", &learned.len()),
            ("points", &findings.killed),
            ("not reached", &findings.escaped),
            ("lost", &lost),
            ("duplicated", &duplicated),
            ("torn", &torn),
            ("wedged", &wedged),
        ],
    );
    let wrong: Vec<&str> = wrong.into_iter().flatten().map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} findings\n{}", wrong.len(), wrong.join("\n"));
    assert!(findings.escaped * 20 <= findings.killed, "too many runs ended before their point: {findings:?}");
    assert!(findings.killed >= amount(SLICE * 19 / 20, WHOLE), "only {} points", findings.killed);
}

/// How many points of taking logs over are in the slice.
const TRUST_SLICE: usize = 24;
const TRUST: [&str; 5] = ["trust", "--upgrade", "--reason", "first start with keys", "--json"];

/// A store from before logs were keyed.
fn unkeyed() -> Workplace {
    let place = Workplace::empty();
    place.accepted(&["init", "--json"]);
    place.accepted(&["issue", "add", "First", "--id", "first", "--json"]);
    place.remove_keys(&["issues.jsonl", "audit.jsonl"]);
    place
}

#[test]
fn taking_logs_over_that_is_killed_is_finished_by_whoever_asks_again() {
    let Some(tracer) = Tracer::find() else { return };
    let place = unkeyed();
    let list = ["issue", "list", "--json"];
    let before = place.accepted(&list);
    let run = place.copied();
    let (answer, calls) = tracer.learn(&run, &TRUST);
    assert!(answer.is_accepted(), "{answer:?}");
    assert_eq!((run.unsound(), run.accepted(&list)), (None, before.clone()));
    let first = calls.iter().position(|call| call.shown.contains("issues.jsonl")).unwrap();
    let behind = calls.get(first..).unwrap();
    let wanted = amount(TRUST_SLICE, behind.len()).min(behind.len());
    let (mut absent, mut there) = (0, 0);
    for call in (0..wanted).filter_map(|index| behind.get(index * behind.len() / wanted)) {
        let place = place.copied();
        let answer = tracer.killed(&place, &TRUST, call);
        let at = format!("killed at {} {}: `{}`", call.name, call.nth, call.shown);
        let is_done = place.unsound().is_none();
        assert!(is_done || answer.document().is_none(), "{at}: acknowledged, and not there");
        *(if is_done { &mut there } else { &mut absent }) += 1;
        assert_eq!(place.accepted(&list), before, "{at}");
        place.accepted(&TRUST);
        assert_eq!(place.unsound(), None, "{at}");
        assert_eq!(place.accepted(&list), before, "{at}");
        place.accepted(&["issue", "add", "Next", "--id", "next", "--json"]);
        place.accepted(&["audit", "verify", "--json"]);
    }
    figures("R1", &[("taking over not done", &absent), ("done", &there)]);
    assert!(absent > 0 && there > 0, "the points lie on both sides of the change: {absent}, {there}");
}

#[test]
fn every_command_that_changes_something_is_killed() {
    let without: Vec<&str> = ACTIONS
        .iter()
        // Whoever reaches outside writes through the same documents as a session does, which are killed here.
        .filter(|action| !matches!(action.door, Door::Read | Door::Effect))
        // What people decide is one transaction of the desk's database, which the store's own tests kill between statements.
        .filter(|action| !action.name.starts_with("approval.") && !action.name.starts_with("proposal."))
        // A promotion is killed in a test of its own: it needs reports, and has files outside the stores.
        .filter(|action| !matches!(action.name, "policy.promote" | "policy.rollback"))
        // So is forgetting: it needs a run that keeps nothing.
        .filter(|action| action.name != "run.forget")
        // Taking logs over is killed below: what it finds is not sound before it is done.
        .filter(|action| action.name != "workspace.trust")
        // What is below artifacts/ follows from everything else, is replaced whole, and can be made again.
        .filter(|action| !matches!(action.name, "observe.build" | "required.witness.decide"))
        .map(|action| action.command)
        .filter(|command| !CASES.iter().any(|case| case.arguments.join(" ").starts_with(command)))
        .collect();
    assert!(without.is_empty(), "no points for {without:?}");
}
