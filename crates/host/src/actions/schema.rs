//! `schema.show`: the JSON Schema of a document on the wire.

use premath_kernel::Value;
use premath_wire::v1::schema;
use premath_wire::{InputClass, InputError, JsonPath};

use crate::table::{ActionError, Answer, Host, required_text};

/// Arguments `{name}`.
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let schema = schema(required_text(args, "name")?).ok_or_else(|| {
        InputError::new(InputClass::FieldInvalid, "no such schema", JsonPath::root().key("name"))
    })?;
    Answer::new("ok", &schema)
}
