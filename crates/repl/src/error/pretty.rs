//! An error as text for people: the line it is in, a caret below it, the calls around it.

use std::fmt::Write;

use super::{Error, one_line};
use crate::position::Position;

/// How much of a line is shown on either side of the caret.
const SHOWN: usize = 60;

impl Error {
    /// Several lines of plain text: kind and message, the line of the source with a caret, the trace.
    ///
    /// `source` is the text that [`Error::text`] speaks of.
    #[must_use]
    pub fn pretty(&self, source: &str) -> String {
        let mut out = format!("{}: {}", self.kind.code(), self.message);
        if let Some(class) = &self.class {
            let hint = if self.retryable { ", may be retried" } else { "" };
            push(&mut out, format_args!(" [{}{hint}]", one_line(class)));
        }
        if let Some(position) = self.position {
            push_line(&mut out, source, position);
        }
        for entry in &self.trace {
            push(&mut out, format_args!("\n  in {} at {}", one_line(&entry.procedure), entry.position));
        }
        out
    }
}

fn push_line(out: &mut String, source: &str, position: Position) {
    let line = source.lines().nth(position.line.saturating_sub(1)).unwrap_or_default();
    let start = position.column.saturating_sub(1).saturating_sub(SHOWN);
    let shown: String = line
        .chars()
        .skip(start)
        .take(2 * SHOWN)
        .map(|one| if one.is_control() { ' ' } else { one })
        .collect();
    let number = position.line.to_string();
    let margin = " ".repeat(number.len());
    let before = " ".repeat(position.column.saturating_sub(1).saturating_sub(start));
    push(out, format_args!("\n {margin}--> {position}\n {number} | {shown}\n {margin} | {before}^"));
}

fn push(out: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    out.write_fmt(what).unwrap_or_default();
}
