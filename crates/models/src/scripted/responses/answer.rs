//! What Responses answers: numbered events around the items, and the same in one piece.

use serde_json::{Value, json};

use super::item::{Event, items, merged};
use crate::scenario::Stop;
use crate::scripted::body::Frame;
use crate::scripted::openai::{CREATED, response_usage};
use crate::scripted::reply::Spoken;
use crate::scripted::shown::ShownRequest;

/// The events of a streamed answer.
pub(in crate::scripted) fn frames(spoken: &Spoken, shown: &ShownRequest, identity: &str) -> Vec<Frame> {
    let begun = response(&shown.model, identity, "in_progress", &json!({ "output": [], "usage": null }));
    let mut events: Vec<Event> = vec![
        ("response.created", json!({ "response": begun })),
        ("response.in_progress", json!({ "response": begun })),
    ];
    for item in items(spoken, &shown.namespaces, identity) {
        events.extend(item.events);
    }
    let end = if status(&spoken.stop) == "completed" { "response.completed" } else { "response.incomplete" };
    events.push((end, json!({ "response": finished(spoken, shown, identity) })));
    let numbered = events.into_iter().enumerate().map(|(number, (name, members))| {
        let head = json!({ "type": name, "sequence_number": number });
        Frame::named(name, &merged(head, members))
    });
    numbered.collect()
}

/// An answer in one piece.
pub(in crate::scripted) fn whole(spoken: &Spoken, shown: &ShownRequest, identity: &str) -> String {
    finished(spoken, shown, identity).to_string()
}

fn finished(spoken: &Spoken, shown: &ShownRequest, identity: &str) -> Value {
    let output: Vec<Value> =
        items(spoken, &shown.namespaces, identity).into_iter().map(|item| item.done).collect();
    let end = json!({
        "output": output,
        "usage": response_usage(spoken.usage),
        "incomplete_details": incomplete_details(&spoken.stop),
    });
    response(&shown.model, identity, status(&spoken.stop), &end)
}

fn response(model: &str, identity: &str, status: &str, state: &Value) -> Value {
    let common = json!({
        "id": format!("resp_{identity}"),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "max_output_tokens": null,
        "metadata": {},
        "model": model,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": { "effort": null, "summary": null },
        "service_tier": "default",
        "store": false,
        "temperature": 1.0,
        "text": { "format": { "type": "text" } },
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "user": null,
    });
    merged(common, state.clone())
}

/// An answer is complete whether it speaks, calls or refuses; everything else is why it is not.
fn status(stop: &Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::Refusal => "completed",
        Stop::MaxTokens | Stop::PauseTurn | Stop::Other(_) => "incomplete",
    }
}

fn incomplete_details(stop: &Stop) -> Value {
    match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::Refusal => Value::Null,
        Stop::MaxTokens => json!({ "reason": "max_output_tokens" }),
        Stop::PauseTurn => json!({ "reason": "pause_turn" }),
        Stop::Other(reason) => json!({ "reason": reason }),
    }
}
