//! The official Python client against the program, over both transports and both kinds of beginning. It is installed into
//! `tests/mcp/python/venv`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::http::{Listening, TOKEN};
use crate::outside::{missing, place};
use crate::peer::repository;

/// With a handshake, and without one.
const MODES: [(&str, &str); 2] = [("legacy", "2025-11-25"), ("auto", "2026-07-28")];

fn python() -> Option<PathBuf> {
    let python = place("python/venv/bin/python");
    if python.is_file() {
        return Some(python);
    }
    missing(
        "the official Python client",
        "python3 -m venv venv && venv/bin/pip install --require-hashes -r requirements.txt` in `crates/cli/tests/mcp/python",
    );
    None
}

#[track_caller]
fn looks_around(python: &Path, folder: &Folder, arguments: &[&str], protocol: &str) {
    let output = Command::new(python)
        .arg(place("python/looks_around.py"))
        .args(arguments)
        .current_dir(folder.path())
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["protocol"], protocol, "{found}");
    assert_eq!(found["server"], "premath");
    assert!(found["tools"].as_u64() > Some(60), "{found}");
    assert_eq!(found["readOnly"], true);
    assert_eq!((&found["isError"], &found["ready"]["payload"]["count"]), (&json!(false), &json!(1)));
    let class = &found["refused"]["payload"]["refused"]["class"];
    assert_eq!((&found["refusedIsError"], class), (&json!(true), &json!("mutation.use_evidence_missing")));
    assert_eq!(found["unknown"], -32602);
    assert_eq!(found["issue"]["issue"]["title"], "First", "{found}");
    assert_eq!(found["prompts"], json!(["boot", "step", "stop"]));
}

#[test]
fn the_official_python_client_works_over_standard_streams() {
    let Some(python) = python() else { return };
    let folder = repository();
    for (mode, protocol) in MODES {
        let program = env!("CARGO_BIN_EXE_premath");
        looks_around(&python, &folder, &["stdio", mode, program], protocol);
    }
}

#[test]
fn the_official_python_client_works_over_http() {
    let Some(python) = python() else { return };
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let url = format!("http://{}/mcp", server.address);
    for (mode, protocol) in MODES {
        looks_around(&python, &folder, &["http", mode, &url, TOKEN], protocol);
    }
}
