//! The coordinator, as it is typed: which worktrees it makes, leaves and takes away, what it refuses before it starts, and how
//! many workers it runs.

#![expect(clippy::disallowed_methods, reason = "a test prepares the files that the command finds")]
#![expect(clippy::unwrap_used, reason = "what cannot be prepared or read fails the test")]

mod crash;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crash::{Answer, Workplace, text};
use serde_json::{Value, json};

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
    git(place.path(), &["config", "user.name", "Test"]);
    git(place.path(), &["config", "user.email", "test@example.org"]);
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
    let more = [MAKE_AND_REMOVE.as_slice(), &["--worktree", "made", "--land", "off"]].concat();
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
        "--land",
        "off",
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

#[test]
fn a_folder_that_is_named_three_times_has_one_worker_and_no_two_have_one_name() {
    let place = place(0);
    for folder in ["x/n", "y/n", "z/n-2"] {
        fs::create_dir_all(place.path().join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(place.path().join("x"), place.path().join("link")).unwrap();
    let whole = place.path().join("x/n");
    let more = ["x/n", "link/n", whole.to_str().unwrap(), "x/../x/n", "y/n", "z/n-2"];
    let more: Vec<&str> = more.into_iter().flat_map(|path| ["--worktree", path]).collect();
    let (answer, rows) = coordinator(&place, "true", &more);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let slots = rows.last().unwrap()["slots"].as_array().unwrap().clone();
    let names: Vec<Value> = slots.iter().map(|slot| slot["workerId"].clone()).collect();
    assert_eq!(names, [json!("n"), json!("n-3"), json!("n-2")], "{slots:?}");
}

#[test]
fn what_every_worker_would_refuse_is_refused_before_there_is_a_worktree() {
    let place = repository(1);
    let more = ["--create-worktrees", "--worktree", "made"];
    let (answer, _) = coordinator(&place, "true", &[more.as_slice(), &["--ttl", "5"]].concat());
    assert_eq!(answer.code(), Some(2), "{answer:?}");
    let (answer, _) = coordinator(&place, "scheme:../program.scm", &more);
    assert_eq!(answer.code(), Some(2), "{answer:?}");
    assert!(answer.stderr.contains("work_command_unsupported"), "{answer:?}");
    let (answer, rows) = coordinator(&place, "agent", &more);
    assert!(!matches!(answer.code(), Some(0)), "{answer:?}");
    assert!(rows.len() == 1 && rows[0]["error"]["class"].is_string(), "{answer:?}");
    assert!(!place.path().join("made").exists());
}

/// Rows of steps that failed, enough for a rollback.
fn failures(place: &Workplace, names: &str) {
    for number in 0..20 {
        let id = format!("w.bd-0.{names}{number}");
        let arguments =
            ["harness-trajectory", "append", "--step-id", &id, "--action", "x", "--result-class", "failed"];
        place.accepted(&[arguments.as_slice(), &["--issue-id", "bd-0", "--json"]].concat());
    }
}

/// How many workers ran at once in these folders, and what the figure said.
fn at_once(place: &Workplace, folders: &[&str]) -> (u64, String) {
    let mut more = vec!["--rounds", "1"];
    for folder in folders {
        fs::create_dir_all(place.path().join(folder)).unwrap();
        more.extend(["--worktree", folder]);
    }
    let (answer, rows) = coordinator(place, "sleep 0.4", &more);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let last = rows.last().unwrap();
    (last["mostAtOnce"].as_u64().unwrap(), text(last, "/kpiState").to_owned())
}

#[test]
fn under_a_rollback_as_many_workers_run_as_ran_before_it_also_after_a_smaller_run() {
    let place = place(7);
    assert_eq!(at_once(&place, &["t1", "t2"]).0, 2);
    failures(&place, "a");
    assert_eq!(at_once(&place, &["t1"]), (1, "rollback".to_owned()));
    assert_eq!(at_once(&place, &["t1", "t2", "t3"]), (2, "rollback".to_owned()));
}

#[test]
fn what_was_done_before_anything_failed_remedies_nothing() {
    let place = place(4);
    let remediate = || place.accepted(&["harness-kpi", "remediate", "--note", "looked into it", "--json"]);
    remediate();
    failures(&place, "a");
    let report = place.accepted(&["harness-kpi", "--json"]);
    assert_eq!((text(&report, "/decision/state"), &report["remedied"]), ("rollback", &json!(false)));
    assert_eq!(at_once(&place, &["t1", "t2"]).0, 1);
    remediate();
    assert_eq!(place.accepted(&["harness-kpi", "--json"])["remedied"], json!(true));
    assert_eq!(at_once(&place, &["t1", "t2"]).0, 2);
}

#[test]
fn a_coordinator_says_what_it_waits_for() {
    let place = place(1);
    fs::create_dir_all(place.path().join("t1")).unwrap();
    place.accepted(&["issue", "claim", "bd-1", "--assignee", "ann", "--json"]);
    let arguments =
        ["coordinator", "--json", "--worktree", "t1", "--work-cmd", "true", "--verify-cmd", "true"];
    let mut child = place.command(&arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let first = rows.next().unwrap();
    assert_eq!((text(&first, "/event"), text(&first, "/issueId")), ("waiting", "bd-1"), "{first}");
    assert!(text(&first, "/detail").starts_with("ann holds it until 2"), "{first}");
    place.accepted(&["issue", "lease-release", "bd-1", "--assignee", "ann", "--fence", "1", "--json"]);
    let rest: Vec<Value> = rows.collect();
    child.wait().unwrap();
    assert!(!rest.iter().any(|row| row["event"] == json!("waiting")), "{rest:?}");
    assert_eq!(rest.last().unwrap()["completed"], json!(1), "{rest:?}");
}

#[test]
fn a_slot_ends_when_three_of_its_workers_fail_alike() {
    let place = place(5);
    fs::create_dir_all(place.path().join("t1")).unwrap();
    let (answer, rows) = coordinator(&place, "exit 3", &["--worktree", "t1"]);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let last = rows.last().unwrap();
    assert_eq!((text(last, "/outcome"), &last["failureClasses"]), ("stopped", &json!(["work_failed"])));
    assert_eq!([status(&place, "bd-4"), status(&place, "bd-5")], ["open", "open"]);
}
