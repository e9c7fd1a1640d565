//! An event as an agent sends it to its hook: read by the strict decoder, so that nothing in it can be read in two ways.
//!
//! Members that nobody here knows are passed over: agents add them with every version. Those that are known must be what they
//! should be.

use premath_wire::strict::{Limits, parse};
use premath_wire::{InputClass, InputError, JsonPath};
use serde::Deserialize;
use serde_json::Value;

/// The longest event of a hook that is read, in bytes. A longer one is denied.
pub const MOST_EVENT_BYTES: usize = 8 * 1024 * 1024;
/// The most JSON values of an event: memory grows with them, and a short event can hold very many.
const MOST_EVENT_VALUES: usize = 200_000;

/// When the hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// A tool is about to run.
    Before,
    /// A tool has run.
    After,
    /// A person has written something.
    Prompt,
}

/// What happened.
#[derive(Debug)]
pub(super) struct HookEvent {
    pub(super) moment: Moment,
    /// The event, as the agent names it.
    pub(super) name: String,
    pub(super) session: Option<String>,
    pub(super) folder: Option<String>,
    pub(super) mode: Option<String>,
    /// The tool, as the agent names it; empty for what a person wrote.
    pub(super) tool: String,
    pub(super) call_id: Option<String>,
    /// Its arguments.
    pub(super) input: Value,
    /// What it gave back, or what a person wrote.
    pub(super) said: Value,
}

/// The members that are looked at.
#[derive(Debug, Deserialize)]
struct Sent {
    hook_event_name: String,
    session_id: Option<String>,
    cwd: Option<String>,
    permission_mode: Option<String>,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
    tool_input: Option<Value>,
    tool_response: Option<Value>,
    prompt: Option<String>,
}

impl HookEvent {
    /// Reads an event.
    ///
    /// # Errors
    /// What is no JSON, no event, or an event that no hook of ours is for.
    pub(super) fn read(text: &str) -> Result<Self, InputError> {
        let limits =
            Limits { max_bytes: MOST_EVENT_BYTES, max_values: MOST_EVENT_VALUES, ..Limits::default() };
        parse(text.as_bytes(), limits)?;
        let sent: Sent = serde_json::from_str(text).map_err(|error| {
            InputError::new(InputClass::FieldInvalid, error.to_string(), JsonPath::root())
        })?;
        let moment = match sent.hook_event_name.as_str() {
            "PreToolUse" => Moment::Before,
            "PostToolUse" => Moment::After,
            "UserPromptSubmit" => Moment::Prompt,
            _ => {
                let what = "expected `PreToolUse`, `PostToolUse` or `UserPromptSubmit`";
                return Err(wrong(InputClass::FieldInvalid, what, "hook_event_name"));
            }
        };
        let missing = |key: &'static str| wrong(InputClass::FieldMissing, "missing field", key);
        let (tool, input, said) = match moment {
            Moment::Prompt => {
                let prompt = sent.prompt.ok_or_else(|| missing("prompt"))?;
                (String::new(), Value::Null, Value::String(prompt))
            }
            Moment::Before | Moment::After => {
                let tool = sent.tool_name.filter(|name| !name.is_empty());
                let input = sent.tool_input.ok_or_else(|| missing("tool_input"))?;
                let said = match moment {
                    Moment::After => sent.tool_response.ok_or_else(|| missing("tool_response"))?,
                    Moment::Before | Moment::Prompt => Value::Null,
                };
                (tool.ok_or_else(|| missing("tool_name"))?, input, said)
            }
        };
        Ok(Self {
            moment,
            name: sent.hook_event_name,
            session: sent.session_id,
            folder: sent.cwd,
            mode: sent.permission_mode,
            tool,
            call_id: sent.tool_use_id,
            input,
            said,
        })
    }
}

fn wrong(class: InputClass, what: &str, key: &'static str) -> InputError {
    InputError::new(class, what, JsonPath::root().key(key))
}

/// A value as the one text that is looked at: a text itself, anything else as JSON.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

#[cfg(test)]
mod tests;
