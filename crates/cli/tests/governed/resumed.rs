//! A run that waited and goes on: it can do what whoever resumes it may do now, under the rules of now, and the audit says so.

use serde_json::{Value, json};

use crate::room::{Room, call};

const EDITOR: &str = "policy.role = \"editor\"\npolicy.roles.editor.scopes = [\"desk:*\", \"files:*\"]\n";
const READER: &str = "policy.role = \"reader\"\npolicy.roles.reader.scopes = [\"desk:read\", \"files:*\"]\n";

/// A run that waits for a yes to a delete, and would then make a file and look around.
fn waiting() -> Room {
    let room = Room::new(&["a.md"], EDITOR);
    let turns = [
        room.deleting(&[0]),
        call("desk_create_markdown", "name = \"new.md\", content = \"x\""),
        call("fs_list", "path = \".\""),
    ];
    let scopes = ["--scope", "desk:delete", "--scope", "desk:create", "--scope", "files:read"];
    let ran = room.work("waits", &turns.concat(), &scopes);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    room
}

fn codes(room: &Room) -> Vec<Value> {
    room.results("waits").iter().map(|outcome| outcome["errorCode"].clone()).collect()
}

#[test]
fn a_right_that_was_taken_away_is_gone_from_a_run_that_waited() {
    let room = waiting();
    room.done(&["approvals", "approve", &room.only("approvals")]);
    room.configure(READER);
    let ran = room.run(&["resume", "waits"]);
    let missing = json!("policy_scope_missing");
    assert_eq!(codes(&room), [json!("policy_denied"), missing.clone(), Value::Null], "{ran:?}");
    assert!(room.deleted().is_empty(), "an old yes gives no right");
    assert_eq!(room.items(&["desk", "list"]).len(), 1, "nothing was made");
    // The person is told which role it was, the model is not.
    assert!(ran.stdout.contains("the role `reader` of jo does not have it"), "{ran:?}");
    for outcome in room.results("waits").iter().take(2) {
        assert!(!outcome.to_string().contains("reader"), "{outcome}");
    }
    let rows = room.audit(&["--run", "waits", "--effect", "deny"]);
    let about =
        |scope: &str| rows.iter().any(|row| row["reason"].as_str().unwrap_or_default().contains(scope));
    assert!(about("`desk:delete` is above the ceiling of role `reader`"), "{rows:?}");
    assert!(
        rows.iter().any(|row| row["tool"] == "desk_create_markdown" && row["code"] == missing),
        "{rows:?}"
    );
    room.is_sound(&["waits"]);
}

#[test]
fn a_right_that_is_still_there_holds() {
    let room = waiting();
    room.done(&["approvals", "approve", &room.only("approvals")]);
    let ran = room.run(&["resume", "waits"]);
    assert_eq!(codes(&room), [Value::Null, Value::Null, Value::Null], "{ran:?}");
    assert_eq!(room.deleted(), ["a.md"]);
    room.is_sound(&["waits"]);
}

#[test]
fn edited_rules_keep_a_waiting_run_from_going_on() {
    let room = waiting();
    let rules = room.json(&["policy", "show"])["rulesDigest"].clone();
    room.done(&["policy", "export", "policies"]);
    let path = room.path().join("policies/governor/allow.cedar");
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text.replace("Looking changes nothing", "Looking changes nothing at all");
    std::fs::write(&path, edited).unwrap();
    assert_ne!(rules, room.json(&["policy", "show"])["rulesDigest"]);
    room.done(&["approvals", "deny", &room.only("approvals")]);
    let ran = room.run(&["resume", "waits"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("governance.policy_package_unpinned"), "{ran:?}");
    assert!(ran.stdout.contains("policies/governor/allow.cedar") && ran.stdout.contains("at all"), "{ran:?}");
    std::fs::write(&path, text).unwrap();
    room.run(&["resume", "waits"]);
    let rows = room.audit(&["--run", "waits"]);
    let named = rows.iter().filter(|row| row["kind"] == "decision" || row["kind"] == "run");
    let named: Vec<&Value> = named.map(|row| &row["policyDigest"]).collect();
    assert!(named.len() >= 6 && named.iter().all(|digest| **digest == rules), "{rows:?}");
    room.is_sound(&["waits"]);
}

#[test]
fn controls_that_nobody_promoted_keep_a_waiting_run_from_going_on() {
    let room = waiting();
    let high = r#"{"confirm": ["desk:delete", "files:read"], "guardrailStages": ["pre_flight", "input", "output"], "profileId": "mine", "tier": "high"}"#;
    room.write("policies/risk/high.json", high);
    room.done(&["approvals", "deny", &room.only("approvals")]);
    assert_eq!(room.refused(&["resume", "waits"]), "governance.policy_package_unpinned");
    assert!(room.items(&["approvals", "list", "--state", "pending"]).is_empty());
}
