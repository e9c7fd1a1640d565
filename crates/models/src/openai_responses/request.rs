//! A request as the protocol wants it: the same request gives the same bytes, so that a cached prefix stays one. What of it
//! the last request had as well is not written again.

use premath_tusk::model::{
    AssistantPart, Delivery, Message, ModelError, ModelErrorKind, ModelRequest, ParallelCalls, Piece,
    ToolChoice, ToolOffer, UserPart,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::PROTOCOL;
use crate::provider::encode::{self, Body, unsendable};

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    max_output_tokens: u64,
}

#[derive(Serialize)]
struct Calling<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
}

#[derive(Serialize)]
struct Tail {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    include: &'static [&'static str],
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Box<RawValue>,
    strict: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Function { r#type: &'static str, name: &'a str },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Message { r#type: &'static str, role: &'static str, content: Vec<Content<'a>> },
    FunctionCall { r#type: &'static str, call_id: &'a str, name: &'a str, arguments: &'a str },
    FunctionCallOutput { r#type: &'static str, call_id: &'a str, output: &'a str },
    Verbatim(Box<RawValue>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text { r#type: &'static str, text: &'a str },
    Refusal { r#type: &'static str, refusal: &'a str },
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
    summary: &'static str,
}

/// The body of a request to `model`.
///
/// # Errors
/// `stop_sequences_unsupported`: the protocol has none, and leaving them out would change the answer. `request_invalid`
/// when a verbatim part cannot be written.
pub(crate) fn body(model: &str, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    if !request.stop_sequences.is_empty() {
        let message = "this protocol has no stop sequences";
        return Err(ModelError::new(ModelErrorKind::Model, "stop_sequences_unsupported", message));
    }
    let tools = request.tools.encoded(PROTOCOL, offer)?;
    let instructions = encode::system_text(&request.system)?;
    let input = request.messages.encoded(PROTOCOL, items)?;
    let one_at_a_time = request.parallel_calls == ParallelCalls::OneAtATime && !request.tools.is_empty();
    let room = tools.bytes().len() + instructions.bytes().len() + input.bytes().len();
    let mut body = Body::new(room, &Head { model, max_output_tokens: request.max_output_tokens })?;
    if !tools.bytes().is_empty() {
        body.list("tools", &tools);
    }
    let parallel_tool_calls = one_at_a_time.then_some(false);
    body.fields(&Calling { tool_choice: choice(request), parallel_tool_calls })?;
    if !instructions.bytes().is_empty() {
        body.name("instructions");
        body.text(&instructions);
    }
    body.list("input", &input);
    body.fields(&Tail {
        reasoning: request
            .reasoning
            .map(|effort| Reasoning { effort: encode::effort(effort), summary: "auto" }),
        include: if can_reason(model) { &["reasoning.encrypted_content"] } else { &[] },
        store: false,
        stream: request.delivery == Delivery::Streamed,
    })?;
    Ok(body.finish())
}

/// Models that do not reason refuse to be asked for what they thought; of all others it is needed for the next turn.
fn can_reason(model: &str) -> bool {
    !["gpt-3.5", "gpt-4", "chatgpt-"].iter().any(|prefix| model.starts_with(prefix))
}

/// Not strict: a strict tool has its schema rewritten, and ours is pinned.
fn offer(tool: &ToolOffer, piece: &mut Piece) -> Result<(), ModelError> {
    let parameters = tool.input_schema.raw().map_err(unsendable)?;
    let ToolOffer { name, description, .. } = tool;
    encode::item(&Tool { r#type: "function", name, description, parameters, strict: false }, piece)
}

fn choice(request: &ModelRequest) -> Option<Choice<'_>> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::Forbidden => Some(Choice::Word("none")),
        ToolChoice::Required => Some(Choice::Word("required")),
        ToolChoice::Named(name) => Some(Choice::Function { r#type: "function", name }),
    }
}

fn items(message: &Message, piece: &mut Piece) -> Result<(), ModelError> {
    match message {
        Message::User(parts) => parts.iter().try_for_each(|part| encode::item(&user(part), piece)),
        Message::Assistant(parts) => {
            parts.iter().filter_map(assistant).try_for_each(|said| encode::item(&said?, piece))
        }
    }
}

/// The protocol has no mark for a result that is an error; its content says so.
fn user(part: &UserPart) -> Item<'_> {
    match part {
        UserPart::Text { text, .. } => message("user", Content::Text { r#type: "input_text", text }),
        UserPart::ToolResult(result) => Item::FunctionCallOutput {
            r#type: "function_call_output",
            call_id: &result.call_id,
            output: &result.content,
        },
    }
}

fn assistant(part: &AssistantPart) -> Option<Result<Item<'_>, ModelError>> {
    match part {
        AssistantPart::Text(text) => {
            Some(Ok(message("assistant", Content::Text { r#type: "output_text", text })))
        }
        AssistantPart::Refusal(refusal) => {
            Some(Ok(message("assistant", Content::Refusal { r#type: "refusal", refusal })))
        }
        AssistantPart::ToolCall(call) => Some(Ok(Item::FunctionCall {
            r#type: "function_call",
            call_id: &call.id,
            name: &call.name,
            arguments: call.arguments.as_str(),
        })),
        AssistantPart::Reasoning(reasoning) => {
            let own = reasoning.verbatim.as_ref().and_then(|block| encode::own(PROTOCOL, block))?;
            Some(own.map(Item::Verbatim))
        }
        AssistantPart::Opaque(block) => Some(encode::own(PROTOCOL, block)?.map(Item::Verbatim)),
    }
}

fn message<'a>(role: &'static str, content: Content<'a>) -> Item<'a> {
    Item::Message { r#type: "message", role, content: vec![content] }
}
