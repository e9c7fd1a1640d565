//! Strings: finding, splitting, replacing.

use std::sync::Arc;

use crate::fault::Outcome;
use crate::value::Value;

use super::{Library, Native, plain};

pub(super) const SEARCH: &[Native] = &[
    plain("string-contains", 2, 2, |library, arguments| {
        let (text, part) = library.two_texts(arguments)?;
        let found = text.find(&*part).and_then(|byte| text.get(..byte)).map(|before| before.chars().count());
        Ok(found.map_or(Value::Bool(false), |place| Value::Integer(i64::try_from(place).unwrap_or(i64::MAX))))
    }),
    plain("string-contains?", 2, 2, |library, arguments| {
        let (text, part) = library.two_texts(arguments)?;
        Ok(Value::Bool(text.contains(&*part)))
    }),
    plain("string-prefix?", 2, 2, |library, arguments| {
        let (prefix, text) = library.two_texts(arguments)?;
        Ok(Value::Bool(text.starts_with(&*prefix)))
    }),
    plain("string-suffix?", 2, 2, |library, arguments| {
        let (suffix, text) = library.two_texts(arguments)?;
        Ok(Value::Bool(text.ends_with(&*suffix)))
    }),
    plain("string-index", 2, 2, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        let wanted = library.character(Library::nth(arguments, 1))?;
        library.spend_bytes(text.len())?;
        let place = text.chars().position(|one| one == wanted);
        Ok(place.map_or(Value::Bool(false), |place| Value::Integer(i64::try_from(place).unwrap_or(i64::MAX))))
    }),
    plain("string-split", 1, 2, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        match arguments.get(1) {
            None => library.parts(&text, text.split_whitespace()),
            Some(between) => {
                let between = library.separator(*between)?;
                library.parts(&text, text.split(&*between))
            }
        }
    }),
    plain("string-lines", 1, 1, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        library.parts(&text, text.lines())
    }),
    plain("string-replace", 3, 3, |library, arguments| {
        let (text, from) = library.two_texts(arguments)?;
        let to = library.text(Library::nth(arguments, 2))?;
        if from.is_empty() {
            return Err(library.out_of_range("the text to replace is empty"));
        }
        let growth = to.len().saturating_sub(from.len()).saturating_mul(text.matches(&*from).count());
        let bytes = text.len().saturating_add(growth);
        library.heap.foresee(bytes)?;
        library.spend_bytes(bytes)?;
        library.heap.make_text(&text.replace(&*from, &to))
    }),
];

impl Library<'_> {
    fn two_texts(&mut self, arguments: &[Value]) -> Outcome<(Arc<str>, Arc<str>)> {
        let texts = (self.text(Self::nth(arguments, 0))?, self.text(Self::nth(arguments, 1))?);
        self.spend_bytes(texts.0.len().saturating_add(texts.1.len()))?;
        Ok(texts)
    }

    /// What a text is split at: a string or a character.
    fn separator(&self, value: Value) -> Outcome<Arc<str>> {
        if let Value::Char(one) = value {
            return Ok(Arc::from(one.to_string()));
        }
        let text = self.text(value)?;
        if text.is_empty() { Err(self.out_of_range("the separator is empty")) } else { Ok(text) }
    }

    fn parts<'t>(&mut self, text: &str, parts: impl Iterator<Item = &'t str>) -> Outcome {
        self.spend_bytes(text.len())?;
        let mut items = Vec::new();
        for part in parts {
            self.spend(1)?;
            items.push(self.heap.make_text(part)?);
        }
        self.heap.list(&items)
    }
}
