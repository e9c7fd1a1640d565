//! One action, two doors: what the terminal prints and what a tool answers are the same envelope.

use serde_json::{Value, json};

use crate::peer::{Peer, repository};

/// What changes from one call to the next without anything having happened.
fn still(mut envelope: Value) -> Value {
    fn settle(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| {
                    !["generatedAt", "now", "windowStart", "windowEnd"].contains(&name.as_str())
                });
                members.values_mut().for_each(settle);
            }
            Value::Array(items) => items.iter_mut().for_each(settle),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    settle(&mut envelope);
    envelope
}

#[test]
fn a_tool_answers_with_the_envelope_that_the_terminal_prints() {
    let folder = repository();
    folder.run(&["issue", "add", "Second", "--priority", "1"]);
    folder.run(&["dep", "add", "bd-2", "bd-1"]);
    let mut peer = Peer::new(&folder);
    let calls: Vec<(&str, Value, Vec<&str>)> = vec![
        ("issue_list", json!({"limit": 1}), vec!["issue", "list", "--limit", "1"]),
        ("issue_ready", json!({"limit": 10}), vec!["issue", "ready", "--limit", "10"]),
        ("issue_show", json!({"id": "bd-2"}), vec!["issue", "show", "bd-2"]),
        ("issue_show", json!({"id": "bd-99"}), vec!["issue", "show", "bd-99"]),
        ("issue_blocked", json!({}), vec!["issue", "blocked"]),
        ("issue_check", json!({}), vec!["issue", "check"]),
        ("issue_history", json!({"id": "bd-1"}), vec!["issue", "history", "bd-1"]),
        ("issue_lease_projection", json!({}), vec!["issue", "lease-projection"]),
        ("issue_backend_status", json!({}), vec!["issue", "backend-status"]),
        (
            "dep_diagnostics",
            json!({"graphScope": "active"}),
            vec!["dep", "diagnostics", "--graph-scope", "active"],
        ),
        ("dep_project", json!({}), vec!["dep", "project"]),
        ("failure_explain", json!({"class": "tool.result_orphan"}), vec!["explain", "tool.result_orphan"]),
        ("schema_show", json!({"name": "issue-card"}), vec!["schema", "issue-card"]),
        ("run_list", json!({}), vec!["runs", "list"]),
        ("desk_tree", json!({}), vec!["desk", "tree"]),
        ("policy_history", json!({}), vec!["policy", "history"]),
        ("approval_list", json!({}), vec!["approvals", "list"]),
        ("permit_list", json!({}), vec!["permits", "list"]),
        ("harness_feature_next", json!({}), vec!["harness-feature", "next"]),
        ("harness_trajectory_query", json!({}), vec!["harness-trajectory", "query"]),
        ("observe_needs_attention", json!({}), vec!["observe", "needs_attention"]),
    ];
    let mut misfits = Vec::new();
    for (tool, arguments, command) in calls {
        let ran = folder.run(&[command.as_slice(), &["--envelope"]].concat());
        let printed = serde_json::from_str::<Value>(&ran.stdout).ok();
        let Some(mut printed) = printed.filter(|document| document.get("error").is_none()) else {
            // The terminal has an error document where there is no answer; the tool has an envelope that says why.
            let (is_error, envelope) = peer.call(tool, &arguments);
            assert!(is_error && envelope["resultClass"] == "error", "{tool}: {envelope}\n{}", ran.stderr);
            continue;
        };
        let (is_error, mut answered) = peer.call(tool, &arguments);
        // Flags that were not given are absent here and null or empty there: the digest differs, the answer does not.
        for envelope in [&mut printed, &mut answered] {
            envelope.as_object_mut().unwrap().remove("argsDigest");
        }
        if still(printed.clone()) != still(answered.clone()) {
            misfits.push(format!("{tool}\n  {printed}\n  {answered}"));
        }
        assert_eq!(is_error, printed["resultClass"] == "rejected", "{tool}");
    }
    assert!(misfits.is_empty(), "{}", misfits.join("\n"));
}

#[test]
fn what_tools_answer_fits_the_schema_they_are_offered_with() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let listed = peer.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.len() > 60, "{}", tools.len());
    let mut answered = 0;
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        // What runs checks has tests of its own.
        if ["required_run", "required_witness", "coherence_check", "sandbox_check"].contains(&name) {
            continue;
        }
        let schema = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        let mut arguments = json!({});
        for needed in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
            let needed = needed.as_str().unwrap();
            arguments[needed] = if needed == "document" { json!({}) } else { json!("bd-1") };
        }
        let (_, envelope) = peer.call(name, &arguments);
        let wrong: Vec<String> = schema.iter_errors(&envelope).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{name} {arguments}: {wrong:?}\n{envelope}");
        answered += 1;
    }
    assert!(answered > 60, "{answered}");
}

#[test]
fn a_client_is_offered_the_tools_that_were_chosen_and_no_others() {
    let folder = repository();
    let serving = |tools: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_premath"));
        command.args(["mcp-serve", "--tools", tools]).current_dir(folder.path());
        command
    };
    let mut peer = Peer::of(serving("issue_ready,dep"));
    let listed = peer.ask("tools/list", &json!({}));
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"issue_ready") && names.contains(&"dep_project"), "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("dep_") || *name == "issue_ready"), "{names:?}");
    let refused = peer.ask("tools/call", &json!({"name": "issue_list", "arguments": {}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let ran = serving("issues").output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("families are"), "{ran:?}");
}

#[test]
fn resources_are_payloads_of_the_actions_that_read() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let (_, listing) = peer.call("issue_show", &json!({"id": "bd-1"}));
    let read = peer.ask("resources/read", &json!({"uri": "premath://issues/bd-1"}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), listing["payload"]);
    let listed = peer.ask("resources/list", &json!({}));
    for resource in listed["result"]["resources"].as_array().unwrap() {
        let read = peer.ask("resources/read", &json!({"uri": resource["uri"]}));
        // A repository that is new has no session, and no run.
        assert!(read["result"].is_object() || read["error"]["code"] == -32002, "{read}");
    }
    assert_eq!(peer.ask("prompts/list", &json!({}))["result"]["prompts"].as_array().unwrap().len(), 3);
}
