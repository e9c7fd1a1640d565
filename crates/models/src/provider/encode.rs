//! What the bodies of all three protocols share when they are written.

use premath_tusk::model::{ModelError, ModelErrorKind, ReasoningEffort, SystemBlock, Verbatim};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error_kinds::one_line;

/// Writes a body.
///
/// # Errors
/// `request_invalid`, when something in the request has no JSON form.
pub(crate) fn body(body: &impl Serialize) -> Result<Vec<u8>, ModelError> {
    serde_json::to_vec(body).map_err(unsendable)
}

/// A request that cannot be written.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
pub(crate) fn unsendable(error: serde_json::Error) -> ModelError {
    let message = one_line(&format!("the request cannot be written: {error}"));
    ModelError::new(ModelErrorKind::Model, "request_invalid", message)
}

/// A block of this protocol as it came; those of other protocols are carried to them only.
pub(crate) fn own(protocol: &str, verbatim: &Verbatim) -> Option<Result<Box<RawValue>, ModelError>> {
    (verbatim.protocol == protocol).then(|| verbatim.block.raw().map_err(unsendable))
}

/// All system blocks as one text, for protocols that take one.
pub(crate) fn system_text(blocks: &[SystemBlock]) -> Option<String> {
    let texts: Vec<&str> =
        blocks.iter().map(|block| block.text.as_str()).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The word all three protocols use.
pub(crate) const fn effort(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::Low => "low",
        ReasoningEffort::Medium => "medium",
        ReasoningEffort::High => "high",
    }
}
