//! Chunks of a stream, or a whole completion, to our events.
//!
//! The protocol has no end of a part: everything is done when the answer is, which is at `[DONE]` and not before, because
//! the usage comes after the reason. It must not ask more of a compatible server than the content itself.

use std::fmt;

use premath_tusk::model::{AssistantPart, ModelError, ModelEvent, Reasoning, StopReason, Usage};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::calls::{CallPiece, Calls};
use crate::error_kinds::ProviderError;
use crate::provider::answer::{Dialect, Events, Flow};
use crate::provider::arguments::Ending;
use crate::provider::count::{Count, Lenient, sum};
use crate::provider::json::{Text, malformed, read};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    /// `error` where a server puts a refusal in the place of an answer.
    #[serde(borrow)]
    object: Option<Text<'a>>,
    created: Option<Value>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Lenient<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    /// What a whole answer has; some servers repeat in it, beside every delta, all that was said so far.
    #[serde(borrow)]
    message: Option<Delta<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow)]
    refusal: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<CallPiece<'a>>>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    #[serde(default)]
    total_tokens: Count,
    #[serde(default)]
    prompt_tokens_details: Lenient<PromptDetails>,
    #[serde(default)]
    completion_tokens_details: Lenient<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Count,
    #[serde(default)]
    cache_write_tokens: Count,
}

#[derive(Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

/// Whether an answer is all there, or on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Streamed,
    Whole,
}

/// What an answer says: a text, or a list of pieces of one. A piece that is no text is not known and not dropped.
enum Content<'a> {
    Text(Text<'a>),
    List(String),
}

impl Content<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::List(text) => text,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrList;
        impl<'de> Visitor<'de> for TextOrList {
            type Value = Content<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a list of texts")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Content<'de>, E> {
                Ok(Content::Text(Text(text.into())))
            }

            fn visit_str<E>(self, text: &str) -> Result<Content<'de>, E> {
                Ok(Content::Text(Text(text.to_owned().into())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pieces: A) -> Result<Content<'de>, A::Error> {
                let mut whole = String::new();
                while let Some(TextPiece { text }) = pieces.next_element()? {
                    whole.push_str(&text);
                }
                Ok(Content::List(whole))
            }
        }
        deserializer.deserialize_any(TextOrList)
    }
}

#[derive(Deserialize)]
struct TextPiece<'a> {
    #[serde(borrow)]
    text: Text<'a>,
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
        self.chunk(&read(data)?, data, Piece::Streamed, events)?;
        Ok(Flow::More)
    }

    /// A whole answer is one chunk; the pieces it would be watched in are not events.
    fn whole(&mut self, body: &str, events: &mut Events) -> Result<(), ModelError> {
        let mut unwatched = Events::default();
        let chunk: Chunk<'_> = read(body)?;
        self.chunk(&chunk, body, Piece::Whole, &mut unwatched)?;
        if chunk.choices.is_none_or(|choices| choices.is_empty()) {
            return Err(malformed("an answer without a choice"));
        }
        events.start(chunk.id.as_deref(), chunk.model.as_deref());
        self.finish(events)
    }
}

impl Decoder {
    fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        text: &str,
        piece: Piece,
        events: &mut Events,
    ) -> Result<(), ModelError> {
        if chunk.error.is_some() || chunk.object.as_deref() == Some("error") {
            return Err(ProviderError::read(text.as_bytes()).into_model_error(None));
        }
        self.calls.name_answer(chunk.id.as_deref(), chunk.created.as_ref());
        events.start(chunk.id.as_deref(), chunk.model.as_deref());
        if let Lenient(Some(wire)) = &chunk.usage {
            self.usage = usage(wire);
        }
        for choice in chunk.choices.iter().flatten() {
            if choice.index != 0 {
                return Err(malformed("a second answer, which was not asked for"));
            }
            let delta = match piece {
                Piece::Streamed => choice.delta.as_ref().or(choice.message.as_ref()),
                Piece::Whole => choice.message.as_ref().or(choice.delta.as_ref()),
            };
            self.delta(delta.ok_or_else(|| malformed("a choice without a delta or message"))?, events)?;
            let reason = choice.finish_reason.as_deref().filter(|reason| !reason.is_empty());
            if let (Some(reason), None) = (reason, &self.stop) {
                self.stop = Some(reason.to_owned());
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Delta<'_>, events: &mut Events) -> Result<(), ModelError> {
        // Two names of one thing; a server that sends both sends it twice.
        let thought = delta.reasoning_content.as_ref().or(delta.reasoning.as_ref());
        if let Some((index, text)) = grow(&mut self.reasoning, thought.map(|text| &**text), events) {
            events.emit(ModelEvent::ReasoningDelta { index, text });
        }
        if let Some((index, text)) = grow(&mut self.text, delta.content.as_ref().map(Content::text), events) {
            events.emit(ModelEvent::TextDelta { index, text });
        }
        if let Some((index, text)) = grow(&mut self.refusal, delta.refusal.as_deref(), events) {
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
        let mut parts = std::mem::take(&mut self.calls).finish(ending);
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

fn grow(growing: &mut Growing, text: Option<&str>, events: &mut Events) -> Option<(u64, String)> {
    let text = text.filter(|text| !text.is_empty())?;
    let (index, whole) = growing.get_or_insert_with(|| (events.number_part(), String::new()));
    whole.push_str(text);
    Some((*index, text.to_owned()))
}

/// What was read from a cache is part of the prompt here, and is not in our input. Thoughts are part of the completion,
/// except where a server's own total shows that it counts them beside it.
fn usage(usage: &WireUsage) -> Usage {
    let prompt = usage.prompt_tokens.or_nothing();
    let completion = usage.completion_tokens.or_nothing();
    let details = usage.prompt_tokens_details.0.as_ref();
    let cache_read_tokens = details.map_or(0, |details| details.cached_tokens.or_nothing());
    let cache_write_tokens = details.map_or(0, |details| details.cache_write_tokens.or_nothing());
    let details = usage.completion_tokens_details.0.as_ref();
    let reasoning_tokens = details.map_or(0, |details| details.reasoning_tokens.or_nothing());
    let with_thoughts = sum(completion, reasoning_tokens);
    let is_beside =
        usage.total_tokens.known() == Some(sum(prompt, with_thoughts)) || reasoning_tokens > completion;
    Usage {
        input_tokens: prompt.saturating_sub(cache_read_tokens).saturating_sub(cache_write_tokens),
        cache_read_tokens,
        cache_write_tokens,
        output_tokens: if is_beside { with_thoughts } else { completion },
        reasoning_tokens,
    }
}
