//! Strings: making, taking apart, comparing. A string never changes; places in it count characters.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::fault::Outcome;
use crate::value::Value;
use crate::write::Style;

use super::{ANY, Library, Native, plain};

pub(super) const STRINGS: &[Native] = &[
    plain("string?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Text(_))))
    }),
    plain("string-length", 1, 1, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        library.spend_bytes(text.len())?;
        Ok(Value::Integer(i64::try_from(text.chars().count()).unwrap_or(i64::MAX)))
    }),
    plain("string-null?", 1, 1, |library, arguments| {
        Ok(Value::Bool(library.text(Library::nth(arguments, 0))?.is_empty()))
    }),
    plain("string-append", 0, ANY, |library, arguments| {
        let mut texts = Vec::with_capacity(arguments.len());
        for argument in arguments {
            texts.push(library.text(*argument)?);
        }
        library.joined(&texts, "")
    }),
    plain("string-join", 1, 2, |library, arguments| {
        let between =
            arguments.get(1).map_or_else(|| Ok(Arc::from(" ")), |between| library.text(*between))?;
        let mut texts = Vec::new();
        for item in library.list(Library::nth(arguments, 0))? {
            texts.push(library.text(item)?);
        }
        library.joined(&texts, &between)
    }),
    plain("substring", 2, 3, substring),
    plain("string-copy", 1, 3, substring),
    plain("string-ref", 2, 2, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        let place = library.count(Library::nth(arguments, 1))?;
        library.spend_bytes(place)?;
        let one = text.chars().nth(place);
        one.map(Value::Char).ok_or_else(|| library.out_of_range("the string is shorter than that"))
    }),
    plain("make-string", 1, 2, |library, arguments| {
        let count = library.count(Library::nth(arguments, 0))?;
        let one = arguments.get(1).map_or(Ok(' '), |one| library.character(*one))?;
        let bytes = count.saturating_mul(one.len_utf8());
        library.heap.charge_text(bytes)?;
        library.spend_bytes(bytes)?;
        let text: String = std::iter::repeat_n(one, count).collect();
        Ok(library.heap.charged_text(text))
    }),
    plain("string", 0, ANY, |library, arguments| {
        let mut text = String::new();
        for argument in arguments {
            let part = library.text_of(*argument, Style::Display)?;
            library.heap.foresee(text.len().saturating_add(part.len()))?;
            text.push_str(&part);
        }
        library.new_text(&text)
    }),
    plain("string->list", 1, 1, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        library.heap.foresee(text.len().saturating_mul(40) / 4)?;
        library.spend(text.len())?;
        let letters: Vec<Value> = text.chars().map(Value::Char).collect();
        library.heap.list(&letters)
    }),
    plain("list->string", 1, 1, |library, arguments| {
        let mut text = String::new();
        for item in library.list(Library::nth(arguments, 0))? {
            text.push(library.character(item)?);
        }
        library.new_text(&text)
    }),
    plain("string-upcase", 1, 1, |library, arguments| library.changed(arguments, str::to_uppercase)),
    plain("string-downcase", 1, 1, |library, arguments| library.changed(arguments, str::to_lowercase)),
    plain("string-reverse", 1, 1, |library, arguments| {
        library.changed(arguments, |text| text.chars().rev().collect())
    }),
    plain("string-trim", 1, 1, |library, arguments| {
        library.changed(arguments, |text| text.trim().to_owned())
    }),
    plain("string-trim-left", 1, 1, |library, arguments| {
        library.changed(arguments, |text| text.trim_start().to_owned())
    }),
    plain("string-trim-right", 1, 1, |library, arguments| {
        library.changed(arguments, |text| text.trim_end().to_owned())
    }),
    plain("string-repeat", 2, 2, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        let count = library.count(Library::nth(arguments, 1))?;
        let bytes = text.len().saturating_mul(count);
        library.heap.charge_text(bytes)?;
        library.spend_bytes(bytes)?;
        Ok(library.heap.charged_text(text.repeat(count)))
    }),
    plain("string-pad-left", 2, 3, |library, arguments| library.padded(arguments, Side::Left)),
    plain("string-pad-right", 2, 3, |library, arguments| library.padded(arguments, Side::Right)),
    plain("string=?", 1, ANY, |library, arguments| library.compare_texts(arguments, Ordering::is_eq)),
    plain("string<?", 1, ANY, |library, arguments| library.compare_texts(arguments, Ordering::is_lt)),
    plain("string>?", 1, ANY, |library, arguments| library.compare_texts(arguments, Ordering::is_gt)),
    plain("string<=?", 1, ANY, |library, arguments| library.compare_texts(arguments, Ordering::is_le)),
    plain("string>=?", 1, ANY, |library, arguments| library.compare_texts(arguments, Ordering::is_ge)),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Library<'_> {
    /// The texts with another between them, charged before they are joined.
    pub(super) fn joined(&mut self, texts: &[Arc<str>], between: &str) -> Outcome {
        let gaps = between.len().saturating_mul(texts.len().saturating_sub(1));
        let bytes = texts.iter().fold(gaps, |sum, text| sum.saturating_add(text.len()));
        self.heap.charge_text(bytes)?;
        self.spend_bytes(bytes)?;
        Ok(self.heap.charged_text(texts.join(between)))
    }

    fn changed(&mut self, arguments: &[Value], change: fn(&str) -> String) -> Outcome {
        let text = self.text(Self::nth(arguments, 0))?;
        self.spend_bytes(text.len())?;
        // Changing case can make a text three times as long.
        self.heap.foresee(text.len().saturating_mul(3))?;
        self.new_text(&change(&text))
    }

    /// Exactly so wide: filled on one side, or cut on it.
    fn padded(&mut self, arguments: &[Value], side: Side) -> Outcome {
        let text = self.text(Self::nth(arguments, 0))?;
        let width = self.count(Self::nth(arguments, 1))?;
        let fill = arguments.get(2).map_or(Ok(' '), |fill| self.character(*fill))?;
        let bytes = text.len().saturating_add(width.saturating_mul(4));
        self.heap.foresee(bytes)?;
        self.spend_bytes(bytes)?;
        let length = text.chars().count();
        let filling = std::iter::repeat_n(fill, width.saturating_sub(length));
        let padded: String = match side {
            Side::Left => filling.chain(text.chars().skip(length.saturating_sub(width))).collect(),
            Side::Right => text.chars().take(width).chain(filling).collect(),
        };
        self.heap.make_text(&padded)
    }

    fn compare_texts(&mut self, arguments: &[Value], holds: fn(Ordering) -> bool) -> Outcome {
        let mut texts = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let text = self.text(*argument)?;
            self.spend_bytes(text.len())?;
            texts.push(text);
        }
        let pairs = texts.iter().zip(texts.iter().skip(1));
        Ok(Value::Bool(pairs.into_iter().all(|(left, right)| holds(left.cmp(right)))))
    }
}

fn substring(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let text = library.text(Library::nth(arguments, 0))?;
    let start = arguments.get(1).map_or(Ok(0), |start| library.count(*start))?;
    library.spend_bytes(text.len())?;
    let length = text.chars().count();
    let end = arguments.get(2).map_or(Ok(length), |end| library.count(*end))?;
    if start > end || end > length {
        let message = format!("{start} to {end} is not within the {length} characters of the string");
        return Err(library.out_of_range(&message));
    }
    let byte_of = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(byte, _)| byte);
    let part = text.get(byte_of(start)..byte_of(end)).unwrap_or_default();
    library.heap.make_text(part)
}
