//! `premath audit`: every change has its row, the log says when it was touched, and the way back is walked over a real run.

#![expect(clippy::disallowed_methods, reason = "the tests look at, change and lock the files of the log")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use folder::Folder;
use serde_json::Value;

const WORKS: &str = "name = \"works\"\n[[turn]]\ntext = \"I write.\"\n[[turn.call]]\nid = \"patch\"\ntool = \"apply_patch\"\n\
    arguments = { patch = \"*** Begin Patch\\n*** Add File: made.txt\\n+made\\n*** End Patch\" }\n\
    [[turn]]\ntext = \"I note it.\"\n[[turn.call]]\nid = \"note\"\ntool = \"issue_update\"\n\
    arguments = { id = \"bd-1\", appendNotes = \"done\" }\n[[turn]]\ntext = \"Done.\"\n";

fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

fn log(folder: &Folder) -> PathBuf {
    folder.path().join(".premath/audit.jsonl")
}

fn fits(name: &str, document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{document}: {errors:?}");
}

fn kinds(document: &Value) -> Vec<&str> {
    document["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap()).collect()
}

/// Seed: 003 §1/14
#[test]
fn every_change_at_a_terminal_has_its_row() {
    let folder = repository();
    for arguments in [
        &["issue", "add", "first", "--id", "bd-1"][..],
        &["issue", "add", "second", "--id", "bd-2"],
        &["dep", "add", "bd-2", "bd-1"],
        &["issue", "claim", "bd-1", "--assignee", "jo"],
        &["issue", "update", "bd-1", "--status", "closed"],
        &["harness-session", "write", "--state", "stopped"],
        &["issue", "compact"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    }
    assert_eq!(folder.run(&["issue", "show", "bd-1"]).code, Some(0));
    let (code, page) = folder.json(&["audit", "query"]);
    assert_eq!(code, 0);
    fits("audit-page.json", &page);
    let tools: Vec<&str> =
        page["items"].as_array().unwrap().iter().map(|row| row["tool"].as_str().unwrap()).collect();
    let expected = [
        "issue.compact",
        "harness.session.write",
        "issue.update",
        "issue.claim",
        "dep.add",
        "issue.add",
        "issue.add",
    ];
    assert_eq!(tools, expected, "{page}");
    let update = &page["items"][2];
    assert_eq!((&update["issueId"], &update["kind"]), (&Value::from("bd-1"), &Value::from("mutation")));
    assert_eq!(update["data"]["authority"], "operator");
    assert!(update["argsDigest"].as_str().unwrap().starts_with("he1_"), "{update}");
    fits("audit-row.json", update);
    let (_, page) = folder.json(&["audit", "query", "--issue", "bd-1", "--limit", "1"]);
    assert_eq!((&page["count"], &page["items"][0]["tool"]), (&Value::from(1), &Value::from("issue.update")));
    let cursor = page["nextCursor"].as_str().unwrap().to_owned();
    let (_, page) = folder.json(&["audit", "query", "--issue", "bd-1", "--cursor", &cursor]);
    assert_eq!(page["items"][0]["tool"], "issue.claim");
    assert_eq!(folder.run(&["audit", "query", "--kind", "rumour"]).code, Some(2));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn what_is_refused_leaves_no_row_and_begins_no_log() {
    let folder = repository();
    assert_eq!(folder.run(&["issue", "update", "bd-9", "--status", "closed"]).code, Some(1));
    assert!(!log(&folder).exists());
    let (code, answer) = folder.json(&["audit", "verify"]);
    assert_eq!((code, &answer["rows"], &answer["ok"]), (0, &Value::from(0), &Value::from(true)));
    fits("audit-verify.json", &answer);
}

#[test]
fn a_touched_log_is_broken_and_says_where() {
    let folder = repository();
    for number in 1..6 {
        assert_eq!(folder.run(&["issue", "add", &format!("issue {number}")]).code, Some(0));
    }
    assert_eq!(folder.run(&["audit", "verify"]).code, Some(0));
    let text = std::fs::read_to_string(log(&folder)).unwrap();
    std::fs::write(
        log(&folder),
        text.replacen("\"rev\":1", "\"rev\":7", 3).replacen("\"rev\":7", "\"rev\":1", 2),
    )
    .unwrap();
    let (code, answer) = folder.json(&["audit", "verify"]);
    assert_eq!((code, &answer["ok"]), (1, &Value::from(false)), "{answer}");
    assert_eq!(answer["firstBad"]["line"], 3, "{answer}");
    fits("audit-verify.json", &answer);
    let ran = folder.run(&["audit", "verify"]);
    assert!(ran.stdout.contains("the chain is broken"), "{ran:?}");
    assert_eq!(folder.run(&["audit", "verify", "--exit-zero"]).code, Some(0));
    assert_eq!(folder.run(&["verify"]).code, Some(1));
}

#[test]
fn where_the_log_cannot_be_written_nothing_changes() {
    let folder = repository();
    assert_eq!(folder.run(&["issue", "add", "first", "--id", "bd-1"]).code, Some(0));
    std::fs::remove_file(log(&folder)).unwrap();
    std::fs::create_dir(log(&folder)).unwrap();
    let ran = folder.run(&["issue", "add", "second", "--id", "bd-2"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.contains("audit.jsonl"), "{ran:?}");
    assert_eq!(folder.run(&["issue", "show", "bd-2"]).code, Some(1));
}

#[test]
fn writers_that_are_killed_leave_changes_that_are_found_and_recorded() {
    let folder = repository();
    assert_eq!(folder.run(&["issue", "add", "the log begins"]).code, Some(0));
    for number in 0..40_u64 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_premath"))
            .env_clear()
            .env("XDG_STATE_HOME", folder.state())
            .current_dir(folder.path())
            .args(["issue", "add", &format!("issue {number}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Somewhere between its start and its end: where exactly differs from machine to machine, and any place will do.
        for _ in 0..number * 200 {
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // The change is in issue memory, its row is not: what a kill between the two leaves.
    let rows = std::fs::read_to_string(log(&folder)).unwrap();
    let (_, before) = folder.json(&["audit", "verify"]);
    assert_eq!(before["ok"], true, "{before}");
    let (code, after) = folder.json(&["audit", "verify", "--reconcile"]);
    assert_eq!((code, &after["added"]), (0, &before["unrecordedCount"]), "{after}");
    let (_, page) = folder.json(&["audit", "query", "--kind", "mutation", "--limit", "1000"]);
    let (_, listing) = folder.json(&["issue", "list"]);
    assert_eq!(page["count"], listing["count"], "one row for each change; before: {rows}");
    let (_, again) = folder.json(&["audit", "verify", "--reconcile"]);
    assert_eq!((&again["unrecordedCount"], &again["added"]), (&Value::from(0), &Value::from(0)));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn many_processes_that_change_at_once_leave_one_chain() {
    let folder = repository();
    let (workers, each) = (8, 25);
    thread::scope(|scope| {
        for worker in 0..workers {
            let folder = &folder;
            scope.spawn(move || {
                for number in 0..each {
                    assert_eq!(folder.run(&["issue", "add", &format!("{worker} {number}")]).code, Some(0));
                }
            });
        }
    });
    let (code, answer) = folder.json(&["audit", "verify"]);
    assert_eq!((code, &answer["rows"]), (0, &Value::from(workers * each)), "{answer}");
    assert_eq!((&answer["unrecordedCount"], &answer["chainedRows"]), (&Value::from(0), &answer["rows"]));
}

/// Seed: 002 §6/2, 003 §1/14, 001 §6/5
#[test]
fn the_way_back_from_a_change_leads_to_the_turn_the_model_and_the_person() {
    let folder = repository();
    folder.write("scene.toml", WORKS);
    assert_eq!(folder.run(&["issue", "add", "work", "--id", "bd-1"]).code, Some(0));
    let run = ["run", "--issue", "bd-1", "--model", "scripted:scene.toml", "--run-id", "the-run"];
    let ran = folder.run(&run);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (code, why) = folder.json(&["audit", "why", "bd-1", "--limit", "20"]);
    assert_eq!((code, &why["subjectKind"]), (0, &Value::from("issue")), "{why}");
    fits("audit-why.json", &why);
    let kinds_found = kinds(&why);
    for kind in ["change", "turn", "witness", "call", "policy", "model", "run", "person"] {
        assert!(kinds_found.contains(&kind), "no {kind}: {why}");
    }
    let text = why.to_string();
    for proof in ["turn://the-run.t0002", "run://the-run", "issue://bd-1@", "audit://aud_", "witness://"] {
        assert!(text.contains(proof), "no {proof}: {why}");
    }
    assert!(text.contains("allow issue_update by"), "the decision about the call: {why}");
    assert_eq!(why["complete"], true);
    let (_, path) = folder.json(&["audit", "why", "made.txt"]);
    assert_eq!(path["subjectKind"], "path");
    assert!(path.to_string().contains("was written by apply_patch, call `patch`"), "{path}");
    assert!(path.to_string().contains("turn://the-run.t0001"), "{path}");
    let digest = path["steps"][0]["ref"].as_str().unwrap().to_owned();
    let (_, by_digest) = folder.json(&["audit", "why", &digest]);
    assert_eq!(
        (&by_digest["subjectKind"], &by_digest["steps"][0]),
        (&Value::from("digest"), &path["steps"][0])
    );
    let (_, by_run) = folder.json(&["audit", "why", "the-run"]);
    assert_eq!((&by_run["subjectKind"], kinds(&by_run)[0]), (&Value::from("run"), "run"));
    let (_, nothing) = folder.json(&["audit", "why", "no/such.file"]);
    assert_eq!((kinds(&nothing), &nothing["complete"]), (vec!["unknown"], &Value::from(false)));
    let shown = folder.run(&["audit", "why", "made.txt"]).stdout;
    assert!(shown.contains("└─") && shown.contains("turn 1 of the-run, closed"), "{shown}");
}
