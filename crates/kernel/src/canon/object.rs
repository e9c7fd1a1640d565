//! Objects whose members are kept in canonical order, and the builder for objects we write ourselves.
//!
//! It must not let two members share a name: an object either has one canonical form or does not exist.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Value;

/// One name and its value.
type Member<'a> = (Cow<'a, str>, Value<'a>);

/// The members of a JSON object, in the order RFC 8785 gives them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object<'a>(
    // INVARIANT: names strictly ascending by UTF-16 code units, hence unique.
    Vec<Member<'a>>,
);

/// Two members of one object share a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("duplicate key `{key}`")]
pub struct DuplicateKey {
    /// The name that occurs more than once
    pub key: String,
}

impl<'a> Object<'a> {
    /// Starts an object that is written field by field.
    #[must_use]
    pub fn fields() -> Fields<'a> {
        // Most of what we write has about so many fields; growing one at a time costs more than the room.
        Fields { members: Vec::with_capacity(8) }
    }

    /// Takes members in any order.
    ///
    /// # Errors
    /// When a name occurs more than once; the smallest such name is reported.
    pub fn from_members(mut members: Vec<Member<'a>>) -> Result<Self, DuplicateKey> {
        if !is_canonical(&members) {
            members.sort_by(|left, right| compare(&left.0, &right.0));
            let twin = members.iter().zip(members.iter().skip(1)).find(|(left, right)| left.0 == right.0);
            if let Some(((key, _), _)) = twin {
                return Err(DuplicateKey { key: String::from(key.as_ref()) });
            }
        }
        Ok(Object(members))
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        let at = self.0.binary_search_by(|(name, _)| compare(name, key)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// The members in canonical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A copy without one member, borrowing every string.
    #[must_use]
    pub fn without(&self, key: &str) -> Object<'_> {
        Object(self.0.iter().filter(|(name, _)| name != key).map(borrow_member).collect())
    }

    /// The same object with every string its own.
    pub(super) fn into_owned(self) -> Object<'static> {
        let own = |(name, value): Member<'a>| (Cow::Owned(name.into_owned()), value.into_owned());
        Object(self.0.into_iter().map(own).collect())
    }

    /// The same object with every string borrowed from this one.
    pub(crate) fn borrowed(&self) -> Object<'_> {
        Object(self.0.iter().map(borrow_member).collect())
    }
}

fn borrow_member<'b>((name, value): &'b Member<'_>) -> Member<'b> {
    (Cow::Borrowed(name.as_ref()), value.borrowed())
}

/// An object being written; a field given twice keeps its last value.
#[derive(Debug, Default)]
pub struct Fields<'a> {
    members: Vec<Member<'a>>,
}

impl<'a> Fields<'a> {
    /// Adds a field.
    #[must_use]
    pub fn field(mut self, key: &'static str, value: impl Into<Value<'a>>) -> Self {
        self.members.push((Cow::Borrowed(key), value.into()));
        self
    }

    /// Adds a field when there is a value; `None` leaves no trace in the bytes.
    #[must_use]
    pub fn optional(self, key: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        match value {
            Some(value) => self.field(key, value),
            None => self,
        }
    }

    /// Adds a list when it has items; an empty one leaves no trace in the bytes.
    #[must_use]
    pub fn non_empty(self, key: &'static str, items: Vec<Value<'a>>) -> Self {
        if items.is_empty() { self } else { self.field(key, items) }
    }

    /// The finished object.
    #[must_use]
    pub fn finish(mut self) -> Value<'a> {
        if !is_canonical(&self.members) {
            self.members.sort_by(|left, right| compare(&left.0, &right.0));
            // The sort is stable: of equal names the later stands behind, and takes the place of the earlier.
            self.members.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    core::mem::swap(later, earlier);
                }
                same
            });
        }
        Value::Object(Object(self.members))
    }
}

fn is_canonical(members: &[Member<'_>]) -> bool {
    members.is_sorted_by(|left, right| compare(&left.0, &right.0) == Ordering::Less)
}

/// Orders names by UTF-16 code units without encoding them.
///
/// Bytes of UTF-8 order by code point. The two orders differ only where a character above U+FFFF, whose surrogates begin
/// at 0xD800, meets one of U+E000..=U+FFFF: there the first differing byte is a lead byte, 0xEE or 0xEF against 0xF0 and up.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    // Most neighbours differ in their first letter already.
    if let (Some(a), Some(b)) = (left.first(), right.first())
        && a != b
        && *a < 0xEE
        && *b < 0xEE
    {
        return a.cmp(b);
    }
    match left.iter().zip(right).find(|(a, b)| a != b) {
        None => left.len().cmp(&right.len()),
        Some((a, b)) if *a < 0xEE && *b < 0xEE => a.cmp(b),
        Some((a, b)) => utf16_rank(*a).cmp(&utf16_rank(*b)),
    }
}

/// Lifts the lead bytes of U+E000..=U+FFFF above those of the supplementary planes (0xF0..=0xF4).
fn utf16_rank(byte: u8) -> u8 {
    if matches!(byte, 0xEE | 0xEF) { byte | 0x10 } else { byte }
}
