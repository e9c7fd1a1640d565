//! Authority while work goes on: instructions that end before the work does, and reasons that a person gives for it.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod folder;

use std::fs;

use folder::Folder;
use serde_json::{Value, json};

const ID: &str = "20261116T070000Z-everything";
const POLICY: &str = "policies/instruction/default.json";
const MISSING: &str = "mutation.use_evidence_missing";
const FILES: &str = "name = \"files\"\n[[turn]]\ntext = \"I look.\"\n[[turn.call]]\nid = \"look\"\ntool = \"fs_list\"\n\
    arguments = { path = \".\" }\n[[turn]]\ntext = \"I file it.\"\n[[turn.call]]\nid = \"file\"\ntool = \"issue_add\"\n\
    arguments = { title = \"Found on the way\" }\n[[turn]]\ntext = \"Done.\"\n";
const WORKS: &str = "name = \"works\"\n[[turn]]\ntext = \"I work.\"\n[[turn.call]]\nid = \"work\"\ntool = \"shell\"\n\
    arguments = { command = \"sleep 5\", workdir = \".\" }\n[[turn]]\ntext = \"Done.\"\n";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// A repository with two issues.
fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.run(&["issue", "add", "First"]);
    folder.run(&["issue", "add", "Second"]);
    folder
}

/// Lets witnesses hold for so many seconds.
fn holding(folder: &Folder, seconds: u64) {
    let mut policy: Value = serde_json::from_str(&read(folder, POLICY)).unwrap();
    policy["ttlSeconds"] = json!(seconds);
    policy.as_object_mut().unwrap().remove("policyDigest");
    folder.write(POLICY, policy.to_string());
}

/// An instruction for everything, run.
fn instruct(folder: &Folder) {
    let mut envelope = json!({
        "schema": 1,
        "intent": "work on everything",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": format!("pol1_{}", "0".repeat(64)),
        "requestedChecks": ["store"],
        "capabilityClaims": ["capabilities.change_morphisms.all"],
    });
    let path = format!("instructions/{ID}.json");
    folder.write(&path, envelope.to_string());
    envelope["policyDigest"] = json!(digest_told(folder, &path));
    folder.write(&path, envelope.to_string());
    let (code, answer) = folder.json(&["instruction-run", &path]);
    assert_eq!((code, &answer["witness"]["verdictClass"]), (0, &json!("accepted")), "{answer}");
}

/// A policy that states a digest that it does not have is told the one it has.
fn digest_told(folder: &Folder, path: &str) -> String {
    let written = read(folder, POLICY);
    let mut policy: Value = serde_json::from_str(&written).unwrap();
    policy["policyDigest"] = json!(format!("pol1_{}", "0".repeat(64)));
    folder.write(POLICY, policy.to_string());
    let (_, answer) = folder.json(&["instruction-check", path]);
    folder.write(POLICY, written);
    answer["reasons"][0]["detail"].as_str().unwrap().rsplit(' ').next().unwrap().to_owned()
}

fn issue(folder: &Folder, id: &str) -> Value {
    folder.json(&["issue", "show", id]).1["issue"].clone()
}

#[test]
fn work_that_outlives_its_instruction_is_closed_under_another() {
    let folder = repository();
    holding(&folder, 2);
    let (code, answer) = folder.json(&["step", "--work-cmd", "sleep 3", "--verify-cmd", "true"]);
    assert_eq!((code, &answer["outcome"]), (0, &json!("completed")), "{answer}");
    assert_eq!(issue(&folder, "bd-1")["status"], "closed");
    assert_eq!(folder.json(&["verify"]).0, 0);
}

#[test]
fn work_that_outlives_its_instruction_and_fails_is_told_of_under_another() {
    let folder = repository();
    holding(&folder, 2);
    let (code, answer) = folder.json(&["step", "--work-cmd", "sleep 3", "--verify-cmd", "false"]);
    assert_eq!((code, &answer["outcome"]), (1, &json!("escalated")), "{answer}");
    assert_eq!(issue(&folder, "bd-1")["status"], "blocked");
}

#[test]
fn work_that_outlives_the_instruction_that_was_named_closes_nothing() {
    let folder = repository();
    holding(&folder, 4);
    instruct(&folder);
    let line = ["step", "--work-cmd", "sleep 5", "--verify-cmd", "true", "--instruction", ID];
    let (code, answer) = folder.json(&line);
    assert_eq!((code, &answer["outcome"]), (1, &json!("stopped")), "{answer}");
    assert_eq!(answer["failureClasses"], json!([MISSING]), "{answer}");
    assert_eq!(issue(&folder, "bd-1")["status"], "open");
}

#[test]
fn a_run_that_outlives_its_instruction_lets_go_of_its_issue() {
    let folder = repository();
    holding(&folder, 4);
    folder.write("scene.toml", WORKS);
    instruct(&folder);
    let line = ["run", "--issue", "bd-2", "--instruction", ID, "--model", "scripted:scene.toml"];
    let ran = folder.run(&line);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let issue = issue(&folder, "bd-2");
    assert_eq!(issue["status"], "open", "{issue}");
    assert!(issue.get("lease").is_none_or(Value::is_null), "{issue}");
}

fn terminal(folder: &Folder, authority: &str) {
    folder.write("premath.toml", format!("[mutation]\ncli = \"{authority}\"\n"));
}

/// Takes from a session the instruction that it was begun under, so that nothing but what is given stands behind its end.
#[track_caller]
fn forget_instruction(folder: &Folder, session: &str) {
    let mut document: Value = serde_json::from_str(&read(folder, session)).unwrap();
    assert!(document["instructionRefs"].as_array().is_some_and(|refs| !refs.is_empty()), "{document}");
    document["instructionRefs"] = json!([]);
    folder.write(session, document.to_string());
}

/// Every command that works or mends, once without what the terminal needs and once with it.
#[track_caller]
fn with_and_without(folder: &Folder, given: &[&str]) {
    let commands = ["--work-cmd", "true", "--verify-cmd", "true", "--json"];
    let lines: [Vec<&str>; 5] = [
        vec!["boot", "--verify-cmd", "true", "--json"],
        [&["step"], &commands[..]].concat(),
        vec!["stop", "--worker-id", "b", "--json"],
        [&["worker", "--worker-id", "a", "--steps", "1"], &commands[..]].concat(),
        [&["coordinator", "--worktree", ".", "--rounds", "1"], &commands[..]].concat(),
    ];
    for line in lines {
        if line.contains(&"stop") {
            // There is something to stop.
            let (code, booted) =
                folder.json(&[&["boot", "--verify-cmd", "true", "--worker-id", "b"], given].concat());
            assert_eq!(code, 0, "{booted}");
            forget_instruction(folder, booted["sessionRef"].as_str().unwrap());
        }
        let shut = folder.run(&line);
        assert_eq!(shut.code, Some(1), "{line:?}: {shut:?}");
        assert!(shut.stdout.contains(MISSING), "{line:?}: {shut:?}");
        let ran = folder.run(&[&line, given].concat());
        assert_eq!(ran.code, Some(0), "{line:?}: {ran:?}");
    }
}

#[test]
fn a_person_who_must_say_why_can_say_it_wherever_work_begins() {
    let folder = repository();
    folder.run(&["issue", "add", "Third"]);
    terminal(&folder, "human-override");
    with_and_without(&folder, &["--override-reason", "the night shift is out"]);
    for id in ["bd-1", "bd-2", "bd-3"] {
        assert_eq!(issue(&folder, id)["status"], "closed", "{id}");
    }
    assert_eq!(folder.run(&["doctor", "--fix", "--override-reason", "a look at it"]).code, Some(0));
}

/// Seed: 002 §3.2/2
#[test]
fn an_instruction_that_is_named_is_enough_wherever_work_begins() {
    let folder = repository();
    folder.run(&["issue", "add", "Third"]);
    instruct(&folder);
    terminal(&folder, "instruction-linked");
    with_and_without(&folder, &["--instruction", ID]);
    for id in ["bd-1", "bd-2", "bd-3"] {
        assert_eq!(issue(&folder, id)["status"], "closed", "{id}");
    }
}

#[test]
fn a_run_and_its_resumption_take_the_reason_or_the_instruction() {
    for (authority, given, again) in [
        ("human-override", ["--override-reason", "it is urgent"], vec!["--override-reason", "it still is"]),
        ("instruction-linked", ["--instruction", ID], Vec::new()),
    ] {
        let folder = repository();
        instruct(&folder);
        folder.write("scene.toml", FILES);
        terminal(&folder, authority);
        let line =
            ["run", "--issue", "bd-2", "--model", "scripted:scene.toml", "--max-turns", "1", "--run-id"];
        let shut = folder.run(&[&line[..], &["shut", "--json"]].concat());
        assert!(shut.stdout.contains(MISSING) && shut.code == Some(1), "{authority}: {shut:?}");
        let begun = folder.run(&[&line[..], &["one"], &given].concat());
        assert_eq!(begun.code, Some(1), "{authority}: {begun:?}");
        let resumed = folder.run(&[&["resume", "one", "--max-turns", "9"], &again[..]].concat());
        assert_eq!(resumed.code, Some(0), "{authority}: {resumed:?}");
        assert_eq!(issue(&folder, "bd-3")["title"], "Found on the way", "{authority}: {resumed:?}");
    }
}

#[test]
fn a_run_is_told_what_to_do_about_a_change_that_nothing_stands_behind() {
    let folder = repository();
    folder.write("scene.toml", FILES);
    terminal(&folder, "human-override");
    let ran = folder.run(&["run", "file it", "--model", "scripted:scene.toml", "--json"]);
    assert!(ran.stdout.contains("only with a reason; say why with --override-reason"), "{ran:?}");
}
