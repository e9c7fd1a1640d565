//! `premath observe-build` and `premath observe` from outside: what follows from the lanes, and what needs a person.

#![expect(clippy::disallowed_methods, reason = "the tests write lanes by hand and damage them")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod error_document;
mod folder;

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

const LATEST: &str = "artifacts/observation/latest.json";

fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

fn built(folder: &Folder) -> Value {
    let (code, answer) = folder.json(&["observe-build"]);
    assert_eq!(code, 0, "{answer}");
    answer["observation"].clone()
}

/// What needs a person: reasons and subjects.
fn attention(folder: &Folder) -> Vec<(String, String)> {
    let (code, answer) = folder.json(&["observe", "needs_attention"]);
    assert_eq!(code, 0, "{answer}");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let items = answer["items"].as_array().unwrap();
    assert_eq!(answer["needsAttention"], json!(!items.is_empty()));
    items.iter().map(|row| (text(row, "reason"), text(row, "subject"))).collect()
}

fn is(reason: &str, subject: &str) -> (String, String) {
    (reason.to_owned(), subject.to_owned())
}

#[track_caller]
fn add(folder: &Folder, id: &str) {
    assert_eq!(folder.run(&["issue", "add", "work", "--id", id]).code, Some(0));
}

#[track_caller]
fn step(folder: &Folder, issue: &str, number: u32, class: &str) {
    let id = format!("w.{issue}.{number}");
    let at = format!("2020-01-01T00:00:{number:02}Z");
    let ran = folder.run(&[
        "harness-trajectory",
        "append",
        "--step-id",
        &id,
        "--action",
        "step",
        "--result-class",
        class,
        "--issue-id",
        issue,
        "--finished-at",
        &at,
        "--instruction-ref",
        "instruction://i-1",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn instruction(folder: &Folder, id: &str, verdict: &str) {
    let witness = json!({
        "schema": 1, "witnessKind": "ci.instruction.v1", "instructionId": id,
        "instructionRef": format!("instruction://{id}"), "instructionDigest": "instr1_0", "policyDigest": "pol1_0",
        "requiredChecks": ["tests"], "executedChecks": ["tests"], "results": [], "verdictClass": verdict,
        "failureClasses": if verdict == "accepted" { json!([]) } else { json!(["check_failed"]) },
        "startedAt": "2026-11-16T07:00:00Z", "finishedAt": "2026-11-16T07:00:01Z",
        "expiresAt": "2026-11-16T08:00:01Z",
    });
    folder.write(&format!("artifacts/ciwitness/{id}.json"), witness.to_string());
}

#[test]
fn without_an_observation_one_is_told_how_to_build_it() {
    let folder = repository();
    for what in ["latest", "needs_attention", "projection"] {
        let ran = folder.run(&["observe", what, "--json"]);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(4), ""), "{what}: {ran:?}");
        assert!(ran.stderr.contains("premath observe-build"), "{what}: {ran:?}");
    }
}

#[test]
fn built_twice_it_is_the_same_but_for_its_time() {
    let folder = repository();
    add(&folder, "bd-1");
    assert_eq!(folder.run(&["issue", "claim", "bd-1", "--assignee", "jo"]).code, Some(0));
    step(&folder, "bd-1", 1, "check_failed");
    instruction(&folder, "i-1", "rejected");
    let bytes = || {
        built(&folder);
        let text = std::fs::read_to_string(folder.path().join(LATEST)).unwrap();
        let other: Vec<&str> = text.lines().filter(|line| !line.contains("\"generatedAt\"")).collect();
        other.join("\n")
    };
    let first = bytes();
    assert_eq!(first, bytes());
    std::fs::remove_file(folder.path().join(LATEST)).unwrap();
    assert_eq!(first, bytes(), "it can be deleted and built again");
}

/// Seed: 002 §14.2/3
#[test]
fn everything_that_needs_a_person_is_named_with_its_reason() {
    let folder = repository();
    for id in ["bd-1", "bd-2", "bd-3", "bd-4"] {
        add(&folder, id);
    }
    built(&folder);
    assert_eq!(attention(&folder), []);
    step(&folder, "bd-1", 1, "check_failed");
    step(&folder, "bd-1", 2, "accepted");
    step(&folder, "bd-2", 3, "check_failed");
    step(&folder, "bd-3", 4, "timeout");
    let blocked = ["issue", "update", "bd-4", "--status", "blocked", "--add-label", "escalation"];
    assert_eq!(folder.run(&blocked).code, Some(0));
    instruction(&folder, "i-1", "accepted");
    instruction(&folder, "i-2", "rejected");
    folder.write(".premath/workers/w/harness_session.json", "{");
    folder.write("artifacts/ciwitness/i-3.json", "nothing");
    assert_eq!(attention(&folder), [is("snapshot_stale", LATEST)], "it was built before all this");
    built(&folder);
    assert_eq!(
        attention(&folder),
        [
            is("issue_escalated", "bd-4"),
            is("kpi_rollback", "harness-kpi"),
            is("lane_damaged", ".premath/workers/w/harness_session.json"),
            is("lane_damaged", "artifacts/ciwitness/i-3.json"),
            is("step_failed", "bd-2"),
            is("step_retry_needed", "bd-3"),
            is("witness_rejected", "i-2"),
        ]
    );
}

#[test]
fn a_lease_that_ran_out_under_somebody_is_named() {
    let folder = repository();
    add(&folder, "bd-1");
    assert_eq!(folder.run(&["issue", "claim", "bd-1", "--assignee", "jo"]).code, Some(0));
    built(&folder);
    assert_eq!(attention(&folder), []);
    let issues = folder.path().join(".premath/issues.jsonl");
    let text = std::fs::read_to_string(&issues).unwrap();
    let last = text.lines().last().unwrap();
    let mut row: Value = serde_json::from_str(last).unwrap();
    row["lease"]["acquired_at"] = json!("2020-01-01T00:00:00Z");
    row["lease"]["expires_at"] = json!("2020-01-01T01:00:00Z");
    let other = Folder::new();
    assert_eq!(other.run(&["init"]).code, Some(0));
    other.write(".premath/issues.jsonl", format!("{row}\n"));
    built(&other);
    assert!(attention(&other).contains(&is("lease_expired", "bd-1")), "{:?}", attention(&other));
}

#[test]
fn a_figure_that_fell_too_low_is_named_until_something_was_done() {
    let folder = repository();
    let now = folder.json(&["harness-kpi"]).1["window"]["end"].as_str().unwrap().to_owned();
    for number in 1..=4 {
        let id = format!("w.bd-9.{number}");
        let ran = folder.run(&[
            "harness-trajectory",
            "append",
            "--step-id",
            &id,
            "--action",
            "step",
            "--result-class",
            "check_failed",
            "--finished-at",
            &now,
        ]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    built(&folder);
    assert_eq!(attention(&folder), [is("kpi_rollback", "harness-kpi")]);
    assert_eq!(folder.run(&["harness-kpi", "remediate", "--note", "mended"]).code, Some(0));
    built(&folder);
    assert_eq!(attention(&folder), []);
}

#[test]
fn an_instruction_is_shown_with_who_worked_under_it_and_its_id_is_a_name() {
    let folder = repository();
    add(&folder, "bd-1");
    instruction(&folder, "i-1", "accepted");
    step(&folder, "bd-1", 1, "accepted");
    built(&folder);
    let (code, answer) = folder.json(&["observe", "instruction", "i-1"]);
    assert_eq!((code, &answer["instruction"]["verdictClass"]), (0, &json!("accepted")), "{answer}");
    assert_eq!(answer["steps"].as_array().unwrap().len(), 1, "{answer}");
    let (code, answer) = folder.json(&["observe", "instruction", "i-2"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("instruction_not_found")));
    for path in ["../x", "a/b", ".hidden", "", "a\\b", "a\nb"] {
        let ran = folder.run(&["observe", "instruction", path, "--json"]);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{path:?}: {ran:?}");
    }
}

#[test]
fn a_witness_under_the_name_of_another_is_damage() {
    let folder = repository();
    instruction(&folder, "i-1", "accepted");
    let path = folder.path().join("artifacts/ciwitness");
    std::fs::copy(path.join("i-1.json"), path.join("i-9.json")).unwrap();
    built(&folder);
    assert_eq!(attention(&folder), [is("lane_damaged", "artifacts/ciwitness/i-9.json")]);
}

#[test]
fn an_edited_observation_is_not_believed() {
    let folder = repository();
    add(&folder, "bd-1");
    step(&folder, "bd-1", 1, "check_failed");
    built(&folder);
    let path = folder.path().join(LATEST);
    let mut document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    document["needsAttention"] = json!([]);
    folder.write(LATEST, document.to_string());
    let ran = folder.run(&["observe", "needs_attention"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.contains("observation_damaged"), "{ran:?}");
}

#[test]
fn work_is_shown_with_who_holds_it() {
    let folder = repository();
    add(&folder, "bd-1");
    add(&folder, "bd-2");
    assert_eq!(folder.run(&["issue", "claim", "bd-1", "--assignee", "jo"]).code, Some(0));
    let session = ["harness-session", "write", "--state", "active", "--issue-id", "bd-1"];
    assert_eq!(folder.run(&session).code, Some(0));
    built(&folder);
    let (_, answer) = folder.json(&["observe", "projection"]);
    assert_eq!(answer["count"], 1, "{answer}");
    let work = &answer["items"][0];
    assert_eq!(
        (&work["issue"]["issueId"], &work["lease"]["owner"]),
        (&json!("bd-1"), &json!("jo")),
        "{work}"
    );
    assert_eq!(work["sessions"][0]["state"], "active");
    let shown = folder.run(&["observe", "projection"]).stdout;
    assert!(shown.contains("bd-1 in_progress work"), "{shown}");
    let shown = folder.run(&["observe", "latest"]).stdout;
    assert!(shown.contains("1 ready, 1 in progress") && shown.contains("nothing needs attention"), "{shown}");
}
