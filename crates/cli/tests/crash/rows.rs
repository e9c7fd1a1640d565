//! Picking answers apart.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The items of a listing.
///
/// # Panics
/// When it is none.
#[track_caller]
pub(crate) fn items(listing: &Value) -> &[Value] {
    listing.get("items").and_then(Value::as_array).unwrap_or_else(|| panic!("no items in {listing}"))
}

/// A text at a JSON pointer; empty when there is none.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The lines of a log, each of which must be a whole document.
///
/// # Panics
/// When one is not.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in `{line}`")))
        .collect()
}
