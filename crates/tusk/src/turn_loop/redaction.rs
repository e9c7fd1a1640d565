//! What a model said without the secrets in it, before anybody else sees or keeps it.
//!
//! Arguments stay JSON: what cannot be cut out of them without breaking them empties them, and the tool's schema refuses the
//! call. It must not touch what has no secret in it: not a byte of it may change.

use super::run_secrets::RunSecrets;
use crate::JsonText;
use crate::model::{AssistantPart, ToolCall};
use crate::policy::Redaction;

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

/// The arguments of every call of an answer, in order. The run knows the secrets in them from now on.
pub(super) fn written_arguments(
    secrets: &RunSecrets,
    parts: &[AssistantPart],
    redaction: &dyn Fn(&str) -> Redaction,
) -> Vec<JsonText> {
    if !secrets.is_holding() {
        return Vec::new();
    }
    calls(parts).for_each(|call| secrets.note_written(&redaction(call.arguments.as_str())));
    calls(parts).map(|call| call.arguments.clone()).collect()
}

/// Holds the arguments that secrets were cut out of, under the ids that their calls have now.
pub(super) fn hold_written(secrets: &RunSecrets, written: Vec<JsonText>, parts: &[AssistantPart]) {
    for (written, call) in written.into_iter().zip(calls(parts)) {
        if written != call.arguments {
            secrets.hold_written(&call.id, written);
        }
    }
}

fn calls(parts: &[AssistantPart]) -> impl Iterator<Item = &ToolCall> {
    parts.iter().filter_map(|part| match part {
        AssistantPart::ToolCall(call) => Some(call),
        AssistantPart::Text(_)
        | AssistantPart::Refusal(_)
        | AssistantPart::Reasoning(_)
        | AssistantPart::Opaque(_) => None,
    })
}
