//! SHA-256 digests over canonical bytes, and how they are written down.
//!
//! A [`Digest`] is text, because a claimed digest may have any prefix. It must not decide whether a digest is trusted.

#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use sha2::Digest as _;

use crate::canon::{Value, encode, encode_into};

/// A full buffer is hashed and used again, so that a long array needs no buffer of its own size.
const BLOCK: usize = 16 * 1024;
/// Most arrays are short, and a buffer that is never filled costs more than hashing them.
const FIRST_BLOCK: usize = 1024;

/// The longest prefix of a digest that is computed here.
const LONGEST_PREFIX: usize = 16;

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
            text.push(symbol((pending >> bits) & 0x1F));
        }
    }
    if bits > 0 {
        text.push(symbol((pending << (5 - bits)) & 0x1F));
    }
    text
}

/// Two digits for every byte, a hash at a time: every digest is written this way.
fn push_hex(bytes: &[u8], text: &mut String) {
    for piece in bytes.chunks(32) {
        let mut digits = [[b'0'; 2]; 32];
        for (pair, byte) in digits.iter_mut().zip(piece) {
            *pair = [digit(byte >> 4), digit(byte & 0x0F)];
        }
        let written = digits.as_flattened().get(..piece.len() * 2).unwrap_or_default();
        text.push_str(core::str::from_utf8(written).unwrap_or_default());
    }
}

/// The digit of a number below 32: figures first, then letters.
#[inline]
const fn digit(number: u8) -> u8 {
    if number < 10 { b'0' + number } else { b'a' + (number - 10) }
}

fn symbol(number: u16) -> char {
    u8::try_from(number).map_or('0', |number| char::from(digit(number)))
}

/// A digest as text: computed here, or claimed by somebody.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(
    // Shared: one digest stands in many rows of a turn, and the same ones in every turn of a run.
    Arc<str>,
);

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

    /// `sha256:` and the hex of bytes that come in pieces, without ever holding all of them.
    ///
    /// # Errors
    /// The first piece that is none.
    pub fn of_pieces<Piece: AsRef<[u8]>, Failure>(
        pieces: impl IntoIterator<Item = Result<Piece, Failure>>,
    ) -> Result<Digest, Failure> {
        let mut hasher = sha2::Sha256::new();
        for piece in pieces {
            hasher.update(piece?.as_ref());
        }
        Ok(Digest::written("sha256:", hasher.finalize().into()))
    }

    /// The digest of the canonical array of these items, without ever holding the array or its bytes.
    #[must_use]
    pub fn of_array<'a, I: IntoIterator<Item = Value<'a>>>(items: I) -> Digest {
        let mut hasher = sha2::Sha256::new();
        let mut block = Vec::with_capacity(FIRST_BLOCK);
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
        (!text.is_empty()).then(|| Digest(Arc::from(text)))
    }

    /// The digest as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A digest that is not computed yet.
    pub(crate) fn unset() -> Digest {
        Digest(Arc::from(""))
    }

    fn written(prefix: &str, hash: [u8; 32]) -> Digest {
        let mut text = [0_u8; LONGEST_PREFIX + 64];
        let length = prefix.len() + 64;
        let (start, rest) = text.split_at_mut(prefix.len().min(LONGEST_PREFIX));
        start.copy_from_slice(prefix.as_bytes().get(..start.len()).unwrap_or_default());
        for (pair, byte) in rest.as_chunks_mut::<2>().0.iter_mut().zip(hash) {
            *pair = [digit(byte >> 4), digit(byte & 0x0F)];
        }
        debug_assert!(prefix.len() <= LONGEST_PREFIX, "prefixes are our own, and short");
        Digest(Arc::from(core::str::from_utf8(text.get(..length).unwrap_or_default()).unwrap_or_default()))
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
