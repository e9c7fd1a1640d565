//! Numbers that have one canonical spelling.
//!
//! It must not let in NaN, an infinity, a negative zero, or an integer that a double cannot hold exactly: two parties
//! would hash such a number differently.

/// 2^53 - 1: beyond it, neighbouring integers share a double.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A finite JSON number; integers given as such are within ±(2^53 - 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(
    // INVARIANT: finite, and never -0.0. Every safe integer is exact in it, so 10 and 10.0 are one number.
    f64,
);

// Equality is total because NaN cannot get in.
impl Eq for Number {}

impl Number {
    /// The integer, unless it is beyond ±(2^53 - 1).
    #[must_use]
    pub fn integer(value: i64) -> Option<Number> {
        (-MAX_SAFE..=MAX_SAFE).contains(&value).then_some(Number(value as f64))
    }

    /// The integer, unless it is beyond 2^53 - 1.
    #[must_use]
    pub fn unsigned(value: u64) -> Option<Number> {
        i64::try_from(value).ok().and_then(Number::integer)
    }

    /// The double, unless it is NaN or infinite; -0.0 becomes 0.
    #[must_use]
    pub fn float(value: f64) -> Option<Number> {
        // Adding zero turns -0.0 into 0.0 and leaves every other finite double alone.
        value.is_finite().then_some(Number(value + 0.0))
    }

    /// The number as a double.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0
    }

    /// The number as an integer, if it is one within 0..=2^53 - 1.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        self.as_i64().and_then(|value| u64::try_from(value).ok())
    }

    /// The number as an integer, if it is one within ±(2^53 - 1).
    #[must_use]
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the comparison below refuses what was truncated"
        )]
        let value = self.0 as i64;
        (value as f64 == self.0 && value.unsigned_abs() <= MAX_SAFE.unsigned_abs()).then_some(value)
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Number(f64::from(value))
    }
}
