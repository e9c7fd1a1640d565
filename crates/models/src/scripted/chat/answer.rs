//! What Chat Completions answers: chunks that end in `[DONE]`, and the same in one piece.

use serde_json::{Value, json};

use crate::scenario::{Call, Stop};
use crate::scripted::body::{Frame, pieces};
use crate::scripted::openai::{CREATED, chat_usage};
use crate::scripted::reply::Spoken;
use crate::scripted::shown::AnswerForm;

/// The chunks of a streamed answer.
pub(in crate::scripted) fn frames(
    spoken: &Spoken,
    model: &str,
    identity: &str,
    form: AnswerForm,
) -> Vec<Frame> {
    let with_usage = form == AnswerForm::StreamedWithUsage;
    let chunk = |choices: Value, usage: Value| {
        let mut chunk = json!({
            "id": format!("chatcmpl-{identity}"),
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": model,
            "choices": choices,
        });
        if let Some(members) = chunk.as_object_mut().filter(|_| with_usage) {
            members.insert("usage".to_owned(), usage);
        }
        Frame::plain(chunk.to_string())
    };
    let choice = |delta: &Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        chunk(json!([choice]), Value::Null)
    };
    let mut frames: Vec<Frame> = deltas(spoken).iter().map(|delta| choice(delta, None)).collect();
    frames.push(choice(&json!({}), Some(finish_reason(&spoken.stop))));
    if with_usage {
        frames.push(chunk(json!([]), chat_usage(spoken.usage)));
    }
    frames.push(Frame::plain("[DONE]"));
    frames
}

fn deltas(spoken: &Spoken) -> Vec<Value> {
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    let texts =
        [("reasoning_content", &spoken.reasoning), ("content", &spoken.text), ("refusal", &spoken.refusal)];
    for (name, text) in texts {
        let text = text.as_deref().unwrap_or_default();
        deltas.extend(pieces(text, spoken.chunk).into_iter().map(|piece| json!({ name: piece })));
    }
    for (index, call) in spoken.calls.iter().enumerate() {
        let function = json!({ "name": call.tool, "arguments": "" });
        let start = json!({ "index": index, "id": call.id, "type": "function", "function": function });
        deltas.push(json!({ "tool_calls": [start] }));
        for piece in pieces(&call.arguments, spoken.chunk) {
            let more = json!({ "index": index, "function": { "arguments": piece } });
            deltas.push(json!({ "tool_calls": [more] }));
        }
    }
    deltas
}

/// An answer in one piece.
pub(in crate::scripted) fn whole(spoken: &Spoken, model: &str, identity: &str) -> String {
    let mut message = json!({ "role": "assistant", "content": spoken.text, "refusal": spoken.refusal });
    if let Some(members) = message.as_object_mut() {
        if let Some(reasoning) = &spoken.reasoning {
            members.insert("reasoning_content".to_owned(), json!(reasoning));
        }
        if !spoken.calls.is_empty() {
            let calls: Vec<Value> = spoken.calls.iter().map(whole_call).collect();
            members.insert("tool_calls".to_owned(), json!(calls));
        }
    }
    let finish_reason = finish_reason(&spoken.stop);
    let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason });
    json!({
        "id": format!("chatcmpl-{identity}"),
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [choice],
        "usage": chat_usage(spoken.usage),
    })
    .to_string()
}

fn whole_call(call: &Call) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.tool, "arguments": call.arguments },
    })
}

/// A refusal ends with `stop`: that it is one is said by the field it is in.
fn finish_reason(stop: &Stop) -> &str {
    match stop {
        Stop::EndTurn | Stop::Refusal => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::PauseTurn => "pause_turn",
        Stop::Other(reason) => reason,
    }
}
