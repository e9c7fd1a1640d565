//! A request as the protocol wants it: the same request gives the same bytes, so that a cached prefix stays one. What of it
//! the last request had as well is not written again; marks come and go, so they are put in when a request is written.

use premath_tusk::model::{
    AssistantPart, CacheMarker, Delivery, Message, ModelError, ModelRequest, ParallelCalls, Piece,
    ReasoningEffort, SystemBlock, ToolChoice, ToolOffer, ToolOutcome, UserPart,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::PROTOCOL;
use super::marks::Marks;
use crate::provider::encode::{self, Body, unsendable};

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    max_tokens: u64,
}

#[derive(Serialize)]
struct Calling<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
}

#[derive(Serialize)]
struct Tail<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Box<RawValue>,
}

#[derive(Serialize)]
struct Choice<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disable_parallel_tool_use: Option<bool>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Text {
        r#type: &'static str,
        text: &'a str,
    },
    ToolUse {
        r#type: &'static str,
        id: &'a str,
        name: &'a str,
        input: Box<RawValue>,
    },
    ToolResult {
        r#type: &'static str,
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    },
    Verbatim(Box<RawValue>),
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_tokens: Option<u64>,
}

#[derive(Serialize)]
struct OutputConfig {
    effort: &'static str,
}

/// The body of a request to `model`.
///
/// # Errors
/// `request_invalid` when a verbatim part cannot be written.
pub(crate) fn body(model: &str, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    let tools = request.tools.encoded(PROTOCOL, offer)?;
    let system = request.system.encoded(PROTOCOL, system)?;
    let messages = request.messages.encoded(PROTOCOL, turn)?;
    let mut marks = Marks::of([&tools, &system, &messages]);
    let room = tools.bytes().len() + system.bytes().len() + messages.bytes().len() + Marks::ROOM;
    let mut body = Body::new(room, &Head { model, max_tokens: request.max_output_tokens })?;
    if !tools.bytes().is_empty() {
        marks.put_list(&mut body, "tools", &tools);
    }
    body.fields(&Calling { tool_choice: choice(request) })?;
    if !system.bytes().is_empty() {
        marks.put_list(&mut body, "system", &system);
    }
    marks.put_list(&mut body, "messages", &messages);
    let (thinking, output_config) = thinking(model, request);
    let stream = request.delivery == Delivery::Streamed;
    body.fields(&Tail { stop_sequences: &request.stop_sequences, thinking, output_config, stream })?;
    Ok(body.finish())
}

fn offer(tool: &ToolOffer, piece: &mut Piece) -> Result<(), ModelError> {
    let input_schema = tool.input_schema.raw().map_err(unsendable)?;
    let offer = Tool { name: &tool.name, description: &tool.description, input_schema };
    encode::item(&offer, piece)?;
    markable(tool.cache, piece);
    Ok(())
}

/// A mark is the last field of what it marks.
fn markable(cache: CacheMarker, piece: &mut Piece) {
    match cache {
        CacheMarker::None => {}
        CacheMarker::Here => piece.may_mark_before_last(),
    }
}

/// `auto` is what the protocol does anyway; it is named only where something is said beside it.
fn choice(request: &ModelRequest) -> Option<Choice<'_>> {
    if request.tools.is_empty() {
        return None;
    }
    let one_at_a_time = request.parallel_calls == ParallelCalls::OneAtATime;
    let (kind, name) = match &request.tool_choice {
        ToolChoice::Auto if !one_at_a_time => return None,
        ToolChoice::Auto => ("auto", None),
        ToolChoice::Forbidden => {
            return Some(Choice { r#type: "none", name: None, disable_parallel_tool_use: None });
        }
        ToolChoice::Required => ("any", None),
        ToolChoice::Named(name) => ("tool", Some(name.as_str())),
    };
    Some(Choice { r#type: kind, name, disable_parallel_tool_use: one_at_a_time.then_some(true) })
}

/// The protocol refuses empty texts, so they are not sent.
fn text(text: &str) -> Option<Block<'_>> {
    (!text.is_empty()).then_some(Block::Text { r#type: "text", text })
}

fn system(block: &SystemBlock, piece: &mut Piece) -> Result<(), ModelError> {
    if let Some(said) = text(&block.text) {
        encode::item(&said, piece)?;
        markable(block.cache, piece);
    }
    Ok(())
}

fn turn(message: &Message, piece: &mut Piece) -> Result<(), ModelError> {
    let (role, content) = match message {
        Message::User(parts) => ("user", user(parts)),
        Message::Assistant(parts) => ("assistant", assistant(parts)?),
    };
    for (place, (block, cache)) in content.iter().enumerate() {
        if place == 0 {
            piece.put(br#",{"role":""#);
            piece.put(role.as_bytes());
            piece.put(br#"","content":["#);
            serde_json::to_writer(&mut *piece, block).map_err(unsendable)?;
        } else {
            encode::item(block, piece)?;
        }
        markable(*cache, piece);
    }
    if !content.is_empty() {
        piece.put(b"]}");
    }
    Ok(())
}

/// The protocol wants the results of tools before anything else in a message.
fn user(parts: &[UserPart]) -> Vec<(Block<'_>, CacheMarker)> {
    let mut results = Vec::with_capacity(parts.len());
    let mut texts = Vec::new();
    for part in parts {
        match part {
            UserPart::Text { text: said, cache } => texts.extend(text(said).map(|block| (block, *cache))),
            UserPart::ToolResult(result) => {
                let is_error = match result.outcome {
                    ToolOutcome::Ok => None,
                    ToolOutcome::Error => Some(true),
                };
                let (tool_use_id, content) = (&result.call_id, &result.content);
                let block = Block::ToolResult { r#type: "tool_result", tool_use_id, content, is_error };
                results.push((block, result.cache));
            }
        }
    }
    results.append(&mut texts);
    results
}

fn assistant(parts: &[AssistantPart]) -> Result<Vec<(Block<'_>, CacheMarker)>, ModelError> {
    let blocks = parts.iter().filter_map(|part| said(part).transpose());
    blocks.map(|block| Ok((block?, CacheMarker::None))).collect()
}

fn said(part: &AssistantPart) -> Result<Option<Block<'_>>, ModelError> {
    let own = match part {
        AssistantPart::Text(said) | AssistantPart::Refusal(said) => return Ok(text(said)),
        AssistantPart::ToolCall(call) => {
            let input = call.arguments.raw().map_err(unsendable)?;
            return Ok(Some(Block::ToolUse { r#type: "tool_use", id: &call.id, name: &call.name, input }));
        }
        AssistantPart::Reasoning(reasoning) => reasoning.verbatim.as_ref(),
        AssistantPart::Opaque(block) => Some(block),
    };
    let own = own.and_then(|block| encode::own(PROTOCOL, block)).transpose()?;
    Ok(own.map(Block::Verbatim))
}

/// Models before 4.6 take a budget of tokens, later ones decide for themselves and refuse a budget.
fn thinking(model: &str, request: &ModelRequest) -> (Option<Thinking>, Option<OutputConfig>) {
    const LEAST_BUDGET: u64 = 1024;
    const WITH_BUDGET: [&str; 10] = [
        "claude-3",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2",
        "claude-opus-4-5",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2",
        "claude-sonnet-4-5",
        "claude-haiku-4-2",
        "claude-haiku-4-5",
    ];
    let Some(effort) = request.reasoning else { return (None, None) };
    if !WITH_BUDGET.iter().any(|prefix| model.starts_with(prefix)) {
        let adaptive = Thinking { r#type: "adaptive", budget_tokens: None };
        return (Some(adaptive), Some(OutputConfig { effort: encode::effort(effort) }));
    }
    let share = match effort {
        ReasoningEffort::Low => 4,
        ReasoningEffort::Medium => 2,
        ReasoningEffort::High => 1,
    };
    // A budget has to leave room for an answer; where there is none, the model does not think.
    let budget = (request.max_output_tokens.saturating_mul(3) / 4 / share).max(LEAST_BUDGET);
    let fits = budget < request.max_output_tokens;
    (fits.then_some(Thinking { r#type: "enabled", budget_tokens: Some(budget) }), None)
}
