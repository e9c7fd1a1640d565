//! Where something stands in a source text. It must not keep the text: a position is found when somebody asks for it.

use std::fmt;

/// A place in a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1
    pub line: usize,
    /// The character of the line, from 1
    pub column: usize,
    /// The byte of the text, from 0
    pub byte: usize,
}

impl Position {
    /// The position of a byte; one beyond the text is its end.
    pub(crate) fn of(source: &str, byte: usize) -> Position {
        let byte = byte.min(source.len());
        let before = source.get(..byte).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Position { line: before.bytes().filter(|one| *one == b'\n').count() + 1, column, byte }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

/// A text with the places of its lines, for whoever asks for many positions.
#[derive(Debug)]
pub(crate) struct Text {
    source: Box<str>,
    /// The byte each line starts at
    lines: Vec<usize>,
}

impl Text {
    pub(crate) fn new(source: &str) -> Text {
        let behind = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Text { source: source.into(), lines: [0].into_iter().chain(behind).collect() }
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.source.len());
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let column = self.source.get(start..byte).unwrap_or_default().chars().count() + 1;
        Position { line, column, byte }
    }
}

/// A byte of one of the texts a session has read; the prelude is text 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub(crate) text: u32,
    pub(crate) byte: u32,
}

/// A length as a 32-bit index. Texts, heaps and programs are bounded far below the limit.
pub(crate) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
