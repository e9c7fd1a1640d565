//! What envelopes cite: every action that can change something names a witness or the audit row it left, and a refusal names the
//! instruction that was named.

use serde_json::Value;

use super::live_run::Project;

fn envelope(project: &Project, arguments: &[&str]) -> Value {
    project.json(&[arguments, &["--envelope"]].concat())
}

/// Seed: 002 §14.1/1, 002 §14.1/2, 002 §3.2/4
#[test]
fn every_change_of_a_person_cites_what_it_left() {
    let project = Project::empty();
    let changes: [&[&str]; 13] = [
        &["issue", "add", "One", "--id", "bd-1"],
        &["issue", "add", "Two", "--id", "bd-2"],
        &["issue", "discover", "bd-1", "Three"],
        &["dep", "add", "bd-1", "bd-2"],
        &["dep", "replace", "bd-1", "bd-2", "--type", "related", "--from-type", "blocks"],
        &["dep", "remove", "bd-1", "bd-2", "--type", "related"],
        &["issue", "claim", "bd-1", "--assignee", "ann"],
        &["issue", "lease-renew", "bd-1", "--assignee", "ann"],
        &["issue", "lease-release", "bd-1", "--assignee", "ann"],
        &["issue", "update", "bd-2", "--notes", "looked at"],
        &["harness-session", "write", "--state", "active"],
        &["harness-feature", "write", "--feature-id", "f1", "--status", "pending"],
        &[
            "harness-trajectory",
            "append",
            "--step-id",
            "w.bd-1.1",
            "--action",
            "run",
            "--result-class",
            "completed",
        ],
    ];
    for arguments in changes {
        let effect = envelope(&project, arguments);
        assert_ne!(effect["resultClass"], "rejected", "{arguments:?}: {effect}");
        let refs = effect["witnessRefs"].as_array().unwrap();
        assert!(!refs.is_empty(), "{arguments:?}: {effect}");
        for reference in refs {
            let id = reference.as_str().unwrap().strip_prefix("audit://").unwrap();
            let rows = std::fs::read_to_string(project.root.join(".premath/audit.jsonl")).unwrap();
            assert!(rows.contains(&format!("\"id\":\"{id}\"")), "{arguments:?}: {reference}");
        }
    }
    let read = envelope(&project, &["issue", "list"]);
    assert_eq!(read["witnessRefs"].as_array().unwrap().len(), 0, "{read}");
}

/// Seed: 002 §14.1/3, 002 §14/3, 001 §6.3/8
#[test]
fn a_refused_change_names_the_instruction_and_the_policy_it_was_held_against() {
    let project = Project::empty();
    project.accepted(&["issue", "add", "One", "--id", "bd-1"]);
    let refused = envelope(
        &project,
        &["issue", "update", "bd-1", "--status", "closed", "--instruction", "20260101T000000Z-none"],
    );
    assert_eq!(refused["resultClass"], "rejected", "{refused}");
    assert_eq!(refused["instructionRef"], "instruction://20260101T000000Z-none", "{refused}");
    assert!(refused["policyDigest"].as_str().unwrap().starts_with("pol1_"), "{refused}");
    assert!(!refused["witnessRefs"].as_array().unwrap().is_empty(), "{refused}");
    let bare = envelope(&project, &["issue", "update", "bd-9", "--status", "closed"]);
    assert_eq!(bare["resultClass"], "rejected", "{bare}");
    assert_eq!(bare.get("instructionRef"), None, "{bare}");
}
