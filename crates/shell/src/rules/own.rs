//! premath itself and the agents it guards: calls that decide in a person's place, or start an agent without its guard.

use super::{Call, begins};
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Commands of premath that only a person gives.
const DECISIONS: [&str; 17] = [
    "approvals approve",
    "approvals deny",
    "approvals revoke",
    "proposals approve",
    "proposals reject",
    "policy promote",
    "policy rollback",
    "policy install",
    "tools approve",
    "tools forget",
    "guard uninstall",
    "guard install",
    "doctor",
    "run forget",
    "runs forget",
    "forget",
    "config set",
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "premath" => premath(interpreter, call),
        "claude" | "codex" | "gemini" | "cursor-agent" | "opencode" | "goose" | "aider" | "amp" => {
            agent(interpreter, call);
        }
        "kill" | "pkill" | "killall" | "skill" => {
            let is_own = call.args.iter().any(|arg| {
                let text = arg.shown().to_ascii_lowercase();
                text.contains("premath")
            });
            if !is_own {
                return None;
            }
            interpreter.deny(RiskClass::OwnFiles, Reach::Workspace, "ends premath");
        }
        _ => return None,
    }
    Some(Flow::output())
}

/// Checks a name that an alias or a function takes.
pub(crate) fn check_definition(interpreter: &mut Interpreter<'_>, name: &str) {
    if name.eq_ignore_ascii_case("premath") {
        let reason = "puts something else in the place of premath";
        interpreter.deny(RiskClass::OwnFiles, Reach::Workspace, reason);
    }
}

fn premath(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["--root", "--format", "--config"]);
    if DECISIONS.iter().any(|decision| begins(&words, decision)) {
        let reason = "decides what only a person decides: approvals, policy, the guard itself";
        interpreter.deny(RiskClass::OwnFiles, Reach::Workspace, reason);
    }
}

/// Options that start an agent without questions, sandbox or hooks.
const UNGUARDED: [&str; 12] = [
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--yolo",
    "--full-auto",
    "--bare",
    "--no-hooks",
    "--yes-always",
    "bypasspermissions",
    "danger-full-access",
    "--dangerously-bypass-hook-trust",
    "--skip-permissions",
];

fn agent(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let text = call.joined().to_ascii_lowercase();
    let words = call.words(&["-p", "--model"]);
    let is_unguarded = UNGUARDED.iter().any(|option| text.contains(option))
        || text.contains("disableallhooks")
        || text.contains("--settings")
        || text.contains("--setting-sources")
        || text.contains("sandbox_mode")
        || text.contains("approval_policy");
    let is_configuration = ["config", "mcp", "plugin", "plugins", "hooks", "features"]
        .iter()
        .any(|word| words.first().is_some_and(|first| first == word))
        && !words.iter().any(|word| matches!(word.as_str(), "list" | "get" | "ls"));
    if is_unguarded {
        let reason = "starts an agent without its questions, its sandbox or its hooks";
        interpreter.deny(RiskClass::OwnFiles, Reach::Workspace, reason);
    } else if is_configuration {
        interpreter.ask(RiskClass::OwnFiles, Reach::Workspace, "changes the configuration of an agent");
    }
}
