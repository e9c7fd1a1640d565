//! What the decoders of models' answers promise for any bytes. Here, and not in the testkit, because the testkit must not
//! depend on the models; the fuzz targets and a plain test of `premath-models` share this file.
//!
//! A body panics on a broken promise and on nothing else; it must not read or write anything.

use premath_models::provider::{AnswerDecoder, AnswerLimits, Protocol};
use premath_models::sse::{SseDecoder, SseError, SseLimits};
use premath_tusk::model::{AssistantPart, Delivery, ModelError, ModelEvent};

type Item = Result<ModelEvent, ModelError>;

/// The first byte chooses protocol and delivery, the second the size of the pieces; the rest is what a provider sends.
///
/// # Panics
/// When pieces make a difference, an answer ends in silence, something follows an end, or half a call is a call.
pub(crate) fn model_answer(bytes: &[u8]) {
    let [choice, size, answer @ ..] = bytes else { return };
    let protocol = match choice % 3 {
        0 => Protocol::AnthropicMessages,
        1 => Protocol::OpenaiResponses,
        _ => Protocol::OpenaiChat,
    };
    let delivery = if choice & 4 == 0 { Delivery::Streamed } else { Delivery::Whole };
    let whole = decode(protocol, delivery, [answer]);
    let pieces = decode(protocol, delivery, answer.chunks(usize::from(size % 64) + 1));
    assert_eq!(whole, pieces, "pieces make a difference");
    assert_ends_once(&whole);
    whole.iter().flatten().for_each(assert_complete);
}

/// The first byte is the size of the pieces; the rest is an event stream.
///
/// # Panics
/// When pieces make a difference, or an event is longer than allowed.
pub(crate) fn sse_decode(bytes: &[u8]) {
    let [size, stream @ ..] = bytes else { return };
    let whole = events([stream]);
    assert_eq!(whole, events(stream.chunks(usize::from(size % 64) + 1)), "pieces make a difference");
    assert!(
        whole.0.iter().all(|(_, data)| data.len() <= 3 * limits().max_event_bytes),
        "an event is too long"
    );
}

fn decode<'a>(
    protocol: Protocol,
    delivery: Delivery,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Item> {
    let limits = AnswerLimits { max_answer_bytes: 1 << 20, sse: limits() };
    let mut decoder = AnswerDecoder::new(protocol, delivery, None, limits);
    let mut items = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        items.extend(std::iter::from_fn(|| decoder.next_event()));
    }
    decoder.end();
    items.extend(std::iter::from_fn(|| decoder.next_event()));
    items
}

fn assert_ends_once(items: &[Item]) {
    let is_end = |item: &Item| matches!(item, Err(_) | Ok(ModelEvent::Finished { .. }));
    assert!(items.last().is_some_and(is_end), "the answer ends in silence: {items:?}");
    assert_eq!(items.iter().filter(|item| is_end(item)).count(), 1, "something follows the end: {items:?}");
    if let Some(Err(error)) = items.last() {
        assert!(!error.message.contains(char::is_control), "a message must stay on one line: {error:?}");
        assert!(error.code.is_some(), "an error without a code: {error:?}");
    }
}

fn assert_complete(event: &ModelEvent) {
    if let ModelEvent::PartDone { part: AssistantPart::ToolCall(call), .. } = event {
        assert!(call.arguments.is_object(), "arguments that are no object: {call:?}");
        assert!(
            serde_json::from_str::<serde_json::Value>(call.arguments.as_str()).is_ok(),
            "half a call: {call:?}"
        );
    }
}

fn limits() -> SseLimits {
    SseLimits { max_line_bytes: 4096, max_event_bytes: 4096 }
}

type Decoded = (Vec<(String, String)>, Option<SseError>);

fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut decoder = SseDecoder::new(limits());
    let mut events = Vec::new();
    for piece in pieces {
        let pushed = decoder.push(piece, &mut |event| {
            events.push((event.name.to_owned(), event.data.to_owned()));
            Ok::<(), SseError>(())
        });
        if let Err(error) = pushed {
            return (events, Some(error));
        }
    }
    (events, None)
}
