//! Which turns of a conversation are still sent: the newest that fit.
//!
//! A turn is one piece: a call and its results are in the same span, so no window can part them. The opening message is
//! in no span and always stays. It must not send a result without its call, nor a call without its result.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::tokens::estimate;
use crate::model::{AssistantPart, Message, UserPart};

/// Messages that are sent together or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its first message.
    pub first_message: usize,
    /// How many there are.
    pub messages: usize,
    /// About how many tokens they take.
    pub tokens: u64,
}

/// What is still sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windowed {
    /// The first span that is; as many as there are spans when there is none.
    pub first_span: usize,
    /// How many older ones are not.
    pub dropped: usize,
}

/// The newest spans that fit a budget beside `fixed_tokens`: tools, system text and the opening message.
///
/// The newest span is always sent, whether it fits or not: without it the model would not know what it just did.
#[must_use]
pub fn window(spans: &[Span], fixed_tokens: u64, budget: u64) -> Windowed {
    let mut used = fixed_tokens;
    let mut kept = 0;
    for span in spans.iter().rev() {
        used = used.saturating_add(span.tokens);
        if used > budget && kept > 0 {
            break;
        }
        kept += 1;
    }
    let first_span = spans.len() - kept;
    Windowed { first_span, dropped: first_span }
}

/// The spans of a conversation whose first message is the opening. A new one begins with each answer of the model that
/// finds every earlier call answered.
#[must_use]
pub fn spans(messages: &[Message]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (at, message) in messages.iter().enumerate().skip(1) {
        let is_answer = matches!(message, Message::Assistant(_));
        let tokens = message_tokens(message);
        match spans.last_mut() {
            Some(span) if !is_answer || !open.is_empty() => {
                span.messages += 1;
                span.tokens = span.tokens.saturating_add(tokens);
            }
            Some(_) | None => spans.push(Span { first_message: at, messages: 1, tokens }),
        }
        follow(message, &mut open);
    }
    spans
}

/// Keeps track of the calls that wait for their result.
fn follow<'m>(message: &'m Message, open: &mut BTreeSet<&'m str>) {
    match message {
        Message::Assistant(parts) => open.extend(parts.iter().filter_map(|part| match part {
            AssistantPart::ToolCall(call) => Some(call.id.as_str()),
            AssistantPart::Text(_)
            | AssistantPart::Reasoning(_)
            | AssistantPart::Refusal(_)
            | AssistantPart::Opaque(_) => None,
        })),
        Message::User(parts) => {
            for part in parts {
                match part {
                    UserPart::ToolResult(result) => {
                        open.remove(result.call_id.as_str());
                    }
                    UserPart::Text { .. } => {}
                }
            }
        }
    }
}

/// About how many tokens a message takes.
#[must_use]
pub fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::User(parts) => parts
            .iter()
            .map(|part| match part {
                UserPart::Text { text, .. } => estimate(text),
                UserPart::ToolResult(result) => estimate(&result.call_id) + estimate(&result.content),
            })
            .sum(),
        Message::Assistant(parts) => parts
            .iter()
            .map(|part| match part {
                AssistantPart::Text(text) | AssistantPart::Refusal(text) => estimate(text),
                AssistantPart::ToolCall(call) => {
                    estimate(&call.id) + estimate(&call.name) + estimate(call.arguments.as_str())
                }
                AssistantPart::Reasoning(reasoning) => reasoning
                    .verbatim
                    .as_ref()
                    .map_or_else(|| estimate(&reasoning.text), |verbatim| estimate(verbatim.block.as_str())),
                AssistantPart::Opaque(verbatim) => estimate(verbatim.block.as_str()),
            })
            .sum(),
    }
}
