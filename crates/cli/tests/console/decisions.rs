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
fn an_active_approval_is_listed_with_its_reach_and_revoked() {
    let (folder, _) = desk();
    let server = Server::new(&folder);
    let question = asked(&server);
    let (id, name) = (question["id"].as_str().unwrap(), question["targets"][0]["name"].as_str().unwrap());
    let scopes: Vec<&Value> =
        question["offers"].as_array().unwrap().iter().map(|offer| &offer["scope"]).collect();
    assert_eq!(scopes, ["once", "run", "pattern"]);
    let shown = server.get(&format!("/api/confirmations/{id}?patternName={name}")).data();
    let agreed = server.post(
        &format!("/api/confirmations/{id}/approve"),
        &json!({ "digest": shown["shownDigest"], "scope": "pattern", "patternName": name }),
    );
    assert_eq!(agreed.status, 200, "{agreed:?}");
    server.eventually("/api/runs/del", |card| card["run"]["state"] == "done");
    let active = server.get("/api/confirmations?state=approved").data();
    assert!(active["items"][0]["reach"].as_str().unwrap().contains(name), "{active}");
    let path = format!("/api/confirmations/{id}/revoke");
    let revoked = server.post(&path, &json!({ "message": "enough" })).data();
    assert_eq!(revoked["approval"]["state"], "revoked", "{revoked}");
    assert_eq!(server.get("/api/confirmations?state=approved").data()["count"], 0);
    let twice = server.post(&path, &json!({}));
    assert_eq!((twice.status, twice.code().as_str()), (409, "approval_revoked"), "{twice:?}");
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

#[test]
fn a_yes_that_comes_while_the_run_is_about_to_rest_is_acted_on() {
    let (folder, _) = desk();
    let server = Server::new(&folder);
    for number in 0..4 {
        let run = format!("quick{number}");
        let begun = server.post(
            "/api/runs",
            &json!({ "task": "delete it", "desk": true, "models": ["scripted:scene.toml"], "runId": run, "maxWallMillis": 600_000 }),
        );
        assert_eq!(begun.status, 202, "{begun:?}");
        let path = format!("/api/confirmations?state=pending&run={run}");
        let page = server.at_once(&path, |page| page["count"] == 1);
        let id = page["items"][0]["id"].as_str().unwrap().to_owned();
        let shown = server.get(&format!("/api/confirmations/{id}")).data();
        let digest = json!({ "digest": shown["shownDigest"] });
        let agreed = server.post(&format!("/api/confirmations/{id}/approve"), &digest).data();
        assert_eq!((&agreed["resumed"], agreed.get("resumeError")), (&json!(true), None), "{agreed}");
        server.eventually(&format!("/api/runs/{run}"), |card| card["run"]["state"] == "done");
        assert_eq!(deleted(&server), 1);
        let file = server.get("/api/desk/files?deleted=true").data()["items"][0]["id"].clone();
        let restore = format!("/api/desk/files/{}/restore", file.as_str().unwrap());
        assert_eq!(server.post(&restore, &json!({})).status, 200);
    }
}

#[test]
fn what_was_decided_is_the_answer_also_where_the_run_cannot_go_on() {
    let (folder, _) = desk();
    let server = Server::new(&folder);
    let question = asked(&server);
    let id = question["id"].as_str().unwrap();
    let shown = server.get(&format!("/api/confirmations/{id}")).data();
    std::fs::remove_file(folder.path().join("scene.toml")).unwrap();
    let digest = json!({ "digest": shown["shownDigest"] });
    let agreed = server.post(&format!("/api/confirmations/{id}/approve"), &digest).data();
    assert_eq!((&agreed["resumed"], &agreed["approval"]["state"]), (&json!(false), &json!("approved")));
    assert!(agreed["resumeError"]["message"].as_str().unwrap().contains("scene.toml"), "{agreed}");
    assert!(agreed["resumeError"]["code"].is_string(), "{agreed}");
}

#[test]
fn a_plan_is_shown_whole_and_its_result_is_the_answer() {
    let (folder, file) = desk();
    let lines: String = (0..300).map(|number| format!("harmless line number {number}\\n")).collect();
    let scene = format!(
        "name = \"plans\"\n[[turn]]\ntext = \"A plan.\"\n[[turn.call]]\ntool = \"desk_propose_plan\"\narguments = {{ \
         goal = \"write\", rollback = \"restore\", steps = [{{ tool = \"desk_update_markdown\", rationale = \"new\", \
         args = {{ file_id = \"{file}\", version = 1, content = \"{lines}the last line\" }} }}] }}\n[[turn]]\ntext = \"Done.\"\n"
    );
    folder.write("scene.toml", scene);
    let server = Server::new(&folder);
    let begun = server.post(
        "/api/runs",
        &json!({ "task": "write it", "desk": true, "models": ["scripted:scene.toml"], "runId": "plan", "maxWallMillis": 600_000 }),
    );
    assert_eq!(begun.status, 202, "{begun:?}");
    server.eventually("/api/runs/plan", |card| card["run"]["state"] == "waiting");
    let listed = server.get("/api/proposals?state=pending").data();
    let id = listed["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{listed}")).to_owned();
    let shown = server.get(&format!("/api/proposals/{id}")).data();
    let preview = shown["proposal"]["steps"][0]["preview"].as_str().unwrap();
    assert!(preview.contains("+the last line") && !preview.contains("left out"), "{preview}");
    std::fs::remove_file(folder.path().join("scene.toml")).unwrap();
    let digest = json!({ "digest": shown["proposal"]["planDigest"] });
    let agreed = server.post(&format!("/api/proposals/{id}/approve"), &digest);
    let agreed = agreed.data();
    assert_eq!((&agreed["resumed"], &agreed["proposal"]["state"]), (&json!(false), &json!("executed")));
    assert!(agreed["resumeError"]["code"].is_string(), "{agreed}");
    assert!(server.get(&format!("/api/desk/files/{file}")).body.contains("the last line"));
}
