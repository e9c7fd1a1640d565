//! The end of a server: streams end, runs stop where they can be gone on with, and the port is free again.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use crate::folder::Folder;
use crate::followed_runs::Followed;
use crate::server::{Server, repository};

/// Waits for the end; the exit code.
fn ended(server: &mut Server) -> Option<i32> {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            return status.code();
        }
        assert!(Instant::now() < patience, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_in_a_server_that_is_told_to_end_can_be_gone_on_with() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let folder = repository();
        folder.write(
            "stalls.toml",
            "name = \"stalls\"\n[[turn]]\ntext = \"And then nothing more came.\"\n\
             fault = [{ kind = \"stall\", after_byte = 10 }]\n[[turn]]\ntext = \"Back.\"\n",
        );
        let mut server = Server::new(&folder);
        let begun = server.post(
            "/api/runs",
            &json!({ "task": "wait", "models": ["scripted:stalls.toml"], "runId": "waits" }),
        );
        assert_eq!(begun.status, 202, "{begun:?}");
        server.eventually("/api/runs/waits", |card| card["run"]["state"] == "running");
        let mut followed = Followed::new(&server, "/api/runs/waits/events", None);
        assert_eq!(followed.next().unwrap().id, Some(1));
        let again = server.post("/api/runs/waits/resume", &json!({}));
        assert_eq!((again.status, again.code().as_str()), (409, "run_in_progress"));
        server.signal(signal);
        while followed.next().is_some() {}
        assert_eq!(ended(&mut server), Some(0));
        let (_, card) = folder.json(&["runs", "show", "waits"]);
        assert_eq!(
            (&card["run"]["state"], &card["resumable"]),
            (&json!("interrupted"), &json!(true)),
            "{card}"
        );
        let (code, verified) = folder.json(&["verify"]);
        assert_eq!(code, 0, "{verified}");
    }
}

#[test]
fn a_run_of_this_server_stops_when_somebody_says_so() {
    let folder = repository();
    folder.write(
        "stalls.toml",
        "name = \"stalls\"\n[[turn]]\ntext = \"And then nothing more came.\"\nfault = [{ kind = \"stall\", after_byte = 10, always = true }]\n",
    );
    let server = Server::new(&folder);
    let models = json!({ "task": "wait", "models": ["scripted:stalls.toml"], "runId": "waits" });
    assert_eq!(server.post("/api/runs", &models).status, 202);
    server.eventually("/api/runs/waits", |card| card["run"]["state"] == "running");
    let token = format!("Bearer {}", crate::server::TOKEN);
    let stopped = server.send("POST", "/api/runs/waits/stop", &[("Authorization", &token)], "");
    assert_eq!(stopped.status, 202, "{stopped:?}");
    server.eventually("/api/runs/waits", |card| card["run"]["state"] == "interrupted");
}

#[test]
fn a_second_server_on_a_port_says_what_is_wrong_and_what_to_do() {
    let folder = repository();
    let server = Server::new(&folder);
    let port = server.address.split(':').next_back().unwrap().to_owned();
    let state = crate::server::state_of(&folder);
    let ran = folder.command(&["serve", "--port", &port]).env("XDG_STATE_HOME", state).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(4), "{said}");
    assert!(said.contains("cannot listen on 127.0.0.1:"), "{said}");
    assert!(said.contains("hint: another server has that port"), "{said}");
    assert!(ran.stdout.is_empty());
    assert_eq!(server.get("/api/me").status, 200);
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let folder = repository();
    folder.write(
        "stalls.toml",
        "name = \"stalls\"\n[[turn]]\ntext = \"And then nothing more came.\"\nfault = [{ kind = \"stall\", after_byte = 10 }]\n[[turn]]\ntext = \"Back.\"\n",
    );
    let mut first = Server::new(&folder);
    let models = json!({ "task": "wait", "models": ["scripted:stalls.toml"], "runId": "waits" });
    assert_eq!(first.post("/api/runs", &models).status, 202);
    first.eventually("/api/runs/waits", |card| card["run"]["state"] == "running");
    first.signal(Signal::SIGKILL);
    ended(&mut first);
    let second = Server::new(&folder);
    let card = second.get("/api/runs/waits").data();
    assert_eq!((&card["run"]["state"], &card["resumable"]), (&json!("interrupted"), &json!(true)), "{card}");
    assert_eq!(second.post("/api/runs/waits/resume", &json!({})).status, 202);
    second.eventually("/api/runs/waits", |card| card["run"]["state"] == "running");
    assert_eq!(second.post("/api/runs/waits/stop", &json!({})).status, 202);
    second.eventually("/api/runs/waits", |card| card["run"]["state"] == "interrupted");
    assert_eq!(second.post("/api/runs/waits/replay", &json!({})).data()["identical"], true);
}

#[test]
fn a_folder_that_is_no_repository_is_not_served() {
    let folder = Folder::new();
    let ran = folder.run(&["serve", "--port", "0"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), ""), "{ran:?}");
    assert!(ran.stderr.contains("premath init") && ran.stderr.contains("serve --demo"), "{ran:?}");
}
