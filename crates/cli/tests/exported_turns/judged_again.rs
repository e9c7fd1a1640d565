//! Every exported turn gets the verdict, the digests and the witness of the live turn.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::live_run::{PATTERNS, PROGRAM, Project, repository, shown};

/// What was compared of one run.
#[derive(Debug, Default)]
struct Compared {
    turns: usize,
    intents: usize,
}

fn compare_every_turn(project: &Project) -> Compared {
    let mut compared = Compared::default();
    for call_id in project.judged_turns() {
        let card = project.json(&["turn", "show", &call_id, "--json"]);
        let case = project.case(&call_id, &[]);
        let report = project.judge(&case);
        same_verdict(&call_id, &card, &report);
        let document: Value = serde_json::from_str(&case).unwrap();
        assert_eq!(document["evidence"], card["evidence"], "{call_id}");
        assert_eq!(document["strict"], json!(true), "{call_id}");
        assert_eq!(document["evidence"]["callSpec"]["callId"], json!(call_id), "{call_id}");
        compared.turns += 1;
        for intent in card["intents"].as_array().into_iter().flatten() {
            same_intent(project, &call_id, &card, intent);
            compared.intents += 1;
        }
    }
    compared
}

fn same_verdict(call_id: &str, card: &Value, report: &Value) {
    let expected = if card["verdict"] == "closed" { "accepted" } else { "rejected" };
    assert_eq!(report["result"], json!(expected), "{call_id}: {}", report["reasons"]);
    assert_eq!(report["joinClosed"], json!(card["verdict"] == "closed"), "{call_id}");
    assert_eq!(report["mutationReady"], Value::Null, "{call_id}");
    assert_eq!(report["witness"]["witnessId"], card["witnessId"], "{call_id}");
    for (name, digest) in card["digests"].as_object().unwrap() {
        assert_eq!(report["witness"]["digests"][name], *digest, "{call_id}: {name}");
    }
    assert_eq!(report["reasons"], card["reasons"], "{call_id}");
}

fn same_intent(project: &Project, call_id: &str, card: &Value, intent: &Value) {
    let number = intent["intent"].to_string();
    let report = project.judge(&project.case(call_id, &["--intent", &number]));
    assert_eq!(report["mutationReady"], intent["mutationReady"], "{call_id}: {}", report["reasons"]);
    assert_eq!(report["failureClasses"], intent["failureClasses"], "{call_id}");
    assert_eq!(report["witness"]["witnessId"], intent["witnessId"], "{call_id}");
    assert_eq!(report["witness"]["digests"]["turnDigest"], card["digests"]["turnDigest"], "{call_id}");
    let applied = card["applied"].as_array().unwrap();
    let live = applied.iter().find(|one| one["intentDigest"] == intent["intentDigest"]);
    let is_applied = live.is_some_and(|live| live["state"] == "applied" || live["state"] == "unchanged");
    assert!(!is_applied || intent["mutationReady"] == json!(true), "{call_id}: {intent} {live:?}");
}

/// Seed: 004 §2/1, 004 §9/1
#[test]
fn every_turn_of_the_patterns_is_judged_again_with_equal_digests() {
    for name in PATTERNS {
        let compared = compare_every_turn(&Project::pattern(name));
        eprintln!("{name}: {compared:?}");
        assert!(compared.turns > 0, "{name}");
    }
}

/// Seed: 004 §4/8, 001 §8/2
#[test]
fn every_turn_of_the_demo_is_judged_again_with_equal_digests() {
    let compared = compare_every_turn(&Project::demo());
    assert!(compared.turns > 1, "{compared:?}");
    assert!(compared.intents > 0, "a demo that changes nothing shows nothing: {compared:?}");
}

/// The script of the documentation, over one pattern: the tests above compare all of them.
fn judge_by_script(program: &str) -> Output {
    let script = repository().join("scripts/judge-again");
    Command::new(script).arg("single").env("PREMATH", program).output().unwrap()
}

#[test]
fn the_script_judges_turns_again_with_equal_digests() {
    let output = judge_by_script(PROGRAM);
    assert!(output.status.success(), "{}", shown(&output));
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("equal verdicts and digests"),
        "{}",
        shown(&output)
    );
}

#[test]
fn the_script_fails_when_an_exported_turn_is_judged_differently() {
    let folder = tempfile::tempdir().unwrap();
    let forging = folder.path().join("forging");
    let forge =
        format!("if [ \"$2\" = export ]; then {PROGRAM} \"$@\" | sed s/structured/adapted/; exit; fi");
    std::fs::write(&forging, format!("#!/bin/sh\n{forge}\nexec {PROGRAM} \"$@\"\n")).unwrap();
    std::fs::set_permissions(&forging, Permissions::from_mode(0o755)).unwrap();
    let output = judge_by_script(forging.to_str().unwrap());
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is judged differently"), "{}", shown(&output));
}

/// Seed: 001 §3/4, 001 §4.3/11
#[test]
fn turn_show_has_the_request_that_was_sent() {
    let project = Project::pattern("evaluator_optimizer");
    let turns = project.judged_turns();
    let first = project.json(&["turn", "show", &turns[0], "--json"]);
    let second = project.json(&["turn", "show", &turns[1], "--json"]);
    let sent = &second["sent"];
    assert!(!sent["system"].as_array().unwrap().is_empty());
    assert!(sent["tools"].as_array().unwrap().iter().all(|tool| tool["inputSchema"].is_object()));
    assert!(sent["contextDigest"].as_str().unwrap().starts_with("sha256:"));
    let parts: Vec<&Value> = sent["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap())
        .collect();
    for call in first["calls"].as_array().unwrap() {
        let result = parts.iter().find(|part| part["callId"] == call["toolCallId"]);
        assert_eq!(result.unwrap()["content"], call["rendered"], "{call}");
    }
    let text = project.accepted(&["turn", "show", &turns[1]]);
    assert!(text.contains("Evidence") && text.contains("callSpec"), "{text}");
}

#[test]
fn a_forged_verdict_in_the_journal_is_not_exported() {
    let project = Project::pattern("single");
    let journal = project.root.join(".premath/runs/the-run/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replace("\"result\":\"accepted\"", "\"result\":\"rejected\"")).unwrap();
    let output = project.premath(&["turn", "export", "the-run.t0001"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{}", shown(&output));
}

#[test]
fn what_cannot_be_exported_is_refused_with_its_reason() {
    let project = Project::pattern("single");
    let unknown = project.premath(&["turn", "export", "the-run.t9999", "--json"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", shown(&unknown));
    let intent = project.premath(&["turn", "export", "the-run.t0001", "--intent", "99"]);
    assert_eq!(intent.status.code(), Some(2), "{}", shown(&intent));
    assert!(String::from_utf8_lossy(&intent.stderr).contains("there is no 99"), "{}", shown(&intent));
}

/// Seed: 001 §4.1/27, 001 §3/20
#[test]
fn a_run_that_keeps_nothing_exports_nothing() {
    let project = Project::empty();
    let scene = "name = \"quiet\"\n[[turn]]\ntext = \"Done.\"\n";
    std::fs::write(project.root.join("premath.toml"), "[policy]\nobservability = \"disabled\"\n").unwrap();
    std::fs::write(project.root.join("scene.toml"), scene).unwrap();
    project.accepted(&["run", "say nothing", "--model", "scripted:scene.toml", "--run-id", "quiet"]);
    for command in ["export", "show"] {
        let output = project.premath(&["turn", command, "quiet.t0001", "--json"]);
        assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["refused"]["class"], json!("payload_not_retained"), "{answer}");
    }
}
