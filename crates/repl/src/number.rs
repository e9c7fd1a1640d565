//! Exact numbers: 64 bits of digits and a point. There are no binary floats.
//!
//! A number is `digits / 10^places` with at most 18 places. A result that needs more is rounded once, half to even, to
//! the most places that fit; one whose whole part does not fit is [`TooBig`]. `1.0` is `1`: every number has one form.

#[cfg(test)]
mod tests;
mod text;

pub(crate) use self::text::NoNumber;

use std::cmp::Ordering;

/// The most digits behind the point.
pub(crate) const MOST_PLACES: u8 = 18;

/// A number; two that are equal are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    // INVARIANT: places <= 18, and digits do not end in 0 unless places is 0.
    digits: i64,
    places: u8,
}

/// A result that 64 bits cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooBig;

impl Number {
    pub(crate) fn integer(value: i64) -> Number {
        Number { digits: value, places: 0 }
    }

    /// Takes digits and places as a value holds them.
    pub(crate) fn decimal(digits: i64, places: u8) -> Number {
        Number { digits, places }
    }

    pub(crate) fn digits(self) -> i64 {
        self.digits
    }

    pub(crate) fn places(self) -> u8 {
        self.places
    }

    pub(crate) fn as_integer(self) -> Option<i64> {
        (self.places == 0).then_some(self.digits)
    }

    pub(crate) fn is_negative(self) -> bool {
        self.digits < 0
    }

    /// The nearest number that fits, rounded once; whether it is exact is the second part.
    fn fit(digits: i128, places: u32) -> Result<(Number, bool), TooBig> {
        let mut dropped = places.saturating_sub(u32::from(MOST_PLACES));
        while dropped <= places {
            let (kept, exact) = shorten(digits, dropped);
            if let Ok(digits) = i64::try_from(kept) {
                let places = u8::try_from(places - dropped).unwrap_or(MOST_PLACES);
                return Ok((Number { digits, places }.normal(), exact));
            }
            dropped += 1;
        }
        Err(TooBig)
    }

    fn normal(mut self) -> Number {
        while self.places > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.places -= 1;
        }
        self
    }

    pub(crate) fn add(self, other: Number) -> Result<Number, TooBig> {
        let (left, right, places) = align(self, other);
        Number::fit(left + right, places).map(|(sum, _)| sum)
    }

    pub(crate) fn subtract(self, other: Number) -> Result<Number, TooBig> {
        let (left, right, places) = align(self, other);
        Number::fit(left - right, places).map(|(difference, _)| difference)
    }

    pub(crate) fn multiply(self, other: Number) -> Result<Number, TooBig> {
        let digits = i128::from(self.digits) * i128::from(other.digits);
        Number::fit(digits, u32::from(self.places) + u32::from(other.places)).map(|(product, _)| product)
    }

    /// The quotient; `None` for a division by zero.
    pub(crate) fn divide(self, other: Number) -> Option<Result<Number, TooBig>> {
        let (above, below, _) = align(self, other);
        if below == 0 {
            return None;
        }
        let negative = (above < 0) != (below < 0);
        let below = below.abs();
        let (mut digits, mut rest) = (above.abs() / below, above.abs() % below);
        let mut places = 0;
        while rest != 0 && places < 20 && digits < 10_i128.pow(20) {
            digits = digits * 10 + rest * 10 / below;
            rest = rest * 10 % below;
            places += 1;
        }
        if rest != 0 {
            // A digit that stands for everything behind, so that the one rounding falls on the right side.
            digits = digits * 10 + 1;
            places += 1;
        }
        let digits = if negative { -digits } else { digits };
        Some(Number::fit(digits, places).map(|(quotient, _)| quotient))
    }

    /// The number with at most so many places, by a way of rounding.
    pub(crate) fn round(self, places: u8, way: Rounding) -> Result<Number, TooBig> {
        let dropped = self.places.saturating_sub(places);
        if dropped == 0 {
            return Ok(self);
        }
        let unit = 10_i128.pow(u32::from(dropped));
        let digits = i128::from(self.digits);
        let kept = match way {
            Rounding::Floor => digits.div_euclid(unit),
            Rounding::Ceiling => -(-digits).div_euclid(unit),
            Rounding::Truncate => digits / unit,
            Rounding::HalfEven => shorten(digits, u32::from(dropped)).0,
        };
        Number::fit(kept, u32::from(self.places - dropped)).map(|(rounded, _)| rounded)
    }

    pub(crate) fn negate(self) -> Result<Number, TooBig> {
        Number::integer(0).subtract(self)
    }
}

/// A way to drop digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    Floor,
    Ceiling,
    Truncate,
    HalfEven,
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        let (left, right, _) = align(*self, *other);
        left.cmp(&right)
    }
}

/// Both as digits over the same places. 63 and 60 bits: it fits 128.
fn align(left: Number, right: Number) -> (i128, i128, u32) {
    let places = left.places.max(right.places);
    let widen = |number: Number| i128::from(number.digits) * 10_i128.pow(u32::from(places - number.places));
    (widen(left), widen(right), u32::from(places))
}

/// Without the last digits, rounded half to even, and whether nothing was lost.
fn shorten(digits: i128, dropped: u32) -> (i128, bool) {
    let Some(unit) = 10_i128.checked_pow(dropped) else { return (0, digits == 0) };
    let (kept, rest) = (digits / unit, digits % unit);
    // Half of the unit is compared without doubling the rest, which could be too big.
    let beyond = rest.abs().cmp(&(unit - rest.abs()));
    let up = beyond == Ordering::Greater || (beyond == Ordering::Equal && kept % 2 != 0 && rest != 0);
    let step = if digits < 0 { -1 } else { 1 };
    (if up { kept + step } else { kept }, rest == 0)
}
