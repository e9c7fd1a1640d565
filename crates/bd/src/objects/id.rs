//! The name of an object: the SHA-256 of its content. It must not be made from a path.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use premath_kernel::{hex, sha256};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::log::from_hex;

const PREFIX: &str = "sha256:";
const REFERENCE: &str = "object://";

/// An object's name, written `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId([u8; 32]);

/// An object that is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectRef {
    /// Its name.
    pub digest: ObjectId,
    /// Its length in bytes.
    pub size: u64,
}

impl ObjectId {
    /// The name of that content.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self(sha256(content))
    }

    pub(crate) const fn from_hash(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// How other rows refer to it: `object://sha256:…`.
    #[must_use]
    pub fn reference(&self) -> String {
        format!("{REFERENCE}{self}")
    }

    /// The object that a reference `object://sha256:…` names; `None` for any other text.
    #[must_use]
    pub fn from_reference(text: &str) -> Option<Self> {
        text.strip_prefix(REFERENCE)?.parse().ok()
    }

    /// Which shelf it is on.
    pub(super) fn shelf(&self) -> usize {
        self.0.first().copied().map_or(0, usize::from)
    }

    /// The folder and the file in it.
    pub(super) fn place(&self, folder: &Path) -> PathBuf {
        let digits = hex(&self.0);
        let (shelf, name) = digits.split_at_checked(2).unwrap_or_default();
        folder.join(shelf).join(name)
    }

    /// The object whose file has that name in that folder.
    pub(super) fn from_place(shelf: &str, name: &str) -> Option<Self> {
        let is_lower = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if shelf.len() != 2 || !is_lower(shelf) || !is_lower(name) {
            return None;
        }
        from_hex(&format!("{shelf}{name}")).map(Self)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", hex(&self.0))
    }
}

impl FromStr for ObjectId {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let digits =
            text.strip_prefix(PREFIX).filter(|digits| !digits.bytes().any(|byte| byte.is_ascii_uppercase()));
        digits.and_then(from_hex).map(Self).ok_or_else(|| {
            let what = "expected `sha256:` and 64 lower-case hexadecimal digits";
            InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key("digest"))
        })
    }
}
