//! Names and ids that a model gives, where there is a secret in them: replaced as a whole, and always by the same.
//!
//! A result is joined to its call by the id, so that nothing can be cut out of one. It must not touch what has no secret in
//! it, and what it puts in its place says nothing of what was there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::{AssistantPart, ModelEvent, StopReason, ToolCall};

/// What a tool is called whose name was a secret. There is none of that name, and the call is refused.
const TOOL: &str = "redacted_tool";
/// What stands for any other word of a provider.
const WORD: &str = "redacted";
/// A secret behind so many separators is looked for; a name has few.
const MOST_SEPARATORS: usize = 16;

/// Takes secrets out of a text.
type Redact<'r> = dyn Fn(&str) -> String + 'r;

/// The names of one answer.
#[derive(Debug)]
pub(super) struct Renaming {
    turn: u64,
    /// The ids that were replaced, in the order they came.
    ids: BTreeMap<String, String>,
}

impl Renaming {
    /// For the answer of this turn: ids of other turns are other ids.
    pub(super) const fn new(turn: u64) -> Self {
        Self { turn, ids: BTreeMap::new() }
    }

    /// What whoever watches is told of an event.
    pub(super) fn event<'e>(&mut self, event: &'e ModelEvent, redact: &Redact<'_>) -> Cow<'e, ModelEvent> {
        let mut told = match event {
            ModelEvent::TextDelta { .. }
            | ModelEvent::ReasoningDelta { .. }
            | ModelEvent::RefusalDelta { .. }
            | ModelEvent::ArgumentsDelta { .. } => return Cow::Borrowed(event),
            ModelEvent::Started { .. }
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::PartDone { .. }
            | ModelEvent::Finished { .. } => event.clone(),
        };
        match &mut told {
            ModelEvent::Started { request_id, response_id, model } => {
                for word in [request_id, response_id, model] {
                    Self::word(word, redact);
                }
            }
            ModelEvent::ToolCallStarted { id, name, .. } => self.call(id, name, redact),
            ModelEvent::PartDone { part, .. } => self.parts(std::slice::from_mut(part), redact),
            ModelEvent::Finished { stop, provider_stop, .. } => {
                Self::stop(stop, redact);
                Self::word(provider_stop, redact);
            }
            ModelEvent::TextDelta { .. }
            | ModelEvent::ReasoningDelta { .. }
            | ModelEvent::RefusalDelta { .. }
            | ModelEvent::ArgumentsDelta { .. } => {}
        }
        Cow::Owned(told)
    }

    /// The calls of an answer.
    pub(super) fn parts(&mut self, parts: &mut [AssistantPart], redact: &Redact<'_>) {
        for part in parts {
            if let AssistantPart::ToolCall(ToolCall { id, name, .. }) = part {
                self.call(id, name, redact);
            }
        }
    }

    /// Why an answer ended: any word of a provider.
    pub(super) fn stop(stop: &mut StopReason, redact: &Redact<'_>) {
        if let StopReason::Other(reason) = stop
            && holds_secret(reason, redact)
        {
            WORD.clone_into(reason);
        }
    }

    /// Some other word of a provider.
    pub(super) fn word(word: &mut Option<String>, redact: &Redact<'_>) {
        if let Some(word) = word
            && holds_secret(word, redact)
        {
            WORD.clone_into(word);
        }
    }

    fn call(&mut self, id: &mut String, name: &mut String, redact: &Redact<'_>) {
        if holds_secret(name, redact) {
            TOOL.clone_into(name);
        }
        if self.ids.contains_key(id) || holds_secret(id, redact) {
            let fresh = format!("{WORD}-{}-{}", self.turn, self.ids.len() + 1);
            self.ids.entry(id.clone()).or_insert(fresh).clone_into(id);
        }
    }
}

/// Whether there is a secret in a name. Names are glued together: `call_` before a secret hides its beginning.
fn holds_secret(name: &str, redact: &Redact<'_>) -> bool {
    let behind = name.match_indices(['_', '-', '.', ':', '/']).take(MOST_SEPARATORS);
    let tails = behind.filter_map(|(at, separator)| name.get(at + separator.len()..));
    std::iter::once(name).chain(tails).any(|text| redact(text) != text)
}

#[cfg(test)]
mod tests;
