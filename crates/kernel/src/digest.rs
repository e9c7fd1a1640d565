//! SHA-256 digests over canonical bytes, and how they are written down.
//!
//! A [`Digest`] is text, because a claimed digest may have any prefix. It must not decide whether a digest is trusted.

#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use sha2::Digest as _;

use crate::canon::{Value, encode, encode_into};

const HEX: &[u8; 16] = b"0123456789abcdef";
const BASE32HEX: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// A full buffer is hashed and used again, so that a long array needs no buffer of its own size.
const BLOCK: usize = 16 * 1024;

/// The SHA-256 of some bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    sha2::Sha256::digest(bytes).into()
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(bytes, &mut text);
    text
}

/// RFC 4648 base32hex, lower case, no padding.
#[must_use]
pub fn base32hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let mut pending = 0_u16;
    let mut bits = 0_u8;
    for byte in bytes {
        pending = (pending << 8) | u16::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            push_symbol(BASE32HEX, (pending >> bits) & 0x1F, &mut text);
        }
    }
    if bits > 0 {
        push_symbol(BASE32HEX, (pending << (5 - bits)) & 0x1F, &mut text);
    }
    text
}

fn push_hex(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        push_symbol(HEX, u16::from(byte >> 4), text);
        push_symbol(HEX, u16::from(byte & 0x0F), text);
    }
}

#[inline]
fn push_symbol(alphabet: &[u8], at: u16, text: &mut String) {
    text.extend(alphabet.get(usize::from(at)).map(|symbol| char::from(*symbol)));
}

/// A digest as text: computed here, or claimed by somebody.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

impl Digest {
    /// `sha256:` and the hex of the value's canonical bytes.
    #[must_use]
    pub fn of(value: &Value<'_>) -> Digest {
        Digest::of_bytes(&encode(value))
    }

    /// `sha256:` and the hex of these very bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        Digest::written("sha256:", sha256(bytes))
    }

    /// The digest of the canonical array of these items, without ever holding the array or its bytes.
    #[must_use]
    pub fn of_array<'a, I: IntoIterator<Item = Value<'a>>>(items: I) -> Digest {
        let mut hasher = sha2::Sha256::new();
        let mut block = Vec::with_capacity(BLOCK);
        block.push(b'[');
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                block.push(b',');
            }
            encode_into(&item, &mut block);
            if block.len() >= BLOCK {
                hasher.update(&block);
                block.clear();
            }
        }
        block.push(b']');
        hasher.update(&block);
        Digest::written("sha256:", hasher.finalize().into())
    }

    /// Another prefix and the hex of the value's canonical bytes, such as `pol1_…`.
    #[must_use]
    pub fn prefixed(prefix: &str, value: &Value<'_>) -> Digest {
        Digest::written(prefix, sha256(&encode(value)))
    }

    /// A digest somebody names, trimmed; `None` when blank.
    #[must_use]
    pub fn claimed(text: &str) -> Option<Digest> {
        let text = text.trim();
        (!text.is_empty()).then(|| Digest(String::from(text)))
    }

    /// The digest as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn written(prefix: &str, hash: [u8; 32]) -> Digest {
        let mut text = String::with_capacity(prefix.len() + 64);
        text.push_str(prefix);
        push_hex(&hash, &mut text);
        Digest(text)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'a> From<&'a Digest> for Value<'a> {
    fn from(digest: &'a Digest) -> Self {
        Value::from(digest.as_str())
    }
}
