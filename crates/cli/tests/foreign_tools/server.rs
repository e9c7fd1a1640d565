//! A server by hand: this very test program, started again in a folder with a `behaviour.json`, which it reads anew for every
//! message. Elsewhere the test below has nothing to do.

use std::fs;
use std::io::{BufRead as _, Write as _};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How the test program is started as a server. What the test runner prints around it is noise that a client passes over.
pub(crate) const ARGUMENTS: [&str; 4] =
    ["--exact", "server::serves_whoever_starts_it_in_its_folder", "--nocapture", "--test-threads=2"];

const BEHAVIOUR: &str = "behaviour.json";

#[test]
fn serves_whoever_starts_it_in_its_folder() {
    if fs::metadata(BEHAVIOUR).is_err() {
        return;
    }
    note(&format!("started {}", std::process::id()));
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        let behaviour: Value = serde_json::from_slice(&fs::read(BEHAVIOUR).unwrap()).unwrap();
        if let Some(answer) = answered(&behaviour, &message) {
            say(&answer);
        }
    }
}

fn note(line: &str) {
    let mut log = fs::OpenOptions::new().create(true).append(true).open("log.txt").unwrap();
    writeln!(log, "{line}").unwrap();
}

fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}").unwrap();
    out.flush().unwrap();
}

fn answered(behaviour: &Value, message: &Value) -> Option<Value> {
    let method = message["method"].as_str()?;
    let (is_modern, id) = (behaviour["modern"] == true, &message["id"]);
    let ok = |result: Value| Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    let us = json!({ "name": "by-hand", "version": "1" });
    match method {
        "notifications/cancelled" => {
            note("cancelled");
            None
        }
        "initialize" if !is_modern => ok(json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": true } }, "serverInfo": us
        })),
        "server/discover" if is_modern => ok(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": { "listChanged": true } }, "serverInfo": us, "ttlMs": 0, "cacheScope": "private"
        })),
        "tools/list" if behaviour["silent"] == true => None,
        "tools/list" => ok(listed(behaviour, message, is_modern)),
        "tools/call" => {
            called(behaviour, message).map(|result| json!({ "jsonrpc": "2.0", "id": id, "result": result }))
        }
        _other if id.is_null() => None,
        other => Some(json!({
            "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": format!("no method {other}") }
        })),
    }
}

/// One tool a page, so that whoever reads the first page only misses something.
fn listed(behaviour: &Value, message: &Value, is_modern: bool) -> Value {
    let tools = behaviour["tools"].as_array().unwrap();
    let at: usize = message["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
    let mut page = json!({ "tools": tools.get(at).map(|tool| vec![tool]).unwrap_or_default() });
    if behaviour["endless"] == true || at + 1 < tools.len() {
        page["nextCursor"] = json!((at + 1).to_string());
    }
    if is_modern {
        page["resultType"] = json!("complete");
        page["ttlMs"] = json!(3_600_000);
        page["cacheScope"] = json!("public");
    }
    page
}

fn called(behaviour: &Value, message: &Value) -> Option<Value> {
    let name = message["params"]["name"].as_str().unwrap();
    note(&format!("called {name} {}", message["params"]["arguments"]));
    let does = &behaviour["does"][name];
    let is_trouble =
        message["params"]["arguments"]["text"].as_str().is_some_and(|text| text.contains("trouble"));
    let does = does.get("onTrouble").filter(|_| is_trouble).unwrap_or(does);
    if let Some(next) = does.get("becomes") {
        fs::write(BEHAVIOUR, next.to_string()).unwrap();
        say(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
    }
    if does["dies"] == true
        || (does["diesOnce"] == true
            && fs::read_to_string("log.txt").unwrap().matches("called ").count() == 1)
    {
        std::io::stderr().write_all(b"out of memory\n").unwrap();
        std::process::abort();
    }
    if does["hangs"] == true {
        let token = &message["params"]["_meta"]["progressToken"];
        say(&json!({
            "jsonrpc": "2.0", "method": "notifications/progress",
            "params": { "progressToken": token, "progress": 1, "total": 9, "message": "looking" }
        }));
        return None;
    }
    if let Some(bytes) = does["bytes"].as_u64() {
        let text = "x".repeat(usize::try_from(bytes).unwrap());
        return Some(json!({ "content": [{ "type": "text", "text": text }] }));
    }
    if does["asks"] == true {
        // It reads none of the answers, and ends with whoever reads it.
        for number in 0_u64.. {
            say(&json!({ "jsonrpc": "2.0", "id": number, "method": "ping" }));
        }
    }
    if does["floods"] == true {
        // It ends with whoever reads it.
        loop {
            say(
                &json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "x" } }),
            );
            thread::sleep(Duration::from_millis(1));
        }
    }
    Some(
        does.get("answers")
            .cloned()
            .unwrap_or_else(|| json!({ "content": [{ "type": "text", "text": "sunny" }] })),
    )
}
