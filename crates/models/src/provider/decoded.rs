//! For tests: lines of a stream to events, and events to parts.

use premath_tusk::model::{AssistantPart, Delivery, ModelError, ModelEvent};
use serde_json::Value;

use super::{AnswerDecoder, AnswerLimits, Protocol};

/// The events of a stream of these documents and the error that ended it, if one did.
pub(crate) fn decoded(protocol: Protocol, lines: &[Value]) -> (Vec<ModelEvent>, Option<ModelError>) {
    let framed: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
    decoded_text(protocol, &framed)
}

/// The same of a stream as it is sent.
pub(crate) fn decoded_text(protocol: Protocol, stream: &str) -> (Vec<ModelEvent>, Option<ModelError>) {
    read(protocol, Delivery::Streamed, stream.as_bytes())
}

/// The same of an answer in one piece.
pub(crate) fn decoded_whole(protocol: Protocol, body: &[u8]) -> (Vec<ModelEvent>, Option<ModelError>) {
    read(protocol, Delivery::Whole, body)
}

fn read(protocol: Protocol, delivery: Delivery, bytes: &[u8]) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut decoder = AnswerDecoder::new(protocol, delivery, None, AnswerLimits::default());
    decoder.push(bytes);
    decoder.end();
    let mut events = Vec::new();
    while let Some(item) = decoder.next_event() {
        match item {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

/// The complete parts, in the order in which they were done.
pub(crate) fn parts(events: &[ModelEvent]) -> Vec<AssistantPart> {
    let done = events.iter().filter(|event| matches!(event, ModelEvent::PartDone { .. }));
    let parts = done.filter_map(|event| {
        let ModelEvent::PartDone { part, .. } = event else { return None };
        Some(part.clone())
    });
    parts.collect()
}
