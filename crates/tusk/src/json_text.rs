//! A JSON document that is kept as the bytes it came in, so that what is sent again hashes and caches the same.
//! It must not hold anything the strict decoder refuses.

use std::fmt;

use premath_wire::InputError;
use premath_wire::strict::{Limits, parse};
use serde_json::value::RawValue;

/// Strictly valid JSON, verbatim.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// Takes a text that the strict decoder reads: one document, no duplicate keys, bounded depth.
    ///
    /// # Errors
    /// The place of the first thing that is wrong with it.
    pub fn new(text: impl Into<String>) -> Result<Self, InputError> {
        let text = text.into();
        parse(text.as_bytes(), Limits::default())?;
        Ok(Self(text))
    }

    /// `{}`
    #[must_use]
    pub fn empty_object() -> Self {
        Self("{}".to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.0.trim_start().starts_with('{')
    }

    /// The same text, for a serialiser that writes it as it is.
    ///
    /// # Errors
    /// Never for a text this type took; the serialiser cannot know that.
    pub fn raw(&self) -> Result<Box<RawValue>, serde_json::Error> {
        RawValue::from_string(self.0.clone())
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
