//! The coordinator, as it is typed: which worktrees it makes, leaves and takes away, what it refuses before it starts, and how
//! many workers it runs.

#![expect(clippy::disallowed_methods, reason = "a test prepares the files that the command finds")]
#![expect(clippy::unwrap_used, reason = "what cannot be prepared or read fails the test")]

mod crash;

use std::fs;
use std::path::Path;
use std::process::Command;

use crash::{Answer, Workplace, text};
use serde_json::Value;

fn place(issues: usize) -> Workplace {
    let place = Workplace::initialised();
    for number in 1..=issues {
        place.accepted(&["issue", "add", &format!("Task {number}"), "--json"]);
    }
    place
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    let output =
        command.args(arguments).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A store in a repository with one commit.
fn repository(issues: usize) -> Workplace {
    let place = place(issues);
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    fs::write(place.path().join("kept.txt"), "kept\n").unwrap();
    git(place.path(), &["add", "kept.txt"]);
    git(place.path(), &["commit", "--quiet", "--message=first"]);
    place
}

fn coordinator(place: &Workplace, work: &str, more: &[&str]) -> (Answer, Vec<Value>) {
    let base = ["coordinator", "--json", "--work-cmd", work, "--verify-cmd", "true"];
    let answer = place.run(&[base.as_slice(), more].concat());
    let rows = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (answer, rows)
}

fn status(place: &Workplace, id: &str) -> String {
    text(&place.accepted(&["issue", "show", id, "--json"]), "/issue/status").to_owned()
}

const MAKE_AND_REMOVE: [&str; 4] = ["--create-worktrees", "--remove-worktrees", "--rounds", "1"];

#[test]
fn worktrees_that_a_run_made_and_nothing_is_lost_with_are_removed_and_no_others() {
    let place = repository(2);
    git(place.path(), &["worktree", "add", "--quiet", "--detach", "mine"]);
    let more = [MAKE_AND_REMOVE.as_slice(), &["--worktree", "mine", "--worktree", "made"]].concat();
    let (answer, rows) = coordinator(&place, "true", &more);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let last = rows.last().unwrap();
    assert!(!place.path().join("made").exists() && place.path().join("mine/kept.txt").is_file(), "{last}");
    assert!(text(last, "/removedWorktrees/0").ends_with("/made"), "{last}");
    assert!(text(last, "/keptWorktrees/0/worktree").ends_with("/mine"), "{last}");
    assert_eq!(text(last, "/keptWorktrees/0/reason"), "this run did not make it");
}

#[test]
fn results_that_nobody_committed_stay_and_are_named() {
    let place = repository(1);
    let more = [MAKE_AND_REMOVE.as_slice(), &["--worktree", "made"]].concat();
    let (answer, rows) = coordinator(&place, "echo done > result.txt", &more);
    assert_eq!((answer.code(), status(&place, "bd-1").as_str()), (Some(0), "closed"), "{answer:?}");
    assert_eq!(fs::read_to_string(place.path().join("made/result.txt")).unwrap(), "done\n");
    let last = rows.last().unwrap();
    assert_eq!(text(last, "/keptWorktrees/0/reason"), "there are changes in it that nobody committed");
    let shown = place.run(&[
        "coordinator",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "true",
        "--worktree",
        "made",
        "--remove-worktrees",
    ]);
    assert!(shown.code() == Some(0) && shown.stdout.contains("this run did not make it"), "{shown:?}");
    assert!(place.path().join("made/result.txt").is_file());
}

#[test]
fn nothing_is_removed_after_a_refusal() {
    let place = repository(1);
    fs::remove_file(place.path().join("policies/control/harness-retry-policy-v1.json")).unwrap();
    let more = [MAKE_AND_REMOVE.as_slice(), &["--worktree", "made"]].concat();
    let (answer, rows) = coordinator(&place, "true", &more);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    assert_eq!(text(rows.last().unwrap(), "/refused/class"), "retry_policy_missing");
    assert!(text(rows.last().unwrap(), "/refused/hint").contains("made"), "{answer:?}");
    assert!(place.path().join("made/kept.txt").is_file());
}

#[test]
fn worktrees_that_cannot_all_be_made_are_taken_back() {
    let place = repository(1);
    fs::write(place.path().join("taken"), "a file\n").unwrap();
    let more = [MAKE_AND_REMOVE.as_slice(), &["--worktree", "made", "--worktree", "taken/made"]].concat();
    let (answer, _) = coordinator(&place, "true", &more);
    assert_eq!(answer.code(), Some(4), "{answer:?}");
    assert!(!place.path().join("made").exists(), "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "open");
}
