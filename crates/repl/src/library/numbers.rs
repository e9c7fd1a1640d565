//! Arithmetic over exact numbers.

use std::cmp::Ordering;

use crate::fault::{Fault, Outcome};
use crate::number::{Number, Rounding, TooBig};
use crate::value::Value;

use super::{ANY, Library, Native, plain};

pub(super) const NUMBERS: &[Native] = &[
    plain("+", 0, ANY, |library, arguments| library.fold(arguments, 0, Number::add)),
    plain("*", 0, ANY, |library, arguments| library.fold(arguments, 1, Number::multiply)),
    plain("-", 1, ANY, subtract),
    plain("/", 1, ANY, divide),
    plain("=", 1, ANY, |library, arguments| library.compare(arguments, Ordering::is_eq)),
    plain("<", 1, ANY, |library, arguments| library.compare(arguments, Ordering::is_lt)),
    plain(">", 1, ANY, |library, arguments| library.compare(arguments, Ordering::is_gt)),
    plain("<=", 1, ANY, |library, arguments| library.compare(arguments, Ordering::is_le)),
    plain(">=", 1, ANY, |library, arguments| library.compare(arguments, Ordering::is_ge)),
    plain("quotient", 2, 2, |library, arguments| library.whole(arguments, i64::checked_div)),
    plain("remainder", 2, 2, |library, arguments| library.whole(arguments, i64::checked_rem)),
    plain("modulo", 2, 2, |library, arguments| library.whole(arguments, modulo)),
    plain("abs", 1, 1, |library, arguments| library.absolute(Library::nth(arguments, 0))),
    plain("min", 1, ANY, |library, arguments| library.extreme(arguments, Ordering::Less)),
    plain("max", 1, ANY, |library, arguments| library.extreme(arguments, Ordering::Greater)),
    plain("gcd", 0, ANY, gcd),
    plain("expt", 2, 2, expt),
    plain("square", 1, 1, |library, arguments| {
        let number = library.number(Library::nth(arguments, 0))?;
        library.made(number.multiply(number))
    }),
    plain("floor", 1, 1, |library, arguments| library.rounded(arguments, Rounding::Floor)),
    plain("ceiling", 1, 1, |library, arguments| library.rounded(arguments, Rounding::Ceiling)),
    plain("truncate", 1, 1, |library, arguments| library.rounded(arguments, Rounding::Truncate)),
    plain("round", 1, 2, |library, arguments| library.rounded(arguments, Rounding::HalfEven)),
    plain("number?", 1, 1, |_, arguments| Ok(Value::Bool(Library::nth(arguments, 0).as_number().is_some()))),
    plain("integer?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Integer(_))))
    }),
    plain("exact-integer?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Integer(_))))
    }),
    // Every number is.
    plain("exact", 1, 1, |library, arguments| library.number(Library::nth(arguments, 0)).map(Value::number)),
    plain("zero?", 1, 1, |library, arguments| library.sign(arguments, Ordering::is_eq)),
    plain("positive?", 1, 1, |library, arguments| library.sign(arguments, Ordering::is_gt)),
    plain("negative?", 1, 1, |library, arguments| library.sign(arguments, Ordering::is_lt)),
    plain("even?", 1, 1, |library, arguments| {
        Ok(Value::Bool(library.integer(Library::nth(arguments, 0))? % 2 == 0))
    }),
    plain("odd?", 1, 1, |library, arguments| {
        Ok(Value::Bool(library.integer(Library::nth(arguments, 0))? % 2 != 0))
    }),
    plain("number->string", 1, 2, number_to_string),
    plain("number->fixed", 2, 2, number_to_fixed),
    plain("string->number", 1, 1, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        library.spend_bytes(text.len())?;
        let parsed = Number::parse(text.trim()).ok().filter(|parsed| parsed.exact);
        Ok(parsed.map_or(Value::Bool(false), |parsed| Value::number(parsed.number)))
    }),
];

impl Library<'_> {
    fn made(&self, result: Result<Number, TooBig>) -> Outcome {
        result.map(Value::number).map_err(|TooBig| self.out_of_range("the result does not fit 64 bits"))
    }

    fn fold(
        &mut self,
        arguments: &[Value],
        start: i64,
        step: fn(Number, Number) -> Result<Number, TooBig>,
    ) -> Outcome {
        self.spend(arguments.len())?;
        let mut result = Number::integer(start);
        for argument in arguments {
            let number = self.number(*argument)?;
            result = step(result, number)
                .map_err(|TooBig| self.out_of_range("the result does not fit 64 bits"))?;
        }
        Ok(Value::number(result))
    }

    fn compare(&mut self, arguments: &[Value], holds: fn(Ordering) -> bool) -> Outcome {
        self.spend(arguments.len())?;
        let mut numbers = Vec::with_capacity(arguments.len());
        for argument in arguments {
            numbers.push(self.number(*argument)?);
        }
        let pairs = numbers.iter().zip(numbers.iter().skip(1));
        Ok(Value::Bool(pairs.into_iter().all(|(left, right)| holds(left.cmp(right)))))
    }

    fn sign(&mut self, arguments: &[Value], holds: fn(Ordering) -> bool) -> Outcome {
        let number = self.number(Library::nth(arguments, 0))?;
        Ok(Value::Bool(holds(number.cmp(&Number::integer(0)))))
    }

    fn whole(&mut self, arguments: &[Value], compute: fn(i64, i64) -> Option<i64>) -> Outcome {
        let (above, below) = (self.integer(Self::nth(arguments, 0))?, self.integer(Self::nth(arguments, 1))?);
        if below == 0 {
            return Err(self.out_of_range("division by zero"));
        }
        compute(above, below)
            .map(Value::Integer)
            .ok_or_else(|| self.out_of_range("the result does not fit 64 bits"))
    }

    fn absolute(&self, value: Value) -> Outcome {
        let number = self.number(value)?;
        self.made(if number.is_negative() { number.negate() } else { Ok(number) })
    }

    fn extreme(&mut self, arguments: &[Value], wanted: Ordering) -> Outcome {
        self.spend(arguments.len())?;
        let mut best = self.number(Self::nth(arguments, 0))?;
        for argument in arguments {
            let number = self.number(*argument)?;
            if number.cmp(&best) == wanted {
                best = number;
            }
        }
        Ok(Value::number(best))
    }

    fn rounded(&mut self, arguments: &[Value], way: Rounding) -> Outcome {
        let number = self.number(Self::nth(arguments, 0))?;
        let places = match arguments.get(1) {
            Some(places) => u8::try_from(self.count(*places)?).unwrap_or(u8::MAX),
            None => 0,
        };
        self.made(number.round(places, way))
    }
}

fn modulo(above: i64, below: i64) -> Option<i64> {
    let rest = above.checked_rem(below).unwrap_or(0);
    Some(if rest != 0 && (rest < 0) != (below < 0) { rest + below } else { rest })
}

fn subtract(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    library.spend(arguments.len())?;
    let Some((first, rest)) = arguments.split_first() else { return Ok(Value::Integer(0)) };
    let mut result = library.number(*first)?;
    if rest.is_empty() {
        return library.made(result.negate());
    }
    for argument in rest {
        let number = library.number(*argument)?;
        result = result
            .subtract(number)
            .map_err(|TooBig| library.out_of_range("the result does not fit 64 bits"))?;
    }
    Ok(Value::number(result))
}

fn divide(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    library.spend(arguments.len())?;
    let Some((first, rest)) = arguments.split_first() else { return Ok(Value::Integer(1)) };
    let mut result = library.number(*first)?;
    let alone = [*first];
    let divisors = if rest.is_empty() {
        result = Number::integer(1);
        alone.as_slice()
    } else {
        rest
    };
    for argument in divisors {
        let number = library.number(*argument)?;
        result = quotient(library, result, number)?;
    }
    Ok(Value::number(result))
}

fn quotient(library: &Library<'_>, above: Number, below: Number) -> Result<Number, Fault> {
    let result = above.divide(below).ok_or_else(|| library.out_of_range("division by zero"))?;
    result.map_err(|TooBig| library.out_of_range("the result does not fit 64 bits"))
}

fn gcd(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    library.spend(arguments.len().saturating_mul(8))?;
    let mut result = 0_u64;
    for argument in arguments {
        let mut other = library.integer(*argument)?.unsigned_abs();
        while other != 0 {
            (result, other) = (other, result % other);
        }
    }
    i64::try_from(result)
        .map(Value::Integer)
        .map_err(|_| library.out_of_range("the result does not fit 64 bits"))
}

/// By squaring, and never for long: what overflows stops at once.
fn expt(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let base = library.number(Library::nth(arguments, 0))?;
    let exponent = library.integer(Library::nth(arguments, 1))?;
    let mut left = exponent.unsigned_abs();
    library.spend(64)?;
    let mut result = Number::integer(1);
    let mut power = base;
    let too_big = |TooBig| library.out_of_range("the result does not fit 64 bits");
    while left > 0 {
        if left % 2 == 1 {
            result = result.multiply(power).map_err(too_big)?;
        }
        left /= 2;
        if left > 0 {
            power = power.multiply(power).map_err(too_big)?;
        }
    }
    if exponent < 0 {
        result = quotient(library, Number::integer(1), result)?;
    }
    Ok(Value::number(result))
}

fn number_to_string(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let number = library.number(Library::nth(arguments, 0))?;
    let base = match arguments.get(1) {
        Some(base) => library.integer(*base)?,
        None => 10,
    };
    if base == 10 {
        return library.new_text(&number.to_string());
    }
    let integer = library.integer(Library::nth(arguments, 0))?;
    let sign = if integer < 0 { "-" } else { "" };
    let digits = integer.unsigned_abs();
    let text = match base {
        2 => format!("{sign}{digits:b}"),
        8 => format!("{sign}{digits:o}"),
        16 => format!("{sign}{digits:x}"),
        _ => return Err(library.out_of_range("the base is 2, 8, 10 or 16")),
    };
    library.new_text(&text)
}

/// With exactly so many places: `(number->fixed 2.5 2)` is `"2.50"`.
fn number_to_fixed(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let number = library.number(Library::nth(arguments, 0))?;
    let places = library.count(Library::nth(arguments, 1))?;
    if places > 18 {
        return Err(library.out_of_range("a number has at most 18 places"));
    }
    let rounded = number.round(u8::try_from(places).unwrap_or(18), Rounding::HalfEven);
    let rounded = rounded.map_err(|TooBig| library.out_of_range("the result does not fit 64 bits"))?;
    let mut text = rounded.to_string();
    let missing = places - usize::from(rounded.places());
    if rounded.places() == 0 && places > 0 {
        text.push('.');
    }
    text.push_str(&"0".repeat(missing));
    library.new_text(&text)
}
