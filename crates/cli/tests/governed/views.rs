//! A denial in its three views: what the model is told leaks neither rules nor names of roles, the person is told what
//! happened, and the audit has all of it. For people and for programs.

use serde_json::{Value, json};

use crate::room::{Ran, Room, call};

const CLERK: &str = "policy.role = \"clerk\"\npolicy.roles.clerk.scopes = [\"files:read\", \"desk:read\"]\n";

/// A client that asks for more than its ceiling, and a model that uses it.
fn above_the_ceiling(more: &[&str]) -> (Room, Ran) {
    let room = Room::new(&["notes.md"], CLERK);
    let turns = format!("name = \"scene\"\n{}[[turn]]\ntext = \"I cannot.\"\n", room.deleting(&[0]));
    room.write("scene.toml", &turns);
    let run = ["run", "tidy up", "--scope", "files:read", "--scope", "desk:delete", "--run-id", "clerk"];
    let ran = room.run(&[&run, &["--model", "scripted:scene.toml"][..], more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(room.deleted().is_empty());
    (room, ran)
}

/// Everything a model was shown in a run.
fn shown_to_the_model(room: &Room, run: &str) -> String {
    let rows = room.items(&["runs", "export", run]);
    let config = &rows[0]["event"]["config"];
    let mut shown = format!("{}{}", config["system"], config["opening"]);
    for result in room.results(run) {
        shown.push_str(&format!("{}{}{}", result["errorCode"], result["message"], result["content"]));
    }
    shown
}

#[track_caller]
fn leaks_nothing(shown: &str, what: &[&str]) {
    for what in what {
        assert!(!shown.contains(what), "the model reads `{what}`: {shown}");
    }
}

#[test]
fn a_scope_above_the_ceiling_is_told_to_the_model_the_person_and_the_audit() {
    let (room, ran) = above_the_ceiling(&[]);
    let said =
        "`desk:delete` was asked for, and the role `clerk` of jo does not have it (policy_scope_missing)";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    let shown = shown_to_the_model(&room, "clerk");
    assert!(shown.contains("desk:delete: disabled"), "{shown}");
    leaks_nothing(&shown, &["clerk", "ceiling", "jo does not"]);
    let rows = room.audit(&["--code", "policy_scope_missing"]);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(
        (&row["effect"], &row["policyName"], &row["runId"], &row["reason"]),
        (
            &json!("deny"),
            &json!("role clerk"),
            &json!("clerk"),
            &json!("`desk:delete` is above the ceiling of role `clerk`")
        )
    );
    for member in ["argsDigest", "decidedAt", "evidence", "hint", "humanMessage", "reason"] {
        assert!(row["data"].get(member).is_some(), "{member}: {row}");
    }
}

#[test]
fn a_program_reads_the_same_denial() {
    let (_, ran) = above_the_ceiling(&["--json"]);
    let started: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(started["event"], "run.started");
    let denied = &started["denied"][0];
    let members: Vec<_> = denied.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["code", "hint", "humanMessage", "policyName", "retryable"], "the person's view");
    assert_eq!(
        (&denied["code"], &denied["policyName"]),
        (&json!("policy_scope_missing"), &json!("role clerk"))
    );
}

#[test]
fn a_call_that_a_rule_denies_is_told_to_the_model_without_the_rule() {
    let room = Room::new(&[], "");
    let turns = format!(
        "name = \"scene\"\n{}[[turn]]\ntext = \"Then not.\"\n",
        call("shell", "command = \"premath approvals approve apr_0123456789ab\", workdir = \".\"")
    );
    room.write("scene.toml", &turns);
    let run = ["run", "approve it", "--model", "scripted:scene.toml", "--run-id", "knocks", "--json"];
    let ran = room.run(&run);
    let finished = ran.stdout.lines().find(|line| line.contains("\"event\":\"call.finished\"")).unwrap();
    let finished: Value = serde_json::from_str(finished).unwrap();
    assert_eq!(finished["errorCode"], "policy_denied", "{finished}");
    let shown = shown_to_the_model(&room, "knocks");
    assert!(shown.contains("a person does this"), "{shown}");
    leaks_nothing(&shown, &["doors.decisions", "Only a person approves"]);
    let rows = room.audit(&["--run", "knocks", "--effect", "deny"]);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(
        (&row["policyName"], &row["code"], &row["tool"]),
        (&json!("doors.decisions"), &json!("policy_denied"), &json!("shell"))
    );
}

/// Seed: 003 §1/12
#[test]
fn explaining_a_call_shows_all_three_views() {
    let room = Room::new(&["notes.md"], "");
    let arguments = format!("{{\"id\": \"{}\"}}", room.files[0]);
    let told = room.json(&["policy", "explain", "--tool", "desk_delete_file", "--args", &arguments]);
    assert_eq!(told["effect"], "ask");
    leaks_nothing(&told["modelView"].to_string(), &["desk.delete", "policyName", "humanMessage", "fil_"]);
    assert!(told["clientView"]["policyName"].is_string() && told["clientView"].get("reason").is_none());
    assert!(told["auditView"]["reason"].is_string() && told["auditView"]["argsDigest"].is_string());
}
