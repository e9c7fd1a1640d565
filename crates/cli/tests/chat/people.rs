//! What people decide in a conversation: a card, a plan, and what takes them back; and what a killed server leaves.

use serde_json::{Value, json};

use crate::server::{Room, message, of_type};

const DELETES: &str = r#"
[[turn]]
text = "I delete the note."
[[turn.call]]
tool = "desk_delete_file"
arguments = { id = "FILE" }
[[turn]]
text = "It is gone."
"#;

fn data<'c>(chunks: &'c [Value], kind: &str) -> &'c Value {
    let found = of_type(chunks, kind);
    &found.last().unwrap_or_else(|| panic!("no {kind}: {chunks:?}"))["data"]
}

/// Seed: 003 §5/4
#[test]
fn a_delete_is_asked_about_goes_on_in_the_same_message_and_is_undone_after_a_reload() {
    let room = Room::new(DELETES);
    let server = room.serve();
    let asked = server.say("c", "m1", "delete the note").chunks();
    assert_eq!(asked.last().unwrap()["type"], "finish");
    let card = data(&asked, "data-confirmation");
    assert_eq!((&card["state"], &card["tool"]), (&json!("pending"), &json!("desk_delete_file")));
    assert!(card["diff"].as_str().unwrap().contains("-first line"), "{card}");
    let id = card["approvalId"].as_str().unwrap();
    let refused =
        server.post(&format!("/api/confirmations/{id}/approve"), &json!({ "digest": "crd1_other" }));
    assert_eq!(refused.status, 409, "{refused:?}");
    let approve = json!({ "digest": card["digest"] });
    let approved = server.post(&format!("/api/confirmations/{id}/approve"), &approve).data();
    assert_eq!(approved["resumed"], json!(true), "{approved}");
    let rest = server.rest("c").chunks();
    assert_eq!(rest[0]["messageId"], asked[0]["messageId"]);
    assert_eq!(rest.last().unwrap()["type"], "finish", "{rest:?}");
    let undo = data(&rest, "data-undo");
    assert_eq!((&undo["fileId"], &undo["state"]), (&json!(room.file), &json!("available")));
    drop(server);

    // Everything is there after a restart, and the undo as well.
    let server = room.serve();
    let shown = server.get("/api/conversations/c").data();
    let parts = shown["messages"][1]["parts"].as_array().unwrap().clone();
    assert_eq!(data(&parts, "data-undo")["state"], json!("available"));
    assert_eq!(data(&parts, "data-confirmation")["state"], json!("consumed"));
    let log = server.get("/api/conversations/c/log").data();
    let row = &log["items"][0];
    assert_eq!((&row["decision"], &row["applied"]), (&json!("approved"), &json!("applied")), "{row}");
    let restore = json!({ "version": row["undo"]["version"] });
    let restored = server.post(&format!("/api/desk/files/{}/restore", room.file), &restore);
    assert_eq!(restored.status, 200, "{restored:?}");
    let log = server.get("/api/conversations/c/log").data();
    assert_eq!(log["items"][0]["undo"]["state"], json!("undone"), "{log}");
}

/// A plan is proposed; what else the turn does may follow.
pub(crate) const PROPOSES: &str = r#"
[[turn]]
text = "I propose it."
[[turn.call]]
tool = "desk_propose_plan"
[turn.call.arguments]
goal = "Delete the note"
rollback = "restore it"
steps = [{ tool = "desk_delete_file", args = { id = "FILE" }, rationale = "it is old" }]
"#;
/// What is said when it is decided.
pub(crate) const SETTLED: &str = "[[turn]]\ntext = \"Settled.\"\n";

#[test]
fn every_step_of_a_plan_is_in_the_log_with_what_takes_it_back() {
    let room = Room::new(&format!("{PROPOSES}{SETTLED}"));
    let server = room.serve();
    let asked = server.say("c", "m1", "delete it").chunks();
    let plan = data(&asked, "data-plan");
    let id = plan["proposalId"].as_str().unwrap();
    let done = server.post(&format!("/api/proposals/{id}/approve"), &json!({ "digest": plan["digest"] }));
    assert_eq!(done.status, 200, "{done:?}");
    server.rest("c");
    let log = server.get("/api/conversations/c/log").data();
    let tools: Vec<&Value> = log["items"].as_array().unwrap().iter().map(|row| &row["tool"]).collect();
    assert_eq!(tools, ["desk_propose_plan", "desk_delete_file"], "{log}");
    let step = &log["items"][1];
    assert_eq!(
        (&step["runId"], &step["status"], &step["applied"]),
        (&json!(id), &json!("ok"), &json!("applied")),
        "{step}"
    );
    assert_eq!(step["undo"]["fileId"], json!(room.file), "{step}");
}

#[test]
fn a_no_goes_on_without_the_call() {
    let room = Room::new(DELETES);
    let server = room.serve();
    let asked = server.say("c", "m1", "delete the note").chunks();
    let id = data(&asked, "data-confirmation")["approvalId"].as_str().unwrap().to_owned();
    server.post(&format!("/api/confirmations/{id}/deny"), &json!({ "message": "keep it" })).data();
    let rest = server.rest("c").chunks();
    assert_eq!(of_type(&rest, "tool-output-error").len(), 1, "{rest:?}");
    assert_eq!(data(&rest, "data-confirmation")["state"], json!("denied"));
    assert_eq!(server.get(&format!("/api/desk/files/{}", room.file)).status, 200, "it is still there");
}

#[test]
fn a_call_beyond_the_role_is_told_to_the_model_the_person_and_the_audit() {
    let room = Room::new(DELETES);
    let server = room.serve();
    let mut body = message("c", "m1", "delete the note");
    body["scopes"] = json!(["desk:read"]);
    let got = server.post("/api/chat", &body);
    let chunks = got.chunks();
    let errors = of_type(&chunks, "tool-output-error");
    assert!(errors[0]["errorText"].as_str().unwrap().contains("tool"), "{errors:?}");
    assert_eq!(of_type(&chunks, "data-turn")[0]["data"]["verdict"], json!("refused"), "{chunks:?}");
    assert_eq!(server.get(&format!("/api/desk/files/{}", room.file)).status, 200);
}

#[test]
fn an_empty_list_of_scopes_offers_the_model_no_tool_of_the_desk() {
    let room = Room::new(DELETES);
    let server = room.serve();
    let mut body = message("c", "m1", "delete the note");
    body["scopes"] = json!([]);
    let chunks = server.post("/api/chat", &body).chunks();
    assert_eq!(of_type(&chunks, "data-turn")[0]["data"]["verdict"], json!("refused"), "{chunks:?}");
    assert_eq!(of_type(&chunks, "data-confirmation").len(), 0, "nobody is asked: {chunks:?}");
    assert_eq!(server.get(&format!("/api/desk/files/{}", room.file)).status, 200);
}

#[test]
fn a_server_that_is_killed_in_the_middle_loses_nothing_and_does_nothing_twice() {
    let room = Room::new(
        r#"
[[turn]]
text = "I write."
[[turn.call]]
tool = "desk_create_markdown"
arguments = { name = "new.md", content = "once" }
[[turn]]
text = "Written."
fault = [{ kind = "slow", delay_ms = 1200, always = true }]
"#,
    );
    let server = room.serve();
    let answering = server.begin("/api/chat", &message("c", "m1", "write it"));
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let is_written = || room.json(&["desk", "list"]).1["total"] == json!(2);
    while !is_written() {
        assert!(std::time::Instant::now() < patience, "it is never written");
    }
    server.kill();
    drop(answering);
    let server = room.serve();
    let shown = server.get("/api/conversations/c").data();
    let parts = shown["messages"][1]["parts"].as_array().unwrap().clone();
    assert_eq!(of_type(&parts, "dynamic-tool").len(), 1, "{shown}");
    let run = shown["messages"][1]["id"].as_str().unwrap();
    let resumed = server.post(&format!("/api/runs/{run}/resume"), &json!({}));
    assert_eq!(resumed.status, 202, "{resumed:?}");
    let rest = server.rest("c").chunks();
    assert_eq!(rest.last().unwrap()["type"], "finish", "{rest:?}");
    let shown = server.get("/api/conversations/c").data();
    let parts = shown["messages"][1]["parts"].as_array().unwrap().clone();
    assert_eq!(of_type(&parts, "dynamic-tool").len(), 1, "{shown}");
    assert_eq!(data(&parts, "data-notice")["effect"], json!("created"));
    assert_eq!(room.json(&["desk", "list"]).1["total"], json!(2), "written once");
    assert_eq!(room.json(&["verify"]).0, 0);
}
