//! Strings: borrowed when they hold no escape, rebuilt when they do.
//!
//! It must not let a lone surrogate or a bare control character through.

use std::borrow::Cow;

use super::parser::{Parsed, Parser};

impl<'a> Parser<'a> {
    /// A string, from its opening quote to behind its closing one.
    pub(super) fn string(&mut self) -> Parsed<Cow<'a, str>> {
        self.at += 1;
        let plain = self.plain_run();
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                Ok(Cow::Borrowed(plain))
            }
            Some(b'\\') => self.escaped(plain).map(Cow::Owned),
            _ => Err(self.no_string()),
        }
    }

    /// The rest of a string whose first escape is next.
    fn escaped(&mut self, plain: &str) -> Parsed<String> {
        let mut text = String::with_capacity(plain.len() + 16);
        text.push_str(plain);
        loop {
            match self.peek() {
                Some(b'\\') => {
                    let character = self.escape()?;
                    text.push(character);
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                _ => return Err(self.no_string()),
            }
            text.push_str(self.plain_run());
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        self.at += 1;
        let character = match self.peek() {
            Some(quoted @ (b'"' | b'\\' | b'/')) => char::from(quoted),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.invalid("invalid escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// `u` and four digits; for a high surrogate also the low one that must follow.
    fn unicode_escape(&mut self) -> Parsed<char> {
        let start = self.at;
        let first = self.code_unit()?;
        let second = if (0xD800..0xDC00).contains(&first)
            && self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u")
        {
            self.at += 1;
            Some(self.code_unit()?)
        } else {
            None
        };
        let mut decoded = char::decode_utf16(std::iter::once(first).chain(second));
        match decoded.next() {
            // A pair is one character; anything behind it means that the second unit was not its low half.
            Some(Ok(character)) if decoded.next().is_none() => Ok(character),
            _ => {
                self.at = start;
                Err(self.invalid("lone surrogate"))
            }
        }
    }

    fn code_unit(&mut self) -> Parsed<u16> {
        let mut unit = 0;
        for _ in 0..4 {
            self.at += 1;
            match self.peek().and_then(|digit| char::from(digit).to_digit(16)) {
                Some(digit) => unit = (unit << 4) | digit,
                None => return Err(self.invalid("expected four hexadecimal digits")),
            }
        }
        self.at += 1;
        Ok(u16::try_from(unit).unwrap_or_default())
    }

    /// The characters up to the next quote, backslash or control character.
    #[inline]
    fn plain_run(&mut self) -> &'a str {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        self.at = start + plain_length(rest);
        // The bytes that end a run are ASCII, so both ends stand between characters.
        self.text.get(start..self.at).unwrap_or_default()
    }

    #[cold]
    fn no_string(&self) -> Box<super::parser::Failure> {
        self.invalid(if self.at < self.text.len() {
            "control character in a string"
        } else {
            "unfinished string"
        })
    }
}

/// How many bytes stand before the first quote, backslash or control character; all of them when there is none.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let ends = run_ends(*word);
        if ends != 0 {
            return at * 8 + (ends.trailing_zeros() / 8) as usize;
        }
    }
    let ends = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    tail.iter().position(ends).map_or(bytes.len(), |at| words.len() * 8 + at)
}

/// Marks the top bit of each byte that is a quote, a backslash or a control character; the lowest mark is exact.
///
/// Subtracting n from a byte below 0x80 borrows into its top bit exactly when it is below n; bytes with their own top bit
/// set are masked out. A borrow leaves its byte only from one that is marked, so only marks above the lowest can be wrong.
#[inline]
fn run_ends(word: [u8; 8]) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    const TOPS: u64 = ONES * 0x80;
    let word = u64::from_le_bytes(word);
    let control = word.wrapping_sub(ONES * 0x20);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    (control | quote | backslash) & !word & TOPS
}
