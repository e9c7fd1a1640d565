//! Reading and writing the members of journal rows. It must not guess: a member that should be there and is not, or is of
//! another kind, is named.

use premath_kernel::{Number, Object, Value};

/// A row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` of the row is missing or not what it should be")]
pub struct Unreadable {
    /// Which member.
    pub member: String,
}

/// The members of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'r>(&'r Object<'r>);

impl<'r> Row<'r> {
    /// The row that a value is.
    pub(crate) fn of(value: &'r Value<'r>) -> Result<Self, Unreadable> {
        value.as_object().map(Self).ok_or_else(|| unreadable("row"))
    }

    pub(crate) fn value(self, member: &str) -> Option<&'r Value<'r>> {
        self.0.get(member).filter(|value| **value != Value::Null)
    }

    pub(crate) fn text(self, member: &str) -> Result<&'r str, Unreadable> {
        self.value(member).and_then(Value::as_text).ok_or_else(|| unreadable(member))
    }

    pub(crate) fn owned(self, member: &str) -> Result<String, Unreadable> {
        self.text(member).map(str::to_owned)
    }

    pub(crate) fn optional(self, member: &str) -> Result<Option<String>, Unreadable> {
        match self.value(member) {
            None => Ok(None),
            Some(_) => self.owned(member).map(Some),
        }
    }

    pub(crate) fn count(self, member: &str) -> Result<u64, Unreadable> {
        let number = self.value(member).and_then(Value::as_number).and_then(Number::as_u64);
        number.ok_or_else(|| unreadable(member))
    }

    pub(crate) fn optional_count(self, member: &str) -> Result<Option<u64>, Unreadable> {
        match self.value(member) {
            None => Ok(None),
            Some(_) => self.count(member).map(Some),
        }
    }

    pub(crate) fn flag(self, member: &str) -> bool {
        self.value(member).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn row(self, member: &str) -> Result<Row<'r>, Unreadable> {
        self.value(member).and_then(Value::as_object).map(Row).ok_or_else(|| unreadable(member))
    }

    pub(crate) fn optional_row(self, member: &str) -> Result<Option<Row<'r>>, Unreadable> {
        match self.value(member) {
            None => Ok(None),
            Some(_) => self.row(member).map(Some),
        }
    }

    pub(crate) fn list(self, member: &str) -> Result<&'r [Value<'r>], Unreadable> {
        match self.value(member) {
            None => Ok(&[]),
            Some(value) => value.as_array().ok_or_else(|| unreadable(member)),
        }
    }

    pub(crate) fn rows<T>(
        self,
        member: &str,
        mut read: impl FnMut(Row<'r>) -> Result<T, Unreadable>,
    ) -> Result<Vec<T>, Unreadable> {
        self.list(member)?.iter().map(|value| read(Row::of(value)?)).collect()
    }

    pub(crate) fn texts(self, member: &str) -> Result<Vec<String>, Unreadable> {
        let text = |value: &Value<'_>| value.as_text().map(str::to_owned).ok_or_else(|| unreadable(member));
        self.list(member)?.iter().map(text).collect()
    }
}

pub(crate) fn unreadable(member: &str) -> Unreadable {
    Unreadable { member: member.to_owned() }
}

/// A number of a row. What is too large for one is the largest that is not.
pub(crate) fn count(number: u64) -> Value<'static> {
    const LARGEST: u64 = (1 << 53) - 1;
    Number::unsigned(number.min(LARGEST)).map_or(Value::Null, Value::Number)
}

pub(crate) fn text_list(texts: &[String]) -> Vec<Value<'_>> {
    texts.iter().map(|text| Value::from(text.as_str())).collect()
}
