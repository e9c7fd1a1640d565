//! Reading JSON that a provider sent, once and mostly in place. It must not be lenient: what does not fit is an error with
//! a code, never a default.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use premath_tusk::JsonText;
use premath_tusk::model::{ModelError, ModelErrorKind, Verbatim};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error_kinds::one_line;

/// A text that is borrowed where it has no escapes, also inside an `Option`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<Text<'_>> for String {
    fn from(text: Text<'_>) -> Self {
        text.0.into_owned()
    }
}

/// Reads one document of the protocol.
///
/// # Errors
/// `stream_malformed`, saying what does not fit.
pub(crate) fn read<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|error| malformed(&format!("the answer holds bad JSON: {error}")))
}

/// Whether more text could have made it JSON. A number that was begun, as `-` or `0.`, only shows with a digit behind it.
pub(crate) fn stops_early(text: &str) -> bool {
    let is_beginning =
        |text: &str| serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof());
    is_beginning(text) || is_beginning(&format!("{text}0"))
}

/// An answer that the protocol does not know.
#[cold]
pub(crate) fn malformed(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Unknown, "stream_malformed", one_line(message))
}

/// A block as it came, to be carried back as it came.
///
/// # Errors
/// `stream_malformed` when it could not be written to evidence: a duplicate key, a number no reader agrees on.
pub(crate) fn verbatim(protocol: &str, block: impl Into<String>) -> Result<Verbatim, ModelError> {
    let block = JsonText::new(block)
        .map_err(|error| malformed(&format!("a block cannot be carried back: {error}")))?;
    Ok(Verbatim { protocol: protocol.to_owned(), block })
}

/// The members of an object in the order in which they came, their values untouched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    /// The raw value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.get())
    }

    /// Sets a member, in its old place if it has one.
    pub(crate) fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Sets a member to a text.
    ///
    /// # Errors
    /// Never for a text; the serialiser cannot know that.
    pub(crate) fn set_text(&mut self, name: &str, text: &str) -> Result<(), ModelError> {
        let value = serde_json::value::to_raw_value(text).map_err(|error| malformed(&error.to_string()))?;
        self.set(name, value);
        Ok(())
    }

    /// Takes over what a change says: texts are continued, everything else is replaced.
    ///
    /// # Errors
    /// `stream_malformed` for a text that cannot be read.
    pub(crate) fn merge(&mut self, change: Self) -> Result<(), ModelError> {
        for (name, value) in change.0.into_iter().filter(|(name, _)| name != "type") {
            match self.get(&name) {
                Some(old) if old.starts_with('"') && value.get().starts_with('"') => {
                    let whole = read::<String>(old)? + &read::<String>(value.get())?;
                    self.set_text(&name, &whole)?;
                }
                Some(_) | None => self.set(&name, value),
            }
        }
        Ok(())
    }

    /// The object.
    ///
    /// # Errors
    /// Never for what was read; the serialiser cannot know that.
    pub(crate) fn to_json(&self) -> Result<String, ModelError> {
        serde_json::to_string(self).map_err(|error| malformed(&error.to_string()))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, Box<RawValue>>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
