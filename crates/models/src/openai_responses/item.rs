//! One finished item of an answer to parts. An item nobody knows, calls of tools we did not offer among them, is kept
//! whole; it must not be dropped or guessed.

use premath_tusk::model::{AssistantPart, ModelError, Reasoning};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::PROTOCOL;
use crate::provider::arguments::{Ending, cut_off_call, tool_call};
use crate::provider::json::{Text, malformed, read, verbatim};

#[derive(Deserialize)]
pub(super) struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct MessageItem<'a> {
    #[serde(borrow, default)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct OutputText {
    text: String,
}

#[derive(Deserialize)]
struct Refusal {
    refusal: String,
}

/// A call, complete or as it begins.
#[derive(Deserialize)]
pub(super) struct FunctionCall<'a> {
    #[serde(borrow)]
    pub(super) call_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
}

impl FunctionCall<'_> {
    /// The id and the name, without which nobody can answer.
    pub(super) fn identity(&self) -> Result<(&str, &str), ModelError> {
        match (self.call_id.as_deref(), self.name.as_deref()) {
            (Some(id), Some(name)) => Ok((id, name)),
            (None, _) | (_, None) => Err(malformed("a function call has no id or no name")),
        }
    }
}

#[derive(Deserialize)]
struct ReasoningItem {
    #[serde(default)]
    summary: Option<Vec<OutputText>>,
    #[serde(default)]
    content: Option<Vec<OutputText>>,
}

/// What stands between two parts of a summary.
pub(super) const BETWEEN_SUMMARIES: &str = "\n\n";

/// The parts of an item, each with its place in it.
pub(super) fn parts(raw: &str) -> Result<Vec<(u64, AssistantPart)>, ModelError> {
    let Kind { kind, .. } = read(raw)?;
    match &*kind {
        "message" => {
            let item: MessageItem<'_> = read(raw)?;
            let contents = (0..).zip(item.content);
            contents
                .filter_map(|(place, raw)| content(raw.get()).map(|part| Some((place, part?))).transpose())
                .collect()
        }
        "function_call" => Ok(vec![(0, call(&read(raw)?)?)]),
        "reasoning" => Ok(vec![(0, thought(raw)?)]),
        _ => Ok(vec![(0, AssistantPart::Opaque(verbatim(PROTOCOL, raw)?))]),
    }
}

/// One piece of a message. One nobody knows is carried in a message of its own, which is how it can be sent back.
fn content(raw: &str) -> Result<Option<AssistantPart>, ModelError> {
    let Kind { kind, .. } = read(raw)?;
    match &*kind {
        "output_text" => {
            let OutputText { text } = read(raw)?;
            Ok((!text.is_empty()).then_some(AssistantPart::Text(text)))
        }
        "refusal" => {
            let Refusal { refusal } = read(raw)?;
            Ok((!refusal.is_empty()).then_some(AssistantPart::Refusal(refusal)))
        }
        _ => {
            let message = format!(r#"{{"type":"message","role":"assistant","content":[{raw}]}}"#);
            Ok(Some(AssistantPart::Opaque(verbatim(PROTOCOL, message)?)))
        }
    }
}

fn call(call: &FunctionCall<'_>) -> Result<AssistantPart, ModelError> {
    let (id, name) = call.identity()?;
    let (id, name) = (id.to_owned(), name.to_owned());
    let text = call.arguments.as_deref().unwrap_or_default();
    Ok(AssistantPart::ToolCall(match call.status.as_deref() {
        Some("incomplete") => cut_off_call(id, name, text),
        _finished => tool_call(id, name, text, Ending::Complete),
    }))
}

/// What may be read is the summary, or the thoughts themselves where a model shows them.
fn thought(raw: &str) -> Result<AssistantPart, ModelError> {
    let item: ReasoningItem = read(raw)?;
    let texts = item.summary.filter(|summary| !summary.is_empty()).or(item.content).unwrap_or_default();
    let texts: Vec<String> = texts.into_iter().map(|part| part.text).collect();
    let verbatim = Some(verbatim(PROTOCOL, raw)?);
    Ok(AssistantPart::Reasoning(Reasoning { text: texts.join(BETWEEN_SUMMARIES), verbatim }))
}
