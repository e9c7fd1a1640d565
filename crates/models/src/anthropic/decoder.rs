//! Events of a stream, or a whole message, to our events.
//!
//! It must not lose content: a change of a block that is not open is an error. A second `message_start` of the same message
//! is tolerated, because real streams have it.

use std::collections::BTreeMap;

use premath_tusk::model::{AssistantPart, ModelError, ModelEvent, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::block::Block;
use crate::error_kinds::ProviderError;
use crate::provider::answer::{Dialect, Events, Flow};
use crate::provider::arguments::Ending;
use crate::provider::count::{Count, Lenient};
use crate::provider::json::{Members, Text, malformed, read};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(default)]
    usage: Lenient<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
}

#[derive(Deserialize)]
struct RawDelta {
    delta: Members,
}

/// A change of a block, or of the message itself.
#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(rename = "type", borrow, default = "no_kind")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) thinking: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) signature: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) partial_json: Option<Text<'a>>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    stop_details: Option<Value>,
}

const fn no_kind() -> Text<'static> {
    Text(std::borrow::Cow::Borrowed(""))
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: Vec<&'a RawValue>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    stop_details: Option<Value>,
    #[serde(default)]
    usage: Lenient<WireUsage>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    cache_creation_input_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
}

/// A block that is being written, and the number of its part.
#[derive(Debug)]
struct Open {
    index: u64,
    block: Block,
}

/// The state of one answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    message_id: Option<String>,
    /// By the protocol's own number of the block.
    open: BTreeMap<u64, Open>,
    /// A call without arguments that ended: whether it was finished, the next block or the stop reason tells.
    held: Option<(u64, Block)>,
    stop: Option<String>,
    usage: Usage,
}

impl Dialect for Decoder {
    fn event(&mut self, data: &str, events: &mut Events) -> Result<Flow, ModelError> {
        let event: Event<'_> = match read(data) {
            Ok(event) => event,
            Err(error) => return unknown_or(data, error),
        };
        match (&*event.kind, event.index) {
            ("content_block_delta", Some(index)) => {
                let delta = event.delta.ok_or_else(|| malformed("a delta without a delta"))?;
                self.change(index, &delta, data, events)?;
            }
            ("content_block_start", Some(index)) => {
                let raw = event.content_block.ok_or_else(|| malformed("a block begins without a block"))?;
                self.begin(index, raw.get(), events)?;
            }
            ("content_block_stop", Some(index)) => self.stop_block(index, events)?,
            ("content_block_delta" | "content_block_start" | "content_block_stop", None) => {
                return Err(malformed("an event of a block has no index"));
            }
            ("message_start", _) => {
                let message = event.message.ok_or_else(|| malformed("a message begins without a message"))?;
                self.message(&message, Piece::Streamed, events)?;
            }
            ("message_delta", _) => {
                self.count(&event.usage);
                if let Some(delta) = event.delta {
                    self.stopped(delta.stop_reason, delta.stop_details.as_ref(), Piece::Streamed, events)?;
                }
            }
            ("message_stop", _) => return self.finish(events).map(|()| Flow::Over),
            ("error", _) => {
                let error = event.error.as_ref().map(ProviderError::of_value).unwrap_or_default();
                return Err(error.into_model_error(None));
            }
            // `ping`, and what the protocol may add: its rules allow to ignore events.
            _ => {}
        }
        Ok(Flow::More)
    }

    fn whole(&mut self, body: &str, events: &mut Events) -> Result<(), ModelError> {
        let Kind { kind } = read(body)?;
        if &*kind == "error" {
            return Err(ProviderError::read(body.as_bytes()).into_model_error(None));
        }
        let message: Message<'_> = read(body)?;
        self.message(&message, Piece::Whole, events)?;
        self.finish(events)
    }
}

/// Whether a message is all there, or on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Streamed,
    Whole,
}

impl Decoder {
    fn message(
        &mut self,
        message: &Message<'_>,
        piece: Piece,
        events: &mut Events,
    ) -> Result<(), ModelError> {
        let id = message.id.as_deref();
        if let Some(known) = &self.message_id {
            let is_repeated = id == Some(known.as_str()) && message.content.is_empty();
            return if is_repeated { Ok(()) } else { Err(malformed("a second message begins")) };
        }
        self.message_id = Some(id.unwrap_or_default().to_owned());
        events.start(id, message.model.as_deref());
        self.count(&message.usage);
        // The protocol says of a last call in an answer that ran out of tokens that it is incomplete.
        let cut_short = piece == Piece::Whole && message.stop_reason.as_deref().is_some_and(is_out_of_room);
        let last = message.content.len().saturating_sub(1);
        for (place, raw) in message.content.iter().enumerate() {
            let block = Block::begin(raw.get())?;
            let index = events.number_part();
            let part =
                if cut_short && place == last { block.cut_off()? } else { block.finish(Ending::Complete)? };
            done(index, part, events);
        }
        self.stopped(message.stop_reason.clone(), message.stop_details.as_ref(), piece, events)
    }

    fn begin(&mut self, wire_index: u64, raw: &str, events: &mut Events) -> Result<(), ModelError> {
        if self.stop.is_some() || self.open.contains_key(&wire_index) {
            return Err(malformed("a block begins that is open, or after the end"));
        }
        self.release(Ending::Complete, events)?;
        let block = Block::begin(raw)?;
        let index = events.number_part();
        if let Some(event) = block.begun(index) {
            events.emit(event);
        }
        self.open.insert(wire_index, Open { index, block });
        Ok(())
    }

    fn change(
        &mut self,
        wire_index: u64,
        delta: &Delta<'_>,
        data: &str,
        events: &mut Events,
    ) -> Result<(), ModelError> {
        let open = self.open.get_mut(&wire_index);
        let Open { index, block, .. } =
            open.ok_or_else(|| malformed("a block is changed that is not open"))?;
        match block.change(*index, delta) {
            Some(Some(event)) => events.emit(event),
            Some(None) => {}
            None => block.merge(read::<RawDelta>(data)?.delta)?,
        }
        Ok(())
    }

    fn stop_block(&mut self, wire_index: u64, events: &mut Events) -> Result<(), ModelError> {
        let open = self.open.remove(&wire_index);
        let Open { index, block } = open.ok_or_else(|| malformed("a block ends that is not open"))?;
        if block.is_bare_call() {
            self.release(Ending::Complete, events)?;
            self.held = Some((index, block));
            return Ok(());
        }
        done(index, block.finish(Ending::Complete)?, events);
        Ok(())
    }

    fn release(&mut self, ending: Ending, events: &mut Events) -> Result<(), ModelError> {
        if let Some((index, block)) = self.held.take() {
            done(index, block.finish(ending)?, events);
        }
        Ok(())
    }

    /// The answer says why it ended. A block that is open then was not finished: a text is what it is, a call cannot run.
    fn stopped(
        &mut self,
        reason: Option<Text<'_>>,
        details: Option<&Value>,
        piece: Piece,
        events: &mut Events,
    ) -> Result<(), ModelError> {
        let Some(reason) = reason else { return Ok(()) };
        let ending = if is_out_of_room(&reason) { Ending::CutShort } else { Ending::Complete };
        self.release(ending, events)?;
        for Open { index, block } in std::mem::take(&mut self.open).into_values() {
            done(index, block.cut_off()?, events);
        }
        if let Some(why) = details.and_then(|details| details.get("explanation")).and_then(Value::as_str) {
            let index = events.number_part();
            if piece == Piece::Streamed {
                events.emit(ModelEvent::RefusalDelta { index, text: why.to_owned() });
            }
            done(index, Some(AssistantPart::Refusal(why.to_owned())), events);
        }
        self.stop = Some(reason.into());
        Ok(())
    }

    fn finish(&mut self, events: &mut Events) -> Result<(), ModelError> {
        let provider_stop = self.stop.take().ok_or_else(|| malformed("the answer ended without a reason"))?;
        let stop = match provider_stop.as_str() {
            "end_turn" | "stop_sequence" => StopReason::EndTurn,
            "tool_use" => StopReason::ToolUse,
            "max_tokens" => StopReason::MaxTokens,
            "pause_turn" => StopReason::PauseTurn,
            "refusal" => StopReason::Refusal,
            other => StopReason::Other(other.to_owned()),
        };
        events.emit(ModelEvent::Finished { stop, provider_stop: Some(provider_stop), usage: self.usage });
        Ok(())
    }

    /// Counts of later events replace those of earlier ones: each is of the whole answer so far.
    fn count(&mut self, usage: &Lenient<WireUsage>) {
        let Lenient(Some(usage)) = usage else { return };
        let set = |field: &mut u64, value: Count| *field = value.known().unwrap_or(*field);
        set(&mut self.usage.input_tokens, usage.input_tokens);
        set(&mut self.usage.cache_write_tokens, usage.cache_creation_input_tokens);
        set(&mut self.usage.cache_read_tokens, usage.cache_read_input_tokens);
        set(&mut self.usage.output_tokens, usage.output_tokens);
    }
}

/// Whether the model was stopped while it wrote: by the length it was allowed, or by that of its context.
fn is_out_of_room(stop_reason: &str) -> bool {
    matches!(stop_reason, "max_tokens" | "model_context_window_exceeded")
}

fn done(index: u64, part: Option<AssistantPart>, events: &mut Events) {
    if let Some(part) = part {
        events.emit(ModelEvent::PartDone { index, part });
    }
}

/// An event of a type nobody knows may have any form.
#[cold]
fn unknown_or(data: &str, error: ModelError) -> Result<Flow, ModelError> {
    const KNOWN: [&str; 7] = [
        "content_block_delta",
        "content_block_start",
        "content_block_stop",
        "error",
        "message_delta",
        "message_start",
        "message_stop",
    ];
    match read::<Kind<'_>>(data) {
        Ok(Kind { kind }) if !KNOWN.contains(&&*kind) => Ok(Flow::More),
        Ok(_) | Err(_) => Err(error),
    }
}
