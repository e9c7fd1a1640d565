//! One content block from its beginning to its end. A block nobody knows is kept whole; it must not be dropped or guessed.

use premath_tusk::model::{AssistantPart, ModelError, ModelEvent, Reasoning};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::PROTOCOL;
use super::decoder::Delta;
use crate::provider::arguments::{Ending, block_input, cut_off_call, tool_call};
use crate::provider::json::{Members, Text, malformed, read, verbatim};

/// A block that is being written.
#[derive(Debug)]
pub(super) enum Block {
    /// Text.
    Text(String),
    /// What the model thinks, beside the members of the block that carries it.
    Thinking { members: Members, text: String, signature: String },
    /// A call. What deltas bring replaces what the block began with.
    ToolUse { id: String, name: String, begun_with: String, arguments: String },
    /// Something to be carried: as it began, as long as nothing changes it.
    Opaque { raw: String, changes: Vec<Members>, input: String },
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow)]
    signature: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
}

impl Block {
    /// A block as it begins, or as it is when the answer comes in one piece.
    pub(super) fn begin(raw: &str) -> Result<Self, ModelError> {
        let Kind { kind } = read(raw)?;
        if !matches!(&*kind, "text" | "thinking" | "tool_use") {
            return Ok(Self::Opaque { raw: raw.to_owned(), changes: Vec::new(), input: String::new() });
        }
        let head: Head<'_> = read(raw)?;
        let or_empty = |text: Option<Text<'_>>| text.map(String::from).unwrap_or_default();
        match &*head.kind {
            "text" => Ok(Self::Text(or_empty(head.text))),
            "thinking" => Ok(Self::Thinking {
                members: read(raw)?,
                text: or_empty(head.thinking),
                signature: or_empty(head.signature),
            }),
            _ => {
                let (Some(id), Some(name)) = (head.id, head.name) else {
                    return Err(malformed("a tool call has no id or no name"));
                };
                let begun_with = head.input.map(|input| input.get().to_owned()).unwrap_or_default();
                Ok(Self::ToolUse { id: id.into(), name: name.into(), begun_with, arguments: String::new() })
            }
        }
    }

    /// What there is to say when the block begins.
    pub(super) fn begun(&self, index: u64) -> Option<ModelEvent> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(ModelEvent::TextDelta { index, text: text.clone() }),
            Self::Thinking { text, .. } if !text.is_empty() => {
                Some(ModelEvent::ReasoningDelta { index, text: text.clone() })
            }
            Self::ToolUse { id, name, .. } => {
                Some(ModelEvent::ToolCallStarted { index, id: id.clone(), name: name.clone() })
            }
            Self::Text(_) | Self::Thinking { .. } | Self::Opaque { .. } => None,
        }
    }

    /// Goes on with a change. `None` means that the change is none this kind of block knows.
    pub(super) fn change(&mut self, index: u64, delta: &Delta<'_>) -> Option<Option<ModelEvent>> {
        match (self, &*delta.kind) {
            (Self::Text(whole), "text_delta") => {
                let text = delta.text.as_deref()?;
                whole.push_str(text);
                Some(said(text).map(|text| ModelEvent::TextDelta { index, text }))
            }
            // Where a text comes from: beside the text, and only where documents were sent, which we do not do.
            (Self::Text(_), "citations_delta") => Some(None),
            (Self::Thinking { text: whole, .. }, "thinking_delta") => {
                let text = delta.thinking.as_deref()?;
                whole.push_str(text);
                Some(said(text).map(|text| ModelEvent::ReasoningDelta { index, text }))
            }
            (Self::Thinking { signature, .. }, "signature_delta") => {
                signature.push_str(delta.signature.as_deref()?);
                Some(None)
            }
            (Self::ToolUse { arguments, .. }, "input_json_delta") => {
                let text = delta.partial_json.as_deref()?;
                arguments.push_str(text);
                Some(said(text).map(|text| ModelEvent::ArgumentsDelta { index, text }))
            }
            (Self::Opaque { input, .. }, "input_json_delta") => {
                input.push_str(delta.partial_json.as_deref()?);
                Some(None)
            }
            _ => None,
        }
    }

    /// Takes over a change nobody knows, where the block is one nobody knows either.
    pub(super) fn merge(&mut self, delta: Members) -> Result<(), ModelError> {
        match self {
            Self::Opaque { changes, .. } => {
                changes.push(delta);
                Ok(())
            }
            Self::Text(_) | Self::Thinking { .. } | Self::ToolUse { .. } => {
                Err(malformed("a block is changed in a way that its kind does not know"))
            }
        }
    }

    /// The part, when nothing more will come. An empty text is no part.
    pub(super) fn finish(self, ending: Ending) -> Result<Option<AssistantPart>, ModelError> {
        match self {
            Self::Text(text) => Ok((!text.is_empty()).then_some(AssistantPart::Text(text))),
            Self::Thinking { members, text, signature } => thought(members, text, &signature).map(Some),
            Self::ToolUse { id, name, begun_with, arguments: written } => {
                let is_written = !written.trim().is_empty();
                let text = if is_written { written } else { begun_with };
                let text = if text.trim() == "{}" && !is_written { "" } else { text.as_str() };
                Ok(Some(AssistantPart::ToolCall(tool_call(id, name, text, ending))))
            }
            Self::Opaque { raw, changes, input } => opaque(raw, changes, &input, ending).map(Some),
        }
    }

    /// The part of a block that was not finished: a call is one that cannot run.
    pub(super) fn cut_off(self) -> Result<Option<AssistantPart>, ModelError> {
        match self {
            Self::ToolUse { id, name, arguments, .. } => {
                Ok(Some(AssistantPart::ToolCall(cut_off_call(id, name, &arguments))))
            }
            unfinished @ (Self::Text(_) | Self::Thinking { .. } | Self::Opaque { .. }) => {
                unfinished.finish(Ending::CutShort)
            }
        }
    }

    /// Whether it is a call whose arguments were empty: only the end of the answer tells whether it was finished.
    pub(super) fn is_bare_call(&self) -> bool {
        match self {
            Self::ToolUse { begun_with, arguments, .. } => {
                arguments.trim().is_empty() && matches!(begun_with.trim(), "" | "{}")
            }
            Self::Text(_) | Self::Thinking { .. } | Self::Opaque { .. } => false,
        }
    }
}

fn said(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Without its signature the protocol does not take a thought back.
fn thought(mut members: Members, text: String, signature: &str) -> Result<AssistantPart, ModelError> {
    if signature.is_empty() {
        return Ok(AssistantPart::Reasoning(Reasoning { text, verbatim: None }));
    }
    members.set_text("thinking", &text)?;
    members.set_text("signature", signature)?;
    let block = verbatim(PROTOCOL, members.to_json()?)?;
    Ok(AssistantPart::Reasoning(Reasoning { text, verbatim: Some(block) }))
}

fn opaque(
    raw: String,
    changes: Vec<Members>,
    input: &str,
    ending: Ending,
) -> Result<AssistantPart, ModelError> {
    let Kind { kind } = read(&raw)?;
    let is_sealed = &*kind == "redacted_thinking";
    let whole = if changes.is_empty() && input.trim().is_empty() {
        raw
    } else {
        let mut members: Members = read(&raw)?;
        members.merge(changes)?;
        if !input.trim().is_empty() {
            let input = block_input(&kind, input, ending)?;
            members.set("input", input.raw().map_err(|error| malformed(&error.to_string()))?);
        }
        members.to_json()?
    };
    let block = verbatim(PROTOCOL, whole)?;
    Ok(if is_sealed {
        AssistantPart::Reasoning(Reasoning { text: String::new(), verbatim: Some(block) })
    } else {
        AssistantPart::Opaque(block)
    })
}
