//! Every configuration that the guides show can be read, and the server it names starts and answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::http::{Listening, TOKEN};
use crate::peer::{Peer, hello, repository};

const GUIDES: [&str; 4] = ["claude-code", "codex", "cursor", "vscode"];
/// Where the shown configurations look for a server that listens.
const SHOWN: &str = "http://127.0.0.1:8766/mcp";

fn guide(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides").join(name);
    std::fs::read_to_string(path.with_extension("md")).unwrap()
}

/// The fenced blocks of a guide in one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let parts = text.split(&opening).skip(1);
    parts.map(|part| part.split("\n```").next().unwrap().to_owned()).collect()
}

/// Every server that a guide shows.
fn servers(name: &str) -> Vec<Value> {
    let text = guide(name);
    let json = blocks(&text, "json").into_iter().map(|block| {
        serde_json::from_str::<Value>(&block).unwrap_or_else(|error| panic!("{name}: {error}\n{block}"))
    });
    let toml = blocks(&text, "toml").into_iter().map(|block| {
        toml::from_str::<Value>(&block).unwrap_or_else(|error| panic!("{name}: {error}\n{block}"))
    });
    let mut found = Vec::new();
    for document in json.chain(toml) {
        for table in ["mcpServers", "servers", "mcp_servers"] {
            found.extend(
                document[table].as_object().into_iter().flat_map(|servers| servers.values().cloned()),
            );
        }
    }
    found
}

/// What a client puts in the place of a variable.
fn filled(text: &str, folder: &Folder) -> String {
    let known = BTreeMap::from([
        ("${workspaceFolder}", folder.path().to_str().unwrap()),
        ("${PREMATH_MCP_TOKEN}", TOKEN),
        ("${env:PREMATH_MCP_TOKEN}", TOKEN),
        ("${input:premath-token}", TOKEN),
    ]);
    let filled = known.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
    assert!(!filled.contains("${"), "nobody knows {filled}");
    filled
}

#[test]
fn every_server_that_the_guides_start_answers() {
    for name in GUIDES {
        let folder = repository();
        let started: Vec<Value> =
            servers(name).into_iter().filter(|server| server["command"].is_string()).collect();
        assert_eq!(started.len(), 1, "{name} shows one server over standard streams");
        for server in started {
            assert_eq!(server["command"], "premath", "{name}");
            assert!(["stdio", ""].contains(&server["type"].as_str().unwrap_or_default()), "{name}");
            let words: Vec<String> = server["args"]
                .as_array()
                .unwrap()
                .iter()
                .map(|word| filled(word.as_str().unwrap(), &folder))
                .collect();
            let elsewhere = Folder::new();
            let names_its_root = words.iter().any(|word| word == "--root");
            let place = if names_its_root { elsewhere.path() } else { folder.path() };
            let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
            command.args(&words).current_dir(place);
            let mut peer = Peer::of(command);
            let (is_error, ready) = peer.call("issue_ready", &json!({}));
            assert_eq!((is_error, &ready["payload"]["count"]), (false, &json!(1)), "{name}: {ready}");
        }
    }
}

#[test]
fn every_server_that_the_guides_reach_over_http_answers() {
    for name in GUIDES {
        let folder = repository();
        let server = Listening::new(&folder, Some(TOKEN));
        let reached: Vec<Value> =
            servers(name).into_iter().filter(|server| server["url"].is_string()).collect();
        assert_eq!(reached.len(), 1, "{name} shows one server over HTTP");
        for shown in reached {
            assert_eq!(shown["url"], SHOWN, "{name}");
            assert!(["http", ""].contains(&shown["type"].as_str().unwrap_or_default()), "{name}");
            let bearer = match shown["bearer_token_env_var"].as_str() {
                Some(variable) => filled(&format!("Bearer ${{{variable}}}"), &folder),
                None => filled(shown["headers"]["Authorization"].as_str().unwrap(), &folder),
            };
            let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello(name)});
            let (status, answer) = server.ask(&[("Authorization", &bearer)], &begin.to_string());
            assert_eq!(status, 200, "{name}: {answer}");
        }
    }
}

#[test]
fn the_guides_name_the_prompts_and_say_what_was_tried() {
    for name in GUIDES {
        let text = guide(name);
        for word in ["boot", "step", "stop", "## Tried", "instruction"] {
            assert!(text.contains(word), "{name} does not say {word}");
        }
    }
}
