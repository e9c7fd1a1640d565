//! Numbers: integers exactly, everything else as the nearest double.
//!
//! It must not round an integer: one that a double cannot hold exactly is refused, where serde_json would turn it into a
//! float that cannot be told from `1E30`. `1e20` is refused with it, because its canonical spelling is such an integer:
//! whatever is accepted must be accepted again in its canonical form.

use premath_kernel::Number;

use super::parser::{Failure, Parsed, Parser};
use crate::input_error::InputClass;

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Parsed<Number> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        if negative {
            self.at += 1;
        }
        let magnitude = self.integer_digits()?;
        if !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            let signed = magnitude.map(|value| if negative { -value } else { value });
            return signed.and_then(Number::integer).ok_or_else(|| unsafe_integer(start));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let spelling = self.text.get(start..self.at).unwrap_or_default();
        let number = spelling.parse().ok().and_then(Number::float).ok_or_else(|| out_of_range(start))?;
        if is_spelt_as_unsafe_integer(number) { Err(unsafe_integer(start)) } else { Ok(number) }
    }

    /// `0`, or digits that do not begin with it; `None` when they overflow.
    fn integer_digits(&mut self) -> Parsed<Option<i64>> {
        if self.peek() == Some(b'0') {
            self.at += 1;
            return Ok(Some(0));
        }
        let start = self.at;
        let mut value = Some(0_i64);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(i64::from(digit - b'0')));
            self.at += 1;
        }
        if self.at == start { Err(self.invalid("expected a digit")) } else { Ok(value) }
    }

    fn digits(&mut self) -> Parsed<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.invalid("expected a digit")) } else { Ok(()) }
    }
}

/// ECMAScript writes whole numbers below 1e21 without an exponent.
fn is_spelt_as_unsafe_integer(number: Number) -> bool {
    let double = number.as_f64();
    double.fract() == 0.0 && double.abs() < 1e21 && number.as_i64().is_none()
}

#[cold]
fn unsafe_integer(at: usize) -> Box<Failure> {
    let what = "integer beyond ±9007199254740991".to_owned();
    Box::new(Failure::new(InputClass::FieldInvalid, what, at))
}

#[cold]
fn out_of_range(at: usize) -> Box<Failure> {
    Box::new(Failure::new(InputClass::JsonInvalid, "number beyond the range of a double".to_owned(), at))
}
