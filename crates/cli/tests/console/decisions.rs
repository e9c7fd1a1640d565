//! People decide over HTTP: what was shown is what is decided about, and a run that waited goes on.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::server::{Server, repository, state_of};

/// A repository whose desk has one file, and a model that deletes it.
fn desk() -> (Folder, String) {
    let folder = repository();
    folder.write("notes.txt", "hello\n");
    let person = |arguments: &[&str]| {
        let ran = folder.command(arguments).env("XDG_STATE_HOME", state_of(&folder)).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {ran:?}");
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    };
    person(&["desk", "add", "notes.md", "--file", "notes.txt", "--json"]);
    let id = person(&["desk", "list", "--json"])["items"][0]["id"].as_str().unwrap().to_owned();
    let scene = format!(
        "name = \"deletes\"\n[[turn]]\ntext = \"I delete it.\"\n[[turn.call]]\ntool = \"desk_delete_file\"\n\
         arguments = {{ id = \"{id}\" }}\n[[turn]]\ntext = \"Done.\"\n"
    );
    folder.write("scene.toml", scene);
    (folder, id)
}

/// Starts the run and waits until it asks.
fn asked(server: &Server) -> Value {
    let begun = server.post(
        "/api/runs",
        &json!({ "task": "delete it", "desk": true, "models": ["scripted:scene.toml"], "runId": "del", "maxWallMillis": 600_000 }),
    );
    assert_eq!((begun.status, &begun.data()["runId"]), (202, &json!("del")));
    server.eventually("/api/runs/del", |card| card["run"]["state"] == "waiting");
    let page = server.get("/api/confirmations?state=pending").data();
    assert_eq!(page["count"], 1, "{page}");
    let first = server.get("/api/runs").data()["items"][0].clone();
    assert_eq!((&first["state"], &first["openQuestions"]), (&json!("waiting"), &json!(1)), "{first}");
    page["items"][0].clone()
}

fn deleted(server: &Server) -> usize {
    server.get("/api/desk/files?deleted=true").data()["items"].as_array().unwrap().len()
}

#[test]
fn a_run_that_waits_goes_on_when_somebody_agrees_to_what_they_were_shown() {
    let (folder, file) = desk();
    let server = Server::new(&folder);
    let question = asked(&server);
    let id = question["id"].as_str().unwrap();
    let path = format!("/api/confirmations/{id}/approve");
    assert_eq!(server.post(&path, &json!({})).status, 422, "nobody agrees to what they have not seen");
    let other = server.post(&path, &json!({ "digest": "crd1_0000" }));
    assert_eq!((other.status, other.code().as_str()), (409, "approval_digest_mismatch"));
    assert_eq!(deleted(&server), 0);
    let shown = server.get(&format!("/api/confirmations/{id}")).data();
    let agreed = server.post(&path, &json!({ "digest": shown["shownDigest"] })).data();
    assert_eq!((&agreed["resumed"], &agreed["approval"]["state"]), (&json!(true), &json!("approved")));
    let card = server.eventually("/api/runs/del", |card| card["run"]["state"] == "done");
    assert_eq!(card["run"]["openQuestions"], 0);
    assert_eq!(deleted(&server), 1);
    let twice = server.post(&path, &json!({ "digest": shown["shownDigest"] }));
    assert_eq!(twice.status, 409, "{twice:?}");
    let restored = server.post(&format!("/api/desk/files/{file}/restore"), &json!({}));
    assert_eq!(restored.status, 200, "{restored:?}");
    assert_eq!(deleted(&server), 0);
    assert_eq!(server.post("/api/runs/del/replay", &json!({})).data()["identical"], true);
    assert_eq!(server.post("/api/runs/del/verify", &json!({})).status, 200);
    let turn = card["turns"][0]["callId"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/runs/del/turns/{turn}")).data()["callId"], turn);
    assert_eq!(server.get(&format!("/api/runs/other/turns/{turn}")).status, 404);
}

#[test]
fn a_no_is_told_to_the_run_and_nothing_is_deleted() {
    let (folder, _) = desk();
    let server = Server::new(&folder);
    let question = asked(&server);
    let path = format!("/api/confirmations/{}/deny", question["id"].as_str().unwrap());
    let denied = server.post(&path, &json!({ "message": "keep it" })).data();
    assert_eq!((&denied["resumed"], &denied["approval"]["state"]), (&json!(true), &json!("denied")));
    server.eventually("/api/runs/del", |card| {
        card["run"]["state"] != "waiting" && card["run"]["state"] != "running"
    });
    assert_eq!(deleted(&server), 0);
}

#[test]
fn a_question_survives_the_server_and_is_answered_at_the_next() {
    let (folder, _) = desk();
    let first = Server::new(&folder);
    let question = asked(&first);
    drop(first);
    let second = Server::new(&folder);
    let id = question["id"].as_str().unwrap();
    let shown = second.get(&format!("/api/confirmations/{id}")).data();
    assert_eq!(shown["approval"]["diff"], question["diff"]);
    let agreed =
        second.post(&format!("/api/confirmations/{id}/approve"), &json!({ "digest": shown["shownDigest"] }));
    assert_eq!(agreed.data()["resumed"], true);
    second.eventually("/api/runs/del", |card| card["run"]["state"] == "done");
    assert_eq!(deleted(&second), 1);
}

#[test]
fn a_file_is_put_on_the_desk_and_read_back() {
    let folder = repository();
    let server = Server::new(&folder);
    let added =
        server.post("/api/desk/files", &json!({ "name": "a.md", "type": "markdown", "content": "# A" }));
    assert_eq!(added.status, 201, "{added:?}");
    let listed = server.get("/api/desk/files").data();
    let id = listed["items"][0]["id"].as_str().unwrap().to_owned();
    assert!(server.get(&format!("/api/desk/files/{id}")).body.contains("# A"));
    assert_eq!(server.get(&format!("/api/desk/files/{id}/history")).status, 200);
    assert_eq!(server.get("/api/desk/search?q=A").status, 200);
}
