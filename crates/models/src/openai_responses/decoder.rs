//! Events of a stream, or a whole response, to our events.
//!
//! What counts is the finished item; deltas are for whoever watches. An item that was only begun, or that only the last
//! event has, must not be lost.

use std::collections::BTreeMap;

use premath_tusk::model::{AssistantPart, ModelError, ModelEvent, Reasoning, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::item::{BETWEEN_SUMMARIES, FunctionCall, Kind, parts};
use super::listing::Listing;
use crate::error_kinds::ProviderError;
use crate::provider::answer::{Dialect, Events, Flow};
use crate::provider::arguments::{Ending, tool_call};
use crate::provider::count::{Count, Lenient};
use crate::provider::json::{Text, malformed, read};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    output_index: Option<u64>,
    #[serde(borrow)]
    item_id: Option<&'a RawValue>,
    content_index: Option<u64>,
    summary_index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Text<'a>>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    error: Option<Value>,
    code: Option<Value>,
    message: Option<Value>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    error: Option<Value>,
    incomplete_details: Option<IncompleteDetails>,
    #[serde(borrow, default)]
    output: Vec<&'a RawValue>,
    #[serde(default)]
    usage: Lenient<WireUsage>,
}

#[derive(Deserialize)]
struct IncompleteDetails {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    input_tokens_details: Lenient<InputDetails>,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    output_tokens_details: Lenient<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Count,
    #[serde(default)]
    cache_write_tokens: Count,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

/// What is being written at one place of the answer.
#[derive(Debug)]
struct Slot {
    index: u64,
    kind: SlotKind,
    text: String,
}

impl Slot {
    /// What tells it from others where the item has no id.
    fn mark(&self) -> &str {
        match &self.kind {
            SlotKind::Call { id, .. } => id,
            SlotKind::Text | SlotKind::Refusal | SlotKind::Reasoning(_) => &self.text,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SlotKind {
    Text,
    Refusal,
    /// The last part of the summary that was seen.
    Reasoning(u64),
    Call {
        id: String,
        name: String,
    },
}

/// The state of one answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// By the place of the item in the answer and of the part in the item.
    open: BTreeMap<(u64, u64), Slot>,
    listing: Listing,
    has_call: bool,
    has_refusal: bool,
}

impl Dialect for Decoder {
    fn event(&mut self, data: &str, events: &mut Events) -> Result<Flow, ModelError> {
        let event: Event<'_> = match read(data) {
            Ok(event) => event,
            Err(error) => return unknown_or(data, error),
        };
        match &*event.kind {
            "response.output_text.delta" => self.said(&event, SlotKind::Text, events)?,
            "response.refusal.delta" => self.said(&event, SlotKind::Refusal, events)?,
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let part = event.summary_index.or(event.content_index).unwrap_or_default();
                self.said(&event, SlotKind::Reasoning(part), events)?;
            }
            "response.function_call_arguments.delta" => self.argued(&event, events)?,
            "response.output_item.added" => self.added(place(&event)?, raw_item(&event)?, events)?,
            "response.output_item.done" => self.done(place(&event)?, raw_item(&event)?, events)?,
            "response.created" | "response.in_progress" | "response.queued" => {
                let response: Response<'_> = response(&event)?;
                events.start(response.id.as_deref(), response.model.as_deref());
            }
            "response.completed" | "response.incomplete" => {
                return self.finish(&response(&event)?, events).map(|()| Flow::Over);
            }
            "response.failed" => return Err(failure(response(&event)?.error.as_ref())),
            "error" => return Err(stream_error(&event)),
            // Beginnings and ends of what a finished item has whole, progress of tools, and what may be added.
            _ => {}
        }
        Ok(Flow::More)
    }

    fn whole(&mut self, body: &str, events: &mut Events) -> Result<(), ModelError> {
        let response: Response<'_> = read(body)?;
        if let (Some(error), None | Some("failed")) = (&response.error, response.status.as_deref()) {
            return Err(failure(Some(error)));
        }
        self.finish(&response, events)
    }
}

impl Decoder {
    fn said(&mut self, event: &Event<'_>, kind: SlotKind, events: &mut Events) -> Result<(), ModelError> {
        let text = event.delta.as_deref().ok_or_else(|| malformed("a delta without a delta"))?;
        let output = place(event)?;
        if self.listing.is_finished(output) {
            return Err(malformed("an item is changed that was finished"));
        }
        self.listing.name(output, event.item_id);
        // A summary has parts, but it is one thought.
        let content = match kind {
            SlotKind::Reasoning(_) => 0,
            SlotKind::Text | SlotKind::Refusal | SlotKind::Call { .. } => {
                event.content_index.unwrap_or_default()
            }
        };
        let slot = self.open.entry((output, content)).or_insert_with(|| Slot {
            index: events.number_part(),
            kind: kind.clone(),
            text: String::new(),
        });
        let mut text = text.to_owned();
        if let (SlotKind::Reasoning(before), SlotKind::Reasoning(now)) = (&slot.kind, &kind)
            && before != now
        {
            text.insert_str(0, BETWEEN_SUMMARIES);
            slot.kind = kind;
        }
        slot.text.push_str(&text);
        if !text.is_empty() {
            let index = slot.index;
            events.emit(match slot.kind {
                SlotKind::Text => ModelEvent::TextDelta { index, text },
                SlotKind::Refusal => ModelEvent::RefusalDelta { index, text },
                SlotKind::Reasoning(_) => ModelEvent::ReasoningDelta { index, text },
                SlotKind::Call { .. } => {
                    return Err(malformed("a function call is changed as if it were text"));
                }
            });
        }
        Ok(())
    }

    fn argued(&mut self, event: &Event<'_>, events: &mut Events) -> Result<(), ModelError> {
        let text = event.delta.as_deref().ok_or_else(|| malformed("a delta without a delta"))?;
        let output = place(event)?;
        let slot = self.open.get_mut(&(output, 0));
        let slot = slot.ok_or_else(|| malformed("arguments of a call that did not begin"))?;
        slot.text.push_str(text);
        if !text.is_empty() {
            events.emit(ModelEvent::ArgumentsDelta { index: slot.index, text: text.to_owned() });
        }
        Ok(())
    }

    fn added(&mut self, output: u64, raw: &str, events: &mut Events) -> Result<(), ModelError> {
        let Kind { kind, id } = read(raw)?;
        self.listing.name(output, id);
        if &*kind == "function_call" {
            let call: FunctionCall<'_> = read(raw)?;
            let (id, name) = call.identity()?;
            let (id, name) = (id.to_owned(), name.to_owned());
            let index = events.number_part();
            events.emit(ModelEvent::ToolCallStarted { index, id: id.clone(), name: name.clone() });
            let kind = SlotKind::Call { id, name };
            self.open.insert((output, 0), Slot { index, kind, text: String::new() });
        }
        Ok(())
    }

    fn done(&mut self, output: u64, raw: &str, events: &mut Events) -> Result<(), ModelError> {
        let Kind { id, .. } = read(raw)?;
        self.listing.name(output, id);
        let parts = parts(raw)?;
        self.listing.finish(output, &parts)?;
        for (content, part) in parts {
            let known = self.open.remove(&(output, content));
            let index = known.map_or_else(|| events.number_part(), |slot| slot.index);
            self.emit(index, part, events);
        }
        // What was shown while it was written and is not in the finished item was said all the same.
        while let Some(place) =
            self.open.range((output, 0)..=(output, u64::MAX)).next().map(|(place, _)| *place)
        {
            let slot = self.open.remove(&place).filter(|slot| !slot.text.is_empty());
            if let Some(slot) = slot {
                self.finish_slot(slot, Ending::Complete, events)?;
            }
        }
        Ok(())
    }

    fn emit(&mut self, index: u64, part: AssistantPart, events: &mut Events) {
        self.has_call |= matches!(part, AssistantPart::ToolCall(_));
        self.has_refusal |= matches!(part, AssistantPart::Refusal(_));
        events.emit(ModelEvent::PartDone { index, part });
    }

    /// The last event has every item once more. Some servers have them there only, some leave them out there.
    fn finish(&mut self, response: &Response<'_>, events: &mut Events) -> Result<(), ModelError> {
        events.start(response.id.as_deref(), response.model.as_deref());
        let open: Vec<(u64, &str)> =
            self.open.iter().map(|((output, _), slot)| (*output, slot.mark())).collect();
        for (output, raw) in self.listing.unfinished(&response.output, &open)? {
            self.done(output, raw, events)?;
        }
        let status = response.status.as_deref().ok_or_else(|| malformed("a response without a status"))?;
        let ending = if status == "completed" { Ending::Complete } else { Ending::CutShort };
        for slot in std::mem::take(&mut self.open).into_values() {
            self.finish_slot(slot, ending, events)?;
        }
        let (stop, provider_stop) = self.stop(status, response.incomplete_details.as_ref())?;
        let usage = response.usage.0.as_ref().map(usage).unwrap_or_default();
        events.emit(ModelEvent::Finished { stop, provider_stop: Some(provider_stop), usage });
        Ok(())
    }

    /// What was begun and never finished: a text is what it is; a thought cannot be carried back.
    fn finish_slot(&mut self, slot: Slot, ending: Ending, events: &mut Events) -> Result<(), ModelError> {
        let Slot { index, kind, text } = slot;
        let part = match kind {
            SlotKind::Text => AssistantPart::Text(text),
            SlotKind::Refusal => AssistantPart::Refusal(text),
            SlotKind::Reasoning(_) => AssistantPart::Reasoning(Reasoning { text, verbatim: None }),
            SlotKind::Call { id, name } => AssistantPart::ToolCall(tool_call(id, name, &text, ending)),
        };
        self.emit(index, part, events);
        Ok(())
    }

    fn stop(
        &self,
        status: &str,
        details: Option<&IncompleteDetails>,
    ) -> Result<(StopReason, String), ModelError> {
        let reason = details.and_then(|details| details.reason.as_deref());
        let stop = match (status, reason) {
            ("completed", _) if self.has_call => StopReason::ToolUse,
            ("completed", _) if self.has_refusal => StopReason::Refusal,
            ("completed", _) => StopReason::EndTurn,
            ("incomplete", None | Some("max_output_tokens" | "max_tokens")) => StopReason::MaxTokens,
            ("incomplete", Some(other)) => StopReason::Other(other.to_owned()),
            _ => return Err(malformed(&format!("a response ends with status `{status}`"))),
        };
        Ok((stop, reason.unwrap_or(status).to_owned()))
    }
}

fn place(event: &Event<'_>) -> Result<u64, ModelError> {
    event.output_index.ok_or_else(|| malformed("an event of an item has no place"))
}

fn raw_item<'a>(event: &Event<'a>) -> Result<&'a str, ModelError> {
    event.item.map(RawValue::get).ok_or_else(|| malformed("an event of an item has no item"))
}

fn response<'a>(event: &Event<'a>) -> Result<Response<'a>, ModelError> {
    read(
        event
            .response
            .map(RawValue::get)
            .ok_or_else(|| malformed("an event of a response has no response"))?,
    )
}

fn failure(error: Option<&Value>) -> ModelError {
    error.map(ProviderError::of_value).unwrap_or_default().into_model_error(None)
}

/// Documented with its fields in the event itself; seen with an object in it.
fn stream_error(event: &Event<'_>) -> ModelError {
    if event.error.is_some() {
        return failure(event.error.as_ref());
    }
    let field = |value: &Option<Value>| value.clone().unwrap_or_default();
    failure(Some(&serde_json::json!({ "code": field(&event.code), "message": field(&event.message) })))
}

/// What was read from a cache is part of the input here, and is not in our count.
fn usage(usage: &WireUsage) -> Usage {
    let input = usage.input_tokens_details.0.as_ref();
    let cache_read_tokens = input.map_or(0, |details| details.cached_tokens.or_nothing());
    let cache_write_tokens = input.map_or(0, |details| details.cache_write_tokens.or_nothing());
    let output = usage.output_tokens_details.0.as_ref();
    let input_tokens = usage.input_tokens.or_nothing();
    Usage {
        input_tokens: input_tokens.saturating_sub(cache_read_tokens).saturating_sub(cache_write_tokens),
        cache_read_tokens,
        cache_write_tokens,
        output_tokens: usage.output_tokens.or_nothing(),
        reasoning_tokens: output.map_or(0, |details| details.reasoning_tokens.or_nothing()),
    }
}

/// An event of a type nobody knows may have any form.
#[cold]
fn unknown_or(data: &str, error: ModelError) -> Result<Flow, ModelError> {
    const KNOWN: [&str; 14] = [
        "error",
        "response.completed",
        "response.created",
        "response.failed",
        "response.function_call_arguments.delta",
        "response.in_progress",
        "response.incomplete",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.queued",
        "response.reasoning_summary_text.delta",
        "response.reasoning_text.delta",
        "response.refusal.delta",
    ];
    match read::<Kind<'_>>(data) {
        Ok(Kind { kind, .. }) if !KNOWN.contains(&&*kind) => Ok(Flow::More),
        Ok(_) | Err(_) => Err(error),
    }
}
