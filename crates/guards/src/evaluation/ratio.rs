//! A share with six decimals, or why there is none.

use serde_json::Value;

/// A share between 0 and 1 in millionths, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio(Result<u32, &'static str>);

const WHOLE: u128 = 1_000_000;

impl Ratio {
    pub(super) fn of(part: u64, whole: u64, why_undefined: &'static str) -> Self {
        let rounded = (u128::from(part) * WHOLE + u128::from(whole) / 2).checked_div(u128::from(whole));
        Self(rounded.and_then(|millionths| u32::try_from(millionths).ok()).ok_or(why_undefined))
    }

    /// In millionths.
    #[must_use]
    pub const fn millionths(&self) -> Option<u32> {
        match self.0 {
            Ok(millionths) => Some(millionths),
            Err(_) => None,
        }
    }

    /// Why there is none.
    #[must_use]
    pub const fn reason(&self) -> Option<&'static str> {
        match self.0 {
            Ok(_) => None,
            Err(reason) => Some(reason),
        }
    }

    pub(super) fn to_json(self) -> Value {
        self.millionths().map_or(Value::Null, |millionths| Value::from(f64::from(millionths) / 1_000_000.0))
    }
}
