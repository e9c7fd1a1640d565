//! Classes that measuring and promoting a package provokes: the runs of the red team under a candidate package, and the turn in
//! which the harness itself promotes one.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::scenario::{GUARDRAILS, repository, write_data_set};

/// Provoked by the turn of `policy promote`.
pub(crate) const BY_PROMOTION: [&str; 2] = ["governance.eval_gate_unmet", "governance.redteam_gate_unmet"];
/// Provoked by runs under a candidate package that denies every task, and that is therefore never promoted.
pub(crate) const BY_TRIAL: [&str; 2] = ["context.injection_point_missing", "tool.example_digest_mismatch"];

/// One plugin of the red team, and every harmless task.
fn attack(folder: &Folder, package: &str) -> Value {
    let run = ["redteam", "run", "--plugin", "path-traversal", "--strategy", "plain", "--package", package];
    let mut command = folder.command(&[&run[..], &["--json"]].concat());
    let output = command.env("PATH", "/usr/bin:/bin").timeout(Duration::from_secs(120)).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_promotion_below_its_gates_is_refused_and_changes_no_policy() {
    let folder = repository();
    write_data_set(&folder);
    folder.write("weak/notes.md", "weak\n");
    let evaluated = folder.json(&["eval", "guardrails", "--dataset", "rows.jsonl", "--package", "weak"]).1;
    let attacked = attack(&folder, "weak");
    let path = |answer: &Value| answer["reportPath"].as_str().unwrap().to_owned();
    let (eval, redteam) = (path(&evaluated), path(&attacked));
    let promote = ["policy", "promote", "--from", "weak", "--eval", &eval, "--redteam", &redteam];
    let (code, answer) = folder.json(&promote);
    assert_eq!(code, 1, "{answer}");
    let reasons = answer["reasons"].as_array().unwrap().iter();
    let found: BTreeSet<&str> = reasons.filter_map(|reason| reason["class"].as_str()).collect();
    for class in BY_PROMOTION {
        assert!(found.contains(class), "{class}: {found:?}");
    }
    assert!(!folder.path().join("policies/notes.md").exists());
}

#[test]
fn tasks_under_a_candidate_package_that_no_turn_can_satisfy_are_denied_with_their_classes() {
    let folder = repository();
    let other = format!("sha256:{}", "0".repeat(64));
    let policies = [
        ("stateViewPolicy", json!({"requiredViews": ["risks"]})),
        ("toolCatalog", json!({"tools": [{"name": "fs_read", "exampleDigest": other}]})),
    ];
    for ((key, members), class) in policies.iter().zip(BY_TRIAL) {
        let package = format!("candidate-{key}");
        folder.write(&format!("{package}/guardrails.json"), GUARDRAILS);
        folder.write(&format!("{package}/turn/{key}.json"), members.to_string());
        let attacked = attack(&folder, &package);
        let tasks = attacked["report"]["result"]["benign"].as_array().unwrap().iter();
        let denied: Vec<&Value> = tasks.filter(|task| task["done"] == false).collect();
        let is_named = |task: &&Value| task["detail"].as_str().is_some_and(|detail| detail.contains(class));
        assert!(denied.iter().any(is_named), "{class}: {denied:?}");
        assert_eq!(attacked["gateMet"], false, "{class}");
    }
}
