//! What is answered: the payloads of the host, the same as at the terminal, and the page.

use serde_json::{Value, json};

use crate::server::{Server, repository, state_of};

/// What differs between two looks at the same thing.
fn without_times(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for name in ["generatedAt", "observationDigest", "elapsedMs"] {
                    members.remove(name);
                }
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    strip(&mut value);
    value
}

#[test]
fn every_view_has_a_command_that_prints_the_same() {
    let folder = repository();
    let ran = folder
        .command(&["run", "say hello", "--model", "scripted:hello.toml", "--run-id", "one", "--json"])
        .env("XDG_STATE_HOME", state_of(&folder))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let server = Server::new(&folder);
    let twins: [(&str, &[&str]); 22] = [
        ("/api/runs", &["runs", "list"]),
        (
            "/api/runs?state=done&q=HELLO&order=attention",
            &["runs", "list", "--state", "done", "-q", "hello", "--attention-first"],
        ),
        ("/api/runs/one", &["runs", "show", "one"]),
        ("/api/runs/one/events?limit=3", &["runs", "events", "one", "--limit", "3"]),
        ("/api/runs/one/export", &["runs", "export", "one"]),
        ("/api/issues", &["issue", "list"]),
        (
            "/api/issues?status=open,blocked&limit=1",
            &["issue", "list", "--status", "open", "--status", "blocked", "--limit", "1"],
        ),
        ("/api/issues/ready", &["issue", "ready"]),
        ("/api/issues/blocked", &["issue", "blocked"]),
        ("/api/issues/graph", &["issue", "graph"]),
        ("/api/issues/bd-1", &["issue", "show", "bd-1"]),
        ("/api/issues/bd-1/history", &["issue", "history", "bd-1"]),
        ("/api/confirmations", &["approvals", "list"]),
        ("/api/proposals", &["proposals", "list"]),
        ("/api/work", &["observe", "now"]),
        ("/api/attention", &["observe", "needs_attention", "--now"]),
        ("/api/audit?limit=5&q=ISSUE.ADD", &["audit", "query", "--limit", "5", "-q", "issue.add"]),
        ("/api/policy", &["policy", "show"]),
        ("/api/models", &["models"]),
        ("/api/tools", &["tools", "catalogue"]),
        ("/api/desk/tree", &["desk", "tree"]),
        ("/api/desk/files", &["desk", "list"]),
    ];
    for (path, command) in twins {
        let typed = folder
            .command(&[command, &["--json"]].concat())
            .env("XDG_STATE_HOME", state_of(&folder))
            .output()
            .unwrap();
        let typed: Value = serde_json::from_slice(&typed.stdout)
            .unwrap_or_else(|error| panic!("{command:?}: {error}: {typed:?}"));
        assert_eq!(without_times(server.get(path).data()), without_times(typed), "{path}");
    }
}

#[test]
fn what_is_not_there_is_not_found_and_what_is_unknown_is_said() {
    let folder = repository();
    let server = Server::new(&folder);
    for path in [
        "/api/runs/none",
        "/api/runs/none/events",
        "/api/runs/none/turns/none.t0001",
        "/api/issues/none",
        "/api/confirmations/none",
        "/api/proposals/none",
        "/api/desk/files/none",
        "/api/nothing",
    ] {
        let got = server.get(path);
        assert_eq!(got.status, 404, "{path}: {got:?}");
        assert!(!got.code().is_empty());
    }
    assert_eq!(server.get("/api/runs?unknown=1").code(), "input.field_invalid");
    assert_eq!(server.post("/api/runs", &json!({})).status, 422);
    assert_eq!(server.post("/api/runs", &json!({ "task": "x", "models": ["nobody:nothing"] })).status, 422);
}

#[test]
fn the_page_is_given_at_every_place_of_its_own_and_can_be_kept() {
    let folder = repository();
    let server = Server::new(&folder);
    let page = server.send("GET", "/", &[], "");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    for place in ["/runs", "/runs/run-1", "/approvals", "/work", "/policy", "/desk", "/audit"] {
        assert_eq!(server.send("GET", place, &[], "").body, page.body, "{place}");
    }
    let tag = page.header("etag").unwrap().to_owned();
    assert_eq!(server.send("GET", "/", &[("If-None-Match", &tag)], "").status, 304);
    assert_eq!(server.send("GET", "/assets/none.js", &[], "").status, 404);
    assert_eq!(server.send("POST", "/", &[], "").status, 405);
}

#[test]
fn the_document_describes_what_is_served() {
    let folder = repository();
    let server = Server::new(&folder);
    let document: Value = server.send("GET", "/openapi.json", &[], "").json();
    assert_eq!(document["openapi"], "3.1.0");
    let served = document["paths"].as_object().unwrap();
    assert!(served.len() > 40, "{}", served.len());
    for (path, verbs) in served {
        if verbs.get("get").is_none() || path.contains('{') {
            continue;
        }
        let got = server.get(path);
        assert!(got.status != 404 || got.code() != "not_found", "{path}: {got:?}");
        assert_ne!(got.status, 405, "{path}");
        let responses = &verbs["get"]["responses"];
        let described = &responses[got.status.to_string().as_str()]["content"]["application/json"]["schema"];
        assert!(path == "/metrics" || described.is_object(), "{path}: nothing is said of {}", got.status);
        if path != "/metrics" {
            assert_fits(&document, described, &got.json(), path);
        }
    }
}

/// An answer is what the document says it is.
#[track_caller]
fn assert_fits(document: &Value, described: &Value, answer: &Value, path: &str) {
    let whole = json!({ "components": document["components"], "allOf": [described] });
    let validator = jsonschema::validator_for(&whole).unwrap_or_else(|error| panic!("{path}: {error}"));
    let misfits: Vec<String> =
        validator.iter_errors(answer).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(misfits.is_empty(), "{path}: {misfits:?}");
}

#[test]
fn counters_name_routes_and_nothing_that_somebody_sent() {
    let folder = repository();
    let server = Server::new(&folder);
    server.get("/api/runs/secret-name");
    server.get("/api/secret-address");
    let text = server.get("/metrics").body;
    assert!(
        text.contains(
            "premath_console_requests_total{method=\"GET\",route=\"/api/runs/{id}\",status=\"404\"} 1"
        ),
        "{text}"
    );
    assert!(text.contains("premath_console_runs_here 0"), "{text}");
    assert!(text.contains("premath_console_streams_open 0"), "{text}");
    assert!(text.trim_end().ends_with("# EOF"), "{text}");
    assert_eq!(text.matches("# EOF").count(), 1);
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn a_token_is_made_once_and_printed_only_for_a_person() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = repository();
    let server = Server::with(&folder, None);
    let path = server.token_file.clone().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let token = std::fs::read_to_string(&path).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    assert_eq!(server.send("GET", "/api/me", &[("Authorization", &bearer)], "").status, 200);
    drop(server);
    let again = Server::with(&folder, None);
    assert_eq!(std::fs::read_to_string(again.token_file.as_ref().unwrap()).unwrap(), token);
}
