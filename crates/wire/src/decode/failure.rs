//! The error that serde sees while a value is decoded: classes, words and the path, which grows as it unwinds.
//!
//! It must not repeat input uncut: these messages end in a terminal.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use crate::input_error::{Echo, InputClass, InputError, JsonPath, Segment};

/// The longest message taken over from a type's own check, in characters.
const MESSAGE_LIMIT: usize = 240;

/// Boxed, because serde passes it through many small results.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct Failure(Box<InputError>);

impl Failure {
    pub(super) fn new(class: InputClass, what: impl Into<String>) -> Self {
        Failure(Box::new(InputError::new(class, what, JsonPath::root())))
    }

    pub(super) fn invalid(what: impl Into<String>) -> Self {
        Failure::new(InputClass::FieldInvalid, what)
    }

    /// The same failure, seen from the value around it.
    #[cold]
    pub(super) fn inside(mut self, segment: Segment) -> Self {
        self.0.path.push_outer(segment);
        self
    }

    fn at_field(self, name: &str) -> Self {
        self.inside(Segment::Key(name.to_owned()))
    }
}

impl From<Failure> for InputError {
    fn from(failure: Failure) -> Self {
        *failure.0
    }
}

impl de::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        let one_line = |character: char| if character.is_control() { ' ' } else { character };
        Failure::invalid(message.to_string().chars().map(one_line).take(MESSAGE_LIMIT).collect::<String>())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Failure::invalid(format!("expected {expected}, found {}", Kind(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Failure::invalid(format!("expected {expected}, found {}", Shown(unexpected)))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Failure::invalid(format!("expected {expected}, found {length} items"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let known = expected.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Failure::invalid(format!("unknown value `{}`, expected one of {known}", Echo(variant)))
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        // The member access adds the name to the path.
        Failure::invalid("unknown field")
    }

    fn missing_field(field: &'static str) -> Self {
        Failure::new(InputClass::FieldMissing, "missing field").at_field(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Failure::new(InputClass::DuplicateKey, "given twice, under this name and an alias").at_field(field)
    }
}

/// What was found, by kind only.
struct Kind<'a>(Unexpected<'a>);

impl Display for Kind<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0 {
            Unexpected::Bool(_) => "a boolean",
            Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
            Unexpected::Float(_) => "a number that is no safe integer",
            Unexpected::Char(_) | Unexpected::Str(_) => "a string",
            Unexpected::Unit | Unexpected::Option => "null",
            Unexpected::Seq => "an array",
            Unexpected::Map => "an object",
            Unexpected::Other(other) => other,
            Unexpected::Bytes(_)
            | Unexpected::NewtypeStruct
            | Unexpected::Enum
            | Unexpected::UnitVariant
            | Unexpected::NewtypeVariant
            | Unexpected::TupleVariant
            | Unexpected::StructVariant => "something else",
        })
    }
}

/// What was found, with its content where that is a scalar.
struct Shown<'a>(Unexpected<'a>);

impl Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Unexpected::Str(text) = self.0 {
            return write!(formatter, "`{}`", Echo(text));
        }
        if let Unexpected::Unsigned(number) = self.0 {
            return write!(formatter, "`{number}`");
        }
        if let Unexpected::Signed(number) = self.0 {
            return write!(formatter, "`{number}`");
        }
        Kind(self.0).fmt(formatter)
    }
}
