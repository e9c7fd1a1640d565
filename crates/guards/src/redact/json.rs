//! Redaction that keeps JSON what it is: strings stay strings with whole escapes, a number becomes a string.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::{Edit, placeholder};

/// One scalar of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// What is between the quotes of a string.
    Text(Range<usize>),
    /// A number or a word.
    Bare(Range<usize>),
}

/// What has to change in a JSON document, or several one after the other; `None` when the text is none.
pub(super) fn edits(text: &str, places: &[(Range<usize>, &str)]) -> Option<Vec<Edit>> {
    is_json(text).then_some(())?;
    let tokens = tokens(text.as_bytes());
    let mut edits: Vec<Edit> = Vec::new();
    let mut first = 0;
    for (span, label) in places {
        let rest = tokens.get(first..).unwrap_or_default();
        let passed = rest.iter().take_while(|token| token.range().end <= span.start).count();
        first += passed;
        for token in rest.iter().skip(passed).take_while(|token| token.range().start < span.end) {
            edits.extend(edit(text, token, span, label));
        }
    }
    edits.dedup_by(|next, last| next.span == last.span);
    Some(edits)
}

fn edit(text: &str, token: &Token, span: &Range<usize>, label: &str) -> Option<Edit> {
    match token {
        Token::Bare(range) => {
            let quoted = format!("\"{}\"", placeholder(label));
            Some(Edit { span: range.clone(), text: quoted })
        }
        Token::Text(range) => {
            let bytes = text.as_bytes();
            let start =
                escape_around(bytes, span.start).map_or(span.start, |escape| escape.end).max(range.start);
            let end = escape_around(bytes, span.end).map_or(span.end, |escape| escape.end).min(range.end);
            (start < end).then(|| Edit { span: start..end, text: placeholder(label) })
        }
    }
}

impl Token {
    const fn range(&self) -> &Range<usize> {
        match self {
            Self::Text(range) | Self::Bare(range) => range,
        }
    }
}

/// Whether a text is a JSON document that can hold strings, or several one after the other.
pub(crate) fn is_json(text: &str) -> bool {
    let begins = matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'[' | b'"'));
    begins
        && serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().all(|document| document.is_ok())
}

/// The scalars of a text that is JSON.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at + 1);
                tokens.push(Token::Text(at + 1..end));
                at = end + 1;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => at += 1,
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let is_bare = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = bytes.get(at..).unwrap_or_default().iter().take_while(is_bare).count().max(1);
                tokens.push(Token::Bare(at..at + length));
                at += length;
            }
        }
    }
    tokens
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(found) if rest.get(found) == Some(&b'\\') => at += found + 2,
            Some(found) => return at + found,
            None => return bytes.len(),
        }
    }
}

/// The escape that a place lies in the middle of.
fn escape_around(bytes: &[u8], place: usize) -> Option<Range<usize>> {
    const LONGEST: usize = 6;
    (1..LONGEST).find_map(|back| {
        let start = place.checked_sub(back)?;
        (bytes.get(start) == Some(&b'\\')).then_some(())?;
        let before = bytes.get(..start)?.iter().rev().take_while(|byte| **byte == b'\\').count();
        let length = if bytes.get(start + 1) == Some(&b'u') { LONGEST } else { 2 };
        (before % 2 == 0 && start + length > place).then_some(start..start + length)
    })
}
