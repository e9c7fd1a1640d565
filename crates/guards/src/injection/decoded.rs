//! Texts in disguise: base64, hexadecimal digits, percent and character escapes, ROT13, written backwards, full-width and
//! look-alike letters. What comes out is looked at again.
//!
//! Bounded in depth and in bytes. It must not report an encoding because it is one.

use std::ops::Range;

/// One text that was written in another way, and where.
#[derive(Debug)]
pub(super) struct Disguise {
    pub(super) place: Range<usize>,
    pub(super) text: String,
}

/// Shorter runs hold no order.
const SHORTEST: usize = 24;
/// So many bytes are decoded of one text.
const MOST_BYTES: usize = 256 * 1024;
/// Look-alike letters of other scripts, and the Latin letter each passes for.
const LOOK_ALIKES: [(char, char); 18] = [
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('і', 'i'),
    ('ѕ', 's'),
    ('А', 'A'),
    ('Е', 'E'),
    ('О', 'O'),
    ('Р', 'P'),
    ('С', 'C'),
    ('І', 'I'),
    ('ο', 'o'),
    ('α', 'a'),
    ('ι', 'i'),
];

/// Everything in a text that decodes to text.
pub(super) fn find(text: &str) -> Vec<Disguise> {
    let mut found = Vec::new();
    let mut left = MOST_BYTES;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = run_from(bytes, at);
        if run.len() >= SHORTEST && left >= run.len() {
            let raw = bytes.get(run.clone()).unwrap_or_default();
            if let Some(text) = hexadecimal(raw).or_else(|| base64(raw)) {
                left -= run.len();
                found.push(Disguise { place: run.clone(), text });
            }
        }
        at = run.end.max(at) + 1;
    }
    found.extend(escaped(text));
    found.extend(folded(text));
    found
}

fn run_from(bytes: &[u8], at: usize) -> Range<usize> {
    let is_code = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let length = bytes.get(at..).unwrap_or_default().iter().position(|byte| !is_code(byte));
    at..length.map_or(bytes.len(), |length| at + length)
}

/// Text that a person could have written: letters with spaces between words.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let plain =
        text.chars().filter(|letter| letter.is_alphanumeric() || " .,:;!?'\"\n-/".contains(*letter)).count();
    let spaces = text.bytes().filter(|byte| *byte == b' ').count();
    let letters = text.chars().count();
    let is_inner = spaces == 0
        && letters >= SHORTEST
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_%".contains(&byte));
    ((plain * 10 >= letters * 9 && spaces >= 2) || is_inner).then_some(text)
}

fn hexadecimal(run: &[u8]) -> Option<String> {
    if !run.len().is_multiple_of(2) || !run.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let byte = |pair: &[u8]| u8::try_from(digit(pair.first()?)? * 16 + digit(pair.get(1)?)?).ok();
    readable(run.chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>()?)
}

fn base64(run: &[u8]) -> Option<String> {
    if run.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in run {
        bits = (bits << 6) | sextet(*byte)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
        // The first bytes of what is no text show it: keys and pictures are not decoded to their end.
        if bytes.len() == 12 && std::str::from_utf8(&bytes).is_err_and(|error| error.error_len().is_some()) {
            return None;
        }
    }
    readable(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _other => return None,
    }))
}

/// A text with its `%20`, `&#32;`, `\u0020` and `\x20` read, when there are many of them.
fn escaped(text: &str) -> Option<Disguise> {
    const FEWEST: usize = 4;
    if text.len() > MOST_BYTES {
        return None;
    }
    let (mut read, mut rest, mut count) = (String::new(), text, 0);
    let (mut first, mut last) = (0, 0);
    while let Some(found) = memchr::memchr3(b'%', b'&', b'\\', rest.as_bytes()) {
        let at = text.len() - rest.len() + found;
        read.push_str(rest.get(..found)?);
        let escape = rest.get(found..)?;
        let (letter, length) =
            one_escape(escape).unwrap_or_else(|| (escape.chars().next().unwrap_or(' '), 1));
        if length > 1 {
            first = if count == 0 { at } else { first };
            (count, last) = (count + 1, at + length);
        }
        read.push(letter);
        rest = escape.get(length..)?;
    }
    read.push_str(rest);
    (count >= FEWEST).then_some(Disguise { place: first..last, text: read })
}

fn one_escape(text: &str) -> Option<(char, usize)> {
    let number = |from: usize, to: usize, base: u32| {
        let digits =
            text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        char::from_u32(u32::from_str_radix(digits, base).ok()?)
    };
    if text.starts_with('%') {
        return Some((number(1, 3, 16).filter(char::is_ascii)?, 3));
    }
    if text.starts_with("\\u") {
        return Some((number(2, 6, 16)?, 6));
    }
    if text.starts_with("\\x") {
        return Some((number(2, 4, 16)?, 4));
    }
    if text.starts_with("&#") {
        let (from, base) = if text.starts_with("&#x") { (3, 16) } else { (2, 10) };
        let end = text.bytes().take(12).position(|byte| byte == b';')?;
        return Some((number(from, end, base)?, end + 1));
    }
    None
}

/// A text with full-width letters and letters of other scripts inside of Latin words read as the letters they look like.
fn folded(text: &str) -> Option<Disguise> {
    const FEWEST: usize = 3;
    if text.is_ascii() || text.len() > MOST_BYTES {
        return None;
    }
    let (mut count, mut first, mut last) = (0, 0, 0);
    let mut read = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let plain = plain_letter(letter);
        if plain != letter {
            first = if count == 0 { at } else { first };
            (count, last) = (count + 1, at + letter.len_utf8());
        }
        read.push(plain);
    }
    (count >= FEWEST).then_some(Disguise { place: first..last, text: read })
}

fn plain_letter(letter: char) -> char {
    if ('\u{ff01}'..='\u{ff5e}').contains(&letter) {
        return char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter);
    }
    LOOK_ALIKES.iter().find(|(alike, _)| *alike == letter).map_or(letter, |(_, plain)| *plain)
}

/// A text read with ROT13.
pub(super) fn rotated(text: &str) -> String {
    let rotate = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(letter) + 13).unwrap_or(letter),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(letter) - 13).unwrap_or(letter),
        _ => letter,
    };
    let end = text.floor_char_boundary(MOST_BYTES);
    text.get(..end).unwrap_or_default().chars().map(rotate).collect()
}
