//! Passwords of connection strings (`Server=…;Password=…`) and of `.netrc` lines.
//!
//! How far is looked back for the rest of the line is bounded. It must not take a placeholder of documentation for a password.

use memchr::{memchr, memmem};

use super::edge::is_space;
use super::shape::Subject;

type Place = (usize, usize);

/// How far a password may be from the last key of its connection string before it.
const FARTHEST: usize = 240;
const SHORTEST: usize = 6;
const LONGEST: usize = 128;
/// Words that stand for a password in documentation.
const PLACEHOLDERS: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"secret",
    b"changeme",
    b"example",
    b"your",
    b"xxx",
    b"***",
    b"none",
    b"null",
    b"redacted",
];

/// The password behind `password=` or `pwd=` of a connection string whose last key before it ends at `key`.
pub(super) fn password(subject: &Subject<'_>, key: Option<usize>, start: usize, end: usize) -> Option<Place> {
    is_on_one_line(subject, key?, start).then_some(())?;
    let is_end = |byte: u8| is_space(byte) || b";&\"'`<>\\,)".contains(&byte);
    value(subject, end, is_end)
}

/// The password of a `.netrc` line whose `login` ends at `login`.
pub(super) fn netrc_password(
    subject: &Subject<'_>,
    login: Option<usize>,
    start: usize,
    end: usize,
) -> Option<Place> {
    let login = login.filter(|login| start.saturating_sub(*login) <= LONGEST)?;
    let before = subject.slice(login.saturating_sub(LONGEST), login);
    memmem::find(before, b"machine ")?;
    let name = subject.slice(login, start).trim_ascii();
    (!name.is_empty() && !name.iter().any(|byte| is_space(*byte))).then_some(())?;
    value(subject, end, is_space)
}

fn is_on_one_line(subject: &Subject<'_>, key: usize, password: usize) -> bool {
    let between = subject.slice(key, password);
    key <= password && between.len() <= FARTHEST && memchr(b'\n', between).is_none()
}

fn value(subject: &Subject<'_>, start: usize, is_end: impl Fn(u8) -> bool) -> Option<Place> {
    let window = subject.slice(start, start + LONGEST);
    let length = window.iter().position(|byte| is_end(*byte)).unwrap_or(window.len());
    let value = window.get(..length)?;
    let folded = value.to_ascii_lowercase();
    let stands_for_one = PLACEHOLDERS.iter().any(|word| memmem::find(&folded, word).is_some())
        || value.first().is_some_and(|first| b"$<{%[*".contains(first));
    let has_letters = value.iter().any(u8::is_ascii_alphanumeric);
    (length >= SHORTEST && has_letters && !stands_for_one).then_some((start, start + length))
}
