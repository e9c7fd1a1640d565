//! Answers that fit: as many things as there is room for, as much of a text as there is room for, and where to go on.
//!
//! It must not cut a character in two, and never gives nothing while there is something.

use premath_tusk::tools::{Extent, ToolOutput};
use serde_json::Value;

/// An answer as a tool gives it.
pub(super) fn output(content: &Value, is_cut: bool, note: String) -> ToolOutput {
    let content = content.to_string();
    let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
    let extent = Extent { total_bytes: bytes, shown_bytes: bytes, replaced_bytes: 0, is_cut };
    ToolOutput { content, note, extent, ..ToolOutput::default() }
}

/// How many of so many things fit, at least one. `written` is the answer with the first so many.
pub(super) fn fitting(count: usize, budget: usize, written: impl Fn(usize) -> Value) -> usize {
    let fits = |count: usize| written(count).to_string().len() <= budget;
    if count <= 1 || fits(count) {
        return count;
    }
    // The most that fit lie between the two.
    let (mut fitting, mut beyond) = (1, count);
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) {
            fitting = middle;
        } else {
            beyond = middle;
        }
    }
    fitting
}

/// A piece of a text: from a byte, at most so many bytes, and such that the answer with it fits. Returns where it begins and
/// ends. A negative beginning counts from the end.
pub(super) fn piece(
    text: &str,
    offset: i64,
    length: Option<u64>,
    budget: usize,
    written: impl Fn(&str) -> Value,
) -> Option<(usize, usize)> {
    let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let start = if offset < 0 { text.len().saturating_sub(distance) } else { distance };
    if start > text.len() {
        return None;
    }
    let start = (0..=start).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    let length = length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut end = boundary(text, start, start.saturating_add(length).min(text.len()));
    loop {
        let size = written(text.get(start..end).unwrap_or_default()).to_string().len();
        let shown = end - start;
        let smaller =
            boundary(text, start, start + (shown * budget / size.max(1)).min(shown.saturating_sub(1)));
        if size <= budget || smaller >= end {
            return Some((start, end));
        }
        end = smaller;
    }
}

/// The last place up to `end` where no character is cut, behind at least one character.
fn boundary(text: &str, start: usize, end: usize) -> usize {
    let first = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let end = end.clamp((start + first).min(text.len()), text.len());
    (start..=end).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
