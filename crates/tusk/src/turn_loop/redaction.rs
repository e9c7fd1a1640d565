//! What a model said without the secrets in it, before anybody else sees or keeps it.
//!
//! Arguments stay JSON: what cannot be cut out of them without breaking them empties them, and the tool's schema refuses the
//! call. It must not touch what has no secret in it: not a byte of it may change.

use crate::JsonText;
use crate::model::AssistantPart;

/// Cuts secrets out of every part of an answer.
pub(super) fn redact_parts(parts: &mut Vec<AssistantPart>, redact: &dyn Fn(&str) -> String) {
    for part in parts.iter_mut() {
        match part {
            AssistantPart::Text(text) | AssistantPart::Refusal(text) => *text = redact(text),
            AssistantPart::ToolCall(call) => {
                let redacted = redact(call.arguments.as_str());
                if redacted != call.arguments.as_str() {
                    call.arguments = JsonText::new(redacted).unwrap_or_else(|_| JsonText::empty_object());
                }
                if let Some(malformed) = &mut call.malformed {
                    malformed.text = redact(&malformed.text);
                    malformed.reason = redact(&malformed.reason);
                }
            }
            AssistantPart::Reasoning(reasoning) => reasoning.text = redact(&reasoning.text),
            AssistantPart::Opaque(_) => {}
        }
    }
    // A sealed block goes back as it came or not at all.
    let is_clean = |part: &AssistantPart| {
        let block = match part {
            AssistantPart::Opaque(verbatim) => Some(verbatim),
            AssistantPart::Reasoning(reasoning) => reasoning.verbatim.as_ref(),
            AssistantPart::Text(_) | AssistantPart::Refusal(_) | AssistantPart::ToolCall(_) => None,
        };
        block.is_none_or(|block| redact(block.block.as_str()) == block.block.as_str())
    };
    parts.retain(is_clean);
}
