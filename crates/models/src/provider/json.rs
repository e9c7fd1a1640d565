//! Reading JSON that a provider sent, once and mostly in place. It must not be lenient: what does not fit is an error with
//! a code, never a default.

use std::borrow::Cow;
use std::collections::BTreeMap;
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
        self.set(name, raw_text(text)?);
        Ok(())
    }

    /// Takes over what changes say, in order: texts are continued, everything else is replaced.
    ///
    /// # Errors
    /// `stream_malformed` for a text that cannot be read.
    pub(crate) fn merge(&mut self, changes: Vec<Self>) -> Result<(), ModelError> {
        let places = self.0.iter().enumerate();
        let mut places: BTreeMap<String, usize> =
            places.map(|(place, (name, _))| (name.clone(), place)).collect();
        // Texts grow here and are written once, so that many small changes of a long text stay cheap.
        let mut growing: BTreeMap<usize, String> = BTreeMap::new();
        let members = changes.into_iter().flat_map(|change| change.0).filter(|(name, _)| name != "type");
        for (name, value) in members {
            let Some(place) = places.get(&name).copied() else {
                places.insert(name.clone(), self.0.len());
                self.0.push((name, value));
                continue;
            };
            let Some((_, old)) = self.0.get_mut(place) else { continue };
            if !value.get().starts_with('"') {
                growing.remove(&place);
                *old = value;
            } else if let Some(text) = growing.get_mut(&place) {
                text.push_str(&read::<Text<'_>>(value.get())?);
            } else if old.get().starts_with('"') {
                growing.insert(place, read::<String>(old.get())? + &read::<Text<'_>>(value.get())?);
            } else {
                *old = value;
            }
        }
        for (place, text) in growing {
            if let Some((_, old)) = self.0.get_mut(place) {
                *old = raw_text(&text)?;
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

fn raw_text(text: &str) -> Result<Box<RawValue>, ModelError> {
    serde_json::value::to_raw_value(text).map_err(|error| malformed(&error.to_string()))
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
