//! Approval over HTTP of a call that holds a secret of the task: the server keeps the value in memory until the answer.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::server::{Server, repository, state_of};

/// Made to look like one.
fn token() -> String {
    format!("ghp_{}", "Zk3Qx9Lm2Vb7Nc4Rt8Yp1Wd6Hs5Jf0GaTuEi")
}

fn writes() -> Folder {
    let folder = repository();
    folder.write(
        "scene.toml",
        "name = \"writes\"\n[[turn]]\ntext = \"I write it.\"\n[[turn.call]]\ntool = \"shell\"\narguments = { command = \
         'printf %s [redacted:github-pat] > token.txt; cat token.txt', workdir = '.' }\n[[turn]]\ntext = \"Done.\"\n",
    );
    folder
}

/// Starts the run and waits until it asks.
fn asked(server: &Server) -> Value {
    let begun = server.post(
        "/api/runs",
        &json!({ "task": format!("put {} into token.txt", token()), "models": ["scripted:scene.toml"], "runId": "tok" }),
    );
    assert_eq!(begun.status, 202, "{begun:?}");
    server.eventually("/api/runs/tok", |card| card["run"]["state"] == "waiting");
    server.get("/api/confirmations?state=pending").data()["items"][0].clone()
}

fn approve(server: &Server, id: &str, scope: &str) -> crate::server::Got {
    let shown = server.get(&format!("/api/confirmations/{id}")).data();
    let body = json!({ "digest": shown["shownDigest"], "scope": scope });
    server.post(&format!("/api/confirmations/{id}/approve"), &body)
}

fn holds(folder: &std::path::Path, secret: &str) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.any(|path| {
        if path.is_dir() {
            return holds(&path, secret);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
    })
}

#[test]
fn a_yes_over_http_runs_the_call_with_the_value_which_is_in_no_answer_and_no_file_of_ours() {
    let folder = writes();
    let server = Server::new(&folder);
    let question = asked(&server);
    assert!(
        question["reason"].as_str().unwrap().contains("`github-pat` at `/command` (from your task)"),
        "{question}"
    );
    let offers: Vec<&Value> =
        question["offers"].as_array().unwrap().iter().map(|offer| &offer["scope"]).collect();
    assert_eq!(offers, ["once"]);
    let id = question["id"].as_str().unwrap();
    let wide = approve(&server, id, "run");
    assert_eq!((wide.status, wide.code().as_str()), (409, "approval_unbounded"), "{wide:?}");
    let agreed = approve(&server, id, "once").data();
    assert_eq!(agreed["resumed"], true, "{agreed}");
    server.eventually("/api/runs/tok", |card| card["run"]["state"] == "done");
    assert_eq!(std::fs::read_to_string(folder.path().join("token.txt")).unwrap(), token());
    for path in ["/api/runs/tok", "/api/runs/tok/events", "/api/confirmations", "/api/audit"] {
        assert!(!server.get(path).body.contains(&token()), "{path}");
    }
    drop(server);
    assert!(!holds(&folder.path().join(".premath"), &token()));
    assert!(!holds(&state_of(&folder), &token()));
}

#[test]
fn a_server_that_was_restarted_has_forgotten_the_value_and_runs_nothing_in_its_place() {
    let folder = writes();
    let first = Server::new(&folder);
    let question = asked(&first);
    drop(first);
    let second = Server::new(&folder);
    let agreed = approve(&second, question["id"].as_str().unwrap(), "once").data();
    assert_eq!(agreed["resumed"], true, "{agreed}");
    second.eventually("/api/runs/tok", |card| card["run"]["state"] == "done");
    assert!(!folder.path().join("token.txt").exists());
    let events = second.get("/api/runs/tok/turns/tok.t0001");
    assert!(events.body.contains("secret_gone"), "{events:?}");
}
