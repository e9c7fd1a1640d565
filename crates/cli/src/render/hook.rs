//! Decisions in the words of other agents' hooks: what is printed, and where.
//!
//! A model reads what to do instead and nothing of the policy; a person reads which policy it was.

use premath_wire::v1::{GuardDecision, GuardInstalled};
use serde_json::{Value, json};

use crate::args::guard::HookHost;

/// What is said to an agent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HookAnswer {
    /// Nothing: it goes on as it would without us.
    Nothing,
    /// A document on standard output.
    Document(String),
    /// Words on standard error and the code that blocks; the same as a document, where the agent has a form for that.
    Block {
        /// The words.
        words: String,
        /// The document.
        document: Option<String>,
    },
}

/// A decision, as it is said.
pub(crate) fn answer(host: HookHost, decision: &GuardDecision) -> HookAnswer {
    let event = decision.event.as_str();
    match decision.effect.as_str() {
        "allow" => allowed(decision),
        "ask" => document(&json!({"hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "ask",
            "permissionDecisionReason": format!("premath: {}", for_a_question(decision)),
        }})),
        _ => match &decision.replacement {
            Some(replacement) => document(&json!({
                "decision": "block",
                "reason": format!("premath: {}", for_the_model(decision)),
                "hookSpecificOutput": {"hookEventName": event, "updatedToolOutput": replacement},
            })),
            None if event == "UserPromptSubmit" => block(host, &for_people(decision)),
            None => block(host, &for_the_model(decision)),
        },
    }
}

fn allowed(decision: &GuardDecision) -> HookAnswer {
    let mut output = serde_json::Map::new();
    if let Some(replacement) = &decision.replacement {
        output.insert("updatedToolOutput".to_owned(), json!(replacement));
    }
    if let Some(note) = &decision.note {
        output.insert("additionalContext".to_owned(), Value::String(format!("premath: {note}")));
    }
    if output.is_empty() {
        return HookAnswer::Nothing;
    }
    output.insert("hookEventName".to_owned(), Value::String(decision.event.clone()));
    document(&json!({ "hookSpecificOutput": output }))
}

/// What blocks when there is no decision.
pub(crate) fn blocked(host: HookHost, what: &str) -> HookAnswer {
    block(host, &format!("policy_denied: {}", super::plain(what)))
}

fn document(document: &Value) -> HookAnswer {
    HookAnswer::Document(format!("{document}\n"))
}

fn block(host: HookHost, words: &str) -> HookAnswer {
    let reason = format!("premath guard: {words}");
    let document = match host {
        HookHost::ClaudeCode => None,
        HookHost::Codex => Some(format!("{}\n", json!({"decision": "block", "reason": reason}))),
    };
    HookAnswer::Block { words: format!("{reason}\n"), document }
}

/// What became of the configuration of an agent, with what changed in it.
pub(crate) fn installed(answer: &GuardInstalled) -> String {
    format!("{}{}", super::lines(&answer.diff), told(answer))
}

/// The same for somebody who has seen the change.
pub(crate) fn told(answer: &GuardInstalled) -> String {
    let path = super::plain(&answer.path);
    let done = match (answer.changed, answer.written) {
        (false, _) => format!("{path} stays as it is\n"),
        (true, false) => format!("{path} would change; nothing was written\n"),
        (true, true) => format!("{path} is written\n"),
    };
    let notes = answer.notes.iter().map(|note| format!("hint: {note}\n")).collect::<String>();
    done + &notes
}

fn for_the_model(decision: &GuardDecision) -> String {
    let code = decision.code.as_deref().unwrap_or("policy_denied");
    format!("{code}: {}", decision.hint.as_deref().unwrap_or("this is not allowed here"))
}

/// For a person who is asked; without the name of the policy, since the model reads it where nobody is there.
fn for_a_question(decision: &GuardDecision) -> String {
    let code = decision.code.as_deref().unwrap_or("policy_requires_approval");
    format!("{} ({code})", decision.reason.as_deref().unwrap_or("a person has to agree"))
}

fn for_people(decision: &GuardDecision) -> String {
    let code = decision.code.as_deref().unwrap_or("policy_denied");
    let reason = decision.reason.as_deref().unwrap_or("this is not allowed here");
    format!("{reason} ({}, {code})", decision.policy_name.as_deref().unwrap_or("guard"))
}

#[cfg(test)]
mod tests;
