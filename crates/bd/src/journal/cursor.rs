//! Where a reader of a journal stopped: behind which row, and where that row begins.
//!
//! The place spares looking for the row; it is believed only when the row is there. It must not be taken apart by those
//! who pass it on.

use std::fmt;
use std::str::FromStr;

use premath_wire::{InputClass, InputError, JsonPath};

/// A place in a journal, written `seq@offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    seq: u64,
    offset: u64,
}

impl Cursor {
    /// Before the first row.
    pub const START: Self = Self { seq: 0, offset: 0 };

    /// Behind the row of that number, wherever it is.
    #[must_use]
    pub const fn behind(seq: u64) -> Self {
        Self { seq, offset: 0 }
    }

    pub(crate) const fn at(seq: u64, offset: u64) -> Self {
        Self { seq, offset }
    }

    /// The row it stands behind; zero before the first.
    #[must_use]
    pub const fn seq(self) -> u64 {
        self.seq
    }

    pub(crate) const fn offset(self) -> u64 {
        self.offset
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.seq, self.offset)
    }
}

impl FromStr for Cursor {
    type Err = InputError;

    /// Reads what was written, or a row's number alone.
    fn from_str(text: &str) -> Result<Self, InputError> {
        let (seq, offset) = text.split_once('@').unwrap_or((text, "0"));
        match (digits(seq), digits(offset)) {
            // The start is one place.
            (Some(0), Some(1..)) | (None, _) | (_, None) => Err(InputError::new(
                InputClass::FieldInvalid,
                "expected a cursor such as `12@3456`, or a row's number",
                JsonPath::root().key("cursor"),
            )),
            (Some(seq), Some(offset)) => Ok(Self { seq, offset }),
        }
    }
}

/// A number in plain digits: no sign, no space.
fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
