//! Boot, step, stop, worker and coordinator, as they are typed: what they leave behind, what they refuse.

#![expect(clippy::disallowed_methods, reason = "a test prepares the files that the command finds")]
#![expect(clippy::unwrap_used, reason = "what cannot be prepared or read fails the test")]

mod crash;

use std::fs;
use std::time::Duration;

use crash::{Answer, Started, Workplace, items, lines, text};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

fn place(issues: usize) -> Workplace {
    let place = Workplace::initialised();
    for number in 1..=issues {
        place.accepted(&["issue", "add", &format!("Task {number}"), "--json"]);
    }
    place
}

fn worker(place: &Workplace, work: &str, verify: &str, more: &[&str]) -> (Answer, Vec<Value>) {
    let base = ["worker", "--worker-id", "a", "--json", "--work-cmd", work, "--verify-cmd", verify];
    let answer = place.run(&[base.as_slice(), more].concat());
    let rows = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (answer, rows)
}

fn status(place: &Workplace, id: &str) -> String {
    text(&place.accepted(&["issue", "show", id, "--json"]), "/issue/status").to_owned()
}

fn trajectory(place: &Workplace) -> Vec<Value> {
    lines(&place.lane("harness_trajectory.jsonl"))
}

/// Seed: 002 §3.2/1, 002 §3.2/3, 002 §3.3/3, 002 §12/4, 002 §12/5, 002 §7/5, 001 §6/2
#[test]
fn a_worker_closes_what_is_verified_and_leaves_its_session_ledger_and_journal() {
    let place = place(2);
    let (answer, rows) =
        worker(&place, "echo done > $PREMATH_ISSUE_ID.txt", "test -f $PREMATH_ISSUE_ID.txt", &[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let last = rows.last().unwrap();
    assert_eq!((text(last, "/outcome"), &last["completed"]), ("idle", &json!(["bd-1", "bd-2"])));
    assert_eq!([status(&place, "bd-1"), status(&place, "bd-2")], ["closed", "closed"]);
    let steps = trajectory(&place);
    let named: Vec<_> = steps.iter().map(|row| (text(row, "/stepId"), text(row, "/resultClass"))).collect();
    assert_eq!(named, [("a.bd-1.1-1", "verified_accept"), ("a.bd-2.1-1", "verified_accept")]);
    let refs =
        |name: &str| steps[0][name].as_array().unwrap().iter().map(Value::to_string).collect::<String>();
    assert!(refs("witnessRefs").contains("lease://handoff/bd-1/closed/"), "{}", steps[0]);
    for scheme in ["ctx://a/bd-1@", "cover://bd-1/", "refinement://bd-1/"] {
        assert!(refs("lineageRefs").contains(scheme), "{}", steps[0]);
    }
    let folder = place.lane("workers/a");
    for file in ["harness_session.json", "harness_feature_ledger.json", "journal.jsonl"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let session: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("harness_session.json")).unwrap()).unwrap();
    assert_eq!(text(&session, "/state"), "stopped");
    assert_eq!(place.unsound(), None);
}

/// Seed: 002 §3.2/3, 002 §5/3, 002 §5/4
#[test]
fn a_verification_that_fails_never_closes_and_blocks_with_its_class() {
    let place = place(1);
    let (answer, rows) = worker(&place, "true", "false", &[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["escalated"], json!(["bd-1"]));
    let card = place.accepted(&["issue", "show", "bd-1", "--json"]);
    assert_eq!(text(&card, "/issue/status"), "blocked");
    assert!(text(&card, "/issue/notes").contains("check_failed"), "{card}");
    assert!(card.pointer("/issue/lease").is_none_or(Value::is_null), "{card}");
    let steps = trajectory(&place);
    assert_eq!(steps.len(), 1);
    assert_eq!(text(&steps[0], "/resultClass"), "escalated_mark_blocked");
    assert_eq!(steps[0]["failureClasses"], json!(["check_failed"]));
}

/// Seed: 002 §5/1, 002 §5/3
#[test]
fn three_transient_failures_make_one_discovered_issue() {
    let place = place(1);
    let (answer, rows) = worker(&place, "exit 75", "true", &["--steps", "1"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let waits: Vec<_> =
        rows.iter().filter(|row| text(row, "/event") == "retrying").map(|row| text(row, "/detail")).collect();
    assert_eq!(waits, ["again in 1 s", "again in 2 s"]);
    let classes: Vec<String> =
        trajectory(&place).iter().map(|row| text(row, "/resultClass").to_owned()).collect();
    assert_eq!(classes, ["transient_retry", "transient_retry", "escalated_issue_discover"]);
    let listing = place.accepted(&["issue", "list", "--json"]);
    let found: Vec<_> = items(&listing).iter().filter(|row| row["labels"] == json!(["escalation"])).collect();
    assert_eq!(found.len(), 1, "{listing}");
    assert_eq!(text(found[0], "/dependencies/0/type"), "discovered-from");
    assert_eq!(status(&place, "bd-1"), "blocked");
    // Opened again it fails again, and the issue about it is still open: there is no second one.
    place.accepted(&["issue", "update", text(found[0], "/id"), "--status", "blocked", "--json"]);
    place.accepted(&["issue", "update", "bd-1", "--status", "open", "--json"]);
    worker(&place, "exit 75", "true", &["--steps", "1"]);
    let listing = place.accepted(&["issue", "list", "--json"]);
    assert_eq!(items(&listing).len(), 2, "{listing}");
    assert_eq!(status(&place, "bd-1"), "blocked");
}

#[test]
fn a_class_that_no_rule_names_gives_the_issue_back_and_stops() {
    let place = place(1);
    let policy = place.path().join("policies/control/harness-retry-policy-v1.json");
    // A policy without `work_failed`, under a digest of its own.
    let text_of = fs::read_to_string(&policy).unwrap().replace("\"work_failed\"", "\"work_other\"");
    fs::write(&policy, &text_of).unwrap();
    let (answer, rows) = worker(&place, "exit 3", "true", &[]);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let detail = text(rows.last().unwrap(), "/refused/detail").to_owned();
    assert_eq!(text(rows.last().unwrap(), "/refused/class"), "retry_policy_invalid_digest");
    let right =
        detail.split_whitespace().find(|word| word.starts_with("pol1_")).unwrap().trim_end_matches(',');
    let old = serde_json::from_str::<Value>(&text_of).unwrap()["policyDigest"].as_str().unwrap().to_owned();
    fs::write(&policy, text_of.replace(&old, right)).unwrap();
    let (answer, rows) = worker(&place, "exit 3", "true", &[]);
    assert_eq!((answer.code(), text(rows.last().unwrap(), "/outcome")), (Some(1), "stopped"));
    assert_eq!(status(&place, "bd-1"), "open");
    assert_eq!(text(&trajectory(&place)[0], "/resultClass"), "escalated_stop");
}

#[test]
fn work_under_no_policy_or_by_a_program_from_elsewhere_is_refused_before_anything_is_taken() {
    let place = place(1);
    let (answer, _) = worker(&place, "scheme:../program.scm", "true", &[]);
    assert!(answer.is_refused_as(&["work_command_unsupported"]), "{answer:?}");
    fs::remove_file(place.path().join("policies/control/harness-retry-policy-v1.json")).unwrap();
    let (answer, _) = worker(&place, "true", "true", &[]);
    assert!(answer.is_refused_as(&["retry_policy_missing"]), "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "open");
}

/// Seed: 002 §3.1/1, 002 §3.1/3, 002 §3.1/4, 002 §3.1/5, 002 §3.3/1, 002 §3.3/2, 002 §7/1, 002 §7/5
#[test]
fn boot_step_and_stop_are_commands_of_their_own() {
    let place = place(2);
    let booted = place.accepted(&["boot", "--verify-cmd", "true", "--json"]);
    assert_eq!((text(&booted, "/mode"), text(&booted, "/targetIssueId")), ("fresh", "bd-1"));
    assert_eq!(booted["baseline"]["passed"], json!(true));
    assert_eq!(text(&booted, "/activeIssueClass"), "escalation_issue_context_ambiguous");
    let stepped = place.accepted(&["step", "--work-cmd", "true", "--verify-cmd", "true", "--json"]);
    assert_eq!((text(&stepped, "/outcome"), text(&stepped, "/issueId")), ("completed", "bd-1"));
    let stopped = place.accepted(&["stop", "--json"]);
    assert!(text(&stopped, "/sessionId").starts_with("hs1_"), "{stopped}");
    let again = place.accepted(&["boot", "--verify-cmd", "true", "--json"]);
    assert_eq!((text(&again, "/mode"), &again["handoff"]["snapshotMatches"]), ("resume", &json!(true)));
}

/// Seed: 002 §3.1/2
#[test]
fn a_cycle_in_the_graph_starts_no_work() {
    let place = place(1);
    let row = |id: &str, on: &str| {
        format!(
            r#"{{"id":"{id}","title":"{id}","status":"open","dependencies":[{{"issue_id":"{id}","depends_on_id":"{on}","type":"blocks"}}]}}"#
        )
    };
    fs::write(place.path().join("rows.jsonl"), format!("{}\n{}\n", row("x-1", "x-2"), row("x-2", "x-1")))
        .unwrap();
    place.accepted(&["issue", "import", "rows.jsonl", "--json"]);
    let answer = place.run(&["boot", "--verify-cmd", "true", "--json"]);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    assert_eq!(answer.document().unwrap()["graphClasses"], json!(["issue_graph.cycle"]));
    let (answer, _) = worker(&place, "true", "true", &[]);
    assert!(answer.is_refused_as(&["issue_graph.cycle"]), "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "open");
}

/// Seed: 002 §4/1
#[test]
fn a_worker_that_was_killed_takes_its_issue_up_again_at_once() {
    let place = place(1);
    let arguments =
        ["worker", "--worker-id", "a", "--json", "--work-cmd", "sleep 30", "--verify-cmd", "true"];
    let started = Started::new(&mut place.command(&arguments));
    wait_for(|| status(&place, "bd-1") == "in_progress");
    started.signal(Signal::SIGKILL);
    started.finish(Duration::from_secs(30));
    let (answer, rows) = worker(&place, "true", "true", &[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["completed"], json!(["bd-1"]));
    assert_eq!(text(&trajectory(&place)[0], "/stepId"), "a.bd-1.2-1");
}

#[test]
fn stop_gives_back_what_a_killed_worker_held() {
    let place = place(1);
    let arguments =
        ["worker", "--worker-id", "a", "--json", "--work-cmd", "sleep 30", "--verify-cmd", "true"];
    let started = Started::new(&mut place.command(&arguments));
    wait_for(|| status(&place, "bd-1") == "in_progress");
    started.signal(Signal::SIGKILL);
    started.finish(Duration::from_secs(30));
    let stopped = place.accepted(&["stop", "--worker-id", "a", "--json"]);
    assert_eq!(text(&stopped, "/releasedIssueId"), "bd-1");
    assert!(text(&stopped, "/handoffRef").starts_with("lease://handoff/bd-1/released/"), "{stopped}");
    assert_eq!(status(&place, "bd-1"), "open");
}

#[test]
fn the_agent_does_the_work_in_the_worktree_and_the_step_closes() {
    let place = place(1);
    fs::create_dir_all(place.path().join("tree")).unwrap();
    let scene = "name = \"writes\"\n[[turn]]\ntext = \"I write.\"\n[[turn.call]]\nid = \"write\"\ntool = \"shell\"\n\
        arguments = { command = \"echo done > made.txt\", workdir = \".\" }\n[[turn]]\ntext = \"Written.\"\n";
    fs::write(place.path().join("scene.toml"), scene).unwrap();
    let (answer, rows) =
        worker(&place, "agent:scripted:scene.toml", "test -f made.txt", &["--worktree", "tree"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["completed"], json!(["bd-1"]), "{answer:?}");
    assert!(place.path().join("tree/made.txt").is_file());
    assert_eq!(status(&place, "bd-1"), "closed");
    assert_eq!(place.unsound(), None);
}

#[test]
fn an_agent_that_only_says_so_closes_nothing() {
    let place = place(1);
    fs::write(place.path().join("scene.toml"), "name = \"talks\"\n[[turn]]\ntext = \"It is done.\"\n")
        .unwrap();
    let (answer, rows) = worker(&place, "agent:scripted:scene.toml", "test -f made.txt", &[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["escalated"], json!(["bd-1"]), "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "blocked");
}

#[test]
fn events_and_answers_fit_their_schemas() {
    let place = place(2);
    let schema = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
        let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    };
    let fits = |name: &str, document: &Value| {
        let errors: Vec<String> = schema(name).iter_errors(document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {document}: {errors:?}");
    };
    fits("harness-boot.json", &place.accepted(&["boot", "--verify-cmd", "true", "--json"]));
    let step = ["step", "--work-cmd", "true", "--verify-cmd", "true", "--json"];
    fits("harness-work-step.json", &place.accepted(&step));
    fits("harness-stop.json", &place.accepted(&["stop", "--json"]));
    fs::create_dir_all(place.path().join("tree")).unwrap();
    let answer = place.run(&[
        "coordinator",
        "--worktree",
        "tree",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "true",
        "--json",
    ]);
    let rows: Vec<Value> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, events) = rows.split_last().unwrap();
    fits("coordinator.json", last);
    events.iter().for_each(|row| fits("work-event.json", row));
    assert!(events.len() > 5, "{answer:?}");
    place.accepted(&["issue", "add", "One more", "--json"]);
    let (_, rows) = worker(&place, "true", "true", &[]);
    fits("worker.json", rows.last().unwrap());
}

#[test]
fn a_coordinator_names_a_missing_worktree_before_anything_starts() {
    let place = place(1);
    let answer =
        place.run(&["coordinator", "--worktree", "nowhere", "--work-cmd", "true", "--verify-cmd", "true"]);
    assert_eq!(answer.code(), Some(4), "{answer:?}");
    assert!(answer.stderr.contains("worktree_missing"), "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "open");
}

/// Seed: 002 §13/5
#[test]
fn under_a_rollback_a_coordinator_starts_no_more_workers_than_ran_before() {
    let place = place(4);
    let rows: Vec<String> = (0..40).map(|number| format!("w.bd-0.{number}")).collect();
    for row in rows.iter().take(5) {
        let arguments =
            ["harness-trajectory", "append", "--step-id", row, "--action", "x", "--result-class", "failed"];
        place.accepted(&[arguments.as_slice(), &["--issue-id", "bd-0", "--json"]].concat());
    }
    let coordinate = |place: &Workplace| {
        let mut arguments =
            vec!["coordinator", "--rounds", "1", "--work-cmd", "sleep 0.3", "--verify-cmd", "true", "--json"];
        for name in ["t1", "t2"] {
            fs::create_dir_all(place.path().join(name)).unwrap();
            arguments.extend(["--worktree", name]);
        }
        let answer = place.run(&arguments);
        assert_eq!(answer.code(), Some(0), "{answer:?}");
        serde_json::from_str::<Value>(answer.stdout.lines().last().unwrap()).unwrap()
    };
    let first = coordinate(&place);
    assert_eq!(first["mostAtOnce"], json!(1), "{first}");
    place.accepted(&["harness-kpi", "remediate", "--note", "looked into it", "--json"]);
    let second = coordinate(&place);
    assert_eq!(second["mostAtOnce"], json!(2), "{second}");
}

#[test]
fn a_coordinator_that_is_asked_to_end_lets_every_worker_finish_its_step() {
    let place = place(6);
    let mut arguments = vec!["coordinator", "--work-cmd", "sleep 1", "--verify-cmd", "true", "--json"];
    for name in ["t1", "t2"] {
        fs::create_dir_all(place.path().join(name)).unwrap();
        arguments.extend(["--worktree", name]);
    }
    let started = Started::new(&mut place.command(&arguments));
    wait_for(|| status(&place, "bd-1") == "in_progress");
    started.signal(Signal::SIGINT);
    let answer = started.finish(Duration::from_secs(60));
    assert_eq!(answer.code(), Some(130), "{answer:?}");
    let last: Value = serde_json::from_str(answer.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(text(&last, "/outcome"), "interrupted", "{last}");
    let mut rows = answer.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let draining = rows.find(|row| row["event"] == json!("draining")).unwrap();
    assert_eq!(text(&draining, "/workerId"), "", "it is no worker's in particular");
    assert_eq!((status(&place, "bd-1"), &last["held"]), ("closed".to_owned(), &json!(0)), "{last}");
    assert!(last["claimable"].as_u64().unwrap() >= 2, "{last}");
}

#[test]
fn workers_of_a_coordinator_that_was_killed_end_by_themselves_and_give_back_what_they_hold() {
    let place = place(1);
    fs::create_dir_all(place.path().join("t1")).unwrap();
    let arguments =
        ["coordinator", "--worktree", "t1", "--work-cmd", "sleep 60", "--verify-cmd", "true", "--json"];
    let started = Started::new(&mut place.command(&arguments));
    wait_for(|| status(&place, "bd-1") == "in_progress");
    started.signal(Signal::SIGKILL);
    // Its output ends with the last of its workers.
    let answer = started.finish(Duration::from_secs(30));
    assert!(!answer.is_late, "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "open");
    assert_eq!(text(trajectory(&place).last().unwrap(), "/resultClass"), "interrupted");
}

#[test]
fn a_terminal_that_needs_an_instruction_works_under_the_one_that_is_named_and_no_other() {
    let place = place(2);
    let policy = fs::read_to_string(place.path().join("policies/instruction/default.json")).unwrap();
    let policy: Value = serde_json::from_str(&policy).unwrap();
    let id = "20261116T070000Z-everything";
    let envelope = |claims: Value| {
        json!({
            "schema": 1,
            "intent": "work on everything",
            "scope": "repository",
            "normalizerId": "premath.normalizer.v1",
            "policyDigest": policy["policyDigest"],
            "requestedChecks": ["graph", "store"],
            "capabilityClaims": claims,
        })
    };
    fs::create_dir(place.path().join("instructions")).unwrap();
    let all = envelope(json!(["capabilities.change_morphisms.all"]));
    let file = format!("instructions/{id}.json");
    fs::write(place.path().join(&file), all.to_string()).unwrap();
    place.accepted(&["instruction-run", &file, "--json"]);
    fs::write(place.path().join("premath.toml"), "[mutation]\ncli = \"instruction-linked\"\n").unwrap();
    let (answer, _) = worker(&place, "true", "true", &[]);
    assert!(answer.is_refused_as(&["mutation.use_evidence_missing"]), "{answer:?}");
    let (answer, rows) = worker(&place, "true", "true", &["--instruction", id]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["completed"], json!(["bd-1", "bd-2"]), "{answer:?}");
    let refs = &trajectory(&place)[0]["instructionRefs"];
    assert_eq!(*refs, json!([format!("instruction://{id}")]));
}

fn wait_for(is_so: impl Fn() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(is_so(), "it never came to be");
}

#[test]
fn an_epic_is_no_work_before_its_children_are_closed_and_is_closed_after_them() {
    let place = place(0);
    place.accepted(&["issue", "add", "[EPIC] All of it", "--type", "epic", "--priority", "0", "--json"]);
    place.accepted(&["issue", "add", "One part", "--parent", "bd-1", "--json"]);
    place.accepted(&["issue", "add", "Another part", "--parent", "bd-1", "--json"]);
    let (answer, rows) = worker(&place, "true", "true", &[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["completed"], json!(["bd-2", "bd-3", "bd-1"]));
    assert_eq!(trajectory(&place).len(), 3);
}

#[test]
fn a_worktree_that_is_not_there_is_said_before_anything_is_taken() {
    let place = place(1);
    for command in ["worker", "step"] {
        let arguments = [
            command,
            "--worker-id",
            "a",
            "--worktree",
            "nowhere",
            "--work-cmd",
            "true",
            "--verify-cmd",
            "true",
        ];
        let answer = place.run(&arguments);
        assert_eq!(answer.code(), Some(4), "{answer:?}");
        assert!(answer.stderr.contains("worktree_missing"), "{answer:?}");
    }
    assert_eq!(status(&place, "bd-1"), "open");
}

#[test]
fn a_worker_stops_when_three_steps_in_a_row_fail_alike() {
    let place = place(5);
    let (answer, rows) = worker(&place, "exit 3", "true", &[]);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let last = rows.last().unwrap();
    assert_eq!((text(last, "/outcome"), &last["failureClasses"]), ("stopped", &json!(["work_failed"])));
    assert_eq!(last["escalated"], json!(["bd-1", "bd-2", "bd-3"]));
    assert_eq!([status(&place, "bd-4"), status(&place, "bd-5")], ["open", "open"]);
    assert!(rows.iter().any(|row| row["event"] == json!("stopping")), "{answer:?}");
}

#[test]
fn an_escalation_is_left_for_a_person() {
    let place = place(1);
    place.accepted(&["issue", "add", "Look at it", "--label", "escalation", "--priority", "0", "--json"]);
    let (answer, rows) = worker(&place, "true", "true", &[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(rows.last().unwrap()["completed"], json!(["bd-1"]));
    assert_eq!(status(&place, "bd-2"), "open");
    fs::create_dir_all(place.path().join("t1")).unwrap();
    let coordinated = place.run(&[
        "coordinator",
        "--worktree",
        "t1",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "true",
        "--json",
    ]);
    let last: Value = serde_json::from_str(coordinated.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((text(&last, "/outcome"), &last["claimable"]), ("done", &json!(0)), "{last}");
    assert_eq!(status(&place, "bd-2"), "open");
}

#[test]
fn an_agent_without_a_model_takes_nothing() {
    let place = place(1);
    let (answer, _) = worker(&place, "agent", "true", &[]);
    assert_ne!(answer.code(), Some(0), "{answer:?}");
    let card = place.accepted(&["issue", "show", "bd-1", "--json"]);
    assert_eq!(text(&card, "/issue/status"), "open");
    assert!(!place.lane("workers/a").exists(), "{answer:?}");
}

#[test]
fn a_step_that_cannot_go_on_gives_its_issue_back() {
    let place = place(1);
    // The verification before the work takes away what answers in it.
    fs::write(place.path().join("scene.toml"), "name = \"talks\"\n[[turn]]\ntext = \"It is done.\"\n")
        .unwrap();
    let (answer, rows) = worker(&place, "agent:scripted:scene.toml", "rm -f scene.toml", &[]);
    assert_ne!(answer.code(), Some(0), "{answer:?}");
    assert!(rows.iter().any(|row| row["event"] == json!("claimed")), "{answer:?}");
    let card = place.accepted(&["issue", "show", "bd-1", "--json"]);
    assert_eq!(text(&card, "/issue/status"), "open");
    assert!(card.pointer("/issue/lease").is_none_or(Value::is_null), "{card}");
}

#[test]
fn what_could_not_be_closed_afterwards_is_not_worked_on_and_nobody_says_that_it_was_told_of() {
    let place = place(1);
    let policy = fs::read_to_string(place.path().join("policies/instruction/default.json")).unwrap();
    let policy: Value = serde_json::from_str(&policy).unwrap();
    let claims: Vec<String> = ["claim", "claim_next", "lease_release", "lease_renew"]
        .map(|action| format!("capabilities.change_morphisms.issue_{action}"))
        .to_vec();
    let envelope = json!({
        "schema": 1,
        "intent": "take work and never finish it",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["store"],
        "capabilityClaims": claims,
    });
    let id = "20261116T080000Z-leases";
    fs::create_dir(place.path().join("instructions")).unwrap();
    let file = format!("instructions/{id}.json");
    fs::write(place.path().join(&file), envelope.to_string()).unwrap();
    place.accepted(&["instruction-run", &file, "--json"]);
    let (answer, rows) = worker(&place, "echo done > worked.txt", "true", &["--instruction", id]);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    assert!(!place.path().join("worked.txt").exists(), "{answer:?}");
    let said = |event: &str| rows.iter().any(|row| row["event"] == json!(event));
    assert!(said("escalation_refused") && !said("escalated"), "{answer:?}");
    assert_eq!(status(&place, "bd-1"), "open");
}

#[test]
fn boot_refuses_two_variables_that_name_different_issues() {
    let place = place(2);
    let boot = |issue: &str| {
        let mut command = place.command(&["boot", "--verify-cmd", "true", "--json"]);
        command.env("PREMATH_ACTIVE_ISSUE_ID", "bd-1").env("PREMATH_ISSUE_ID", issue);
        Started::new(&mut command).finish(Duration::from_secs(60))
    };
    let answer = boot("bd-2");
    assert!(answer.is_refused_as(&["escalation_issue_context_ambiguous"]), "{answer:?}");
    assert_eq!(text(&boot("bd-1").accepted(), "/activeIssueId"), "bd-1");
    // People are told too what stays open, and every name is followed by a space.
    let shown = place.run(&["boot", "--verify-cmd", "true"]);
    assert!(shown.stdout.contains("escalation_issue_context_ambiguous"), "{shown:?}");
    assert!(!shown.stdout.contains("feature_ledger.premath"), "{shown:?}");
}

#[test]
fn a_folder_that_is_no_repository_is_not_made_one_on_the_way() {
    let place = Workplace::empty();
    let commands = ["--work-cmd", "true", "--verify-cmd", "true"];
    for first in [&["boot"][..], &["stop"], &["step"], &["worker", "--worker-id", "a"]] {
        let more = if matches!(first, ["boot" | "stop"]) { &[][..] } else { &commands };
        let answer = place.run(&[first, more].concat());
        assert_ne!(answer.code(), Some(0), "{first:?}: {answer:?}");
        assert!(!place.path().join(".premath").exists(), "{first:?}");
    }
}
