//! Passwords behind their name: quoted ones that may be short, and ones that mix kinds of characters, in configuration and prose.
//!
//! A password looks like anything, so that a value must look unlike a word, an identifier, a type or a variable. It must not take
//! what code and forms say about passwords for one.

use super::assignment::Values;
use super::entropy::entropy_millis;
use super::set::WORD_DASH_EQUALS;
use super::shape::Subject;
use super::unnamed::{is_harmless_value, is_wordy};

const FEWEST: usize = 8;
const MOST_QUOTED: usize = 20;
const MOST_MIXED: usize = 64;
/// Kinds of characters that a password mixes: lower case, upper case, digits, others.
const FEWEST_KINDS: usize = 3;
/// Quotes, emphasis and spaces between a name and its sign, or a sign and its value.
const MOST_BETWEEN: usize = 6;

/// A password in double quotes, which may be short.
pub(super) fn find_quoted(subject: &mut Subject<'_>, values: &Values) -> Option<(usize, usize)> {
    values.starts().find_map(|start| {
        let start = start + usize::from(subject.byte(start) == Some(b'"'));
        let quoted = subject.before(start) == Some(b'"');
        let end = subject.run_end(WORD_DASH_EQUALS, start);
        let value = subject.slice(start, end);
        let closed = subject.byte(end) == Some(b'"') || subject.slice(end, end + 2) == b"\\\"";
        let fits = (FEWEST..=MOST_QUOTED).contains(&value.len());
        let is_secret = quoted && closed && fits && entropy_millis(value) > 2000;
        (is_secret && !is_wordy(value) && !is_harmless_value(value)).then_some((start, end))
    })
}

/// A password that mixes kinds of characters, behind `:`, `=` or `is`.
pub(super) fn find_mixed(subject: &Subject<'_>, word: usize, word_end: usize) -> Option<(usize, usize)> {
    // The name of a function or a member goes on behind the word or ends with it; one that holds a password ends with it.
    let goes_on = subject.byte(word_end).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'(');
    let is_member = subject.before(word) == Some(b'.');
    if goes_on || is_member {
        return None;
    }
    let start = value_start(subject, word_end)?;
    let window = subject.slice(start, start + MOST_MIXED + 1);
    let length = window.iter().take_while(|byte| is_password(**byte)).count();
    let value = window.get(..length)?.trim_ascii_end();
    let value = value.strip_suffix(b".").unwrap_or(value);
    let after = subject.byte(start + value.len());
    let is_call = matches!(after, Some(b'(' | b'[' | b'{' | b'<'));
    let fits = (FEWEST..=MOST_MIXED).contains(&value.len());
    (fits && !is_call && is_mixed(value) && !is_reference(value) && !is_harmless_value(value))
        .then_some((start, start + value.len()))
}

/// Where the value begins: behind the sign, its quotes and its emphasis.
fn value_start(subject: &Subject<'_>, name_end: usize) -> Option<usize> {
    let at = skip(subject, name_end, b"'\"`*_ \t\\");
    let behind = match subject.byte(at)? {
        b':' | b'=' => at + 1 + usize::from(matches!(subject.byte(at + 1), Some(b'=' | b'>'))),
        b'i' | b'w' if matches!(subject.slice(at, at + 3), b"is " | b"is:" | b"was") => {
            let colon =
                at + subject.slice(at, at + 5).iter().take_while(|byte| byte.is_ascii_lowercase()).count();
            colon + usize::from(subject.byte(colon) == Some(b':'))
        }
        _ => return None,
    };
    Some(skip(subject, behind, b"'\"`* \t\\"))
}

fn skip(subject: &Subject<'_>, from: usize, set: &[u8]) -> usize {
    from + subject.slice(from, from + MOST_BETWEEN).iter().take_while(|byte| set.contains(byte)).count()
}

const fn is_password(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'\\' | b',' | b';'
        )
}

fn is_mixed(value: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| usize::from(value.iter().any(kind));
    let kinds = has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(u8::is_ascii_punctuation);
    kinds >= FEWEST_KINDS && has(u8::is_ascii_digit) == 1 && entropy_millis(value) > 2500
}

/// Whether it points at a password instead of being one: a variable, an address, a path, a format.
fn is_reference(value: &[u8]) -> bool {
    let is_path = value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"~");
    let holds = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    let is_variable =
        value.first().is_some_and(|first| b"$%@&|=#".contains(first)) || holds(b"${") || holds(b"$(");
    is_path || is_variable || holds(b"://") || holds(b"::") || holds(b"->") || holds(b"...")
}
