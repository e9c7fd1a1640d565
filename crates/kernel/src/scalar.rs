//! The small values rows are made of: trimmed text, lower-case tokens, call ids, counts.
//!
//! Each can only be made in its normal form, so that two rows that mean the same hash the same. Must not know where
//! a value came from.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::canon::{Number, Value};

/// Text that is trimmed and never blank.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl Text {
    /// Trims `text`; blank text is no text.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        (!trimmed.is_empty()).then(|| Self(String::from(trimmed)))
    }

    /// A word of our own. INVARIANT: callers pass trimmed, non-blank literals.
    pub(crate) fn literal(word: &'static str) -> Self {
        Self(String::from(word))
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A [`Text`] that names one of a set: ASCII lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(Text);

impl Token {
    /// Trims and lower-cases `text`; blank text is no token.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let mut text = Text::new(text)?;
        text.0.make_ascii_lowercase();
        Some(Self(text))
    }

    /// The token itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// The id that ties a request to its result, its use and its rendering.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolCallId(Text);

impl ToolCallId {
    /// Trims `text`; a blank id is no id.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        Text::new(text).map(Self)
    }

    /// The id itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A set of texts: sorted, without repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextSet(Vec<Text>);

impl TextSet {
    /// The texts, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &Text> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `text` is one of them.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.0.binary_search_by(|member| member.as_str().cmp(text)).is_ok()
    }

    pub(crate) fn canonical(&self) -> Vec<Value<'_>> {
        self.0.iter().map(Value::from).collect()
    }
}

impl FromIterator<Text> for TextSet {
    fn from_iter<Texts: IntoIterator<Item = Text>>(texts: Texts) -> Self {
        let mut texts: Vec<Text> = texts.into_iter().collect();
        texts.sort_unstable();
        texts.dedup();
        Self(texts)
    }
}

/// A whole number from 0 to 2^53-1: what canonical JSON can carry without loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count(Number);

impl Count {
    /// None beyond 2^53-1.
    #[must_use]
    pub fn new(count: u64) -> Option<Self> {
        Number::unsigned(count).map(Self)
    }

    /// The count itself.
    #[must_use]
    pub fn get(self) -> u64 {
        // INVARIANT: made from a u64 above, so the number is integral and not negative.
        self.0.as_u64().unwrap_or(u64::MAX)
    }
}

impl From<Count> for Value<'_> {
    fn from(count: Count) -> Self {
        Value::Number(count.0)
    }
}

macro_rules! text_like {
    ($($name:ident),+) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl<'a> From<&'a $name> for Value<'a> {
            fn from(text: &'a $name) -> Self {
                Value::from(text.as_str())
            }
        }
    )+};
}

text_like!(Text, Token, ToolCallId);
