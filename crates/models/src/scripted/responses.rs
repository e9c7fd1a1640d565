//! `OpenAI` Responses, as its server speaks it: requests read. Answers are in `answer`, item by item in `item`.

mod answer;
mod item;

use serde_json::{Map, Value};

pub(super) use answer::{frames, whole};

use super::body::{content_text, flag, need_list, need_text, object, text};
use super::reply::Failure;
use super::shown::{AnswerForm, ShownCall, ShownMessage, ShownPart, ShownRequest};
use crate::provider::Protocol;

/// Reads a request.
pub(super) fn read(body: &[u8]) -> Result<ShownRequest, Failure> {
    let request = object(body)?;
    if request.get("previous_response_id").is_some_and(|id| !id.is_null()) {
        let message = "previous_response_id: nothing is stored here; send the whole conversation as input";
        return Err(Failure::bad_request(message));
    }
    let form = if flag(&request, "stream") { AnswerForm::Streamed } else { AnswerForm::Whole };
    let mut shown = ShownRequest {
        protocol: Protocol::OpenaiResponses,
        model: need_text(&request, "model")?,
        form,
        system: content_text(request.get("instructions")),
        tools: tools(&request),
        namespaces: namespaces(&request).map(|space| text(space, "name").to_owned()).collect(),
        messages: Vec::new(),
    };
    if let Some(said) = request.get("input").and_then(Value::as_str) {
        shown.user(ShownPart::Text(said.to_owned()));
        return Ok(shown);
    }
    let mut answer = Answer::default();
    for item in need_list(&request, "input")? {
        input_item(item, &mut shown, &mut answer)?;
    }
    Ok(shown)
}

fn offered(request: &Map<String, Value>) -> &[Value] {
    request.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Tools that are offered together under one name, as agents offer those of a server.
fn namespaces(request: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    offered(request).iter().filter(|tool| text(tool, "type") == "namespace")
}

fn tools(request: &Map<String, Value>) -> Vec<String> {
    let name = |tool: &Value| text(tool, "name").to_owned();
    let plain = offered(request).iter().filter(|tool| text(tool, "type") != "namespace").map(name);
    let inside = namespaces(request).flat_map(|space| {
        let tools = space.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        tools.iter().map(move |tool| format!("{}__{}", text(space, "name"), text(tool, "name")))
    });
    plain.chain(inside).collect()
}

/// Where in an answer its last item belongs. One answer is several items here: at most one thought, then at most one
/// message, then calls. An item that would go backwards begins the next answer, so that two answers without anything
/// between them (a paused one and its continuation) stay two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    #[default]
    None,
    Thought,
    Said,
    Called,
}

fn input_item(item: &Value, shown: &mut ShownRequest, answer: &mut Answer) -> Result<(), Failure> {
    match (text(item, "type"), text(item, "role")) {
        ("message" | "", "assistant") => said(Answer::Said, None, shown, answer),
        ("message" | "", "user") => {
            *answer = Answer::None;
            shown.user(ShownPart::Text(content_text(item.get("content"))));
        }
        ("message" | "", "system" | "developer") => shown.add_system(&content_text(item.get("content"))),
        ("reasoning", _) => said(Answer::Thought, None, shown, answer),
        ("function_call", _) => {
            let call = ShownCall { id: text(item, "call_id").to_owned() };
            said(Answer::Called, Some(call), shown, answer);
        }
        ("function_call_output", _) => {
            *answer = Answer::None;
            let content = content_text(item.get("output"));
            shown.user(ShownPart::Result { id: text(item, "call_id").to_owned(), content, outcome: None });
        }
        ("message" | "", role) => {
            return Err(Failure::bad_request(format!("input: `{role}` is no role")));
        }
        // Items of tools that run at the provider: nothing a scenario can ask about.
        (_, _) => {}
    }
    Ok(())
}

fn said(now: Answer, call: Option<ShownCall>, shown: &mut ShownRequest, answer: &mut Answer) {
    let continues = now > *answer || (now == Answer::Called && *answer == Answer::Called);
    match shown.messages.last_mut() {
        Some(ShownMessage::Assistant(calls)) if continues => calls.extend(call),
        Some(ShownMessage::Assistant(_) | ShownMessage::User(_)) | None => {
            shown.messages.push(ShownMessage::Assistant(call.into_iter().collect()));
        }
    }
    *answer = now;
}
