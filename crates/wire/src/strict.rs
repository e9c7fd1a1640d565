//! The strict JSON decoder: RFC 8259 text to the kernel's value, refusing what has no single canonical form.
//!
//! Own code instead of serde_json because of what must be refused and how it must be reported (docs/adr/0003). It must
//! not repair, guess, or accept extensions, and must not read beyond its limits.

mod number;
mod parser;
#[cfg(test)]
mod tests;
mod text;

use premath_kernel::Value;

use self::parser::{Failure, Parser};
use crate::input_error::{InputClass, InputError, JsonPath, Position};

/// Deeper nesting is refused whatever the limits say, so that no caller can overflow the stack.
const DEPTH_CEILING: usize = 512;

/// How much input is read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest input, in bytes
    pub max_bytes: usize,
    /// The deepest nesting of arrays and objects; at most 512 whatever is asked for
    pub max_depth: usize,
    /// The most values, which is what memory grows with: a short input can hold very many
    pub max_values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_bytes: 128 * 1024 * 1024, max_depth: 128, max_values: 3_000_000 }
    }
}

/// Reads one JSON document.
///
/// # Errors
/// `input.too_large` and `input.too_deep` beyond the limits, `input.duplicate_key`, `input.field_invalid` for an integer
/// beyond ±(2^53 - 1), and `input.json_invalid` for everything else that is not UTF-8 JSON without lone surrogates.
pub fn parse(bytes: &[u8], limits: Limits) -> Result<Value<'_>, InputError> {
    if bytes.len() > limits.max_bytes {
        let what = format!("{} bytes, more than the {} allowed", bytes.len(), limits.max_bytes);
        return Err(InputError::new(InputClass::TooLarge, what, JsonPath::root()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Parser::new(text, limits).document().map_err(|failure| located(*failure, text)),
        Err(error) => Err(not_utf8(bytes, error.valid_up_to(), limits)),
    }
}

/// Finds the path of the first byte that is not UTF-8 by reading the text before it, which may be at fault even earlier.
#[cold]
fn not_utf8(bytes: &[u8], valid: usize, limits: Limits) -> InputError {
    let readable = bytes.get(..valid).and_then(|prefix| std::str::from_utf8(prefix).ok()).unwrap_or_default();
    let mut failure = match Parser::new(readable, limits).document() {
        Err(failure) if failure.at < valid => return located(*failure, readable),
        Err(failure) => *failure,
        Ok(_) => Failure::new(InputClass::JsonInvalid, String::new(), valid),
    };
    failure.class = InputClass::JsonInvalid;
    failure.what = "invalid UTF-8".to_owned();
    failure.at = valid;
    located(failure, readable)
}

fn located(failure: Failure, text: &str) -> InputError {
    let before = text.get(..failure.at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let position = Position {
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
    };
    InputError { class: failure.class, what: failure.what, path: failure.path, position: Some(position) }
}
