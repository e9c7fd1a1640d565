//! `schema.show`: the JSON Schema of a document on the wire, or of what an action takes.

use premath_kernel::Value;
use premath_wire::v1::schema;
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;

use super::issue::{arguments, told};
use crate::table::{ACTIONS, ActionError, Answer, Host};

/// What it takes: one of both.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct SchemaArgs {
    /// The document, such as `issue-listing`.
    name: Option<String>,
    /// The action, such as `issue.ready`: what it takes.
    input: Option<String>,
}

/// `schema.show`
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: SchemaArgs = arguments(args)?;
    let wrong = |class, what, key: &str| InputError::new(class, what, JsonPath::root().key(key));
    let found = match (told(args.name.as_deref()), told(args.input.as_deref())) {
        (Some(name), None) => {
            schema(name).ok_or_else(|| wrong(InputClass::FieldInvalid, "no such schema", "name"))
        }
        (None, Some(action)) => {
            input_schema(action).ok_or_else(|| wrong(InputClass::FieldInvalid, "no such action", "input"))
        }
        (None, None) => Err(wrong(InputClass::FieldMissing, "missing field", "name")),
        (Some(_), Some(_)) => Err(wrong(InputClass::FieldInvalid, "a document, or an action", "input")),
    };
    Answer::new("ok", &found?)
}

/// The schema of what an action takes.
#[must_use]
pub fn input_schema(action: &str) -> Option<Schema> {
    ACTIONS.iter().find(|known| known.name == action).map(|known| (known.input)())
}
