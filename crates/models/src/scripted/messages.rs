//! Anthropic Messages, as its server speaks it: requests read, errors written. Answers are in `answer`.

mod answer;

use premath_tusk::model::ToolOutcome;
use serde_json::{Map, Value, json};

pub(super) use answer::{frames, whole};

use super::body::{content_text, flag, list, need_list, need_text, object, text};
use super::reply::{Failure, FailureForm, FailureKind};
use super::shown::{AnswerForm, ShownCall, ShownMessage, ShownPart, ShownRequest};
use crate::provider::Protocol;

/// Reads a request.
pub(super) fn read(body: &[u8]) -> Result<ShownRequest, Failure> {
    let request = object(body)?;
    if request.get("max_tokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Err(Failure::bad_request("max_tokens: field required"));
    }
    let form = if flag(&request, "stream") { AnswerForm::Streamed } else { AnswerForm::Whole };
    let mut shown = ShownRequest {
        protocol: Protocol::AnthropicMessages,
        model: need_text(&request, "model")?,
        form,
        system: content_text(request.get("system")),
        namespaces: Vec::new(),
        tools: tools(&request),
        messages: Vec::new(),
    };
    for (index, message) in need_list(&request, "messages")?.iter().enumerate() {
        match text(message, "role") {
            "user" => user(message, &mut shown),
            "assistant" => shown.messages.push(ShownMessage::Assistant(calls(message))),
            other => {
                let message = format!("messages.{index}.role: `{other}` is neither user nor assistant");
                return Err(Failure::bad_request(message));
            }
        }
    }
    Ok(shown)
}

fn tools(request: &Map<String, Value>) -> Vec<String> {
    let tools = request.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    tools.iter().map(|tool| text(tool, "name").to_owned()).collect()
}

fn user(message: &Value, shown: &mut ShownRequest) {
    if let Some(said) = message.get("content").and_then(Value::as_str) {
        shown.user(ShownPart::Text(said.to_owned()));
    }
    for block in list(message, "content") {
        match text(block, "type") {
            "text" => shown.user(ShownPart::Text(text(block, "text").to_owned())),
            "tool_result" => {
                let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or_default();
                shown.user(ShownPart::Result {
                    id: text(block, "tool_use_id").to_owned(),
                    content: content_text(block.get("content")),
                    outcome: Some(if failed { ToolOutcome::Error } else { ToolOutcome::Ok }),
                });
            }
            // Images and documents: nothing a scenario can ask about.
            _ => {}
        }
    }
}

fn calls(message: &Value) -> Vec<ShownCall> {
    let blocks = list(message, "content").iter().filter(|block| text(block, "type") == "tool_use");
    blocks.map(|block| ShownCall { id: text(block, "id").to_owned() }).collect()
}

/// How an error looks.
pub(super) fn failure_form(kind: FailureKind) -> FailureForm {
    match kind {
        FailureKind::RateLimit { .. } => FailureForm::new(429, "rate_limit_error", None),
        FailureKind::ServerError { status: 529 } | FailureKind::Overloaded => {
            FailureForm::new(529, "overloaded_error", None)
        }
        FailureKind::ServerError { status: 504 } => FailureForm::new(504, "timeout_error", None),
        FailureKind::ServerError { status } => FailureForm::new(status, "api_error", None),
        FailureKind::Authentication => FailureForm::new(401, "authentication_error", None),
        FailureKind::Mismatch => FailureForm::new(400, "scenario_mismatch", None),
        FailureKind::ContextLength | FailureKind::BadRequest => {
            FailureForm::new(400, "invalid_request_error", None)
        }
        FailureKind::TooLarge => FailureForm::new(413, "request_too_large", None),
        FailureKind::NotFound => FailureForm::new(404, "not_found_error", None),
        FailureKind::MethodNotAllowed => FailureForm::new(405, "invalid_request_error", None),
    }
}

/// The body of an error.
pub(super) fn failure_body(form: FailureForm, message: &str, request_id: &str) -> String {
    json!({
        "type": "error",
        "error": { "type": form.error_type, "message": message },
        "request_id": request_id,
    })
    .to_string()
}
