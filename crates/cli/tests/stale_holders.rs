//! R8: a holder whose lease was taken over writes nothing, however long it slept and whatever its clock says.
//!
//! A try is one write that names the fence of a lease which somebody else has taken over since. None may be accepted, and
//! the log must stay as it is, byte for byte. Writes by those who do hold the lease are counted too: a store that refuses
//! everybody proves nothing.

#![expect(
    clippy::disallowed_methods,
    reason = "whether a refused write changed the log is seen in its bytes"
)]
#![expect(clippy::unwrap_used, reason = "a store that cannot be prepared fails the test")]
#![expect(clippy::indexing_slicing, reason = "numbers are drawn below the length of what they pick from")]

mod crash;

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crash::{
    ANCHOR, Answer, Call, Holding, Seeded, Shifted, Shows, Started, Tracer, Workplace, Write, amount, figures,
};
use premath_bd::issues::{
    Applied, ClaimTerms, FileIssues, Holder, IssueChanges, IssueDraft, Operation, apply,
};
use premath_bd::{Clock as _, OperatorBasis, OperatorGrant, OsDisk, Permit};
use premath_kernel::{DependencyKind, Moment};
use premath_testkit::TestClock;

const SEED: u64 = 0x8_57a1e;
const PATIENCE: Duration = Duration::from_secs(60);
/// The furthest a clock is wrong.
const DAY: i64 = 24 * 3_600;
/// What may pass between two steps of a try without mattering.
const SLACK: i64 = 120;

/// What a refused holder may be told.
const STALE: &[&str] = &["lease_stale", "lease_owner_mismatch", "lease_id_mismatch"];

#[derive(Debug, Default)]
struct Tally {
    tries: usize,
    accepted_stale: Vec<String>,
    honest: usize,
}

impl Tally {
    /// Judges one stale write by its answer and by what became of the log.
    fn stale(&mut self, what: &str, answer: &Answer, is_log_changed: bool) {
        self.tries += 1;
        if !answer.is_refused_as(STALE) || is_log_changed {
            self.accepted_stale.push(format!("{what}: log changed {is_log_changed}, {answer:?}"));
        }
    }

    /// Judges one write by whoever holds the lease.
    #[track_caller]
    fn honest(&mut self, answer: &Answer) {
        assert!(answer.is_accepted(), "a holder was refused: {answer:?}");
        self.honest += 1;
    }

    fn conclude(&self, how: &str) {
        let accepted = self.accepted_stale.len();
        let figure = format!("R8 {how}");
        figures(
            &figure,
            &[
                ("seed", &SEED),
                ("tries", &self.tries),
                ("stale writes accepted", &accepted),
                ("honest writes accepted", &self.honest),
            ],
        );
        assert!(self.accepted_stale.is_empty(), "{:#?}", self.accepted_stale);
        assert!(self.honest * 2 >= self.tries, "too few honest writes to prove anything: {}", self.honest);
    }
}

/// A store with one issue per try.
fn store(issues: usize) -> Workplace {
    let place = Workplace::initialised();
    let row = |id: &str| {
        format!("{{\"id\":\"{id}\",\"title\":\"{id}\",\"status\":\"open\",\"issue_type\":\"task\"}}\n")
    };
    let rows: String = (0..issues).map(|number| row(&format!("bd-{number}"))).collect();
    fs::write(place.path().join("rows.jsonl"), row(ANCHOR) + &rows).unwrap();
    place.accepted(&["issue", "import", "rows.jsonl", "--json"]);
    place
}

fn log(place: &Workplace) -> Vec<u8> {
    fs::read(place.lane("issues.jsonl")).unwrap()
}

fn claim<'a>(issue: &'a str, assignee: &'a str, ttl: &'a str) -> [&'a str; 8] {
    ["issue", "claim", issue, "--assignee", assignee, "--ttl-seconds", ttl, "--json"]
}

fn drawn<T: Copy>(seeded: &mut Seeded, of: &[T]) -> T {
    of[seeded.below(of.len())]
}

fn number(seeded: &mut Seeded, from: i64, to: i64) -> i64 {
    from + i64::try_from(seeded.below(usize::try_from(to - from + 1).unwrap())).unwrap()
}

/// The command with a clock that is wrong by so many seconds.
fn shifted(place: &Workplace, clocks: &Shifted, skew: i64, arguments: &[impl AsRef<str>]) -> Command {
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    let mut command = place.command(&arguments);
    clocks.by(skew, &mut command);
    command
}

fn run(command: &mut Command) -> Answer {
    Started::new(command).finish(PATIENCE)
}

/// By how much two clocks are wrong. To three in four of the second, a lease that the first got just now has run out.
fn skews(seeded: &mut Seeded, ttl: i64) -> (i64, i64) {
    let first = number(seeded, SLACK - DAY, DAY - ttl - SLACK);
    let second = match seeded.below(4) {
        0 => number(seeded, -DAY, first + ttl - SLACK),
        _ => number(seeded, first + ttl + SLACK, DAY),
    };
    (first, second)
}

/// One issue, two claimers whose clocks disagree. Whether it was a try: whether the second took over from the first.
fn disagree(
    place: &Workplace,
    clocks: &Shifted,
    issue: &str,
    seeded: &mut Seeded,
    tally: &mut Tally,
) -> bool {
    let ttl = drawn(seeded, &[30, 600, 3_600, 40_000]);
    let (first_skew, second_skew) = skews(seeded, ttl);
    // Somebody may go by the same name as the one before.
    let second_name = drawn(seeded, &["bob", "bob", "bob", "ann"]);
    let ttl_shown = ttl.to_string();
    let first = Holding::of(
        &run(&mut shifted(place, clocks, first_skew, &claim(issue, "ann", &ttl_shown))).accepted(),
    );
    let second = run(&mut shifted(place, clocks, second_skew, &claim(issue, second_name, "86400")));
    let (write, shows) = (drawn(seeded, &Write::ALL), drawn(seeded, &[Shows::Owner, Shows::LeaseId]));
    let old_write = write.arguments(&first, shows);
    if second_skew < first_skew + ttl {
        if second_name != first.owner {
            assert!(second.is_refused_as(&["lease_contention_active"]), "{second:?}");
            tally.honest(&run(&mut shifted(place, clocks, first_skew, &old_write)));
        }
        return false;
    }
    let second = Holding::of(&second.accepted());
    let honest = Write::Notes.arguments(&second, Shows::Owner);
    tally.honest(&run(&mut shifted(place, clocks, second_skew, &honest)));
    // By its own clock the lease is good; by the other it is not. Neither may help.
    let skew = drawn(seeded, &[first_skew, first_skew, second_skew]);
    let before = log(place);
    let answer = run(&mut shifted(place, clocks, skew, &old_write));
    let what = format!(
        "{issue} {write:?} by {shows:?}, clocks {first_skew:+} and {second_skew:+}, written at {skew:+}"
    );
    tally.stale(&what, &answer, log(place) != before);
    true
}

#[test]
fn clocks_that_disagree_let_no_stale_holder_write() {
    let Some(clocks) = Shifted::find() else { return };
    let tries = amount(40, 160);
    let place = store(2 * tries);
    let (mut seeded, mut tally) = (Seeded::new(SEED), Tally::default());
    let issues = (0..2 * tries).map(|number| format!("bd-{number}"));
    let taken =
        issues.filter(|issue| disagree(&place, &clocks, issue, &mut seeded, &mut tally)).take(tries).count();
    tally.conclude("clocks that disagree");
    assert_eq!(taken, tries, "too few take-overs");
    assert_eq!(place.unsound(), None);
}

/// The system calls of a holder's write.
struct Learned {
    write: Write,
    /// Before it has the log's lock.
    before: Vec<Call>,
    /// While it has it, until the row is durable.
    held: Vec<Call>,
}

impl Learned {
    fn of(tracer: Tracer, place: &Workplace, write: Write) -> Self {
        let place = place.copied();
        let holding = Holding::of(&place.accepted(&claim("bd-0", "ann", "3600")));
        let arguments = write.arguments(&holding, Shows::Owner);
        let (answer, mut before) = tracer.learn(&place, &words(&arguments));
        assert!(answer.is_accepted(), "{answer:?}");
        let locked = before.iter().position(|call| call.name == "flock" && call.shown.contains("LOCK_EX"));
        let mut held = before.split_off(locked.unwrap());
        let synced = held.iter().position(|call| call.name == "fdatasync");
        held.truncate(synced.unwrap());
        Self { write, before, held }
    }
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Holders who fall asleep while they write, in one store.
struct Sleepers {
    place: Workplace,
    clocks: Shifted,
    tracer: Tracer,
    tally: Tally,
}

impl Sleepers {
    /// Somebody else's claim, two hours later by their clock: the lease of an hour has run out.
    fn takeover(&self, issue: &str) -> Command {
        shifted(&self.place, &self.clocks, 7_200, &claim(issue, "bob", "86400"))
    }

    /// It sleeps before it has the lock. When it wakes, the issue is another's.
    fn overtaken(&mut self, first: &Holding, write: Write, shows: Shows, call: &Call) {
        let arguments = write.arguments(first, shows);
        let asleep = self.tracer.stopped(&self.place, &words(&arguments), call);
        let second = Holding::of(&run(&mut self.takeover(&first.issue)).accepted());
        let honest = Write::Notes.arguments(&second, Shows::LeaseId);
        self.tally.honest(&run(&mut shifted(&self.place, &self.clocks, 7_200, &honest)));
        let before = log(&self.place);
        let answer = asleep.resumed();
        let what = format!("{} {write:?} stopped at {call:?}", first.issue);
        self.tally.stale(&what, &answer, log(&self.place) != before);
    }

    /// It sleeps with the lock in its hands: the other waits, the write is finished, and is the last one.
    fn awaited(&mut self, first: &Holding, write: Write, shows: Shows, call: &Call) {
        let arguments = write.arguments(first, shows);
        let asleep = self.tracer.stopped(&self.place, &words(&arguments), call);
        let waiting = Started::new(&mut self.takeover(&first.issue));
        self.tally.honest(&asleep.resumed());
        let second = waiting.finish(PATIENCE);
        if write == Write::Close {
            assert!(second.is_refused_as(&["lease_issue_closed"]), "{second:?}");
            return;
        }
        assert!(second.is_accepted(), "{second:?}");
        let before = log(&self.place);
        let answer = self.place.run(&words(&Write::Notes.arguments(first, Shows::Owner)));
        let what = format!("{} after a {write:?} stopped at {call:?}", first.issue);
        self.tally.stale(&what, &answer, log(&self.place) != before);
    }
}

#[test]
fn a_holder_that_slept_in_the_middle_of_a_write_does_not_finish_it() {
    let (Some(clocks), Some(tracer)) = (Shifted::find(), Tracer::find()) else { return };
    let tries = amount(20, 80);
    let place = store(2 * tries);
    let learned = Write::ALL.map(|write| Learned::of(tracer, &place, write));
    let mut seeded = Seeded::new(SEED);
    let mut sleepers = Sleepers { place, clocks, tracer, tally: Tally::default() };
    for issue in (0..2 * tries).map(|number| format!("bd-{number}")) {
        if sleepers.tally.tries == tries {
            break;
        }
        let first = Holding::of(&sleepers.place.accepted(&claim(&issue, "ann", "3600")));
        let shows = drawn(&mut seeded, &[Shows::Owner, Shows::LeaseId]);
        let learned = &learned[seeded.below(learned.len())];
        if seeded.below(3) > 0 {
            let call = &learned.before[seeded.below(learned.before.len())];
            sleepers.overtaken(&first, learned.write, shows, call);
        } else {
            let call = &learned.held[seeded.below(learned.held.len())];
            sleepers.awaited(&first, learned.write, shows, call);
        }
    }
    sleepers.tally.conclude("sleepers");
    assert_eq!(sleepers.tally.tries, tries, "too few take-overs");
    assert_eq!(sleepers.place.unsound(), None);
}

/// Somebody with a clock of their own, and every fence they were ever given.
struct Person {
    name: &'static str,
    clock: TestClock,
    fences: Vec<u64>,
}

/// One issue, people who claim it and write to it in any order, and the fence that counts.
struct Walk {
    store: FileIssues,
    id: String,
    newest: u64,
    /// Who was given it.
    holder: usize,
    people: [Person; 3],
}

impl Walk {
    fn apply(&self, operation: &Operation, now: Moment) -> Applied {
        let permit = Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
        apply(&self.store, permit, operation, &now).unwrap()
    }

    /// One issue among those of the store.
    fn new(place: &Workplace, number: usize, seeded: &mut Seeded) -> Self {
        let store = FileIssues::new(Arc::new(OsDisk), place.lane("issues.jsonl"));
        let noon = Moment::new(1_800_000_000, 0).unwrap();
        // The third goes by the name of the first.
        let people = ["ann", "bob", "ann"].map(|name| {
            let clock = TestClock::at(noon.plus_seconds(skew(seeded)));
            Person { name, clock, fences: Vec::new() }
        });
        let walk = Self { store, id: format!("walk-{number}"), newest: 0, holder: 0, people };
        for id in [walk.id.as_str(), ANCHOR] {
            let draft = IssueDraft { id: Some(id.to_owned()), title: id.to_owned(), ..IssueDraft::default() };
            walk.apply(&Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() }, noon);
        }
        walk
    }

    /// Somebody claims, or writes under one of their fences.
    fn step(&mut self, number: usize, seeded: &mut Seeded, tally: &mut Tally) {
        // Whoever was given the issue last is the busiest.
        let who = if seeded.below(2) == 0 { self.holder } else { seeded.below(self.people.len()) };
        self.people[who].clock.advance(i64::try_from(seeded.below(240)).unwrap());
        let person = &self.people[who];
        let now = person.clock.now();
        if person.fences.is_empty() || seeded.below(3) == 0 {
            let terms =
                ClaimTerms { ttl_seconds: drawn(seeded, &[30, 600, 3_600]), ..ClaimTerms::of(person.name) };
            if let Applied::Written(written) =
                self.apply(&Operation::Claim { id: self.id.clone(), terms }, now)
            {
                let fence = written.row.lease().unwrap().fence;
                assert!(fence > self.newest, "a fence was given twice");
                (self.newest, self.holder) = (fence, who);
                self.people[who].fences.push(fence);
            }
            return;
        }
        // Half of them name the fence they were given last, which may still be the newest.
        let last = person.fences.last().copied().unwrap_or_default();
        let fence = if seeded.below(2) == 0 { last } else { drawn(seeded, &person.fences) };
        let operation = self.write(number, person.name, fence, seeded);
        let is_written = matches!(self.apply(&operation, now), Applied::Written(_));
        if fence == self.newest {
            tally.honest += usize::from(is_written);
            return;
        }
        tally.tries += 1;
        if is_written {
            tally.accepted_stale.push(format!("fence {fence} after {}: {operation:?}", self.newest));
        }
    }

    fn write(&self, number: usize, owner: &str, fence: u64, seeded: &mut Seeded) -> Operation {
        let id = self.id.clone();
        let holder = Holder { owner: Some(owner.to_owned()), lease_id: None, fence: Some(fence) };
        match seeded.below(6) {
            0 => Operation::LeaseRenew { id, holder, ttl_seconds: 600 },
            1 => Operation::LeaseRelease { id, holder },
            2 => {
                let kind = DependencyKind::Related;
                Operation::DependencyAdd { id, depends_on: ANCHOR.to_owned(), kind, by: None, holder }
            }
            _ => {
                let changes =
                    IssueChanges { append_notes: Some(format!("Step {number}.")), ..IssueChanges::default() };
                Operation::Update { id, changes: Box::new(changes), holder }
            }
        }
    }
}

/// How wrong a clock is.
fn skew(seeded: &mut Seeded) -> i64 {
    number(seeded, -DAY, DAY)
}

#[test]
fn under_clocks_that_a_test_sets_no_old_fence_is_accepted() {
    let tries = amount(40, 160);
    let place = Workplace::empty();
    fs::create_dir(place.lane("")).unwrap();
    let (mut seeded, mut tally) = (Seeded::new(SEED), Tally::default());
    let mut walks = 0;
    while tally.tries < tries {
        walks += 1;
        assert!(walks < tries, "too few take-overs");
        let mut walk = Walk::new(&place, walks, &mut seeded);
        for number in 0..30 {
            if tally.tries < tries {
                walk.step(number, &mut seeded, &mut tally);
            }
        }
    }
    tally.conclude("clocks that are set");
}
