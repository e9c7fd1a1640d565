//! Text mode: an answer in plain text becomes structured calls by one fixed rule, or none at all.
//!
//! Without a profile that is named in the configuration a text is only looked at. It must not guess: a block that is not
//! exactly a call is a call that fails its check, not one that is repaired.

use crate::JsonText;
use crate::model::ToolCall;

/// The profile that reads fenced blocks: a line of three backticks and `tool_call`, a JSON object with `name` and
/// `arguments`, a line of three backticks.
pub const FENCED_JSON: &str = "premath.fenced_json.v1";

const OPEN: &str = "```tool_call";
const CLOSE: &str = "```";

/// The calls of a text under a profile.
pub(crate) fn calls(profile: &str, text: &str, call_id: &str) -> Vec<ToolCall> {
    if profile != FENCED_JSON {
        return Vec::new();
    }
    let mut calls = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        match (&mut block, line.trim_end()) {
            (None, OPEN) => block = Some(String::new()),
            (None, _) => {}
            (Some(content), CLOSE) => {
                let number = calls.len() + 1;
                calls.push(call(content, &format!("{call_id}.{number}")));
                block = None;
            }
            (Some(content), _) => {
                content.push_str(line);
                content.push('\n');
            }
        }
    }
    // A block that does not end is no call: the rest of the answer may be missing.
    calls
}

/// What a block asks for. What cannot be read names no tool, and is refused as such.
fn call(content: &str, id: &str) -> ToolCall {
    let read = || {
        JsonText::new(content).ok()?;
        let value: serde_json::Value = serde_json::from_str(content).ok()?;
        let name = value.get("name")?.as_str()?.to_owned();
        let arguments = JsonText::new(value.get("arguments")?.to_string()).ok()?;
        arguments.is_object().then_some((name, arguments))
    };
    let (name, arguments) =
        read().unwrap_or_else(|| ("unreadable_block".to_owned(), JsonText::empty_object()));
    ToolCall::new(id, name, arguments)
}

#[cfg(test)]
mod tests;
