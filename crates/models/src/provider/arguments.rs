//! The arguments of a tool call, read once when nothing more will come. It must not repair them: half a call is no call.

#[cfg(test)]
mod tests;

use premath_tusk::JsonText;
use premath_tusk::model::{ModelError, ModelErrorKind};

use super::json::stops_early;
use crate::error_kinds::one_line;

/// Whether the model was allowed to finish what it wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It was.
    Complete,
    /// It ran out of tokens: what looks whole by accident is not believed to be nothing.
    CutShort,
}

/// Reads the arguments of a call of `tool`. No text at all is a call without arguments.
///
/// # Errors
/// `arguments_cut_off` when the text stops before it is JSON, `arguments_invalid` when it is not one object that the
/// strict decoder takes.
pub(crate) fn arguments(tool: &str, text: &str, ending: Ending) -> Result<JsonText, ModelError> {
    if text.trim().is_empty() {
        return match ending {
            Ending::Complete => Ok(JsonText::empty_object()),
            Ending::CutShort => Err(cut_off(tool)),
        };
    }
    match JsonText::new(text) {
        Ok(json) if json.is_object() => Ok(json),
        Ok(_) => Err(invalid(&format!("the arguments of tool `{tool}` are not an object"))),
        Err(_) if stops_early(text) => Err(cut_off(tool)),
        Err(error) => Err(invalid(&format!("the arguments of tool `{tool}` are refused: {error}"))),
    }
}

/// A call that ended before its arguments did.
#[cold]
pub(crate) fn cut_off(tool: &str) -> ModelError {
    let message = one_line(&format!("the arguments of tool `{tool}` are cut off"));
    ModelError::new(ModelErrorKind::Unknown, "arguments_cut_off", message)
}

#[cold]
fn invalid(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Unknown, "arguments_invalid", one_line(message))
}
