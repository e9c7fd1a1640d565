//! The items of a Responses answer: each with the events that build it and the form it has in the end.

use premath_kernel::{hex, sha256};
use serde_json::{Value, json};

use crate::scenario::{Call, Stop};
use crate::scripted::body::pieces;
use crate::scripted::reply::Spoken;

/// An event without its number: a name and the members that come on top of `type` and `sequence_number`.
pub(super) type Event = (&'static str, Value);

/// One item of the output.
pub(super) struct Item {
    /// The events from `output_item.added` to `output_item.done`.
    pub(super) events: Vec<Event>,
    /// The item as it is in the end.
    pub(super) done: Value,
}

/// Everything that is said, as items.
pub(super) fn items(spoken: &Spoken, namespaces: &[String], identity: &str) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(text) = &spoken.reasoning {
        items.push(reasoning(text, items.len(), spoken.chunk, identity));
    }
    let content = spoken.text.as_ref().map(|text| (&TEXT, text));
    if let Some((part, text)) = content.or_else(|| spoken.refusal.as_ref().map(|text| (&REFUSAL, text))) {
        items.push(message(part, text, items.len(), spoken.chunk, identity));
    }
    let last = spoken.calls.len().saturating_sub(1);
    for (number, call) in spoken.calls.iter().enumerate() {
        // Out of tokens with calls on the table: the last one is the one that was not finished.
        let cut = spoken.stop == Stop::MaxTokens && number == last;
        let status = if cut { "incomplete" } else { "completed" };
        let place =
            Place { index: items.len(), chunk: spoken.chunk, identity: format!("{identity}_{number}") };
        items.push(function_call(call, &place, status, namespaces));
    }
    items
}

fn wrapped(index: usize, added: &Value, mut events: Vec<Event>, done: Value) -> Item {
    let mut all = vec![("response.output_item.added", json!({ "output_index": index, "item": added }))];
    all.append(&mut events);
    all.push(("response.output_item.done", json!({ "output_index": index, "item": done })));
    Item { events: all, done }
}

fn reasoning(text: &str, index: usize, chunk: usize, identity: &str) -> Item {
    let id = format!("rs_{identity}");
    let sealed = hex(&sha256(text.as_bytes()));
    let event = |extra: Value| {
        let place = json!({ "item_id": id, "output_index": index, "summary_index": 0 });
        merged(place, extra)
    };
    let part = |text: &str| json!({ "type": "summary_text", "text": text });
    let mut events = vec![("response.reasoning_summary_part.added", event(json!({ "part": part("") })))];
    for piece in pieces(text, chunk) {
        events.push(("response.reasoning_summary_text.delta", event(json!({ "delta": piece }))));
    }
    events.push(("response.reasoning_summary_text.done", event(json!({ "text": text }))));
    events.push(("response.reasoning_summary_part.done", event(json!({ "part": part(text) }))));
    let item = |summary: Value| json!({ "id": id, "type": "reasoning", "encrypted_content": sealed, "summary": summary });
    wrapped(index, &item(json!([])), events, item(json!([part(text)])))
}

/// What differs between the two kinds of content of a message.
struct PartForm {
    kind: &'static str,
    field: &'static str,
    delta: &'static str,
    done: &'static str,
}

const TEXT: PartForm = PartForm {
    kind: "output_text",
    field: "text",
    delta: "response.output_text.delta",
    done: "response.output_text.done",
};
const REFUSAL: PartForm = PartForm {
    kind: "refusal",
    field: "refusal",
    delta: "response.refusal.delta",
    done: "response.refusal.done",
};

impl PartForm {
    fn part(&self, text: &str) -> Value {
        let part = json!({ "type": self.kind, self.field: text });
        if self.kind == "refusal" { part } else { merged(part, json!({ "annotations": [], "logprobs": [] })) }
    }
}

fn message(form: &PartForm, text: &str, index: usize, chunk: usize, identity: &str) -> Item {
    let id = format!("msg_{identity}");
    let event = |extra: Value| {
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        merged(place, extra)
    };
    let logprobs = |extra: Value| {
        if form.kind == "refusal" { extra } else { merged(extra, json!({ "logprobs": [] })) }
    };
    let mut events = vec![("response.content_part.added", event(json!({ "part": form.part("") })))];
    for piece in pieces(text, chunk) {
        events.push((form.delta, event(logprobs(json!({ "delta": piece })))));
    }
    events.push((form.done, event(logprobs(json!({ form.field: text })))));
    events.push(("response.content_part.done", event(json!({ "part": form.part(text) }))));
    let item = |status: &str, content: Value| json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": content });
    wrapped(index, &item("in_progress", json!([])), events, item("completed", json!([form.part(text)])))
}

/// Where an item stands, and how it is cut.
struct Place {
    index: usize,
    chunk: usize,
    identity: String,
}

/// The namespace that a tool was offered in, and its name there.
fn placed<'c>(tool: &'c str, namespaces: &'c [String]) -> (Option<&'c str>, &'c str) {
    let inside = |space: &'c String| {
        let name = tool.strip_prefix(space.as_str())?.strip_prefix("__")?;
        Some((Some(space.as_str()), name))
    };
    namespaces.iter().find_map(inside).unwrap_or((None, tool))
}

fn function_call(call: &Call, place: &Place, status: &str, namespaces: &[String]) -> Item {
    let (index, chunk) = (place.index, place.chunk);
    let id = format!("fc_{}", place.identity);
    let (namespace, name) = placed(&call.tool, namespaces);
    let event = |extra: Value| merged(json!({ "item_id": id, "output_index": index }), extra);
    let mut events = Vec::new();
    for piece in pieces(&call.arguments, chunk) {
        events.push(("response.function_call_arguments.delta", event(json!({ "delta": piece }))));
    }
    let done = json!({ "name": name, "arguments": call.arguments });
    events.push(("response.function_call_arguments.done", event(done)));
    let item = |status: &str, arguments: &str| {
        let item = json!({
            "id": id,
            "type": "function_call",
            "status": status,
            "call_id": call.id,
            "name": name,
            "arguments": arguments,
        });
        match namespace {
            Some(namespace) => merged(item, json!({ "namespace": namespace })),
            None => item,
        }
    };
    wrapped(index, &item("in_progress", ""), events, item(status, &call.arguments))
}

/// Both objects in one.
pub(super) fn merged(mut base: Value, extra: Value) -> Value {
    if let (Some(members), Value::Object(more)) = (base.as_object_mut(), extra) {
        members.extend(more);
    }
    base
}
