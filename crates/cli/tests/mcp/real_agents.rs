//! Codex and Claude Code, each with a scripted model, close an issue over MCP. They come with `npm ci` in `tests/mcp/agents`.

use std::path::Path;
use std::process::Command;

use crate::outside::{missing, place};

#[track_caller]
fn closes_an_issue(agent: &str) {
    if !place("agents/node_modules").is_dir() {
        missing("an agent that is not ours", "npm ci --ignore-scripts` in `crates/cli/tests/mcp/agents");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/agents-over-mcp");
    let mut command = Command::new(script);
    command.arg(agent).env("PREMATH", env!("CARGO_BIN_EXE_premath"));
    for variable in ["CODEX", "CLAUDE", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"] {
        command.env_remove(variable);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(&format!("{agent}: claimed, updated and closed bd-1 over MCP")), "{said}");
    assert!(said.contains("everything verifies"), "{said}");
}

#[test]
fn codex_closes_an_issue_over_mcp() {
    closes_an_issue("codex");
}

#[test]
fn claude_code_closes_an_issue_over_mcp() {
    closes_an_issue("claude-code");
}
