//! What is wrong with an input, and where: the one error of every decoder in this crate.
//!
//! Its text goes to a terminal as it is, so it must stay on one line, bounded, and free of control characters from the
//! input. It must not carry exit codes or hints; those belong to the command line.

mod path;
#[cfg(test)]
mod tests;

use std::fmt;

pub use self::path::{JsonPath, Segment};

/// The longest piece of input that a message repeats, in characters.
const ECHO_LIMIT: usize = 64;

/// An input that cannot be read as what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {what}{} at {path}", Behind(*.position))]
pub struct InputError {
    /// The kind of mistake, a stable code
    pub class: InputClass,
    /// The mistake in words
    pub what: String,
    /// The value it was found in
    pub path: JsonPath,
    /// The place in the text, when the text is at hand
    pub position: Option<Position>,
}

impl InputError {
    /// A mistake at a path, with no place in a text.
    #[must_use]
    pub fn new(class: InputClass, what: impl Into<String>, path: JsonPath) -> Self {
        InputError { class, what: what.into(), path, position: None }
    }
}

/// A place in a text, both counted from one; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line
    pub line: usize,
    /// The character within the line
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

struct Behind(Option<Position>);

impl fmt::Display for Behind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |position| write!(formatter, " ({position})"))
    }
}

/// The kinds of mistake an input can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputClass {
    /// Not JSON, or JSON outside the strict profile
    JsonInvalid,
    /// A required field is absent
    FieldMissing,
    /// A field holds what it cannot hold, or is not known under `--strict`
    FieldInvalid,
    /// An object names a member twice
    DuplicateKey,
    /// Two rows share a key and differ
    DuplicateRow,
    /// Nested beyond the limit
    TooDeep,
    /// Longer than the limit
    TooLarge,
}

impl InputClass {
    /// Every class, in the order of the contract.
    pub const ALL: [InputClass; 7] = [
        InputClass::JsonInvalid,
        InputClass::FieldMissing,
        InputClass::FieldInvalid,
        InputClass::DuplicateKey,
        InputClass::DuplicateRow,
        InputClass::TooDeep,
        InputClass::TooLarge,
    ];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            InputClass::JsonInvalid => "input.json_invalid",
            InputClass::FieldMissing => "input.field_missing",
            InputClass::FieldInvalid => "input.field_invalid",
            InputClass::DuplicateKey => "input.duplicate_key",
            InputClass::DuplicateRow => "input.duplicate_row",
            InputClass::TooDeep => "input.too_deep",
            InputClass::TooLarge => "input.too_large",
        }
    }
}

impl fmt::Display for InputClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// A piece of input as a message may repeat it: cut, and with everything unprintable escaped.
pub(crate) struct Echo<'a>(pub(crate) &'a str);

impl fmt::Display for Echo<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(ECHO_LIMIT) {
            match character {
                '\'' => formatter.write_str("'")?,
                other => write!(formatter, "{}", other.escape_debug())?,
            }
        }
        if characters.next().is_some() { formatter.write_str("…") } else { Ok(()) }
    }
}
