//! A stream of a megabyte of text in deltas of 20 bytes, and the two ways to read it that are compared.

use premath_models::provider::{AnswerDecoder, AnswerLimits, Protocol};
use premath_tusk::model::{Delivery, ModelEvent};
use serde_json::{Value, json};

const DELTA: &str = "twenty bytes \"long\", ";

/// The stream a provider would send.
pub(crate) fn stream(protocol: Protocol, text_bytes: usize) -> Vec<u8> {
    let text = DELTA.get(..20).unwrap_or(DELTA);
    let count = text_bytes / text.len();
    let (before, delta, after) = match protocol {
        Protocol::AnthropicMessages => anthropic(text),
        Protocol::OpenaiResponses => responses(text),
        Protocol::OpenaiChat => chat(text),
    };
    let framed = |lines: &[Value]| -> String {
        lines.iter().map(|line| format!("event: {}\ndata: {line}\n\n", line["type"])).collect()
    };
    let mut stream = framed(&before);
    stream.push_str(&framed(&[delta]).repeat(count));
    stream.push_str(&framed(&after));
    if protocol == Protocol::OpenaiChat {
        stream.push_str("data: [DONE]\n\n");
    }
    stream.into_bytes()
}

type Lines = (Vec<Value>, Value, Vec<Value>);

fn anthropic(text: &str) -> Lines {
    let before = vec![
        json!({"type": "message_start", "message": {"id": "m", "model": "c", "usage": {"input_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ];
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let after = vec![
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ];
    (before, delta, after)
}

fn responses(text: &str) -> Lines {
    let before = vec![json!({"type": "response.created", "response": {"id": "r", "model": "g"}})];
    let delta = json!({"type": "response.output_text.delta", "content_index": 0, "delta": text,
        "item_id": "msg_0b0392bd3bb81302006994e83b32748193aa637cdb31658266", "logprobs": [],
        "obfuscation": "mMOcmYeOZsxvKYe", "output_index": 0, "sequence_number": 4});
    let after =
        vec![json!({"type": "response.completed", "response": {"status": "completed", "output": []}})];
    (before, delta, after)
}

fn chat(text: &str) -> Lines {
    let chunk = |delta: Value, reason: Value| {
        json!({"id": "chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0", "object": "chat.completion.chunk",
            "created": 1_770_933_892, "model": "gpt-4.1-nano-2025-04-14", "system_fingerprint": "fp_de604bd877",
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}], "usage": null})
    };
    (Vec::new(), chunk(json!({"content": text}), Value::Null), vec![chunk(json!({}), json!("stop"))])
}

/// The floor: lines split, each JSON parsed once. Returns how many there were.
pub(crate) fn parse_lines(stream: &[u8]) -> usize {
    let lines = stream.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data: "));
    let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    values.filter(|value| !value.is_null()).count()
}

/// The whole path: pieces as they come, events as they are handed out. Returns how much text there was.
pub(crate) fn decode(protocol: Protocol, stream: &[u8], piece: usize) -> usize {
    let mut decoder = AnswerDecoder::new(protocol, Delivery::Streamed, None, AnswerLimits::default());
    let mut length = 0;
    let mut take = |decoder: &mut AnswerDecoder| {
        while let Some(Ok(event)) = decoder.next_event() {
            if let ModelEvent::TextDelta { text, .. } = event {
                length += text.len();
            }
        }
    };
    for bytes in stream.chunks(piece) {
        decoder.push(bytes);
        take(&mut decoder);
    }
    decoder.end();
    take(&mut decoder);
    length
}
