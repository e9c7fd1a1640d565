//! A request as the protocol wants it: the same request gives the same bytes, so that a cached prefix stays one. Nothing
//! is sent that a plain compatible server would not know, unless the request asks for it. What of it the last request had
//! as well is not written again.

use premath_tusk::model::{
    AssistantPart, Delivery, Message, ModelError, ModelRequest, ParallelCalls, Piece, ToolChoice, ToolOffer,
    UserPart,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::PROTOCOL;
use crate::provider::encode::{self, Body, unsendable};

/// What the limit of an answer is called. OpenAI's newer models refuse the old name, other servers ignore the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LengthField {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
}

#[derive(Serialize)]
struct Calling<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
}

#[derive(Serialize)]
struct Tail<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Box<RawValue>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Function { r#type: &'static str, function: Named<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Turn<'a> {
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

/// A bare text where there is one: not every server takes a list.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    One(&'a str),
    Several(Vec<Text<'a>>),
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The body of a request to `model`.
///
/// # Errors
/// `request_invalid` when a schema cannot be written.
pub(crate) fn body(model: &str, request: &ModelRequest, length: LengthField) -> Result<Vec<u8>, ModelError> {
    let has_tools = !request.tools.is_empty();
    let is_streamed = request.delivery == Delivery::Streamed;
    let one_at_a_time = request.parallel_calls == ParallelCalls::OneAtATime && has_tools;
    let limit = |field: LengthField| (length == field).then_some(request.max_output_tokens);
    let tools = request.tools.encoded(PROTOCOL, offer)?;
    let system = encode::system_text(&request.system)?;
    let messages = request.messages.encoded(PROTOCOL, turns)?;
    let head = Head {
        model,
        max_tokens: limit(LengthField::MaxTokens),
        max_completion_tokens: limit(LengthField::MaxCompletionTokens),
    };
    let room = tools.bytes().len() + system.bytes().len() + messages.bytes().len();
    let mut body = Body::new(room, &head)?;
    if !tools.bytes().is_empty() {
        body.list("tools", &tools);
    }
    let tool_choice = if has_tools { choice(&request.tool_choice) } else { None };
    body.fields(&Calling { tool_choice, parallel_tool_calls: one_at_a_time.then_some(false) })?;
    if system.bytes().is_empty() {
        body.list("messages", &messages);
    } else {
        body.name("messages");
        body.put(br#"[{"role":"system","content":"#);
        body.text(&system);
        body.put(b"}");
        body.put(messages.bytes());
        body.put(b"]");
    }
    body.fields(&Tail {
        stop: &request.stop_sequences,
        reasoning_effort: request.reasoning.map(encode::effort),
        stream: is_streamed,
        stream_options: is_streamed.then_some(StreamOptions { include_usage: true }),
    })?;
    Ok(body.finish())
}

fn offer(tool: &ToolOffer, piece: &mut Piece) -> Result<(), ModelError> {
    let parameters = tool.input_schema.raw().map_err(unsendable)?;
    let function = Function { name: &tool.name, description: &tool.description, parameters };
    encode::item(&Tool { r#type: "function", function }, piece)
}

fn choice(choice: &ToolChoice) -> Option<Choice<'_>> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Forbidden => Some(Choice::Word("none")),
        ToolChoice::Required => Some(Choice::Word("required")),
        ToolChoice::Named(name) => Some(Choice::Function { r#type: "function", function: Named { name } }),
    }
}

fn turns(message: &Message, piece: &mut Piece) -> Result<(), ModelError> {
    match message {
        Message::User(parts) => user(parts, piece),
        Message::Assistant(parts) => assistant(parts).map_or(Ok(()), |turn| encode::item(&turn, piece)),
    }
}

/// Results answer the calls right before them, so they come before what the person says.
fn user(parts: &[UserPart], piece: &mut Piece) -> Result<(), ModelError> {
    let mut texts = Vec::new();
    for part in parts {
        match part {
            UserPart::Text { text, .. } => texts.push(text.as_str()),
            UserPart::ToolResult(result) => {
                encode::item(&Turn::Tool { tool_call_id: &result.call_id, content: &result.content }, piece)?;
            }
        }
    }
    let content = match texts.as_slice() {
        [] => return Ok(()),
        [text] => Content::One(text),
        several => Content::Several(several.iter().map(|text| Text { r#type: "text", text }).collect()),
    };
    encode::item(&Turn::User { content }, piece)
}

/// The protocol takes neither thoughts nor blocks of others back.
fn assistant(parts: &[AssistantPart]) -> Option<Turn<'_>> {
    let mut content = String::new();
    let mut tool_calls = Vec::new();
    for part in parts {
        match part {
            AssistantPart::Text(text) | AssistantPart::Refusal(text) => content.push_str(text),
            AssistantPart::ToolCall(call) => tool_calls.push(Call {
                id: &call.id,
                r#type: "function",
                function: Called { name: &call.name, arguments: call.arguments.as_str() },
            }),
            AssistantPart::Reasoning(_) | AssistantPart::Opaque(_) => {}
        }
    }
    let content = (!content.is_empty()).then_some(content);
    (content.is_some() || !tool_calls.is_empty()).then_some(Turn::Assistant { content, tool_calls })
}
