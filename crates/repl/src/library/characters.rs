//! Characters.

use crate::fault::Outcome;
use crate::value::Value;

use super::{ANY, Library, Native, plain};

pub(super) const CHARACTERS: &[Native] = &[
    plain("char?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Char(_))))
    }),
    plain("char->integer", 1, 1, |library, arguments| {
        let one = library.character(Library::nth(arguments, 0))?;
        Ok(Value::Integer(i64::from(u32::from(one))))
    }),
    plain("integer->char", 1, 1, |library, arguments| {
        let integer = library.integer(Library::nth(arguments, 0))?;
        let one = u32::try_from(integer).ok().and_then(char::from_u32);
        one.map(Value::Char).ok_or_else(|| library.out_of_range(&format!("{integer} is no character")))
    }),
    plain("char-upcase", 1, 1, |library, arguments| {
        let one = library.character(Library::nth(arguments, 0))?;
        Ok(Value::Char(alone(one.to_uppercase(), one)))
    }),
    plain("char-downcase", 1, 1, |library, arguments| {
        let one = library.character(Library::nth(arguments, 0))?;
        Ok(Value::Char(alone(one.to_lowercase(), one)))
    }),
    plain("char-alphabetic?", 1, 1, |library, arguments| library.is(arguments, char::is_alphabetic)),
    plain("char-numeric?", 1, 1, |library, arguments| library.is(arguments, char::is_numeric)),
    plain("char-whitespace?", 1, 1, |library, arguments| library.is(arguments, char::is_whitespace)),
    plain("char-upper-case?", 1, 1, |library, arguments| library.is(arguments, char::is_uppercase)),
    plain("char-lower-case?", 1, 1, |library, arguments| library.is(arguments, char::is_lowercase)),
    plain("char=?", 1, ANY, |library, arguments| library.in_order(arguments, |left, right| left == right)),
    plain("char<?", 1, ANY, |library, arguments| library.in_order(arguments, |left, right| left < right)),
];

impl Library<'_> {
    fn is(&self, arguments: &[Value], holds: fn(char) -> bool) -> Outcome {
        Ok(Value::Bool(holds(self.character(Self::nth(arguments, 0))?)))
    }

    fn in_order(&mut self, arguments: &[Value], holds: fn(char, char) -> bool) -> Outcome {
        self.spend(arguments.len())?;
        let mut letters = Vec::with_capacity(arguments.len());
        for argument in arguments {
            letters.push(self.character(*argument)?);
        }
        let pairs = letters.iter().zip(letters.iter().skip(1));
        Ok(Value::Bool(pairs.into_iter().all(|(left, right)| holds(*left, *right))))
    }
}

/// The changed character, unless it became several.
fn alone(mut changed: impl Iterator<Item = char>, before: char) -> char {
    match (changed.next(), changed.next()) {
        (Some(one), None) => one,
        _ => before,
    }
}
