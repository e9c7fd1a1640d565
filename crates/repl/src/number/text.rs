//! Numbers as text, the same text for source, output and JSON.

use std::fmt;

use super::Number;

/// A text that is a number, and whether it is held exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) number: Number,
    pub(crate) exact: bool,
}

/// Why a text is no number we can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// It is not spelled like one
    Spelling,
    /// Its whole part does not fit
    TooBig,
}

impl Number {
    /// Reads `-12`, `3.50`, `.5`, `1e3`.
    pub(crate) fn parse(text: &str) -> Result<Parsed, NoNumber> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + part.len() == 0 || !all_digits(whole) || !all_digits(part) {
            return Err(NoNumber::Spelling);
        }
        let mut digits: i128 = 0;
        let mut places: i64 = -exponent;
        let mut exact = true;
        for (at, byte) in whole.bytes().chain(part.bytes()).enumerate() {
            let behind = at >= whole.len();
            // Digits that no number could keep only say that something was lost.
            if digits > 10_i128.pow(30) {
                exact &= byte == b'0';
                places -= i64::from(!behind);
                continue;
            }
            digits = digits * 10 + i128::from(byte - b'0');
            places += i64::from(behind);
        }
        let digits = if text.starts_with('-') { -digits } else { digits };
        Number::scaled(digits, places, exact)
    }

    fn scaled(digits: i128, places: i64, exact: bool) -> Result<Parsed, NoNumber> {
        if digits == 0 {
            return Ok(Parsed { number: Number::integer(0), exact });
        }
        if places >= 0 {
            let places = u32::try_from(places).unwrap_or(u32::MAX);
            if places > 60 {
                return Ok(Parsed { number: Number::integer(0), exact: false });
            }
            let (number, fits) = Number::fit(digits, places).map_err(|_| NoNumber::TooBig)?;
            return Ok(Parsed { number, exact: exact && fits });
        }
        let power = u32::try_from(-places).ok().and_then(|power| 10_i128.checked_pow(power));
        let digits = power.and_then(|power| digits.checked_mul(power)).ok_or(NoNumber::TooBig)?;
        let (number, _) = Number::fit(digits, 0).map_err(|_| NoNumber::TooBig)?;
        Ok(Parsed { number, exact })
    }
}

fn parse_exponent(text: &str) -> Result<i64, NoNumber> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoNumber::Spelling);
    }
    text.strip_prefix('+').unwrap_or(text).parse().map_err(|_| NoNumber::Spelling)
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.places() == 0 {
            return write!(formatter, "{}", self.digits());
        }
        let unit = 10_u64.pow(u32::from(self.places()));
        let digits = self.digits().unsigned_abs();
        let sign = if self.is_negative() { "-" } else { "" };
        let width = usize::from(self.places());
        write!(formatter, "{sign}{}.{:0width$}", digits / unit, digits % unit)
    }
}
