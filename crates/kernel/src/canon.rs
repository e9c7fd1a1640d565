//! The kernel's JSON value and its RFC 8785 (JCS) bytes, over which every digest is taken.
//!
//! A [`Value`] can only hold what has canonical bytes: finite numbers, unique member names in order. It must not parse
//! text (that is `premath-wire`), and it must not know any contract type.

mod encode;
mod number;
mod object;
#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub use self::encode::{encode, encode_into};
pub use self::number::Number;
pub use self::object::{DuplicateKey, Fields, Object};

/// One JSON value, whose strings are borrowed from the input wherever it held them literally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite number
    Number(Number),
    /// A string
    Text(Cow<'a, str>),
    /// A list, in its own order
    Array(Vec<Value<'a>>),
    /// Members with unique names
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    /// An array of strings, in the order given.
    pub fn text_list<I: IntoIterator<Item = &'a str>>(items: I) -> Value<'a> {
        Value::Array(items.into_iter().map(Value::from).collect())
    }

    /// The same value with every string its own.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(flag) => Value::Bool(flag),
            Value::Number(number) => Value::Number(number),
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Array(items) => Value::Array(items.into_iter().map(Value::into_owned).collect()),
            Value::Object(object) => Value::Object(object.into_owned()),
        }
    }

    /// The same value with every string borrowed from this one.
    #[must_use]
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(flag) => Value::Bool(*flag),
            Value::Number(number) => Value::Number(*number),
            Value::Text(text) => Value::Text(Cow::Borrowed(text)),
            Value::Array(items) => Value::Array(items.iter().map(Value::borrowed).collect()),
            Value::Object(object) => Value::Object(object.borrowed()),
        }
    }

    /// The string, if this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The object, if this is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        if let Value::Object(object) = self { Some(object) } else { None }
    }

    /// The items, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        if let Value::Array(items) = self { Some(items) } else { None }
    }

    /// The flag, if this is a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<Number> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Value::Text(text)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<Number> for Value<'_> {
    fn from(number: Number) -> Self {
        Value::Number(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Value::Number(Number::from(number))
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(items: Vec<Value<'a>>) -> Self {
        Value::Array(items)
    }
}

impl<'a> From<Object<'a>> for Value<'a> {
    fn from(object: Object<'a>) -> Self {
        Value::Object(object)
    }
}
