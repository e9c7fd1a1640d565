//! Where in a file something is. It only turns offsets into lines and columns.

use std::ops::Range;

use super::ScenarioError;

/// A file and its text.
#[derive(Debug)]
pub(super) struct Places<'a> {
    file: &'a str,
    pub(super) text: &'a str,
}

impl<'a> Places<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text }
    }

    /// Something wrong at this place, on one line.
    pub(super) fn error(&self, span: Range<usize>, message: impl AsRef<str>) -> ScenarioError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let lines: Vec<&str> =
            message.as_ref().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        ScenarioError {
            file: self.file.to_owned(),
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            message: lines.join("; "),
        }
    }
}
