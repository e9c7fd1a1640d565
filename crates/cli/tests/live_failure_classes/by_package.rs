//! Classes that a promoted package provokes: its turn policies leave every task of the red team alone and forbid what these
//! runs do.

use std::time::Duration;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::scenario::{
    GUARDRAILS, Scenario, call, calls_then_end, end, provoke, read, repository, script, turn, write_data_set,
};

/// Eight turns that fill a small context.
fn long_turns() -> Vec<String> {
    let long = "long ".repeat(400);
    let fill = |number: u32| {
        let command = call("shell", &format!("command = \"echo {number}; seq 1 400\", workdir = \".\""));
        format!("[[turn]]\ntext = \"{number} {long}\"\n{command}")
    };
    (0..8).map(fill).chain([end()]).collect()
}

fn full_context(classes: &'static [&'static str], on_full: &'static str) -> Scenario {
    let arguments = vec!["--context-tokens", "3500", "--on-full", on_full];
    Scenario { arguments, ..Scenario::new(classes, long_turns()) }
}

pub(crate) fn scenarios() -> Vec<Scenario> {
    let link = "id = \"bd-1\", dependsOn = \"bd-2\"";
    let search = turn(&[call("tool_search", "query = \"remove dependency\"")]);
    let program = call("code_execution", "program = '(fs-read \"a.txt\")'");
    let discover = call("issue_discover", "parentIssue = \"bd-1\", title = \"found\"");
    vec![
        Scenario::new(&["tool.caller_not_allowed"], calls_then_end(&[call("dep_add", link)])),
        Scenario::new(&["tool.discovery_mismatch"], vec![search, turn(&[call("dep_remove", link)]), end()]),
        Scenario {
            own: "[loop]\nresult_bytes = 100000\n",
            files: vec![("long.txt", "sixteen letters\n".repeat(4000))],
            ..Scenario::new(
                &["tool.response_truncation_policy_violation"],
                calls_then_end(&[read("long.txt")]),
            )
        },
        Scenario {
            arguments: vec!["--action-mode", "code"],
            ..Scenario::new(&["context.queue_policy_violation"], calls_then_end(&[program]))
        },
        Scenario {
            arguments: vec!["--pattern", "single"],
            ..Scenario::new(
                &["coordination.decomposition_policy_violation"],
                calls_then_end(&[read("a.txt")]),
            )
        },
        Scenario {
            arguments: vec!["--scope", "files:read"],
            ..Scenario::new(&["governance.risk_tier_profile_missing"], calls_then_end(&[read("a.txt")]))
        },
        Scenario::new(&["mutation.capability_claim_missing"], calls_then_end(&[discover])),
        full_context(&["runtime.compaction_state_invalid"], "compact"),
        full_context(&["handoff.return_path_missing", "handoff.target_not_allowed"], "descend"),
    ]
}

/// Edited after its promotion, the package refuses every run.
fn drift_scenario() -> Scenario {
    Scenario {
        files: vec![("policies/turn/compactionPolicy.json", "{\"enabled\": true}".to_owned())],
        ..Scenario::new(&[PACKAGE_MISMATCH], vec![end()])
    }
}

pub(crate) const PACKAGE_MISMATCH: &str = "governance.policy_package_mismatch";
const DISCOVER: &str = "capabilities.change_morphisms.issue_discover";

/// The policy documents of the first turn of a run.
fn turn_policies(folder: &Folder, run_id: &str, more: &[&str]) -> Value {
    folder.write("scene.toml", script(&[end()]));
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", run_id];
    let ran = folder.run(&[&run[..], more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    folder.json(&["turn", "export", &format!("{run_id}.t0001")]).1["policies"].clone()
}

/// Members of a list that two runs have in their policies.
fn both(policies: &[Value; 2], pointer: &str) -> Vec<Value> {
    policies
        .iter()
        .flat_map(|documents| documents.pointer(pointer).unwrap().as_array().unwrap().clone())
        .collect()
}

/// The turn policies: what runs with all tools and runs on the desk have, less what the scenarios use.
fn narrow_policies(folder: &Folder) -> Vec<(&'static str, Value)> {
    let policies = [turn_policies(folder, "all", &[]), turn_policies(folder, "desk", &["--desk"])];
    let mut callers = both(&policies, "/allowedCallers/tools");
    let catalogue: Vec<Value> = callers.iter().map(|tool| json!({"name": tool["name"]})).collect();
    let catalogue: Vec<&Value> = catalogue.iter().filter(|tool| tool["name"] != "dep_remove").collect();
    for tool in callers.iter_mut().filter(|tool| tool["name"] == "dep_add") {
        tool["callers"] = json!(["code_execution"]);
    }
    let mut granted = both(&policies, "/mutationPolicy/capabilities");
    granted.retain(|capability| capability != DISCOVER);
    vec![
        ("allowedCallers", json!({"tools": callers})),
        ("toolCatalog", json!({"tools": catalogue})),
        ("toolResponseTruncationPolicy", json!({"maxBytes": 16_384})),
        ("toolRenderProtocol", json!({"injectionPoints": ["tool_response", "turn_start"]})),
        ("decompositionPolicy", json!({"patterns": ["chain"]})),
        ("riskTier", policies[0]["riskTier"].clone()),
        ("mutationPolicy", json!({"capabilities": granted})),
        ("compactionPolicy", json!({"enabled": false})),
        ("handoffContract", json!({"requireReturnPath": true, "targets": ["auditor"]})),
    ]
}

/// Drafts the package, measures it and promotes it, as its owner does.
fn promote_narrow_package(folder: &Folder) {
    write_data_set(folder);
    let policies = narrow_policies(folder);
    assert_eq!(folder.run(&["policy", "draft", "narrow"]).code, Some(0));
    folder.write("policies/drafts/narrow/guardrails.json", GUARDRAILS);
    for (key, members) in policies {
        folder.write(&format!("policies/drafts/narrow/turn/{key}.json"), members.to_string());
    }
    let evaluated = folder.json(&["eval", "guardrails", "--dataset", "rows.jsonl", "--draft", "narrow"]).1;
    let mut attack = folder.command(&["redteam", "run", "--draft", "narrow", "--json"]);
    let attacked = attack.env("PATH", "/usr/bin:/bin").timeout(Duration::from_secs(500)).output().unwrap();
    let attacked: Value = serde_json::from_slice(&attacked.stdout).unwrap();
    let path = |answer: &Value| answer["reportPath"].as_str().unwrap().to_owned();
    let (eval, redteam) = (path(&evaluated), path(&attacked));
    let promote = ["policy", "promote", "--draft", "narrow", "--eval", &eval, "--redteam", &redteam];
    let (code, answer) = folder.json(&promote);
    assert_eq!(code, 0, "{answer} {}", attacked["unmet"]);
}

#[test]
fn turn_policies_of_a_promoted_package_provoke_their_classes() {
    let folder = repository();
    promote_narrow_package(&folder);
    for (number, scenario) in scenarios().iter().enumerate() {
        provoke(&folder, &format!("run-{number}"), scenario);
    }
    provoke(&folder, "drifted", &drift_scenario());
}
