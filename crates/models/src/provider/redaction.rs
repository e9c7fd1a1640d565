//! Events of an answer without the key in them. A provider that repeats the key, in one piece or in many, must not get it
//! to whoever watches, into a tool's arguments or into what is sent back.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, MalformedArguments, ModelError, ModelEvent, Reasoning, StopReason, ToolCall, Verbatim,
};

use super::json::malformed;
use crate::error_kinds::{bounded, one_line, presentable};
use crate::secret::ApiKey;
use crate::secret::needle::{Needle, scrubbed};

/// What keeps the key out of one answer.
#[derive(Debug, Default)]
pub(super) struct Redaction {
    hidden: Option<Hidden>,
    ready: VecDeque<ModelEvent>,
}

#[derive(Debug)]
struct Hidden {
    key: ApiKey,
    needle: Option<Needle>,
    /// By part: the end of what was said, as long as it may be the beginning of the key.
    held: BTreeMap<u64, Held>,
}

#[derive(Debug)]
struct Held {
    kind: Kind,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
    Refusal,
    Arguments,
}

impl Kind {
    const fn delta(self, index: u64, text: String) -> ModelEvent {
        match self {
            Self::Text => ModelEvent::TextDelta { index, text },
            Self::Reasoning => ModelEvent::ReasoningDelta { index, text },
            Self::Refusal => ModelEvent::RefusalDelta { index, text },
            Self::Arguments => ModelEvent::ArgumentsDelta { index, text },
        }
    }
}

impl Redaction {
    pub(super) fn new(key: Option<ApiKey>) -> Self {
        let hidden = key.map(|key| Hidden { needle: key.needle(), key, held: BTreeMap::new() });
        Self { hidden, ready: VecDeque::new() }
    }

    /// The next event that may be seen.
    pub(super) fn pop(&mut self) -> Option<ModelEvent> {
        self.ready.pop_front()
    }

    /// Takes an event; what may be seen of it, and of those before it, is ready then.
    pub(super) fn push(&mut self, event: ModelEvent) -> Result<(), ModelError> {
        let event = if let ModelEvent::Started { request_id, response_id, model } = event {
            let text = |text: Option<String>| text.map(|text| bounded(self.text(&one_line(&text))));
            let (request_id, response_id, model) = (text(request_id), text(response_id), text(model));
            ModelEvent::Started { request_id, response_id, model }
        } else {
            event
        };
        match &mut self.hidden {
            Some(Hidden { needle: Some(needle), held, .. }) => hide(needle, held, event, &mut self.ready),
            Some(Hidden { needle: None, .. }) | None => {
                self.ready.push_back(event);
                Ok(())
            }
        }
    }

    /// The error as it may be shown. What was held back is not said any more: it may be most of a key.
    pub(super) fn error(&self, error: ModelError) -> ModelError {
        presentable(error, self.hidden.as_ref().map(|hidden| &hidden.key))
    }

    fn text(&self, text: &str) -> String {
        self.hidden.as_ref().map_or_else(|| text.to_owned(), |hidden| hidden.key.scrub(text))
    }
}

fn hide(
    needle: &Needle,
    held: &mut BTreeMap<u64, Held>,
    event: ModelEvent,
    ready: &mut VecDeque<ModelEvent>,
) -> Result<(), ModelError> {
    let text = |text: &str| scrubbed(std::slice::from_ref(needle), text);
    let mut more = |index: u64, kind: Kind, text: &str, ready: &mut VecDeque<ModelEvent>| {
        let open = held.entry(index).or_insert(Held { kind, text: String::new() });
        if open.kind != kind {
            flush(index, open, ready);
            open.kind = kind;
        }
        open.text.push_str(text);
        let said = needle.take_safe(&mut open.text);
        if !said.is_empty() {
            ready.push_back(kind.delta(index, said));
        }
    };
    match event {
        ModelEvent::TextDelta { index, text } => more(index, Kind::Text, &text, ready),
        ModelEvent::ReasoningDelta { index, text } => more(index, Kind::Reasoning, &text, ready),
        ModelEvent::RefusalDelta { index, text } => more(index, Kind::Refusal, &text, ready),
        ModelEvent::ArgumentsDelta { index, text } => more(index, Kind::Arguments, &text, ready),
        ModelEvent::ToolCallStarted { index, id, name } => {
            ready.push_back(ModelEvent::ToolCallStarted { index, id: text(&id), name: text(&name) });
        }
        ModelEvent::PartDone { index, part } => {
            if let Some(mut open) = held.remove(&index) {
                flush(index, &mut open, ready);
            }
            ready.push_back(ModelEvent::PartDone { index, part: hidden_part(part, &text)? });
        }
        ModelEvent::Finished { stop, provider_stop, usage } => {
            let stop = match stop {
                StopReason::Other(reason) => StopReason::Other(text(&reason)),
                known @ (StopReason::EndTurn
                | StopReason::ToolUse
                | StopReason::MaxTokens
                | StopReason::PauseTurn
                | StopReason::Refusal) => known,
            };
            let provider_stop = provider_stop.map(|reason| text(&reason));
            ready.push_back(ModelEvent::Finished { stop, provider_stop, usage });
        }
        started @ ModelEvent::Started { .. } => ready.push_back(started),
    }
    Ok(())
}

/// Says what was held back: nothing follows that could make it a key.
fn flush(index: u64, held: &mut Held, ready: &mut VecDeque<ModelEvent>) {
    if !held.text.is_empty() {
        ready.push_back(held.kind.delta(index, std::mem::take(&mut held.text)));
    }
}

fn hidden_part(part: AssistantPart, text: &dyn Fn(&str) -> String) -> Result<AssistantPart, ModelError> {
    let json = |json: &JsonText| {
        let hidden = text(json.as_str());
        if hidden == json.as_str() {
            return Ok(json.clone());
        }
        JsonText::new(hidden).map_err(|_| malformed("a part cannot be carried without the key it repeats"))
    };
    let verbatim = |block: Verbatim| {
        Ok::<_, ModelError>(Verbatim { block: json(&block.block)?, protocol: block.protocol })
    };
    Ok(match part {
        AssistantPart::Text(said) => AssistantPart::Text(text(&said)),
        AssistantPart::Refusal(said) => AssistantPart::Refusal(text(&said)),
        AssistantPart::ToolCall(ToolCall { id, name, arguments, malformed }) => {
            AssistantPart::ToolCall(ToolCall {
                id: text(&id),
                name: text(&name),
                arguments: json(&arguments)?,
                malformed: malformed.map(|malformed| MalformedArguments {
                    reason: text(&malformed.reason),
                    text: text(&malformed.text),
                }),
            })
        }
        AssistantPart::Reasoning(thought) => AssistantPart::Reasoning(Reasoning {
            text: text(&thought.text),
            verbatim: thought.verbatim.map(verbatim).transpose()?,
        }),
        AssistantPart::Opaque(block) => AssistantPart::Opaque(verbatim(block)?),
    })
}
