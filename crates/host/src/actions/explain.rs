//! `failure.explain`: what a failure class means and what to do about it.

use premath_kernel::{FailureClass, Value};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::failures;
use crate::table::{ActionError, Answer, Host, required_text};

/// Arguments `{class}`.
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let code = required_text(args, "class")?;
    let class = FailureClass::from_code(code).ok_or_else(|| {
        InputError::new(InputClass::FieldInvalid, "no such failure class", JsonPath::root().key("class"))
    })?;
    Answer::new("ok", &failures::explain(class))
}
