//! `failure.explain`: what a failure class means and what to do about it.

use premath_kernel::{FailureClass, Value};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::arguments;
use crate::failures;
use crate::table::{ActionError, Answer, Host};

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExplainArgs {
    /// The class, such as `tool.result_orphan`.
    class: String,
}

/// `failure.explain`
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ExplainArgs = arguments(args)?;
    let class = FailureClass::from_code(&args.class).ok_or_else(|| {
        InputError::new(InputClass::FieldInvalid, "no such failure class", JsonPath::root().key("class"))
    })?;
    Answer::new("ok", &failures::explain(class))
}
