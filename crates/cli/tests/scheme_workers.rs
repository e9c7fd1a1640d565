//! Workers whose work is a program: what it may change, what stays with the step, how it fails.

#![expect(clippy::disallowed_methods, reason = "a test prepares the files that the command finds")]
#![expect(clippy::unwrap_used, reason = "what cannot be prepared or read fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]

mod crash;

use std::fs;

use crash::{Answer, Workplace, items, lines, text};
use serde_json::{Value, json};

fn place(issues: usize, program: &str) -> Workplace {
    let place = Workplace::initialised();
    for number in 1..=issues {
        place.accepted(&["issue", "add", &format!("Task {number}"), "--json"]);
    }
    fs::write(place.path().join("work.scm"), program).unwrap();
    place
}

fn worker(place: &Workplace, more: &[&str]) -> (Answer, Vec<Value>) {
    let base =
        ["worker", "--worker-id", "a", "--json", "--work-cmd", "scheme:work.scm", "--verify-cmd", "true"];
    let answer = place.run(&[base.as_slice(), more].concat());
    let rows = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (answer, rows)
}

fn shown(place: &Workplace, id: &str) -> Value {
    place.accepted(&["issue", "show", id, "--json"])["issue"].clone()
}

/// The classes of the only step.
#[track_caller]
fn classes(place: &Workplace) -> Value {
    let steps = lines(&place.lane("harness_trajectory.jsonl"));
    assert_eq!(steps.len(), 1, "{steps:?}");
    steps.first().unwrap()["failureClasses"].clone()
}

/// The class of a program that the worker runs, and that its issue is not closed.
#[track_caller]
fn fails_with(program: &str, class: &str) {
    let place = place(2, program);
    let (answer, _) = worker(&place, &["--steps", "1"]);
    assert_eq!(classes(&place), json!([class]), "{program}: {answer:?}");
    assert_eq!(shown(&place, "bd-1")["status"], "blocked", "{program}");
    place.accepted(&["verify", "--json"]);
}

/// Seed: 002 §14.3/1, 002 §14.4/4, 002 §14.3/4
#[test]
fn a_program_works_on_its_issue_under_the_instruction_of_the_step() {
    let program = r#"
        (define card (work-issue))
        (display (list (work-issue-id) (work-step-id) (work-worker-id) (work-attempt)))
        (issue-update (work-issue-id) (work-with (hash-table "notes" (string-append "seen: " (issue-title card)))))
        (issue-id (issue-discover (work-issue-id) "Found on the way"))"#;
    let place = place(1, program);
    let (answer, rows) = worker(&place, &["--steps", "1"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["completed"], json!(["bd-1"]));
    let issue = shown(&place, "bd-1");
    assert_eq!((&issue["status"], &issue["notes"]), (&json!("closed"), &json!("seen: Task 1")));
    assert_eq!(items(&place.accepted(&["issue", "list", "--json"])).len(), 2);
    let journal = lines(&place.lane("doors/scheme/journal.jsonl"));
    let kinds: Vec<&str> = journal.iter().map(|row| text(row, "/event/kind")).collect();
    assert_eq!(kinds.first().copied(), Some("scheme.begin"));
    assert_eq!(kinds.last().copied(), Some("scheme.end"));
    let doors = place.accepted(&["permits", "list", "--json"]);
    assert!(doors.to_string().contains("\"scheme:sp1_"), "{doors}");
    place.accepted(&["verify", "--json"]);
}

#[test]
fn the_text_of_an_issue_is_data_to_the_program_that_works_on_it() {
    let title = r#"\")) (issue-discover "bd-1" "injected") (display (list "\\"#;
    let place = place(0, "(display (issue-title (work-issue)))");
    place.accepted(&["issue", "add", title, "--json"]);
    let (answer, _) = worker(&place, &["--steps", "1"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(items(&place.accepted(&["issue", "list", "--json"])).len(), 1);
    assert_eq!(shown(&place, "bd-1")["status"], "closed");
}

/// Seed: 002 §14.3/3
#[test]
fn a_program_that_fails_is_failed_work_with_its_class() {
    fails_with("(error \"no\")", "scheme_raised");
    fails_with("(car 5)", "scheme_type");
    fails_with("(let loop () (loop))", "budget.fuel");
    fails_with("(let loop () (issue-ready) (loop))", "host_call_budget_exceeded");
    fails_with("(issue-show \"bd-99\")", "issue_not_found");
}

/// Seed: 002 §14.3/3, 002 §14.4/5
#[test]
fn a_program_neither_ends_its_issue_nor_takes_others() {
    fails_with(
        "(issue-update (work-issue-id) (work-with (hash-table \"status\" \"closed\")))",
        "effect_denied",
    );
    fails_with("(issue-update \" bd-1 \" (work-with (hash-table \"status\" \"closed\")))", "effect_denied");
    fails_with("(issue-claim-next)", "effect_denied");
    fails_with("(issue-lease-release \"bd-1\")", "effect_denied");
    fails_with("(host-call \"model.ask\")", "effect_denied");
    for text in ["assignee", "owner"] {
        let program = format!("(issue-update (work-issue-id) (work-with (hash-table \"{text}\" \"me\")))");
        fails_with(&program, "effect_denied");
    }
    for (name, value) in
        [("assignee", "me"), ("owner", "me"), ("status", "closed"), ("status", "in_progress")]
    {
        let found = format!("(issue-discover \"bd-1\" \"Found\" (hash-table \"{name}\" \"{value}\"))");
        fails_with(&found, "effect_denied");
    }
    let child = "(issue-discover \"bd-1\" \"Found\" (hash-table \"parent\" \"bd-2\"))";
    fails_with(child, "mutation.use_evidence_missing");
    fails_with("(issue-update \"bd-2\" (hash-table \"notes\" \"x\"))", "mutation.use_evidence_missing");
    fails_with("(issue-add \"New\")", "mutation.capability_claim_missing");
}

#[test]
fn failed_work_says_what_and_where() {
    let place = place(1, "(define (first-of list)\n  (car list))\n(first-of 5)\n");
    let (answer, rows) = worker(&place, &["--steps", "1"]);
    let worked = rows.iter().find(|row| row["event"] == "worked").unwrap();
    let what = "work.scm:2:3: `car` needs a pair, got `5`";
    assert_eq!(worked["detail"], what, "{answer:?}");
    let notes = shown(&place, "bd-1")["notes"].clone();
    assert!(notes.as_str().unwrap().contains(what), "{notes}");
    let kept = fs::read_dir(place.lane("objects")).unwrap().flatten().flat_map(|folder| {
        let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        files.map(|file| fs::read(file.path()).unwrap_or_default()).collect::<Vec<_>>()
    });
    let pretty = b"  in first-of at 2:3";
    assert!(kept.into_iter().any(|bytes| bytes.windows(pretty.len()).any(|part| part == pretty)));
}

#[test]
fn an_issue_is_to_its_program_what_issue_show_says_to_the_letter() {
    let program = "(assert (equal? (json->string (work-issue)) (json->string (issue-show (work-issue-id)))))
        (assert (string-contains (issue-member (work-issue) \"notes\") (string (integer->char 133))))";
    let place = place(0, program);
    place.accepted(&["issue", "add", "a \\ \"b\"", "--notes", "a\u{85}b\u{7f}c\n\td", "--json"]);
    let (answer, _) = worker(&place, &["--steps", "1"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(shown(&place, "bd-1")["status"], "closed");
}

#[test]
fn a_program_outside_the_repository_is_refused_however_it_is_reached() {
    let elsewhere = Workplace::initialised();
    fs::write(elsewhere.path().join("work.scm"), "1").unwrap();
    let place = place(1, "1");
    let links = [
        ("outside.scm", elsewhere.path().join("work.scm"), "scheme:outside.scm", "out of the repository"),
        ("folder", elsewhere.path().to_owned(), "scheme:folder/work.scm", "out of the repository"),
        ("kept.scm", place.lane("issues.jsonl"), "scheme:kept.scm", "into `.premath`"),
    ];
    for (name, target, command, says) in links {
        std::os::unix::fs::symlink(target, place.path().join(name)).unwrap();
        let answer =
            place.run(&["worker", "--worker-id=a", "--json", "--work-cmd", command, "--verify-cmd", "true"]);
        assert_eq!(answer.code(), Some(4), "{command}: {answer:?}");
        assert!(answer.stderr.contains(says), "{command}: {answer:?}");
        assert_eq!(shown(&place, "bd-1")["status"], "open", "{command}");
    }
    let kept =
        ["worker", "--worker-id=a", "--json", "--work-cmd", "scheme:.premath/x.scm", "--verify-cmd", "true"];
    fs::write(place.lane("x.scm"), "1").unwrap();
    assert_eq!(place.run(&kept).code(), Some(4));
    std::os::unix::fs::symlink("work.scm", place.path().join("same.scm")).unwrap();
    let same = [
        "worker",
        "--worker-id=a",
        "--json",
        "--steps=1",
        "--work-cmd",
        "scheme:same.scm",
        "--verify-cmd",
        "true",
    ];
    assert_eq!(place.run(&same).code(), Some(0));
}

#[test]
fn a_program_that_is_not_there_or_is_none_is_said_before_anything_is_taken() {
    let place = place(1, "(car");
    let (answer, _) = worker(&place, &[]);
    assert_eq!(answer.code(), Some(4), "{answer:?}");
    assert!(answer.stderr.contains("scheme_syntax"), "{answer:?}");
    fs::remove_file(place.path().join("work.scm")).unwrap();
    let (answer, _) = worker(&place, &[]);
    assert_eq!(answer.code(), Some(4), "{answer:?}");
    assert!(answer.stderr.contains("there is no `work.scm`"), "{answer:?}");
    assert!(answer.stderr.contains("from the root of the repository"), "{answer:?}");
    assert_eq!(shown(&place, "bd-1")["status"], "open");
}

#[test]
fn workers_of_a_coordinator_run_programs_at_the_same_time() {
    let place =
        place(4, "(issue-update (work-issue-id) (work-with (hash-table \"notes\" (work-worker-id))))");
    for folder in ["one", "two"] {
        fs::create_dir(place.path().join(folder)).unwrap();
    }
    let answer = place.run(&[
        "coordinator",
        "--worktree",
        "one",
        "--worktree",
        "two",
        "--work-cmd",
        "scheme:work.scm",
        "--verify-cmd",
        "true",
        "--json",
    ]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    for id in ["bd-1", "bd-2", "bd-3", "bd-4"] {
        let issue = shown(&place, id);
        assert_eq!(issue["status"], "closed", "{issue}");
        assert!(matches!(issue["notes"].as_str(), Some("one" | "two")), "{issue}");
    }
    place.accepted(&["verify", "--json"]);
}

#[test]
fn whoever_asks_what_work_is_hears_of_programs() {
    let place = Workplace::initialised();
    for command in ["step", "worker", "coordinator"] {
        let answer = place.run(&[command, "--help"]);
        assert!(answer.stdout.contains("scheme:FILE"), "{command}: {answer:?}");
    }
}
