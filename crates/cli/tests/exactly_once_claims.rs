//! R7: workers claim issues until there are none, while their commands are killed and stopped at random moments.
//!
//! Every issue ends up with one holder. A claim that was acknowledged is that worker's; one whose worker was killed
//! before the answer is visible as a claim of that worker, and nobody else's. Leases last an hour, so none runs out.

#![expect(clippy::disallowed_methods, reason = "how many claims a second is one of the figures")]
#![expect(clippy::unwrap_used, reason = "a store that cannot be prepared fails the test")]

mod crash;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use crash::{Answer, Orders, Seeded, Started, Trouble, Workplace, amount, figures, items, text};
use serde_json::Value;

const SEED: u64 = 0x7_c1a1;

/// An issue with the fence it was given under.
type Claim = (String, u64);

/// What one worker saw.
#[derive(Debug, Default)]
struct Worker {
    name: String,
    claims: Vec<Claim>,
    /// Runs that were killed before they had answered.
    unanswered: usize,
    killed: usize,
    /// Answers that are none of the two there should be.
    strange: Vec<Answer>,
}

impl Worker {
    /// Claims until there is nothing more to claim.
    fn work(name: String, number: u64, place: &Workplace, trouble: &Trouble, orders: &Orders) -> Self {
        let mut seeded = Seeded::new(SEED + number);
        let mut worker = Self { name, ..Self::default() };
        loop {
            let arguments = ["issue", "claim-next", "--assignee", &worker.name, "--json"];
            let answer = trouble.run(orders, Started::new(&mut place.command(&arguments)), &mut seeded);
            worker.killed += usize::from(answer.is_killed());
            match answer.document().map(|document| claim(&document)) {
                Some(Some(claim)) => worker.claims.push(claim),
                Some(None) if answer.code() == Some(0) => return worker,
                None if answer.is_killed() => worker.unanswered += 1,
                Some(None) | None => worker.strange.push(answer),
            }
            if worker.strange.len() > 3 {
                return worker;
            }
        }
    }
}

/// The claim of an answer; none when there was nothing to claim.
fn claim(document: &Value) -> Option<Claim> {
    let is_claimed = document.get("claimed") == Some(&Value::Bool(true));
    is_claimed
        .then(|| (text(document, "/issue/id").to_owned(), fence(document.pointer("/issue/lease/fence"))))
}

fn fence(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_u64).unwrap_or_default()
}

fn store(issues: usize) -> Workplace {
    let place = Workplace::initialised();
    let mut rows = String::new();
    for number in 1..=issues {
        writeln!(
            rows,
            r#"{{"id":"bd-{number}","title":"Issue {number}","status":"open","priority":{},"issue_type":"task"}}"#,
            number % 5
        )
        .unwrap();
    }
    fs::write(place.path().join("rows.jsonl"), rows).unwrap();
    place.accepted(&["issue", "import", "rows.jsonl", "--json"]);
    place
}

/// Who ever held an issue, by every row that was ever written. A line that is no row leaves an issue without a holder.
fn holders(place: &Workplace) -> BTreeMap<String, BTreeSet<(String, u64)>> {
    let mut holders: BTreeMap<String, BTreeSet<(String, u64)>> = BTreeMap::new();
    let logs =
        ["issues.jsonl", "issues.history.jsonl"].map(|name| fs::read(place.lane(name)).unwrap_or_default());
    let lines = logs.iter().flat_map(|log| log.split(|byte| *byte == b'\n'));
    for row in lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        let held = holders.entry(text(&row, "/id").to_owned()).or_default();
        if let Some(lease) = row.get("lease").filter(|lease| !lease.is_null()) {
            held.insert((text(lease, "/owner").to_owned(), fence(lease.get("fence"))));
        }
    }
    holders
}

/// What is wrong with the claims, by kind.
#[derive(Debug, Default)]
struct Judgement {
    double: Vec<String>,
    lost: Vec<String>,
}

impl Judgement {
    fn of(place: &Workplace, issues: usize, workers: &[Worker]) -> Self {
        let mut judgement = Self::default();
        let listing = place.accepted(&["issue", "list", "--json"]);
        let ids: Vec<&str> = items(&listing).iter().map(|row| text(row, "/id")).collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        if ids.len() != issues || unique.len() != issues {
            judgement.lost.push(format!("{} rows, {} ids of {issues} issues", ids.len(), unique.len()));
        }
        let mut unanswered: BTreeMap<&str, usize> =
            workers.iter().map(|worker| (worker.name.as_str(), worker.unanswered)).collect();
        let mut acknowledged: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
        for worker in workers {
            for (id, fence) in &worker.claims {
                acknowledged.entry(id).or_default().push((&worker.name, *fence));
            }
        }
        let holders = holders(place);
        for (id, held) in &holders {
            let told = acknowledged.remove(id.as_str()).unwrap_or_default();
            if held.len() > 1 || told.len() > 1 {
                judgement.double.push(format!("{id} was held by {held:?}, acknowledged to {told:?}"));
            }
            let Some((owner, fence)) = held.first() else {
                judgement.lost.push(format!("{id} was never claimed, acknowledged to {told:?}"));
                continue;
            };
            match told.first() {
                Some(told) if *told == (owner.as_str(), *fence) => {}
                Some(told) => judgement.lost.push(format!("{id} is {owner}'s, acknowledged to {told:?}")),
                // The answer was lost with the process, and only as many as there were killed.
                None => match unanswered.get_mut(owner.as_str()).and_then(|count| count.checked_sub(1)) {
                    Some(left) => drop(unanswered.insert(owner, left)),
                    None => judgement.lost.push(format!("nobody knows why {id} is {owner}'s")),
                },
            }
        }
        judgement.lost.extend(acknowledged.keys().map(|id| format!("{id} was acknowledged and has no row")));
        judgement
    }
}

#[test]
fn every_issue_is_claimed_exactly_once() {
    let (count, issues) = (amount(12, 32), amount(300, 2_000));
    let place = store(issues);
    let trouble = Trouble::default();
    let mut workers = Vec::new();
    let since = Instant::now();
    trouble.beside(|orders| {
        thread::scope(|scope| {
            let start = |number: u64| {
                let (place, trouble, orders) = (&place, &trouble, orders.clone());
                scope.spawn(move || Worker::work(format!("worker-{number}"), number, place, trouble, &orders))
            };
            let started: Vec<_> = (1..=count as u64).map(start).collect();
            workers.extend(started.into_iter().map(|worker| worker.join().unwrap()));
        });
    });
    let rate = format!("{:.0}", issues as f64 / since.elapsed().as_secs_f64());
    let judgement = Judgement::of(&place, issues, &workers);
    let sum = |figure: fn(&Worker) -> usize| workers.iter().map(figure).sum::<usize>();
    let (killed, strange) = (sum(|worker| worker.killed), sum(|worker| worker.strange.len()));
    let (stops, wedged) = (trouble.stops.load(Ordering::Relaxed), trouble.wedged.load(Ordering::Relaxed));
    let claims = sum(|worker| worker.claims.len());
    figures(
        "R7",
        &[
            ("seed", &SEED),
            ("workers", &count),
            ("issues", &issues),
            ("claims acknowledged", &claims),
            ("claims whose answer was lost", &issues.saturating_sub(claims)),
            ("kills", &killed),
            ("stops", &stops),
            ("double claims", &judgement.double.len()),
            ("lost", &judgement.lost.len()),
            ("wedged", &wedged),
            ("claims/s", &rate),
        ],
    );
    assert!(judgement.double.is_empty() && judgement.lost.is_empty(), "{judgement:?}");
    assert_eq!((wedged, strange), (0, 0), "{workers:?}");
    assert_eq!(place.unsound(), None);
    assert!(killed >= issues / 10 && stops >= issues / 20, "too little trouble to prove anything");
}
