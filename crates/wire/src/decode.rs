//! From a kernel value to a derived type, with the exact path of whatever does not fit.
//!
//! Types say what they want through `serde::Deserialize`; this says where it failed and in which class. It must not
//! parse text (that is `strict`) or normalise. Paths end at a `flatten`, `untagged` or internally tagged type, because
//! serde copies the value there before looking at it: contract types must not use them where paths matter.

mod access;
mod failure;
mod json;
mod reader;
#[cfg(test)]
mod tests;

use premath_kernel::Value;
use serde::Deserialize;

pub use self::json::{Canonical, Json};
use self::reader::Reader;
use crate::input_error::InputError;

/// What becomes of members that the type does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// They are passed over
    Ignore,
    /// The first one is `input.field_invalid`
    Refuse,
}

/// Reads a value as a type.
///
/// # Errors
/// `input.field_missing`, or `input.field_invalid` for what does not fit, with the path of the field.
pub fn decode<'de, T: Deserialize<'de>>(
    value: &'de Value<'_>,
    unknown: UnknownFields,
) -> Result<T, InputError> {
    T::deserialize(Reader::new(value, unknown)).map_err(InputError::from)
}
