//! Changes over MCP: with an instruction, without one, and what is on record afterwards.

use serde_json::{Value, json};

use crate::peer::{Peer, instructed, repository};

const MISSING: &str = "mutation.use_evidence_missing";

/// What a refusal says, in the envelope.
#[track_caller]
fn refused(peer: &mut Peer, tool: &str, arguments: &Value, class: &str) -> Value {
    let (is_error, envelope) = peer.call(tool, arguments);
    assert!(is_error, "{tool} {arguments}: {envelope}");
    assert_eq!(envelope["payload"]["refused"]["class"], class, "{envelope}");
    assert_eq!(envelope["failureClasses"], json!([class]), "{envelope}");
    envelope["payload"]["refused"].clone()
}

/// Seed: 004 §6/5, 002 §14/3
#[test]
fn nothing_changes_without_an_instruction_and_the_hint_says_what_to_do() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let before = std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap();
    for (tool, arguments) in [
        ("issue_add", json!({"title": "x"})),
        ("issue_update", json!({"id": "bd-1", "status": "closed"})),
        ("issue_claim", json!({"id": "bd-1", "assignee": "me"})),
        ("issue_claim_next", json!({"assignee": "me"})),
        ("issue_discover", json!({"parentIssue": "bd-1", "title": "x"})),
        ("issue_lease_renew", json!({"id": "bd-1"})),
        ("issue_lease_release", json!({"id": "bd-1"})),
        ("dep_add", json!({"id": "bd-1", "dependsOn": "bd-1"})),
        ("dep_remove", json!({"id": "bd-1", "dependsOn": "bd-1"})),
        ("dep_replace", json!({"id": "bd-1", "dependsOn": "bd-1"})),
        ("harness_session_write", json!({"state": "stopped"})),
        ("harness_feature_write", json!({"featureId": "f", "status": "pending"})),
        ("harness_trajectory_append", json!({"stepId": "s", "action": "a", "resultClass": "ok"})),
        ("harness_kpi_remediate", json!({"note": "done"})),
    ] {
        let why = refused(&mut peer, tool, &arguments, MISSING);
        assert!(why["hint"].as_str().unwrap().contains("instruction_run"), "{tool}: {why}");
        let mut linked = arguments.clone();
        linked["instruction"] = json!("20261115T071252Z-nobody");
        refused(&mut peer, tool, &linked, MISSING);
    }
    assert_eq!(std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap(), before);
    assert!(!folder.path().join(".premath/harness_session.json").exists());
}

#[test]
fn an_instruction_is_a_file_of_the_repository() {
    let (folder, instruction) = instructed();
    let mut peer = Peer::new(&folder);
    let inside = folder.path().join(format!("instructions/{instruction}.json"));
    for path in [inside.to_str().unwrap(), "/etc/hostname", "../elsewhere.json", "instructions/../../x.json"]
    {
        let (is_error, answered) = peer.call("instruction_check", &json!({"path": path}));
        assert!(is_error, "{path}: {answered}");
        assert_eq!(answered["payload"]["refused"]["class"], "input.field_invalid", "{path}: {answered}");
    }
}

/// Seed: 002 §14.2/7, 002 §14.1/3, 002 §7/3
#[test]
fn an_issue_is_claimed_worked_on_and_closed_under_an_instruction() {
    let (folder, instruction) = instructed();
    let mut peer = Peer::new(&folder);
    let file = format!("instructions/{instruction}.json");
    // Closing is more than a client can instruct by itself: the owner runs the instruction, and the client works under it.
    assert_eq!(folder.run(&["instruction-run", &file]).code, Some(0));
    let (is_error, checked) = peer.call("instruction_check", &json!({"path": file}));
    assert!(!is_error, "{checked}");
    let (is_error, ran) = peer.call("instruction_run", &json!({"path": file}));
    assert!(!is_error, "{ran}");
    let (is_error, claimed) =
        peer.call("issue_claim_next", &json!({"assignee": "codex", "instruction": instruction}));
    assert!(!is_error, "{claimed}");
    assert_eq!(claimed["instructionRef"], format!("instruction://{instruction}"));
    let fence = claimed["payload"]["issue"]["lease"]["fence"].clone();
    let close = json!({
        "id": "bd-1", "status": "closed", "leaseOwner": "codex", "fence": fence,
        "instruction": instruction, "callId": "close-1",
    });
    let (is_error, closed) = peer.call("issue_update", &close);
    assert!(!is_error, "{closed}");
    assert_eq!(closed["payload"]["issue"]["status"], "closed");
    assert!(closed["policyDigest"].is_string() && closed["witnessRefs"][0].is_string(), "{closed}");
    // The same call again is the same turn, and its permit is spent.
    refused(&mut peer, "issue_update", &close, MISSING);
    let (_, rows) = folder.json(&["audit", "query", "--limit", "50"]);
    let doors: Vec<&Value> = rows["items"].as_array().unwrap().iter().map(|row| &row["actor"]).collect();
    assert!(
        doors.contains(&&json!("a-test-client")) || doors.contains(&&json!("external:a-test-client")),
        "{doors:?}"
    );
    let journal = folder.path().join(".premath/doors/a-test-client/journal.jsonl");
    assert!(std::fs::read_to_string(journal).unwrap().contains("external:a-test-client"));
    assert_eq!(folder.json(&["verify"]).0, 0);
}

/// Seed: 002 §14.2/10, 002 §14.1/3
#[test]
fn an_instruction_that_a_client_runs_covers_claims_renewals_and_discoveries_only() {
    let (folder, instruction) = instructed();
    let mut peer = Peer::new(&folder);
    let file = format!("instructions/{instruction}.json");
    let (is_error, checked) = peer.call("instruction_check", &json!({"path": file}));
    assert!(!is_error, "{checked}");
    let granted = checked["payload"]["grantedCapabilities"].to_string();
    assert!(!granted.contains("issue_update") && !granted.contains(".all"), "{granted}");
    assert!(!peer.call("instruction_run", &json!({"path": file})).0);
    let linked = |mut arguments: Value| {
        arguments["instruction"] = json!(instruction);
        arguments
    };
    for (tool, arguments) in [
        ("issue_claim", json!({"id": "bd-1", "assignee": "codex"})),
        ("issue_lease_renew", json!({"id": "bd-1", "owner": "codex", "fence": 1})),
        ("issue_discover", json!({"parentIssue": "bd-1", "title": "found on the way"})),
    ] {
        let (is_error, answered) = peer.call(tool, &linked(arguments));
        assert!(!is_error, "{tool}: {answered}");
    }
    let before = std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap();
    for (tool, arguments) in [
        ("issue_add", json!({"title": "x"})),
        ("issue_update", json!({"id": "bd-1", "status": "closed", "leaseOwner": "codex", "fence": 1})),
        ("dep_add", json!({"id": "bd-1", "dependsOn": "bd-2", "type": "related"})),
    ] {
        let why = refused(&mut peer, tool, &linked(arguments), "mutation.capability_claim_missing");
        assert!(why["hint"].as_str().unwrap().contains("clients"), "{tool}: {why}");
    }
    assert_eq!(std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap(), before);
}

#[test]
fn a_check_that_the_policy_requires_of_clients_widens_what_they_instruct() {
    let (folder, instruction) = instructed();
    let path = folder.path().join("policies/instruction/default.json");
    let mut policy: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    policy["clients"] =
        json!([{"capabilities": ["capabilities.change_morphisms.all"], "checks": ["graph", "store"]}]);
    folder.write("policies/instruction/default.json", policy.to_string());
    // The digest that the document has now, as the check of the repository says it.
    let said = folder.run(&["coherence-check"]).stdout;
    let digest = said.split("hashes to ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    policy["policyDigest"] = json!(digest);
    folder.write("policies/instruction/default.json", policy.to_string());
    let file = format!("instructions/{instruction}.json");
    let mut envelope: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join(&file)).unwrap()).unwrap();
    envelope["policyDigest"] = json!(digest);
    folder.write(&file, envelope.to_string());
    let mut peer = Peer::new(&folder);
    let run = |peer: &mut Peer, file: &str| peer.call("instruction_run", &json!({"path": file}));
    let (is_error, ran) = run(&mut peer, &file);
    assert!(!is_error, "{ran}");
    let update = |instruction: &str| json!({"id": "bd-1", "notes": "looked at", "instruction": instruction});
    refused(&mut peer, "issue_update", &update(instruction), "mutation.capability_claim_missing");
    envelope["requestedChecks"] = json!(["graph", "store"]);
    folder.write("instructions/20261115T071253Z-checked.json", envelope.to_string());
    let (is_error, ran) = run(&mut peer, "instructions/20261115T071253Z-checked.json");
    assert!(!is_error, "{ran}");
    let (is_error, updated) = peer.call("issue_update", &update("20261115T071253Z-checked"));
    assert!(!is_error, "{updated}");
    assert_eq!(folder.json(&["verify"]).0, 0);
}

#[test]
fn policy_files_that_nobody_promoted_keep_clients_from_changing_anything() {
    let (folder, instruction) = instructed();
    let file = format!("instructions/{instruction}.json");
    assert_eq!(folder.run(&["instruction-run", &file]).code, Some(0));
    folder.write("policies/guardrails.json", "{}\n");
    let mut peer = Peer::new(&folder);
    let before = std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap();
    for (tool, arguments) in [
        ("issue_claim", json!({"id": "bd-1", "assignee": "codex", "instruction": instruction})),
        ("issue_update", json!({"id": "bd-1", "notes": "x", "instruction": instruction})),
    ] {
        let why = refused(&mut peer, tool, &arguments, "governance.policy_package_unpinned");
        assert!(why["hint"].as_str().unwrap().contains("policy promote"), "{tool}: {why}");
    }
    assert_eq!(std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap(), before);
    std::fs::remove_file(folder.path().join("policies/guardrails.json")).unwrap();
    let arguments = json!({"id": "bd-1", "notes": "x", "instruction": instruction});
    assert!(!peer.call("issue_update", &arguments).0);
    // The turn is bound to the package: its evidence names it.
    let journal = folder.path().join(".premath/doors/a-test-client/journal.jsonl");
    let journal = std::fs::read_to_string(journal).unwrap();
    assert!(journal.contains("policyProvenance") && journal.contains("policy://shipped"), "{journal}");
    assert_eq!(folder.json(&["verify"]).0, 0);
}

#[test]
fn records_are_linked_too_and_the_envelope_says_to_what() {
    let (folder, instruction) = instructed();
    let mut peer = Peer::new(&folder);
    peer.call("instruction_run", &json!({"path": format!("instructions/{instruction}.json")}));
    let (is_error, written) = peer.call(
        "harness_session_write",
        &json!({"state": "stopped", "summary": "done", "issueId": "bd-1", "instruction": instruction}),
    );
    assert!(!is_error, "{written}");
    assert_eq!(written["instructionRef"], format!("instruction://{instruction}"));
    assert!(written["policyDigest"].as_str().unwrap().starts_with("pol1_"), "{written}");
    let (_, boot) = peer.call("harness_session_bootstrap", &json!({}));
    assert_eq!(boot["payload"]["summary"], "done");
}

#[test]
fn files_elsewhere_are_neither_read_nor_written() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    for (tool, arguments) in [
        ("issue_list", json!({"issues": "/etc/passwd"})),
        ("issue_export", json!({"output": "/tmp/x"})),
        ("run_export", json!({"runId": "r", "output": "/tmp/x"})),
        ("harness_session_read", json!({"path": "/etc/passwd"})),
        ("issue_ready", json!({"limi": 3})),
    ] {
        refused(&mut peer, tool, &arguments, "input.field_invalid");
    }
}

#[test]
fn an_answer_that_is_too_large_is_not_handed_out() {
    let folder = repository();
    let row = |number: u32| {
        json!({"id": format!("x-{number}"), "title": "t".repeat(900), "status": "open"}).to_string() + "\n"
    };
    let rows: String = (0..1500).map(row).collect();
    folder.write("rows.jsonl", rows);
    assert_eq!(folder.run(&["issue", "import", "rows.jsonl"]).code, Some(0));
    let mut peer = Peer::new(&folder);
    refused(&mut peer, "issue_list", &json!({}), "answer_too_large");
    let (is_error, answer) = peer.call("issue_list", &json!({"limit": 3}));
    assert!(!is_error, "{answer}");
}
