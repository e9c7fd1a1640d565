//! The MCP inspector in command mode against the program, over both transports. It comes with `npm ci` in
//! `tests/mcp/inspector`, runs with the Node of `tests/mcp/suite`, and opens nothing.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::http::{Listening, TOKEN};
use crate::outside::{missing, node, place};
use crate::peer::repository;

const LAUNCHER: &str =
    "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// The inspector with a home of its own, in command mode; none where it was not installed.
fn inspector(folder: &Folder) -> Option<Command> {
    let launcher = place(LAUNCHER);
    let Some(node) = node().filter(|_| launcher.is_file()) else {
        missing("the MCP inspector", "npm ci --ignore-scripts` in `crates/cli/tests/mcp/{suite,inspector}");
        return None;
    };
    let mut command = Command::new(node);
    command.arg(launcher).args(["--cli", "--format", "json", "--stored-auth-only"]);
    command.env_clear().env("HOME", folder.path().join("home")).current_dir(folder.path());
    Some(command)
}

/// The result that it prints, and whether it ends well.
#[track_caller]
fn said(mut command: Command) -> (Value, bool) {
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let document: Value =
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}\n{complaint}"));
    (document["result"].clone(), output.status.success())
}

/// Lists the tools and calls two of them, one that reads and one that is refused.
#[track_caller]
fn looks_around(folder: &Folder, target: &[&str], era: &str) {
    let ask = |method: &[&str]| {
        let mut command = inspector(folder)?;
        command.args(target).args(["--protocol-era", era]).args(method);
        Some(said(command))
    };
    // In strict mode it ends badly when a schema is one that clients stumble over.
    let Some((listed, is_good)) = ask(&["--method", "tools/list", "--strict"]) else { return };
    assert!(is_good, "{era}: a schema is not portable");
    let tools = listed["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    assert!(tools.iter().any(|tool| tool["name"] == "issue_ready") && tools.len() > 60, "{listed}");
    let (ready, _) =
        ask(&["--method", "tools/call", "--tool-name", "issue_ready", "--tool-arg", "limit=10"]).unwrap();
    assert_eq!(ready["structuredContent"]["payload"]["count"], 1, "{ready}");
    let (refused, _) =
        ask(&["--method", "tools/call", "--tool-name", "issue_add", "--tool-arg", "title=x"]).unwrap();
    let class = &refused["structuredContent"]["payload"]["refused"]["class"];
    assert_eq!((&refused["isError"], class), (&json!(true), &json!("mutation.use_evidence_missing")));
}

#[test]
fn the_inspector_lists_and_calls_tools_over_standard_streams() {
    let folder = repository();
    let program = Path::new(env!("CARGO_BIN_EXE_premath")).to_str().unwrap();
    // The inspector hands on few variables; the server finds the clone key by this one.
    let state = format!("XDG_STATE_HOME={}", folder.state().display());
    for era in ["legacy", "modern"] {
        looks_around(&folder, &[program, "mcp-serve", "-e", &state], era);
    }
}

#[test]
fn the_inspector_lists_and_calls_tools_over_http() {
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let url = format!("http://{}/mcp", server.address);
    let header = format!("Authorization: Bearer {TOKEN}");
    for era in ["legacy", "modern"] {
        looks_around(&folder, &["--server-url", &url, "--transport", "http", "--header", &header], era);
    }
}
