//! `OpenAI` Chat Completions, as its server speaks it: requests read. Answers are in `answer`.

mod answer;

use serde_json::{Map, Value};

pub(super) use answer::{frames, whole};

use super::body::{content_text, flag, list, need_list, need_text, object, text};
use super::reply::Failure;
use super::shown::{AnswerForm, ShownCall, ShownMessage, ShownPart, ShownRequest};
use crate::provider::Protocol;

/// Reads a request.
pub(super) fn read(body: &[u8]) -> Result<ShownRequest, Failure> {
    let request = object(body)?;
    let mut shown = ShownRequest {
        protocol: Protocol::OpenaiChat,
        model: need_text(&request, "model")?,
        form: form(&request),
        system: String::new(),
        namespaces: Vec::new(),
        tools: tools(&request),
        messages: Vec::new(),
    };
    for (index, message) in need_list(&request, "messages")?.iter().enumerate() {
        let content = content_text(message.get("content"));
        match text(message, "role") {
            "system" | "developer" => shown.add_system(&content),
            "user" => shown.user(ShownPart::Text(content)),
            "tool" => {
                let id = text(message, "tool_call_id").to_owned();
                shown.user(ShownPart::Result { id, content, outcome: None });
            }
            "assistant" => shown.messages.push(ShownMessage::Assistant(calls(message))),
            other => {
                let message = format!("messages.{index}.role: `{other}` is no role");
                return Err(Failure::bad_request(message));
            }
        }
    }
    Ok(shown)
}

fn form(request: &Map<String, Value>) -> AnswerForm {
    let options = request.get("stream_options").and_then(Value::as_object);
    let usage = options.is_some_and(|options| flag(options, "include_usage"));
    match (flag(request, "stream"), usage) {
        (false, _) => AnswerForm::Whole,
        (true, false) => AnswerForm::Streamed,
        (true, true) => AnswerForm::StreamedWithUsage,
    }
}

fn tools(request: &Map<String, Value>) -> Vec<String> {
    let tools = request.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let functions = tools.iter().filter_map(|tool| tool.get("function"));
    functions.map(|function| text(function, "name").to_owned()).collect()
}

fn calls(message: &Value) -> Vec<ShownCall> {
    let calls = list(message, "tool_calls").iter();
    calls.map(|call| ShownCall { id: text(call, "id").to_owned() }).collect()
}
