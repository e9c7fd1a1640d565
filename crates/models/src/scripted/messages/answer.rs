//! What Anthropic Messages answers: the events of a stream, and the same in one piece.

use premath_kernel::{hex, sha256};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::scenario::{Call, Stop};
use crate::scripted::body::{Frame, pieces};
use crate::scripted::reply::{Spoken, SpokenUsage};

/// One block of the content: how it begins, what is added to it, and how it is in one piece.
struct Block {
    start: Value,
    deltas: Vec<Value>,
    whole: Option<Box<RawValue>>,
}

/// The events of a streamed answer.
pub(in crate::scripted) fn frames(spoken: &Spoken, model: &str, identity: &str) -> Vec<Frame> {
    let message = json!({
        "id": format!("msg_{identity}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage(SpokenUsage { output: 1, ..spoken.usage }),
    });
    let mut frames = vec![
        Frame::named("message_start", &json!({ "type": "message_start", "message": message })),
        Frame::named("ping", &json!({ "type": "ping" })),
    ];
    for (index, block) in blocks(spoken).into_iter().enumerate() {
        let start = json!({ "type": "content_block_start", "index": index, "content_block": block.start });
        frames.push(Frame::named("content_block_start", &start));
        for delta in block.deltas {
            let event = json!({ "type": "content_block_delta", "index": index, "delta": delta });
            frames.push(Frame::named("content_block_delta", &event));
        }
        let end = json!({ "type": "content_block_stop", "index": index });
        frames.push(Frame::named("content_block_stop", &end));
    }
    let mut delta = json!({ "stop_reason": stop_reason(&spoken.stop), "stop_sequence": null });
    if let (Some(details), Some(members)) = (stop_details(spoken), delta.as_object_mut()) {
        members.insert("stop_details".to_owned(), details);
    }
    let end = json!({ "type": "message_delta", "delta": delta, "usage": usage(spoken.usage) });
    frames.push(Frame::named("message_delta", &end));
    frames.push(Frame::named("message_stop", &json!({ "type": "message_stop" })));
    frames
}

/// An answer in one piece. A struct, because arguments are sent as they were written.
#[derive(Serialize)]
struct Message<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<Box<RawValue>>,
    stop_reason: &'a str,
    stop_sequence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_details: Option<Value>,
    usage: Value,
}

/// An answer in one piece.
pub(in crate::scripted) fn whole(spoken: &Spoken, model: &str, identity: &str) -> String {
    let message = Message {
        id: format!("msg_{identity}"),
        kind: "message",
        role: "assistant",
        model,
        content: blocks(spoken).into_iter().filter_map(|block| block.whole).collect(),
        stop_reason: stop_reason(&spoken.stop),
        stop_sequence: None,
        stop_details: stop_details(spoken),
        usage: usage(spoken.usage),
    };
    serde_json::to_string(&message).unwrap_or_default()
}

fn blocks(spoken: &Spoken) -> Vec<Block> {
    let thinking = spoken.reasoning.as_deref().map(|text| thinking_block(text, spoken.chunk));
    let text = spoken.text.as_deref().map(|text| text_block(text, spoken.chunk));
    let calls = spoken.calls.iter().map(|call| call_block(call, spoken.chunk));
    thinking.into_iter().chain(text).chain(calls).collect()
}

fn thinking_block(text: &str, chunk: usize) -> Block {
    let signature = signature(text);
    let mut deltas: Vec<Value> = pieces(text, chunk)
        .into_iter()
        .map(|piece| json!({ "type": "thinking_delta", "thinking": piece }))
        .collect();
    deltas.push(json!({ "type": "signature_delta", "signature": signature }));
    Block {
        start: json!({ "type": "thinking", "thinking": "", "signature": "" }),
        deltas,
        whole: raw(&json!({ "type": "thinking", "thinking": text, "signature": signature })),
    }
}

/// What has to come back with a thought.
fn signature(text: &str) -> String {
    hex(&sha256(text.as_bytes()))
}

fn text_block(text: &str, chunk: usize) -> Block {
    let deltas = pieces(text, chunk).into_iter().map(|piece| json!({ "type": "text_delta", "text": piece }));
    Block {
        start: json!({ "type": "text", "text": "" }),
        deltas: deltas.collect(),
        whole: raw(&json!({ "type": "text", "text": text })),
    }
}

#[derive(Serialize)]
struct ToolUse<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    name: &'a str,
    input: Box<RawValue>,
}

fn call_block(call: &Call, chunk: usize) -> Block {
    let first = json!({ "type": "input_json_delta", "partial_json": "" });
    let rest = pieces(&call.arguments, chunk)
        .into_iter()
        .map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
    // Arguments that are not JSON cannot stand in an answer of one piece; as a text they are just as wrong.
    let input = RawValue::from_string(call.arguments.clone()).ok().or_else(|| raw(&json!(call.arguments)));
    let whole = input.and_then(|input| {
        to_raw_value(&ToolUse { kind: "tool_use", id: &call.id, name: &call.tool, input }).ok()
    });
    Block {
        start: json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": {} }),
        deltas: std::iter::once(first).chain(rest).collect(),
        whole,
    }
}

fn raw(value: &Value) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

fn stop_reason(stop: &Stop) -> &str {
    match stop {
        Stop::EndTurn => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::PauseTurn => "pause_turn",
        Stop::Refusal => "refusal",
        Stop::Other(reason) => reason,
    }
}

/// Messages has no content for a refusal: why is said beside the stop reason.
fn stop_details(spoken: &Spoken) -> Option<Value> {
    let refusal = spoken.refusal.as_deref()?;
    Some(json!({ "type": "refusal", "category": null, "explanation": refusal }))
}

fn usage(usage: SpokenUsage) -> Value {
    json!({
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
        "service_tier": "standard",
    })
}
