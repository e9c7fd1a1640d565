//! Counts of tokens as providers send them: usage is beside the answer, so an odd one is not known and never an error. It
//! must not let a number through that evidence could not hold.

#[cfg(test)]
mod tests;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::value::RawValue;

/// The largest whole number that every reader of JSON agrees on.
pub(crate) const LARGEST_COUNT: u64 = (1 << 53) - 1;

/// A count, unless what stands there is negative, broken, beyond every model or no number at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(Option<u64>);

impl Count {
    /// The count, if it is known.
    pub(crate) const fn known(self) -> Option<u64> {
        self.0
    }

    /// The count, or nothing.
    pub(crate) fn or_nothing(self) -> u64 {
        self.0.unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Lenient(number) = Lenient::<u64>::deserialize(deserializer)?;
        Ok(Self(number.filter(|number| *number <= LARGEST_COUNT)))
    }
}

/// A value where it has the form that is known, else nothing.
#[derive(Debug)]
pub(crate) struct Lenient<T>(pub(crate) Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok()))
    }
}

/// The sum of two counts, which is a count again.
pub(crate) fn sum(one: u64, other: u64) -> u64 {
    one.saturating_add(other).min(LARGEST_COUNT)
}
