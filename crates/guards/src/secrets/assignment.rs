//! From a name to the value that is given to it: `name = "value"`, `name: value`, `"name" => 'value'`, in source code, in
//! configuration and inside JSON strings, where quotes are escaped.

use super::edge::{escape_length, is_space, is_word};
use super::shape::Subject;

/// What may follow the word of a name, within the name or behind it.
const LONGEST_REST: usize = 20;
/// Quotes and spaces between a name and the sign.
const MOST_CLOSING: usize = 3;
/// Quotes and spaces between the sign and a value.
const MOST_OPENING: usize = 5;

/// The places where a value may begin, first one first: an opening character can be one of the value too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values {
    /// Where the sign begins.
    pub(super) sign: usize,
    starts: [usize; MOST_OPENING + 1],
    count: usize,
}

impl Values {
    pub(super) fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        self.starts.into_iter().take(self.count)
    }
}

/// What is assigned to the name that goes on behind a word of it.
pub(super) fn values(subject: &Subject<'_>, word_end: usize) -> Option<Values> {
    let sign = find_sign(subject, word_end)?;
    let mut at = sign + sign_length(subject, sign)?;
    let mut starts = [at; MOST_OPENING + 1];
    let mut count = 1;
    for start in starts.iter_mut().skip(1) {
        let Some(length) = opening_length(subject, at) else { break };
        at += length;
        *start = at;
        count += 1;
    }
    Some(Values { sign, starts, count })
}

const fn is_rest(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b' ' | b'\t' | b'.' | b'-')
}

/// Where the sign of the assignment is: behind the rest of the name, then quotes and spaces.
fn find_sign(subject: &Subject<'_>, word_end: usize) -> Option<usize> {
    let window = subject.slice(word_end, word_end + LONGEST_REST);
    let mut at = word_end + window.iter().take_while(|byte| is_rest(**byte)).count();
    for _ in 0..=MOST_CLOSING {
        let byte = subject.byte(at)?;
        if matches!(byte, b'=' | b'>' | b':' | b'|' | b'?' | b',') {
            return Some(at);
        }
        let escaped = escape_length(subject, at);
        if escaped > 0 {
            at += escaped;
        } else if is_space(byte) || matches!(byte, b'\'' | b'"') {
            at += 1;
        } else {
            return None;
        }
    }
    None
}

fn sign_length(subject: &Subject<'_>, at: usize) -> Option<usize> {
    let next = subject.byte(at + 1);
    match subject.byte(at)? {
        b'=' => Some(if next == Some(b'>') { 2 } else { 1 }),
        b'>' | b',' => Some(1),
        b'|' => (next == Some(b'|')).then_some(2),
        b'?' => (next == Some(b'=')).then_some(2),
        b':' => {
            let colons = subject.slice(at, at + 3).iter().take_while(|byte| **byte == b':').count();
            Some(if subject.byte(at + colons) == Some(b'=') { colons + 1 } else { 1 })
        }
        _ => None,
    }
}

fn opening_length(subject: &Subject<'_>, at: usize) -> Option<usize> {
    let byte = subject.byte(at)?;
    match escape_length(subject, at) {
        0 => (is_space(byte) || matches!(byte, b'`' | b'\'' | b'"' | b'=')).then_some(1),
        escaped => Some(escaped),
    }
}
