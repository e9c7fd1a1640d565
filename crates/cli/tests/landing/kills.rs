//! R29: workers, coordinators and landing are killed at random over a real repository with dependencies and conflicts.
//!
//! At the end the target has each landed issue's commit once, after what it depends on, every commit passes on its own tree,
//! and whatever is not there is open or blocked with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::crash::{Seeded, Started, amount, figures, text};
use crate::repository::{Planned, Repository, git_at};

const SEED: u64 = 0x29_4c61;

/// A random graph in which each issue needs earlier ones; every fifth edits the line that others edit too.
fn graph(count: usize, seeded: &mut Seeded) -> Vec<Planned> {
    (1..=count)
        .map(|number| {
            let mut needs = BTreeSet::new();
            for _ in 0..seeded.below(3) {
                if number > 1 {
                    needs.insert(1 + seeded.below(number - 1));
                }
            }
            Planned { needs: needs.into_iter().collect(), is_shared: number % 5 == 0 }
        })
        .collect()
}

/// The processes of premath that work in this place, whatever they do.
fn processes_of(place: &Path) -> Vec<Pid> {
    let place = place.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
        let words: Vec<String> =
            line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let is_ours = words.get(1).is_some_and(|word| word == "worker");
        if is_ours && words.iter().any(|word| word.starts_with(&place)) {
            found.push(Pid::from_raw(pid));
        }
    }
    found
}

fn killing(place: &Path, is_over: &AtomicBool, kills: &AtomicUsize) {
    let mut seeded = Seeded::new(SEED);
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(800 + seeded.below(1_600) as u64));
        let found = processes_of(place);
        if found.is_empty() {
            continue;
        }
        let at = seeded.below(found.len());
        // It may have ended a moment ago.
        if found.get(at).is_some_and(|one| kill(*one, Signal::SIGKILL).is_ok()) {
            kills.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn coordinator(repository: &Repository, workers: usize) -> Started {
    let workers = workers.to_string();
    let arguments = [
        "coordinator",
        "--json",
        "--ttl",
        "30",
        "--workers",
        &workers,
        "--land",
        "merge",
        "--work-cmd",
        "sh work.sh",
        "--verify-cmd",
        "sh check.sh",
    ];
    Started::new(&mut repository.place.command(&arguments))
}

#[test]
fn every_landed_issue_is_on_the_target_once_and_in_order_whoever_is_killed() {
    let (workers, issues, coordinators) = (amount(4, 16), amount(30, 200), amount(3, 12));
    let mut seeded = Seeded::new(SEED + 1);
    let planned = graph(issues, &mut seeded);
    let repository = Repository::with(&planned);
    let trees = repository.trees();
    let (is_over, kills) = (AtomicBool::new(false), AtomicUsize::new(0));
    let answer = thread::scope(|scope| {
        scope.spawn(|| killing(&trees, &is_over, &kills));
        for _ in 1..coordinators {
            let first = coordinator(&repository, workers);
            // A second one is refused, or goes on in the place of the first.
            let second = coordinator(&repository, workers);
            thread::sleep(Duration::from_millis(2_000 + seeded.below(2_500) as u64));
            first.signal(Signal::SIGKILL);
            first.finish(Duration::from_secs(60));
            second.signal(Signal::SIGKILL);
            second.finish(Duration::from_secs(60));
        }
        let mut last =
            coordinator(&repository, workers).finish(Duration::from_secs(amount(240, 3_000) as u64));
        is_over.store(true, Ordering::Relaxed);
        // A slot that was killed too often in a row ended: one more coordinator, undisturbed, does what is left.
        if last.code() != Some(0) {
            last = coordinator(&repository, workers).finish(Duration::from_secs(amount(240, 3_000) as u64));
        }
        last
    });
    assert!(!answer.is_late, "{answer:?}");
    let last: Value = serde_json::from_str(answer.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(text(&last, "/outcome"), "done", "{answer:?}");
    let landed = judge(&repository, &planned, &last);
    let kills = kills.load(Ordering::Relaxed);
    figures(
        "R29",
        &[
            ("seed", &SEED),
            ("workers", &workers),
            ("issues", &issues),
            ("coordinators killed", &(2 * (coordinators - 1))),
            ("workers killed", &kills),
            ("landed", &landed),
        ],
    );
    assert!(kills >= issues / 20, "too little trouble to prove anything");
    assert!(landed * 10 >= issues * 9, "only {landed} of {issues} landed");
}

/// What must be true afterwards, from git and from issue memory alone. How many issues landed.
fn judge(repository: &Repository, planned: &[Planned], last: &Value) -> usize {
    let order = repository.landed("main");
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, id) in order.iter().enumerate() {
        assert!(positions.insert(id, at).is_none(), "{id} landed twice: {order:?}");
    }
    let stuck = last["stuck"].as_array().cloned().unwrap_or_default();
    for (issue, number) in planned.iter().zip(1_usize..) {
        let id = format!("bd-{number}");
        let status = repository.status(&id);
        let Some(at) = positions.get(id.as_str()) else {
            assert_ne!(status, "closed", "{id} is closed, and its commit is not on the target");
            assert!(
                stuck.iter().any(|row| row["issueId"] == id.as_str()),
                "{id} is {status} without a reason"
            );
            continue;
        };
        assert_eq!(status, "closed", "{id} is on the target");
        for need in &issue.needs {
            let before = positions.get(format!("bd-{need}").as_str());
            assert!(before.is_some_and(|before| before < at), "{id} landed before bd-{need}: {order:?}");
        }
    }
    repository.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(repository.git(&["status", "--porcelain", "--", "parts", "shared.txt"]), "");
    verify_each_commit(repository);
    assert_eq!(repository.place.unsound(), None);
    positions.len()
}

/// Each commit of the target passes the check on a checkout of its own.
fn verify_each_commit(repository: &Repository) {
    let checkout = repository.trees().join("judge");
    let commits = repository.git(&["rev-list", "--reverse", "main"]);
    let folder = checkout.to_str().unwrap();
    repository.git(&["worktree", "add", "--quiet", "--detach", folder, "main"]);
    for commit in commits.lines() {
        git_at(&checkout, &["checkout", "--quiet", "--detach", commit]);
        let checked =
            std::process::Command::new("sh").arg("check.sh").current_dir(&checkout).status().unwrap();
        assert!(checked.success(), "{commit} does not pass on its own tree");
    }
}
