//! A secret in a name is gone, the turn still joins, and nothing else changes.

use super::Renaming;
use crate::JsonText;
use crate::model::{AssistantPart, ModelEvent, StopReason, ToolCall, Usage};

const SECRET: &str = "zq9F3kLmP0aXw7RtYb2N";

/// Finds the secret where nothing is glued to its beginning.
fn redact(text: &str) -> String {
    if text.starts_with(SECRET) { text.replace(SECRET, "[redacted]") } else { text.to_owned() }
}

fn call(id: &str, name: &str) -> AssistantPart {
    AssistantPart::ToolCall(ToolCall::new(id, name, JsonText::empty_object()))
}

fn names(parts: &[AssistantPart]) -> Vec<(&str, &str)> {
    let mut names = Vec::new();
    for part in parts {
        if let AssistantPart::ToolCall(call) = part {
            names.push((call.id.as_str(), call.name.as_str()));
        }
    }
    names
}

#[test]
fn what_is_told_and_what_is_kept_have_the_same_names() {
    let mut renaming = Renaming::new(4);
    let started = |id: &str, name: &str| ModelEvent::ToolCallStarted {
        index: 0,
        id: id.to_owned(),
        name: name.to_owned(),
    };
    let (one, two) = (format!("call_{SECRET}"), format!("{SECRET}-2"));
    let event = started(&one, &format!("nope_{SECRET}"));
    assert_eq!(*renaming.event(&event, &redact), started("redacted-4-1", "redacted_tool"));
    let event = started(&two, "fs_read");
    assert_eq!(*renaming.event(&event, &redact), started("redacted-4-2", "fs_read"));
    let mut parts =
        vec![call(&two, "fs_read"), call("call_1", "fs_read"), call(&one, &format!("nope_{SECRET}"))];
    renaming.parts(&mut parts, &redact);
    let kept = [("redacted-4-2", "fs_read"), ("call_1", "fs_read"), ("redacted-4-1", "redacted_tool")];
    assert_eq!(names(&parts), kept);
}

#[test]
fn the_words_of_a_provider_are_replaced_as_a_whole() {
    let said = |word: &str| {
        [
            ModelEvent::Finished {
                stop: StopReason::Other(word.to_owned()),
                provider_stop: Some(word.to_owned()),
                usage: Usage::default(),
            },
            ModelEvent::Started {
                request_id: Some(word.to_owned()),
                response_id: Some(word.to_owned()),
                model: Some(word.to_owned()),
            },
        ]
    };
    let mut renaming = Renaming::new(1);
    for (event, clean) in said(&format!("stop:{SECRET}")).iter().zip(said("redacted")) {
        assert_eq!(*renaming.event(event, &redact), clean);
    }
    for event in said("content_filter") {
        assert_eq!(*renaming.event(&event, &redact), event);
    }
}
