//! A key and what keeps it out of sight. A key can be sent; it must not be printed, compared in public, serialised or
//! found in anything a provider says back to us.

pub(crate) mod needle;
#[cfg(test)]
mod tests;

use std::fmt;

use premath_tusk::model::ModelError;

use self::needle::{Needle, scrubbed};

/// What stands where a key stood.
pub const SCRUBBED: &str = "[secret]";

/// Shorter texts are not looked for: they would turn up in words that have nothing to do with the key.
const SHORTEST_SCRUBBED: usize = 6;

/// A key of a provider. It has no `Display`, its `Debug` says nothing, and it is read in this crate only.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key; white space around it, as a file or a command leaves it, is no part of it.
    ///
    /// # Errors
    /// When nothing is left, or when it holds what no header can carry.
    pub fn new(key: &str) -> Result<Self, ApiKeyError> {
        let key = key.trim();
        if key.is_empty() {
            return Err(ApiKeyError::Empty);
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiKeyError::NotPrintable);
        }
        Ok(Self(key.to_owned()))
    }

    /// The text, for a secret header and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// What to look for, where the key is long enough for that.
    pub(crate) fn needle(&self) -> Option<Needle> {
        Needle::new(&self.0)
    }

    /// The text without the key, however JSON wrote it.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        scrub(text, &self.0)
    }

    /// The error without the key in anything that can be read.
    #[must_use]
    pub fn scrub_error(&self, error: ModelError) -> ModelError {
        ModelError {
            message: self.scrub(&error.message),
            code: error.code.map(|code| self.scrub(&code)),
            request_id: error.request_id.map(|id| self.scrub(&id)),
            ..error
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey")
    }
}

/// Why a text is no key. It never says which text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApiKeyError {
    /// Nothing is there.
    #[error("the key is empty")]
    Empty,
    /// It holds white space, a control character or something that is not ASCII.
    #[error("the key holds a character that no header can carry")]
    NotPrintable,
}

/// `text` with every occurrence of `secret` replaced, however JSON wrote it.
#[must_use]
pub fn scrub(text: &str, secret: &str) -> String {
    Needle::new(secret).map_or_else(|| text.to_owned(), |needle| scrubbed(&[needle], text))
}
