//! R6: many processes append to one log at the same time, and every row is there, once and whole.
//!
//! Each worker starts the real command again and again; nobody waits for anybody but in the log's own lock.

#![expect(clippy::disallowed_methods, reason = "how long the storm lasts is one of its figures")]
#![expect(clippy::unwrap_used, reason = "a store that cannot be prepared fails the test")]

mod crash;

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use crash::{Started, Workplace, amount, figures, items, lines, text};
use serde_json::Value;

/// How long one command may wait for all the others. The log itself gives up earlier, which is a failure too.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every worker runs the command again and again, all workers at once. What each append was called, with what it was
/// answered; nothing for one that was not acknowledged.
fn storm(place: &Workplace, id: &str, arguments: fn(&str) -> Vec<&str>) -> BTreeMap<String, Option<Value>> {
    let (workers, each) = (amount(8, 16), amount(200, 1_000));
    let run = |worker: usize, number: usize| {
        let name = format!("worker {worker} row {number}");
        let answer = Started::new(&mut place.command(&arguments(&name))).finish(PATIENCE);
        let acknowledged = answer.is_accepted().then(|| answer.document().unwrap());
        (name, acknowledged)
    };
    let since = Instant::now();
    let acknowledged: BTreeMap<_, _> = thread::scope(|scope| {
        let run = &run;
        let work = |worker| move || (0..each).map(|number| run(worker, number)).collect::<Vec<_>>();
        let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(work(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let rate = acknowledged.len() as f64 / since.elapsed().as_secs_f64();
    let refused = acknowledged.values().filter(|answer| answer.is_none()).count();
    let rate = format!("{rate:.0}");
    figures(id, &[("processes", &workers), ("rows each", &each), ("refused", &refused), ("rows/s", &rate)]);
    assert_eq!(refused, 0, "every append is acknowledged");
    acknowledged
}

/// Each name with how often it occurs.
fn tally<'v>(names: impl Iterator<Item = &'v str>) -> BTreeMap<&'v str, usize> {
    let mut tally = BTreeMap::new();
    names.for_each(|name| *tally.entry(name).or_default() += 1);
    tally
}

#[test]
fn every_issue_that_was_added_at_once_is_there_once() {
    let place = Workplace::initialised();
    let acknowledged = storm(&place, "R6 issue add", |name| vec!["issue", "add", name, "--json"]);
    let listing = place.accepted(&["issue", "list", "--json"]);
    let rows = items(&listing);
    assert_eq!(rows.len(), acknowledged.len());
    let ids = tally(rows.iter().map(|row| text(row, "/id")));
    assert!(ids.len() == rows.len() && !ids.contains_key(""), "the store gave an id twice");
    for row in rows {
        let answer = acknowledged.get(text(row, "/title")).unwrap().as_ref().unwrap();
        assert_eq!(text(answer, "/issue/id"), text(row, "/id"), "{row} was acknowledged under another id");
    }
    let titles = tally(rows.iter().map(|row| text(row, "/title")));
    assert_eq!(titles.len(), acknowledged.len(), "every title is there");
    assert_eq!(lines(&place.lane("issues.jsonl")).len(), acknowledged.len(), "one line each");
    assert_eq!(place.unsound(), None);
}

#[test]
fn steps_that_were_appended_at_once_are_one_chain() {
    let place = Workplace::initialised();
    let acknowledged = storm(&place, "R6 harness-trajectory append", |name| {
        let mut arguments = vec!["harness-trajectory", "append", "--step-id", name];
        arguments.extend(["--action", "issue.update", "--result-class", "accepted", "--json"]);
        arguments
    });
    let rows = lines(&place.lane("harness_trajectory.jsonl"));
    assert_eq!(rows.len(), acknowledged.len());
    let steps = tally(rows.iter().map(|row| text(row, "/stepId")));
    assert!(steps.keys().copied().eq(acknowledged.keys().map(String::as_str)), "every step is there, once");
    for (place, pair) in rows.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        assert_eq!(after.get("seq").and_then(Value::as_u64), Some(place as u64 + 2), "{after}");
        assert_eq!(after.get("prev"), before.get("rowDigest"), "{after}");
    }
    assert_eq!(place.unsound(), None);
}
