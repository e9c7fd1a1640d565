//! What was said earlier in a conversation, as the next request to a model shows it.
//!
//! An exchange is one piece: a message of a person, what was answered, what was called. So no window begins with an answer
//! or a result. What a model said is fenced: it may repeat what a document wanted it to say. It must not show more than
//! its limits, nor cut without saying where the rest is (I8).

#[cfg(test)]
mod tests;

use super::excerpt::{Voice, Whole, bounded, items};
use super::tokens::estimate;

/// The most bytes of one message, and of one answer.
const TEXT_BYTES: usize = 8 * 1024;
/// The most calls of one exchange that are named, and the most bytes of a line about one.
const MOST_CALLS: usize = 16;
const CALL_BYTES: usize = 240;

/// A message of a person, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// What the person said.
    pub asked: String,
    /// What was answered. Empty where nothing was.
    pub answered: String,
    /// A line about each call, in order.
    pub calls: Vec<String>,
    /// How it ended, in words of ours, where it did not simply end.
    pub ending: Option<String>,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierLimits {
    /// Exchanges.
    pub exchanges: usize,
    /// Tokens of all of them together.
    pub tokens: u64,
}

/// What is shown of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The text.
    pub text: String,
    /// How many exchanges are not shown.
    pub left_out: u64,
    /// What is shown in part only, and has to be stored before the text is shown.
    pub to_store: Vec<Whole>,
}

/// The newest exchanges that fit, oldest first; none where there are none. `older` are further ones that nobody handed in.
#[must_use]
pub fn earlier(exchanges: &[Exchange], older: u64, limits: EarlierLimits) -> Option<Earlier> {
    let mut shown: Vec<String> = Vec::new();
    let mut to_store = Vec::new();
    let mut used = 0_u64;
    for exchange in exchanges.iter().rev().take(limits.exchanges) {
        let mut wholes = Vec::new();
        let text = said(exchange, &mut wholes);
        used = used.saturating_add(estimate(&text));
        // The newest is always shown: what was just said is what the next message is about.
        if used > limits.tokens && !shown.is_empty() {
            break;
        }
        shown.push(text);
        to_store.extend(wholes);
    }
    if shown.is_empty() {
        return None;
    }
    let left_out = u64::try_from(exchanges.len() - shown.len()).unwrap_or(u64::MAX).saturating_add(older);
    shown.reverse();
    let older = match left_out {
        0 => String::new(),
        1 => "; 1 older exchange is not shown".to_owned(),
        count => format!("; {count} older exchanges are not shown"),
    };
    let text = format!("Earlier in this conversation, oldest first{older}:\n\n{}", shown.join("\n\n"));
    Some(Earlier { text, left_out, to_store })
}

fn said(exchange: &Exchange, to_store: &mut Vec<Whole>) -> String {
    let asked = bounded(&exchange.asked, TEXT_BYTES, Voice::Asked, to_store);
    let mut parts = vec![format!("The person said:\n{asked}")];
    if !exchange.calls.is_empty() {
        parts.push(format!("You called:\n{}", items(&exchange.calls, MOST_CALLS, CALL_BYTES).text));
    }
    if !exchange.answered.is_empty() {
        let answered = bounded(&exchange.answered, TEXT_BYTES, Voice::Other("assistant"), to_store);
        parts.push(format!("You answered:\n{answered}"));
    }
    parts.extend(exchange.ending.clone());
    parts.join("\n")
}
