//! Chunks of a stream, or a whole completion, to our events.
//!
//! The protocol has no end of a part: everything is done when the answer is, which is at `[DONE]` and not before, because
//! the usage comes after the reason. It must not ask more of a compatible server than the content itself.

use premath_tusk::model::{AssistantPart, ModelError, ModelEvent, Reasoning, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::calls::{Calls, Piece};
use crate::error_kinds::ProviderError;
use crate::provider::answer::{Dialect, Events, Flow};
use crate::provider::arguments::Ending;
use crate::provider::json::{Text, malformed, read};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: u64,
    /// A whole answer calls it `message`.
    #[serde(borrow, alias = "message")]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    refusal: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Piece<'a>>>,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

/// A text that grows, once it has begun.
type Growing = Option<(u64, String)>;

/// The state of one answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    reasoning: Growing,
    text: Growing,
    refusal: Growing,
    calls: Calls,
    stop: Option<String>,
    usage: Usage,
}

impl Dialect for Decoder {
    fn event(&mut self, data: &str, events: &mut Events) -> Result<Flow, ModelError> {
        if data.trim() == "[DONE]" {
            return self.finish(events).map(|()| Flow::Over);
        }
        self.chunk(&read(data)?, events)?;
        Ok(Flow::More)
    }

    /// A whole answer is one chunk; the pieces it would be watched in are not events.
    fn whole(&mut self, body: &str, events: &mut Events) -> Result<(), ModelError> {
        let mut unwatched = Events::default();
        let chunk: Chunk<'_> = read(body)?;
        self.chunk(&chunk, &mut unwatched)?;
        if chunk.choices.is_none_or(|choices| choices.is_empty()) {
            return Err(malformed("an answer without a choice"));
        }
        events.start(chunk.id.as_deref(), chunk.model.as_deref());
        self.finish(events)
    }
}

impl Decoder {
    fn chunk(&mut self, chunk: &Chunk<'_>, events: &mut Events) -> Result<(), ModelError> {
        if let Some(error) = &chunk.error {
            return Err(ProviderError::of_value(error).into_model_error(None));
        }
        events.start(chunk.id.as_deref(), chunk.model.as_deref());
        if let Some(wire) = &chunk.usage {
            self.usage = usage(wire);
        }
        for choice in chunk.choices.iter().flatten() {
            if choice.index != 0 {
                return Err(malformed("a second answer, which was not asked for"));
            }
            let delta =
                choice.delta.as_ref().ok_or_else(|| malformed("a choice without a delta or message"))?;
            self.delta(delta, events)?;
            if let (Some(reason), None) = (&choice.finish_reason, &self.stop) {
                self.stop = Some(reason.to_string());
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Delta<'_>, events: &mut Events) -> Result<(), ModelError> {
        // Two names of one thing; a server that sends both sends it twice.
        let thought = delta.reasoning_content.as_ref().or(delta.reasoning.as_ref());
        if let Some((index, text)) = grow(&mut self.reasoning, thought, events) {
            events.emit(ModelEvent::ReasoningDelta { index, text });
        }
        if let Some((index, text)) = grow(&mut self.text, delta.content.as_ref(), events) {
            events.emit(ModelEvent::TextDelta { index, text });
        }
        if let Some((index, text)) = grow(&mut self.refusal, delta.refusal.as_ref(), events) {
            events.emit(ModelEvent::RefusalDelta { index, text });
        }
        for piece in delta.tool_calls.iter().flatten() {
            self.calls.take(piece, events)?;
        }
        Ok(())
    }

    fn finish(&mut self, events: &mut Events) -> Result<(), ModelError> {
        let provider_stop = self.stop.take().ok_or_else(|| malformed("the answer ended without a reason"))?;
        let has_refused = self.refusal.is_some();
        let stop = match provider_stop.as_str() {
            // Some servers say `stop` whatever the answer is.
            "stop" | "tool_calls" if !self.calls.is_empty() => StopReason::ToolUse,
            "stop" if has_refused => StopReason::Refusal,
            "stop" | "stop_sequence" | "eos" => StopReason::EndTurn,
            "tool_calls" => StopReason::ToolUse,
            "length" | "max_tokens" => StopReason::MaxTokens,
            other => StopReason::Other(other.to_owned()),
        };
        let ending = if stop == StopReason::MaxTokens { Ending::CutShort } else { Ending::Complete };
        let thought = |text| AssistantPart::Reasoning(Reasoning { text, verbatim: None });
        let mut parts = std::mem::take(&mut self.calls).finish(ending)?;
        parts.extend(self.reasoning.take().map(|(index, text)| (index, thought(text))));
        parts.extend(self.text.take().map(|(index, text)| (index, AssistantPart::Text(text))));
        parts.extend(self.refusal.take().map(|(index, text)| (index, AssistantPart::Refusal(text))));
        parts.sort_by_key(|(index, _)| *index);
        for (index, part) in parts {
            events.emit(ModelEvent::PartDone { index, part });
        }
        events.emit(ModelEvent::Finished { stop, provider_stop: Some(provider_stop), usage: self.usage });
        Ok(())
    }
}

fn grow(growing: &mut Growing, text: Option<&Text<'_>>, events: &mut Events) -> Option<(u64, String)> {
    let text = text.filter(|text| !text.is_empty())?;
    let (index, whole) = growing.get_or_insert_with(|| (events.number_part(), String::new()));
    whole.push_str(text);
    Some((*index, text.to_string()))
}

/// What was read from a cache is part of the prompt here, and is not in our input. Thoughts are part of the completion,
/// except where a server's own total shows that it counts them beside it.
fn usage(usage: &WireUsage) -> Usage {
    let prompt = usage.prompt_tokens.unwrap_or_default();
    let completion = usage.completion_tokens.unwrap_or_default();
    let details = usage.prompt_tokens_details.as_ref();
    let cache_read_tokens = details.and_then(|details| details.cached_tokens).unwrap_or_default();
    let cache_write_tokens = details.and_then(|details| details.cache_write_tokens).unwrap_or_default();
    let details = usage.completion_tokens_details.as_ref();
    let reasoning_tokens = details.and_then(|details| details.reasoning_tokens).unwrap_or_default();
    let with_thoughts = completion.saturating_add(reasoning_tokens);
    let is_beside =
        usage.total_tokens == Some(prompt.saturating_add(with_thoughts)) || reasoning_tokens > completion;
    Usage {
        input_tokens: prompt.saturating_sub(cache_read_tokens).saturating_sub(cache_write_tokens),
        cache_read_tokens,
        cache_write_tokens,
        output_tokens: if is_beside { with_thoughts } else { completion },
        reasoning_tokens,
    }
}
