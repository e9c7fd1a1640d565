//! What a client of the protocol sends: its conversation, and somewhere in it what was said last.
//!
//! Everything else of its history is ignored: it could say anything. It must not be believed for more than one message.

use axum::http::StatusCode;
use premath_wire::InputClass;
use serde_json::{Map, Value, json};

use crate::asked::unusable;
use crate::failure::Failure;

/// The most characters of a message.
const LONGEST: usize = 32_000;

/// What somebody says.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) conversation: String,
    message_id: Option<String>,
    text: String,
    panels: Option<Value>,
    scopes: Option<Value>,
}

/// What a body looks like.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The conversation; it is begun where there is none of that name." },
            "message": { "type": "object", "description": "What is said, as a UI message of the user." },
            "messages": { "type": "array", "description": "The same as the last of these; the others are ignored." },
            "trigger": { "type": "string" },
            "messageId": { "type": "string" },
            "panels": {
                "type": "array",
                "description": "What the person has open.",
                "items": {
                    "type": "object",
                    "properties": {
                        "fileId": { "type": "string" },
                        "focused": { "type": "boolean" },
                        "pinned": { "type": "boolean" },
                    },
                    "required": ["fileId"],
                },
            },
            "scopes": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["id"],
    })
}

impl Said {
    pub(super) fn read(body: &Map<String, Value>) -> Result<Self, Failure> {
        let missing = |path: &str| unusable(InputClass::FieldMissing, path, "missing field");
        let conversation = body.get("id").and_then(Value::as_str).ok_or_else(|| missing("$.id"))?;
        let message = match (body.get("message"), body.get("messages")) {
            (Some(message @ Value::Object(_)), _) => message,
            (_, Some(Value::Array(messages))) => {
                let is_user = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
                messages.iter().rfind(is_user).ok_or_else(|| missing("$.messages"))?
            }
            (_, _) => return Err(missing("$.message")),
        };
        if message.get("role").and_then(Value::as_str).is_some_and(|role| role != "user") {
            return Err(unusable(
                InputClass::FieldInvalid,
                "$.message.role",
                "only a user says something here",
            ));
        }
        let text = text(message);
        if text.trim().is_empty() {
            return Err(unusable(InputClass::FieldMissing, "$.message.parts", "nothing is said"));
        }
        if text.chars().count() > LONGEST {
            let what = format!("a message has at most {LONGEST} characters");
            return Err(Failure::field(
                StatusCode::PAYLOAD_TOO_LARGE,
                InputClass::TooLarge,
                "$.message.parts",
                &what,
            ));
        }
        // Whoever wants another answer says the same again, and that is another message.
        let is_again = body.get("trigger").and_then(Value::as_str) == Some("regenerate-message");
        let message_id = message.get("id").and_then(Value::as_str).filter(|_| !is_again).map(str::to_owned);
        let given = |name: &str| body.get(name).filter(|value| !value.is_null()).cloned();
        Ok(Self {
            conversation: conversation.to_owned(),
            message_id,
            text,
            panels: given("panels"),
            scopes: given("scopes"),
        })
    }

    /// The arguments of the run that answers.
    pub(super) fn arguments(&self, run_id: &str) -> Map<String, Value> {
        let text = |text: &str| Value::String(text.to_owned());
        let mut arguments = Map::from_iter([
            ("desk".to_owned(), Value::Bool(true)),
            ("conversation".to_owned(), text(&self.conversation)),
            ("beginConversation".to_owned(), Value::Bool(true)),
            ("runId".to_owned(), text(run_id)),
            ("task".to_owned(), text(&self.text)),
        ]);
        let more = [
            ("messageId", self.message_id.as_deref().map(text)),
            ("panels", self.panels.clone()),
            ("scopes", self.scopes.clone()),
        ];
        arguments.extend(more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        arguments
    }
}

/// The texts of a message: of its parts, or its content where it is an old one.
fn text(message: &Value) -> String {
    let parts = message.get("parts").and_then(Value::as_array);
    let is_text = |part: &&Value| part.get("type").and_then(Value::as_str) == Some("text");
    match parts {
        Some(parts) => parts
            .iter()
            .filter(is_text)
            .filter_map(|part| part.get("text")?.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        None => message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
    }
}
