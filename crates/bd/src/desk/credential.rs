//! A person's credential: what a yes is signed with, and what the signature is checked with.
//!
//! It is made from secret bytes by the command, never read from a row, and never given to a model or a tool. It must not be
//! cloned, printed or written down.

use core::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use premath_kernel::{Value, encode, hex};
use sha2::Sha256;

/// What a person signs with.
pub struct PersonCredential {
    name: String,
    secret: [u8; 32],
}

impl PersonCredential {
    /// The credential of a person. For the command only: whoever can make one is that person.
    #[must_use]
    pub const fn new(name: String, secret: [u8; 32]) -> Self {
        Self { name, secret }
    }

    /// Who it is.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The signature over a value, in hexadecimal.
    pub(crate) fn sign(&self, value: &Value<'_>) -> String {
        self.over(value).map(|mac| hex(&mac.finalize().into_bytes())).unwrap_or_default()
    }

    /// Whether that is the signature over the value. Takes as long for a wrong one as for a right one.
    pub(crate) fn has_signed(&self, value: &Value<'_>, signature: &str) -> bool {
        let Some(mac) = self.over(value) else { return false };
        let Some(claimed) = bytes(signature) else { return false };
        mac.verify_slice(&claimed).is_ok()
    }

    fn over(&self, value: &Value<'_>) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).ok()?;
        mac.update(&encode(value));
        Some(mac)
    }
}

impl fmt::Debug for PersonCredential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PersonCredential").field("name", &self.name).finish_non_exhaustive()
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let (pairs, rest) = digits.as_deref()?.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
