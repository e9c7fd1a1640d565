//! The form of a line: what other programs add to it without changing what it says, and whether a row is left.
//!
//! It must not decide what becomes of a line.

use premath_kernel::Value;
use premath_wire::InputError;
use premath_wire::strict::{Limits, parse};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line without what does not belong to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'l> {
    /// The line itself.
    pub(crate) text: &'l [u8],
    /// Whether it began with a byte order mark.
    pub(crate) has_mark: bool,
    /// Whether it ended with a carriage return.
    pub(crate) has_return: bool,
}

impl<'l> Form<'l> {
    /// Takes a line as it stands in the file.
    pub(crate) fn of(line: &'l [u8]) -> Self {
        let unmarked = line.strip_prefix(BYTE_ORDER_MARK);
        let text = unmarked.unwrap_or(line);
        let bare = text.strip_suffix(b"\r");
        Self { text: bare.unwrap_or(text), has_mark: unmarked.is_some(), has_return: bare.is_some() }
    }

    /// Whether nothing but spaces is left.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.iter().all(u8::is_ascii_whitespace)
    }

    /// Whether the line is written as we write it.
    pub(crate) fn is_plain(&self) -> bool {
        !self.has_mark && !self.has_return && !self.is_blank()
    }

    /// What it says.
    pub(crate) fn content(&self) -> Content<'l> {
        if self.is_blank() {
            return Content::Blank;
        }
        match parse(self.text, Limits::default()) {
            Ok(row @ Value::Object(_)) => Content::Row(row),
            Ok(_) => Content::NotARow("JSON, but not an object".to_owned()),
            Err(error) => Content::NotARow(described(&error)),
        }
    }
}

/// The line of a log is one line already: a column says enough.
fn described(error: &InputError) -> String {
    match error.position {
        Some(position) => format!("{} (column {}) at {}", error.what, position.column, error.path),
        None => format!("{} at {}", error.what, error.path),
    }
}

/// What a line says.
#[derive(Debug)]
pub(crate) enum Content<'l> {
    /// An object.
    Row(Value<'l>),
    /// Nothing.
    Blank,
    /// Something that is no row, and why.
    NotARow(String),
}

/// How often each departure from the plain form occurs in a file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Departures {
    marks: u64,
    returns: u64,
    blanks: u64,
    /// The first line with one, counted from one.
    pub(crate) first: Option<u64>,
}

impl Departures {
    /// Looks at one more line.
    pub(crate) fn note(&mut self, number: u64, form: &Form<'_>) {
        if form.is_plain() {
            return;
        }
        self.marks += u64::from(form.has_mark);
        self.returns += u64::from(form.has_return);
        self.blanks += u64::from(form.is_blank());
        self.first.get_or_insert(number);
    }

    /// All of it in words; `None` when every line was plain.
    pub(crate) fn describe(&self) -> Option<String> {
        self.first?;
        let counted =
            [(self.marks, "byte order mark"), (self.returns, "carriage return"), (self.blanks, "blank line")];
        let words: Vec<String> = counted
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
            .collect();
        Some(words.join(", "))
    }
}
