//! Values that are secrets because of what they are called: `api_key`, `password`, `token`.
//!
//! What people write in code and documentation about secrets is not one: words, identifiers, examples, ids.

use super::assignment::Values;
use super::edge::After;
use super::entropy::entropy_millis;
use super::set::{BASE64, PADDING, WORD_DASH_EQUALS_DOT};
use super::shape::{Part, Subject};

/// Words in a name that make its value a secret.
pub(super) const WORDS: &[&str] =
    &["access", "auth", "api", "credential", "creds", "key", "passwd", "password", "secret", "token"];

/// Names with one of the words in them that hold no secret.
const HARMLESS_NAMES: &[&str] = &[
    "accessib",
    "accessor",
    "access_id",
    "access-id",
    "accessid",
    "api_id",
    "api_name",
    "api_version",
    "apiversion",
    "api-version",
    "author",
    "authentication-results",
    "capital",
    "credential_id",
    "credentials_id",
    "csrf",
    "foreign",
    "idempotency",
    "keyboard",
    "keycode",
    "keyframe",
    "key_id",
    "keyid",
    "key-id",
    "key_name",
    "keyname",
    "key_size",
    "keyword",
    "monkey",
    "primary",
    "pubkey",
    "public",
    "rapid",
    "schema_key",
    "secret_name",
    "secretname",
    "sequence",
    "cache_key",
    "cachekey",
    "sort_key",
    "partition_key",
    "key_length",
    "token_count",
    "max_tokens",
    "token_type",
    "tokenizer",
    "key_alias",
    "token_url",
    "token_uri",
    "key_file",
    "token_file",
    "turkey",
    "keystone",
    "digest",
    "checksum",
    "integrity",
];

/// What people write where a secret would stand.
const HARMLESS_VALUES: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "dummy",
    "sample",
    "redacted",
    "your-",
    "your_",
    "yourkey",
    "yourtoken",
    "replace",
    "insert",
    "xxxx",
    "****",
    "localhost",
    "undefined",
];

/// Runs that fill a made-up value. They say nothing about one with a look of its own: account numbers count up as well.
const RUNS: &[&str] = &["1234567890", "abcdefgh"];

const LEAST_ENTROPY: u32 = 3500;
const BASE64_VALUE: &[Part] = &[BASE64.at_least(12), PADDING.between(0, 3)];
const WORD_VALUE: &[Part] = &[WORD_DASH_EQUALS_DOT.between(10, 150)];

/// The secret that a name with one of [`WORDS`] in it is given, if it is one.
pub(super) fn find(subject: &mut Subject<'_>, word: usize, values: &Values) -> Option<(usize, usize)> {
    let found = values.starts().find_map(|start| {
        [WORD_VALUE, BASE64_VALUE].into_iter().find_map(|parts| {
            let end = subject.fits(parts, start)?;
            let value = subject.slice(start, end);
            let is_secret = ends_like_a_value(subject, end)
                && entropy_millis(value) > LEAST_ENTROPY
                && value.iter().any(|byte| !byte.is_ascii_alphabetic() && !b"_.-".contains(byte))
                && !is_harmless_value(value);
            is_secret.then_some((start, end))
        })
    });
    // Last, because it costs most.
    found.filter(|_| !is_harmless_name(subject, word, values.sign))
}

/// Narrower than what ends a secret with a look of its own: calls, indices and lists of code are no values.
fn ends_like_a_value(subject: &Subject<'_>, at: usize) -> bool {
    let is_open = matches!(subject.byte(at), Some(b')' | b']' | b'<'));
    After::Token.holds(subject, at) && !is_open
}

fn is_harmless_name(subject: &Subject<'_>, word: usize, sign: usize) -> bool {
    const LONGEST_BEFORE: usize = 24;
    let before = subject.slice(word.saturating_sub(LONGEST_BEFORE), word);
    let begin = word - before.iter().rev().take_while(|byte| is_name(**byte)).count();
    let name = subject.slice(begin, sign).to_ascii_lowercase();
    HARMLESS_NAMES.iter().any(|harmless| memchr::memmem::find(&name, harmless.as_bytes()).is_some())
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether a value says of itself that it stands for another.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    contains_any(value, HARMLESS_VALUES)
}

pub(super) fn is_harmless_value(value: &[u8]) -> bool {
    is_placeholder(value) || contains_any(value, RUNS) || is_uuid(value) || is_wordy(value)
}

fn contains_any(value: &[u8], words: &[&str]) -> bool {
    let folded = value.to_ascii_lowercase();
    words.iter().any(|word| memchr::memmem::find(&folded, word.as_bytes()).is_some())
}

fn is_uuid(value: &[u8]) -> bool {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    value.len() == 36
        && value.iter().enumerate().all(|(index, byte)| {
            if DASHES.contains(&index) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
        })
}

/// Whether it reads like words or identifiers: no part mixes cases at random, and digits only end a part.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    const MOST_DIGITS: usize = 2;
    let mut parts = value.split(|byte| matches!(byte, b'_' | b'-' | b'.'));
    parts.all(|part| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, digits) = part.split_at_checked(letters).unwrap_or((part, &[]));
        let is_number = digits.len() <= MOST_DIGITS && digits.iter().all(u8::is_ascii_digit);
        is_number && humps(word) <= word.len() / 4 + 1
    })
}

/// How often the case goes up inside a word.
fn humps(word: &[u8]) -> usize {
    let is_all_upper = word.iter().all(u8::is_ascii_uppercase);
    if is_all_upper {
        return 0;
    }
    let mut previous = word.first().copied().unwrap_or_default();
    let mut count = 0;
    for byte in word.iter().skip(1) {
        let changes = byte.is_ascii_uppercase() != previous.is_ascii_uppercase();
        count += usize::from(changes);
        previous = *byte;
    }
    count / 2
}
