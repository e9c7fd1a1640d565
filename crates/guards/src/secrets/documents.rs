//! Secrets that documents of a known form hold: private keys, manifests of Kubernetes, settings of NuGet, snippets of PHP.
//!
//! Each search looks a bounded way from the words that give it away.

use std::ops::Range;

use memchr::memmem;

use super::edge::{Before, is_space, is_word};
use super::set::{BASE64, PADDING};
use super::shape::Subject;

type Place = (usize, usize);

const LONGEST_HEADER: usize = 130;
const SHORTEST_KEY: usize = 64;

/// The private key between a beginning and the first of the ends behind it; cut off, what there is of it.
pub(super) fn private_key(subject: &Subject<'_>, begin: usize, ends: &[usize]) -> Option<Place> {
    let header = subject.slice(begin + 10, begin + LONGEST_HEADER);
    let closing = memmem::find(header, b"-----")?;
    let title = header.get(..closing)?.to_ascii_uppercase();
    let is_private = title.ends_with(b"PRIVATE KEY") || title.ends_with(b"PRIVATE KEY BLOCK");
    let is_plain = title.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _-".contains(byte));
    (is_private && is_plain).then_some(())?;
    let body = begin + 10 + closing + 5;
    let after = ends.partition_point(|end| *end < body + SHORTEST_KEY);
    if let Some(end) = ends.get(after) {
        let is_other =
            ends.get(..after).unwrap_or_default().iter().rev().take_while(|end| **end > body).any(|end| {
                // An end of its own that comes too early: what follows is another document.
                memmem::find(&subject.slice(end.saturating_sub(40), *end).to_ascii_uppercase(), b"END")
                    .is_some()
            });
        return (!is_other).then_some((begin, *end));
    }
    let is_body =
        |byte: &&u8| BASE64.has(**byte) || PADDING.has(**byte) || is_space(**byte) || **byte == b'\\';
    let length = subject.slice(body, usize::MAX).iter().take_while(is_body).count();
    (length >= SHORTEST_KEY).then_some((begin, body + length))
}

const FAR: usize = 800;
const NEAR: usize = 420;
const MOST_ENTRIES: usize = 64;

/// What a text says that manifests consist of, each in order.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// Where `kind:` stands.
    pub(super) kinds: Vec<Place>,
    /// What stands behind `data:`.
    pub(super) data: Vec<usize>,
    /// Where one document ends and another begins.
    pub(super) separators: Vec<usize>,
}

impl Manifests {
    /// The values of every Kubernetes secret, before or behind its `kind:`. No part of the text is read twice.
    pub(super) fn values(&self, subject: &mut Subject<'_>) -> Vec<Place> {
        let mut found = Vec::new();
        let mut read = 0;
        for kind in &self.kinds {
            let Some(end) = secret_kind(subject, *kind) else { continue };
            let Some((data, until)) = self.entries_of(kind.0, end) else { continue };
            read = entries(subject, data.max(read)..until, &mut found).max(read);
        }
        found
    }

    /// Where the entries of a secret are: behind the next `data:`, or the last one, of the same document.
    fn entries_of(&self, kind: usize, end: usize) -> Option<(usize, usize)> {
        let is_one = |from: usize, to: usize| {
            let after = self.separators.partition_point(|separator| *separator < from);
            self.separators.get(after).is_none_or(|separator| *separator >= to)
        };
        let next = self.data.get(self.data.partition_point(|data| *data < end)).copied();
        if let Some(data) = next.filter(|data| *data <= end + FAR && is_one(end, *data)) {
            let after = self.separators.partition_point(|separator| *separator < data);
            return Some((data, self.separators.get(after).copied().unwrap_or(usize::MAX)));
        }
        let before = self.data.partition_point(|data| *data <= kind).checked_sub(1)?;
        let last = self.data.get(before).copied();
        last.filter(|data| data + FAR + NEAR >= kind && is_one(*data, kind)).map(|data| (data, kind))
    }
}

fn secret_kind(subject: &Subject<'_>, (start, end): Place) -> Option<usize> {
    Before::Word.holds(subject, start).then_some(())?;
    let at = skip_blanks(subject, end);
    let at = at + usize::from(matches!(subject.byte(at), Some(b'"' | b'\'')));
    let word = at + 6;
    let is_secret = subject.slice(at, word).eq_ignore_ascii_case(b"secret");
    (is_secret && !subject.byte(word).is_some_and(is_word)).then_some(word)
}

/// Collects the values of entries; says how far was read.
fn entries(subject: &mut Subject<'_>, range: Range<usize>, found: &mut Vec<Place>) -> usize {
    let mut at = range.start;
    let mut count = 0;
    while count < MOST_ENTRIES && at < range.end {
        let Some(colon) = memchr::memchr(b':', subject.slice(at, (at + NEAR).min(range.end))) else { break };
        let colon = at + colon;
        let Some(is_indented) = entry_name(subject, colon) else {
            at = colon + 1;
            continue;
        };
        if count > 0 && !is_indented {
            break;
        }
        at = colon + 1;
        if let Some(value) = entry_value(subject, colon + 1) {
            at = value.1;
            count += 1;
            found.push(value);
        }
    }
    at
}

/// Whether the name before a colon is indented, if there is one.
fn entry_name(subject: &Subject<'_>, colon: usize) -> Option<bool> {
    let before = subject.slice(colon.saturating_sub(254), colon);
    let length = before.iter().rev().take_while(|byte| is_word(**byte) || b".-".contains(byte)).count();
    let start = colon - length;
    let escaped = (length > 0 && subject.before(start) == Some(b'\\')).then_some(false);
    match subject.before(start).filter(|byte| length > 0 && is_space(*byte)) {
        Some(byte) => Some(byte != b'\n'),
        // In JSON a line ends with an escape, whose letter looks like one of the name.
        None => escaped,
    }
}

fn entry_value(subject: &mut Subject<'_>, at: usize) -> Option<Place> {
    let mut at = skip_blanks(subject, at);
    if let Some(b'|' | b'>') = subject.byte(at) {
        at += 1 + usize::from(matches!(subject.byte(at + 1), Some(b'+' | b'-')));
        at += subject.slice(at, at + NEAR).iter().take_while(|byte| is_space(**byte)).count();
    }
    at += usize::from(matches!(subject.byte(at), Some(b'"' | b'\'')));
    let end = subject.fits(&[BASE64.at_least(10), PADDING.between(0, 3)], at)?;
    let goes_on = subject.byte(end).is_some_and(|byte| b".:@".contains(&byte));
    (!goes_on).then_some((at, end))
}

fn skip_blanks(subject: &Subject<'_>, at: usize) -> usize {
    at + subject.slice(at, at + NEAR).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

const LONGEST_VALUE: usize = 1024;

/// The password of a NuGet setting, behind `<add key=`.
pub(super) fn nuget(subject: &Subject<'_>, at: usize) -> Option<Place> {
    let at = quote(subject, at)?;
    let name = subject.slice(at, at + 17).to_ascii_lowercase();
    let length =
        [b"cleartextpassword".as_slice(), b"password"].iter().find(|word| name.starts_with(word))?.len();
    let at = skip_space(subject, quote(subject, at + length)?);
    subject.slice(at, at + 6).eq_ignore_ascii_case(b"value=").then_some(())?;
    let start = quote(subject, at + 6)?;
    let window = subject.slice(start, start + LONGEST_VALUE);
    let line = window.iter().position(|byte| *byte == b'\n').unwrap_or(window.len());
    let end = memmem::rfind_iter(window.get(..line)?, b"\"").map(|at| start + at).find(|end| {
        let behind = skip_space(subject, end + 1);
        subject.slice(behind, behind + 2) == b"/>"
    })?;
    let end = if subject.before(end) == Some(b'\\') { end - 1 } else { end };
    let value = subject.slice(start, end);
    let is_variable = value.first() == Some(&b'%') && value.last() == Some(&b'%');
    (value.len() >= 8 && !is_variable).then_some((start, end))
}

/// The key of a Freemius snippet, behind `secret_key`.
pub(super) fn freemius(subject: &Subject<'_>, at: usize) -> Option<Place> {
    const CHARACTERS: usize = 29;
    let at = skip_space(subject, quote(subject, at)?);
    (subject.slice(at, at + 2) == b"=>").then_some(())?;
    let start = quote(subject, skip_space(subject, at + 2))?;
    subject.slice(start, start + 3).eq_ignore_ascii_case(b"sk_").then_some(())?;
    let is_first = |byte: &u8| byte & 0xc0 != 0x80;
    let window = subject.slice(start + 3, start + 3 + CHARACTERS * 4 + 1);
    let mut firsts = window.iter().enumerate().filter(|(_, byte)| is_first(byte)).map(|(index, _)| index);
    let end = start + 3 + firsts.nth(CHARACTERS)?;
    let has_space = subject.slice(start, end).iter().any(|byte| is_space(*byte));
    (!has_space && quote(subject, end).is_some()).then_some((start, end))
}

/// Behind the quote at a place, which may be escaped.
fn quote(subject: &Subject<'_>, at: usize) -> Option<usize> {
    let at = at + usize::from(subject.byte(at) == Some(b'\\'));
    matches!(subject.byte(at), Some(b'"' | b'\'')).then_some(at + 1)
}

fn skip_space(subject: &Subject<'_>, at: usize) -> usize {
    at + subject.slice(at, at + NEAR).iter().take_while(|byte| is_space(**byte)).count()
}
