//! R9, on real processes: workers over one store, while workers and their coordinator are killed at random moments.
//!
//! Then every issue was closed exactly once, by somebody who held it; nobody holds anything; the chain of the trajectory is
//! whole, and the figure that is made of it is what anybody counts in its rows.

#![expect(clippy::disallowed_methods, reason = "processes and files are what this test is about")]
#![expect(clippy::unwrap_used, reason = "a store that cannot be prepared fails the test")]

mod crash;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crash::{Seeded, Started, Workplace, amount, figures, lines, text};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

const SEED: u64 = 0x9_3117;

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

/// The processes of workers of this place, by what they were started with.
fn workers_of(place: &Path) -> Vec<Pid> {
    let place = place.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
        let words: Vec<String> =
            line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let is_worker = words.get(1).is_some_and(|word| word == "worker");
        if is_worker && words.iter().any(|word| word.starts_with(&place)) {
            found.push(Pid::from_raw(pid));
        }
    }
    found
}

fn coordinator(place: &Workplace, worktrees: &[String]) -> Started {
    let mut arguments = vec!["coordinator", "--json", "--ttl", "30", "--work-cmd", "sleep 0.02"];
    arguments.extend(["--verify-cmd", "true"]);
    for worktree in worktrees {
        arguments.extend(["--worktree", worktree]);
    }
    Started::new(&mut place.command(&arguments))
}

/// Kills workers at random until it is told to stop. How many.
fn killing(place: &Path, is_over: &AtomicBool, kills: &AtomicUsize) {
    let mut seeded = Seeded::new(SEED);
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50 + seeded.below(400) as u64));
        let workers = workers_of(place);
        if workers.is_empty() {
            continue;
        }
        let at = seeded.below(workers.len());
        // It may have ended a moment ago.
        if workers.get(at).is_some_and(|worker| kill(*worker, Signal::SIGKILL).is_ok()) {
            kills.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn every_issue_is_closed_once_whoever_is_killed() {
    let (count, issues, coordinators) = (amount(4, 16), amount(24, 500), amount(3, 12));
    let place = store(issues);
    let worktrees: Vec<String> = (1..=count)
        .map(|number| {
            let folder = place.path().join("trees").join(format!("w{number}"));
            fs::create_dir_all(&folder).unwrap();
            folder.to_string_lossy().into_owned()
        })
        .collect();
    let (is_over, kills) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut seeded = Seeded::new(SEED + 1);
    let answer = thread::scope(|scope| {
        scope.spawn(|| killing(place.path(), &is_over, &kills));
        for _ in 1..coordinators {
            let started = coordinator(&place, &worktrees);
            thread::sleep(Duration::from_millis(800 + seeded.below(1500) as u64));
            started.signal(Signal::SIGKILL);
            started.finish(Duration::from_secs(60));
        }
        let answer = coordinator(&place, &worktrees).finish(Duration::from_secs(amount(240, 1_800) as u64));
        is_over.store(true, Ordering::Relaxed);
        answer
    });
    assert!(!answer.is_late && answer.code() == Some(0), "{:?} {}", answer.status, tail(&answer.stdout));
    let last: Value = serde_json::from_str(answer.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(text(&last, "/outcome"), "done", "{last}");
    let kills = kills.load(Ordering::Relaxed);
    judge(&place, issues);
    let rows = lines(&place.lane("harness_trajectory.jsonl")).len();
    figures(
        "R9",
        &[
            ("seed", &SEED),
            ("workers", &count),
            ("issues", &issues),
            ("coordinators killed", &(coordinators - 1)),
            ("workers killed", &kills),
            ("steps", &rows),
        ],
    );
    assert!(kills >= issues / 20, "too little trouble to prove anything");
}

fn tail(text: &str) -> String {
    let all: Vec<&str> = text.lines().collect();
    all.get(all.len().saturating_sub(20)..).unwrap_or_default().join("\n")
}

/// What must be true afterwards, from the rows alone.
fn judge(place: &Workplace, issues: usize) {
    let logs = ["issues.history.jsonl", "issues.jsonl"].map(|name| place.lane(name));
    let rows: Vec<Value> = logs.iter().filter(|path| path.exists()).flat_map(|path| lines(path)).collect();
    let mut closings: BTreeMap<String, usize> = BTreeMap::new();
    let mut last: BTreeMap<String, Value> = BTreeMap::new();
    let mut fences: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        let id = text(&row, "/id").to_owned();
        let before = last.get(&id).map(|row| text(row, "/status").to_owned());
        if text(&row, "/status") == "closed" && before.as_deref() != Some("closed") {
            *closings.entry(id.clone()).or_default() += 1;
            assert_eq!(text(&row, "/write_witness/authority"), "turn", "{row}");
        }
        if let Some(fence) = row.pointer("/lease/fence").and_then(Value::as_u64) {
            let newest = fences.entry(id.clone()).or_default();
            assert!(fence >= *newest, "{row} behind fence {newest}");
            *newest = fence;
        }
        last.insert(id, row);
    }
    assert_eq!(last.len(), issues);
    let wrong: Vec<&String> = last.keys().filter(|id| closings.get(*id) != Some(&1)).collect();
    assert!(wrong.is_empty(), "not closed exactly once: {wrong:?}");
    let held: Vec<&Value> =
        last.values().filter(|row| row.get("lease").is_some_and(|it| !it.is_null())).collect();
    assert!(held.is_empty(), "{held:?}");
    trajectory(place, issues);
    assert_eq!(place.unsound(), None);
}

/// Every closed issue has one row that says so, no two rows share a name, and the figure is what is counted here.
fn trajectory(place: &Workplace, issues: usize) {
    let rows = lines(&place.lane("harness_trajectory.jsonl"));
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accepted: BTreeMap<&str, usize> = BTreeMap::new();
    let mut workers: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        *names.entry(text(row, "/stepId")).or_default() += 1;
        *workers.entry(text(row, "/stepId").split('.').next().unwrap()).or_default() += 1;
        if text(row, "/resultClass") == "verified_accept" {
            *accepted.entry(text(row, "/issueId")).or_default() += 1;
        }
    }
    let twice: Vec<_> = names.iter().filter(|(_, count)| **count != 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let wrong: Vec<_> = accepted.iter().filter(|(_, count)| **count != 1).collect();
    assert!(wrong.is_empty() && accepted.len() == issues, "{} {wrong:?}", accepted.len());
    let report = place.accepted(&["harness-kpi", "--json"]);
    let counted = |name: &str| report.pointer(&format!("/counts/{name}")).and_then(Value::as_u64).unwrap();
    assert_eq!(counted("windowRows"), rows.len() as u64);
    assert_eq!(counted("completedRows"), issues as u64);
    assert_eq!(counted("activeWorkers"), workers.len() as u64);
}
