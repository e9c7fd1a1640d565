//! The official clients of two providers against `premath model-server`: a streaming turn with a tool call and its
//! answer, over each of the three protocols. The clients come with `npm ci` in `tests/sdk`.

#![expect(clippy::disallowed_methods, reason = "the clients are programs of their own")]
#![expect(clippy::print_stdout, reason = "a skip is named")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod served;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::{Value, json};
use served::Served;
use tempfile::TempDir;

const SCENARIO: &str = r#"
name = "weather"

[[turn]]
text = "I will look."
chunk = 4
expect = { user_contains = "Oslo", tools_include = ["weather"] }

[[turn.call]]
tool = "weather"
arguments = { city = "Oslo" }

[[turn]]
text = "It rains in Oslo."
chunk = 3
expect = { tool_result = [{ contains = "rain" }] }
"#;

fn clients() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
    if folder.join("node_modules/openai").is_dir() {
        return Some(folder);
    }
    let missing = "the official clients are missing: run `npm ci` in crates/cli/tests/sdk";
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "{missing}");
    println!("skipped: {missing}");
    None
}

fn turn(clients: &Path, protocol: &str, url: &str) -> Value {
    let output = Command::new("node")
        .arg("turn.mjs")
        .args([protocol, url])
        .current_dir(clients)
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{protocol}: {told}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_official_clients_complete_a_streaming_turn_with_a_tool_call() {
    let Some(clients) = clients() else { return };
    let folder = TempDir::new().unwrap();
    let scenario = folder.path().join("weather.toml");
    fs::write(&scenario, SCENARIO).unwrap();
    for (protocol, stop) in [("messages", "tool_use"), ("responses", "completed"), ("chat", "tool_calls")] {
        let served = Served::new(&scenario);
        let told = turn(&clients, protocol, &served.url);
        assert_eq!(told["tool"], "weather", "{protocol}: {told}");
        assert_eq!(told["arguments"], json!({ "city": "Oslo" }), "{protocol}: {told}");
        assert_eq!(told["stop"], stop, "{protocol}: {told}");
        assert_eq!(told["text"], "It rains in Oslo.", "{protocol}: {told}");
        assert!(told["events"].as_u64() > Some(4), "{protocol} came in one piece: {told}");
        assert!(told["outputTokens"].as_u64() > Some(0), "{protocol}: {told}");
    }
}
