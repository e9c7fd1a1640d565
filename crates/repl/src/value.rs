//! A value as the machine holds it: sixteen bytes, copied freely.
//!
//! What does not fit lies in the [`Heap`](crate::heap::Heap) and is named by a handle. Handles, unlike counted pointers,
//! let closures be cyclic without leaking, let a list of any length be dropped without recursion, and let a machine move
//! between threads. A handle means something only to the heap it came from, so no value leaves this crate.

use crate::number::Number;

/// A handle of something in the heap.
pub(crate) type Handle = u32;
/// The number of an interned name.
pub(crate) type Symbol = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Value {
    /// What a form returns that has nothing to say
    #[default]
    Unspecified,
    /// What a variable holds before it is defined; no program ever sees it
    Unassigned,
    Nil,
    Bool(bool),
    Integer(i64),
    /// A number with places; one without is always an `Integer`
    Decimal {
        places: u8,
        digits: i64,
    },
    Char(char),
    Symbol(Symbol),
    Pair(Handle),
    Text(Handle),
    Vector(Handle),
    Table(Handle),
    Closure(Handle),
    /// A procedure of the library, by its place in the table
    Native(u16),
    /// A host function, by its place in the session's list
    Host(u16),
    Condition(Handle),
    Record(Handle),
    /// Several values at once, in the vectors
    Values(Handle),
    /// A variable that is shared by closures; no program ever sees it
    Cell(Handle),
}

impl Value {
    pub(crate) fn number(number: Number) -> Value {
        match number.as_integer() {
            Some(integer) => Value::Integer(integer),
            None => Value::Decimal { places: number.places(), digits: number.digits() },
        }
    }

    pub(crate) fn as_number(self) -> Option<Number> {
        if let Value::Integer(integer) = self {
            return Some(Number::integer(integer));
        }
        if let Value::Decimal { places, digits } = self {
            return Some(Number::decimal(digits, places));
        }
        None
    }

    pub(crate) fn is_true(self) -> bool {
        self != Value::Bool(false)
    }

    pub(crate) fn is_procedure(self) -> bool {
        matches!(self, Value::Closure(_) | Value::Native(_) | Value::Host(_))
    }

    /// What kind of thing it is, with its article.
    pub(crate) fn kind_name(self) -> &'static str {
        match self {
            Value::Unspecified | Value::Unassigned => "nothing",
            Value::Nil => "the empty list",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Decimal { .. } => "a decimal",
            Value::Char(_) => "a character",
            Value::Symbol(_) => "a symbol",
            Value::Pair(_) => "a list",
            Value::Text(_) => "a string",
            Value::Vector(_) => "a vector",
            Value::Table(_) => "a hash table",
            Value::Closure(_) | Value::Native(_) | Value::Host(_) => "a procedure",
            Value::Condition(_) => "a condition",
            Value::Record(_) => "a record",
            Value::Values(_) => "several values",
            Value::Cell(_) => "a variable",
        }
    }
}
