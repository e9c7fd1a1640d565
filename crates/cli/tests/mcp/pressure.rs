//! Clients that ask more than they read, use an id twice, or open session after session: each is bounded, and nothing is
//! done that is not answered.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::http::{Listening, TOKEN};
use crate::peer::{Peer, hello, instructed, repository};

/// R11, in kilobytes.
const MOST: u64 = 256 * 1024;

fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

#[test]
fn a_client_that_writes_and_does_not_read_takes_no_memory() {
    let folder = repository();
    let ready = json!({"name": "issue_ready", "arguments": {}});
    let floods: [&dyn Fn(u64) -> String; 4] = [
        &|_| "x".to_owned(),
        &|id| request(id, "ping", &json!({})),
        &|id| request(id, "tools/list", &json!({})),
        &|id| request(id, "tools/call", &ready),
    ];
    for (which, flood) in floods.into_iter().enumerate() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command.arg("mcp-serve").current_dir(folder.path()).env_clear().env("XDG_STATE_HOME", folder.state());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let mut lines = format!("{}\n{begun}\n", request(0, "initialize", &hello("flood")));
        for id in 1..40_000 {
            lines.push_str(&flood(id));
            lines.push('\n');
        }
        // It is written until nobody reads any more, which is the point, or until the server is ended below.
        let writing = std::thread::spawn(move || while stdin.write_all(lines.as_bytes()).is_ok() {});
        std::thread::sleep(Duration::from_secs(4));
        let peak = peak(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        writing.join().unwrap();
        assert!(peak < MOST, "flood {which}: {peak} kB");
    }
}

fn update(instruction: &str, number: usize) -> Value {
    let note = format!("dup{number}");
    let arguments = json!({"id": "bd-1", "appendNotes": note, "instruction": instruction});
    json!({"name": "issue_update", "arguments": arguments})
}

fn changes_made(folder: &Folder) -> usize {
    let memory = std::fs::read_to_string(folder.path().join(".premath/issues.jsonl")).unwrap();
    (0..3).filter(|number| memory.contains(&format!("dup{number}"))).count()
}

#[test]
fn an_id_in_use_is_refused_and_what_it_asked_for_is_not_done() {
    let (folder, instruction) = instructed();
    let mut peer = Peer::new(&folder);
    let file = format!("instructions/{instruction}.json");
    assert_eq!(folder.run(&["instruction-run", &file]).code, Some(0));
    let lines: String =
        (0..3).map(|number| request(500, "tools/call", &update(instruction, number)) + "\n").collect();
    peer.bytes(lines.as_bytes());
    let answers = [peer.heard(), peer.heard(), peer.heard()];
    assert!(answers.iter().all(|answer| answer["id"] == 500), "{answers:?}");
    let refused = answers.iter().filter(|answer| answer["error"]["code"] == -32600).count();
    assert_eq!((refused, changes_made(&folder)), (2, 1), "{answers:?}");
    // The id is free again.
    peer.say(&serde_json::from_str(&request(500, "ping", &json!({}))).unwrap());
    assert!(peer.heard()["result"].is_object());
}

#[test]
fn an_id_in_use_is_refused_over_http_and_every_request_is_answered() {
    let (folder, instruction) = instructed();
    let file = format!("instructions/{instruction}.json");
    assert_eq!(folder.run(&["instruction-run", &file]).code, Some(0));
    let server = Listening::new(&folder, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    let (_, begun) = server.ask(&[token], &request(0, "initialize", &hello("http")));
    let session = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let headers = [token, ("Mcp-Session-Id", session.as_str())];
    server.ask(&headers, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let run = json!({"name": "instruction_run", "arguments": {"path": file}});
    server.ask(&headers, &request(1, "tools/call", &run));
    let answers: Vec<String> = std::thread::scope(|scope| {
        let ask = |number| {
            let body = request(5, "tools/call", &update(instruction, number));
            let (server, headers) = (&server, &headers);
            scope.spawn(move || server.ask(headers, &body).1)
        };
        let asked: Vec<_> = (0..3).map(ask).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let done = answers.iter().filter(|answer| answer.contains("\"result\"")).count();
    let refused = answers.iter().filter(|answer| answer.contains("the id is in use")).count();
    assert_eq!((done + refused, changes_made(&folder)), (3, done), "{answers:?}");
}

#[test]
fn there_are_only_so_many_sessions() {
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let token = [("Authorization", bearer.as_str())];
    let begin = request(1, "initialize", &hello("http"));
    for number in 0..256 {
        assert_eq!(server.ask(&token, &begin).0, 200, "{number}");
    }
    let (status, answer) = server.ask(&token, &begin);
    assert_eq!(status, 503, "{answer}");
}
