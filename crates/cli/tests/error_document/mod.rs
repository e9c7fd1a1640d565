//! The document that a command with `--json` prints instead of an answer.

use serde_json::Value;

/// Standard output without the document of an error.
pub(crate) fn answer_in(code: Option<i32>, stdout: &str) -> &str {
    let is_text = |document: &Value, member: &str| document.pointer(member).is_some_and(Value::is_string);
    let is_error = serde_json::from_str(stdout)
        .is_ok_and(|document| is_text(&document, "/error/class") && is_text(&document, "/error/message"));
    if is_error && code.is_some_and(|code| code > 1) { "" } else { stdout }
}
