//! JSON text to values. Strict: one document, no duplicate keys, no lone surrogates, at most 128 deep.

use std::sync::Arc;

use crate::fault::{Fault, Outcome};
use crate::heap::{Key, Table};
use crate::value::Value;

use super::Library;
use super::json::{MOST_DEPTH, NULL, number_of};

pub(super) struct JsonReader<'t, 'l, 'm> {
    text: &'t str,
    at: usize,
    library: &'l mut Library<'m>,
}

impl<'t, 'l, 'm> JsonReader<'t, 'l, 'm> {
    pub(super) fn new(text: &'t str, library: &'l mut Library<'m>) -> Self {
        JsonReader { text, at: 0, library }
    }

    pub(super) fn document(mut self) -> Outcome {
        let value = self.value(0)?;
        self.skip_blank();
        if self.at < self.text.len() { Err(self.error("something follows the document")) } else { Ok(value) }
    }

    fn error(&self, what: &str) -> Fault {
        Fault::range(format!("`string->json`: {what} at byte {}", self.at))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn take(&mut self, wanted: &str) -> bool {
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            self.at += wanted.len();
        }
        is_there
    }

    fn value(&mut self, depth: usize) -> Outcome {
        if depth > MOST_DEPTH {
            return Err(self.error("nested too deep"));
        }
        self.skip_blank();
        match self.rest().as_bytes().first() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => {
                let text = self.string()?;
                self.library.heap.make_text(&text)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) if self.take("true") => Ok(Value::Bool(true)),
            Some(_) if self.take("false") => Ok(Value::Bool(false)),
            Some(_) if self.take("null") => Ok(Value::Symbol(self.library.symbols.intern(NULL))),
            Some(_) | None => Err(self.error("a value is missing")),
        }
    }

    fn number(&mut self) -> Outcome {
        let rest = self.rest();
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let has_leading_zero = digits.len() > 1
            && digits.starts_with('0')
            && !digits.starts_with("0.")
            && !digits.starts_with("0e")
            && !digits.starts_with("0E");
        let is_cut = digits.starts_with('.')
            || digits.contains(".e")
            || digits.contains(".E")
            || digits.ends_with('.');
        if has_leading_zero || is_cut {
            return Err(self.error("a number is misspelled"));
        }
        let value = number_of(text)?;
        self.at += length;
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Outcome {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_blank();
        if self.take("]") {
            return Ok(Value::Nil);
        }
        loop {
            self.library.spend(1)?;
            items.push(self.value(depth + 1)?);
            self.skip_blank();
            if self.take("]") {
                return self.library.heap.list(&items);
            }
            if !self.take(",") {
                return Err(self.error("`,` or `]` is missing"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Outcome {
        self.at += 1;
        let mut table = Table::new();
        self.skip_blank();
        if self.take("}") {
            return self.library.heap.make_table(table);
        }
        loop {
            self.library.spend(1)?;
            self.skip_blank();
            if !self.rest().starts_with('"') {
                return Err(self.error("the name of a member is missing"));
            }
            let name: Arc<str> = Arc::from(self.string()?);
            self.library.heap.charge(name.len())?;
            self.skip_blank();
            if !self.take(":") {
                return Err(self.error("`:` is missing"));
            }
            let value = self.value(depth + 1)?;
            if table.insert(Key::Text(Arc::clone(&name)), value).is_some() {
                return Err(self.error(&format!("duplicate key `{name}`")));
            }
            self.skip_blank();
            if self.take("}") {
                return self.library.heap.make_table(table);
            }
            if !self.take(",") {
                return Err(self.error("`,` or `}` is missing"));
            }
        }
    }

    fn string(&mut self) -> Outcome<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let Some(stop) = rest.find(|one: char| one == '"' || one == '\\' || one < ' ') else {
                return Err(self.error("a string is never closed"));
            };
            text.push_str(rest.get(..stop).unwrap_or_default());
            self.at += stop;
            if self.take("\"") {
                return Ok(text);
            }
            if !self.take("\\") {
                return Err(self.error("a control character stands in a string"));
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Outcome<char> {
        let letter = self.rest().chars().next().ok_or_else(|| self.error("a string is never closed"))?;
        self.at += letter.len_utf8();
        match letter {
            '"' | '\\' | '/' => Ok(letter),
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            'u' => self.code_point(),
            _ => Err(self.error("an escape is unknown")),
        }
    }

    fn code_point(&mut self) -> Outcome<char> {
        let high = self.four_digits()?;
        let code = if (0xD800..0xDC00).contains(&high) && self.take("\\u") {
            let low = self.four_digits()?;
            let is_low = (0xDC00..0xE000).contains(&low);
            if is_low { 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) } else { high }
        } else {
            high
        };
        char::from_u32(code).ok_or_else(|| self.error("half a character is escaped"))
    }

    fn four_digits(&mut self) -> Outcome<u32> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| self.error("an escape needs four digits"))
    }
}
