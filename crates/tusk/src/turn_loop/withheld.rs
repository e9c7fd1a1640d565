//! The row of a program's calls without the arguments that hold a secret.
//!
//! A program can put together what nobody may keep, and its calls are written down before policy has looked at them. What is
//! withheld is said, and its digest stays, so that a run still runs again. It must not put other words in their place.

#[cfg(test)]
mod tests;

use premath_bd::JournalEvent;
use premath_kernel::{Object, Value, encode};

use super::records::PROGRAM_CALLED;

/// The member of a call whose arguments are withheld.
const WITHHELD: &str = "withheld";

/// The row as it may be kept, and the calls whose arguments it lacks.
pub(super) fn withheld(row: JournalEvent, redact: &dyn Fn(&str) -> String) -> (JournalEvent, Vec<String>) {
    if row.kind() != PROGRAM_CALLED {
        return (row, Vec::new());
    }
    let value = row.value();
    let all: Vec<&str> = calls(&value).map(|call| text(call, "arguments")).collect();
    let all = all.join("\n");
    if redact(&all) == all {
        return (row, Vec::new());
    }
    let holds_one = |call: &&Value<'_>| {
        let arguments = text(call, "arguments");
        redact(arguments) != arguments
    };
    let ids: Vec<String> = calls(&value).filter(holds_one).map(|call| text(call, "id").to_owned()).collect();
    (without(&value, &ids), ids)
}

/// Whether a row is the one that is expected, but for arguments that it says are withheld.
pub(super) fn is_withheld_from(row: &Value<'_>, expected: &JournalEvent) -> bool {
    if expected.kind() != PROGRAM_CALLED {
        return false;
    }
    let is_withheld = |call: &&Value<'_>| member(call, WITHHELD).is_some();
    let ids: Vec<String> = calls(row).filter(is_withheld).map(|call| text(call, "id").to_owned()).collect();
    without(&expected.value(), &ids).bytes() == encode(row)
}

fn without(row: &Value<'_>, ids: &[String]) -> JournalEvent {
    let call = |call: &Value<'_>| {
        let is_withheld = ids.iter().any(|id| id == text(call, "id"));
        let kept = |name: &str| text(call, name).to_owned();
        Object::fields()
            .optional("arguments", (!is_withheld).then(|| kept("arguments")))
            .field("argumentsDigest", kept("argumentsDigest"))
            .field("id", kept("id"))
            .field("name", kept("name"))
            .optional(WITHHELD, is_withheld.then_some(true))
            .finish()
    };
    let fields = Object::fields()
        .field("calls", calls(row).map(call).collect::<Vec<_>>())
        .field("toolCallId", text(row, "toolCallId").to_owned());
    JournalEvent::new(PROGRAM_CALLED, fields)
}

fn calls<'r>(row: &'r Value<'r>) -> impl Iterator<Item = &'r Value<'r>> {
    let calls = match member(row, "calls") {
        Some(Value::Array(calls)) => Some(calls),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_)) | None => {
            None
        }
    };
    calls.into_iter().flatten()
}

fn member<'r>(value: &'r Value<'r>, name: &str) -> Option<&'r Value<'r>> {
    value.as_object()?.get(name)
}

fn text<'r>(value: &'r Value<'r>, name: &str) -> &'r str {
    member(value, name).and_then(Value::as_text).unwrap_or_default()
}
