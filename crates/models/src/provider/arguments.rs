//! The arguments of a tool call, read once when nothing more will come. It must not repair them: what is no JSON object is
//! carried as the text it is, and the call that has it never runs.

#[cfg(test)]
mod tests;

use premath_tusk::JsonText;
use premath_tusk::model::{MalformedArguments, ModelError, ModelErrorKind, ToolCall};

use super::json::stops_early;
use crate::error_kinds::one_line;

/// The longest text that is carried of arguments that are none.
const LONGEST_TEXT: usize = 16 * 1024;

/// Whether the model was allowed to finish what it wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It was.
    Complete,
    /// It ran out of tokens: what looks whole by accident is not believed to be nothing.
    CutShort,
}

/// A call of `tool` with the arguments that were written. No text at all is a call without arguments.
pub(crate) fn tool_call(id: String, tool: String, text: &str, ending: Ending) -> ToolCall {
    match read_arguments(text, ending) {
        Ok(arguments) => ToolCall::new(id, tool, arguments),
        Err(reason) => malformed_call(id, tool, text, reason),
    }
}

/// A call that ended before its arguments did, or may have.
pub(crate) fn cut_off_call(id: String, tool: String, text: &str) -> ToolCall {
    malformed_call(id, tool, text, CUT_OFF.to_owned())
}

/// Reads the input of a block of the protocol that is carried back and not run.
///
/// # Errors
/// `arguments_invalid` when it is not one object that the strict decoder takes.
pub(crate) fn block_input(kind: &str, text: &str, ending: Ending) -> Result<JsonText, ModelError> {
    read_arguments(text, ending).map_err(|reason| {
        let message = one_line(&format!("the input of `{kind}` is refused: {reason}"));
        ModelError::new(ModelErrorKind::Unknown, "arguments_invalid", message)
    })
}

const CUT_OFF: &str = "the arguments are cut off";

fn read_arguments(text: &str, ending: Ending) -> Result<JsonText, String> {
    if text.trim().is_empty() {
        return match ending {
            Ending::Complete => Ok(JsonText::empty_object()),
            Ending::CutShort => Err(CUT_OFF.to_owned()),
        };
    }
    match JsonText::new(text) {
        Ok(json) if json.is_object() => Ok(json),
        Ok(_) => Err("the arguments are not a JSON object".to_owned()),
        Err(_) if stops_early(text) => Err(CUT_OFF.to_owned()),
        Err(error) => Err(one_line(&format!("the arguments are refused: {error}"))),
    }
}

#[cold]
fn malformed_call(id: String, tool: String, text: &str, reason: String) -> ToolCall {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= LONGEST_TEXT).last();
    let kept =
        if text.len() <= LONGEST_TEXT { text } else { text.get(..end.unwrap_or(0)).unwrap_or_default() };
    let malformed = MalformedArguments { reason, text: kept.to_owned() };
    ToolCall { id, name: tool, arguments: JsonText::empty_object(), malformed: Some(malformed) }
}
