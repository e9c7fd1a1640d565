//! The secret that a client over HTTP must show, whichever server it talks to.
//!
//! It must not be printed, logged or compared in a way whose time tells how much of it was right.

use std::fmt;

/// The shortest secret that is taken.
const SHORTEST: usize = 16;

/// A secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A secret that is long enough and can stand in a header; none where it is not or cannot.
    #[must_use]
    pub fn new(secret: &str) -> Option<Self> {
        let secret = secret.trim();
        let is_plain = secret.bytes().all(|byte| byte.is_ascii_graphic());
        (secret.len() >= SHORTEST && is_plain).then(|| Self(secret.to_owned()))
    }

    /// Whether a header `Authorization` shows it.
    #[must_use]
    pub fn is_shown_by(&self, header: &[u8]) -> bool {
        let Some((scheme, shown)) = header.split_at_checked(7) else { return false };
        scheme.eq_ignore_ascii_case(b"bearer ") && is_same(shown.trim_ascii(), self.0.as_bytes())
    }
}

/// Looks at every byte, whatever the first ones say.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let differing = left.iter().zip(right).fold(0, |differing, (one, other)| differing | (one ^ other));
    left.len() == right.len() && differing == 0
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}
