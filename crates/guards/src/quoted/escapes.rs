//! One string of JSON without its escapes, and where each piece of it was.

use std::ops::Range;

/// A string that had escapes.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

/// What stands at one place of the text, and where that was.
#[derive(Debug)]
struct Piece {
    text: Range<usize>,
    raw: Range<usize>,
}

impl Decoded {
    /// What is between the quotes of a string, read; nothing when there is no escape in it.
    pub(super) fn of(raw: &str) -> Option<Self> {
        let mut decoded = Self { text: String::with_capacity(raw.len()), pieces: Vec::new() };
        let mut at = 0;
        while let Some(found) = raw.get(at..).and_then(|rest| memchr::memchr(b'\\', rest.as_bytes())) {
            decoded.push(at..at + found, raw.get(at..at + found)?);
            let (character, length) = escape(raw.get(at + found..)?)?;
            decoded.push(at + found..at + found + length, character.encode_utf8(&mut [0; 4]));
            at += found + length;
        }
        if decoded.pieces.is_empty() {
            return None;
        }
        decoded.push(at..raw.len(), raw.get(at..)?);
        Some(decoded)
    }

    fn push(&mut self, raw: Range<usize>, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece { text: start..self.text.len(), raw });
    }

    /// Where a part of the text was: whole escapes, never a part of one.
    pub(super) fn place(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.piece(span.start).map_or(0, |piece| {
            if piece.is_escape() {
                piece.raw.start
            } else {
                piece.raw.start + (span.start - piece.text.start)
            }
        });
        let last = span.end.saturating_sub(1).max(span.start);
        let end = self.piece(last).map_or(start, |piece| {
            if piece.is_escape() { piece.raw.end } else { piece.raw.start + (span.end - piece.text.start) }
        });
        start..end.max(start)
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.get(self.pieces.partition_point(|piece| piece.text.end <= at))
    }
}

impl Piece {
    fn is_escape(&self) -> bool {
        self.text.len() != self.raw.len()
    }
}

/// The character of an escape, and how long the escape is. Half a pair stands for what cannot be read.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return Some(unicode(text)),
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        _other => return None,
    };
    Some((character, 2))
}

fn unicode(text: &str) -> (char, usize) {
    const ONE: usize = 6;
    let unit = |at: usize| {
        let escape = text.get(at..at + ONE)?.strip_prefix("\\u")?;
        u32::from_str_radix(escape, 16).ok()
    };
    let Some(first) = unit(0) else { return (char::REPLACEMENT_CHARACTER, 2) };
    if let (0xD800..0xDC00, Some(second @ 0xDC00..0xE000)) = (first, unit(ONE)) {
        let point = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), 2 * ONE);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), ONE)
}
