//! Credentials on the command line of `curl`: headers and users.
//!
//! The command may go on over a few lines; how far is looked back for it is bounded.

use memchr::memchr;

use super::edge::is_space;
use super::entropy::entropy_millis;
use super::set::TOKEN;
use super::shape::Subject;

const LONGEST_COMMAND: usize = 4096;
const MOST_LINE_ENDS: usize = 10;
const LONGEST_QUOTED: usize = 4096;
const SHORTEST: usize = 3;

/// A flag of a command that is followed by a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flag {
    Header,
    User,
}

/// The credential behind a flag of the last `curl` before it.
pub(super) fn find(
    subject: &mut Subject<'_>,
    flag: Flag,
    curl: Option<usize>,
    (start, end): (usize, usize),
) -> Option<(usize, usize)> {
    let is_flag =
        subject.before(start).is_some_and(is_space) || super::edge::is_escape_before(subject, start);
    (is_flag && belongs_to(subject, curl?, start)).then_some(())?;
    let blanks = subject.slice(end, end + 5).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let value = end + if subject.byte(end) == Some(b'=') { 1 } else { blanks };
    match flag {
        Flag::Header => header(subject, value),
        Flag::User => user(subject, value),
    }
}

fn belongs_to(subject: &Subject<'_>, curl: usize, flag: usize) -> bool {
    let between = subject.slice(curl, flag);
    between.len() <= LONGEST_COMMAND
        && between.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() <= MOST_LINE_ENDS
}

/// A quoted text: what is in it and the quote.
fn quoted(subject: &Subject<'_>, at: usize) -> Option<(usize, usize, u8)> {
    let escape = usize::from(subject.byte(at) == Some(b'\\'));
    let quote = subject.byte(at + escape).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let start = at + escape + 1;
    let length = memchr(quote, subject.slice(start, start + LONGEST_QUOTED))?;
    let end = start + length;
    let is_escaped = escape == 1 && subject.before(end) == Some(b'\\');
    Some((start, if is_escaped { end - 1 } else { end }, quote))
}

fn header(subject: &mut Subject<'_>, at: usize) -> Option<(usize, usize)> {
    let (start, end, _) = quoted(subject, at)?;
    let colon = start + memchr(b':', subject.slice(start, end))?;
    let name = subject.slice(start, colon).to_ascii_lowercase();
    let mut value = colon + 1;
    value += subject.slice(value, value + 5).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if name == b"authorization" {
        let scheme = subject
            .slice(value, end)
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-')
            .count();
        let is_scheme = matches!(subject.byte(value + scheme), Some(b' ' | b'\t'));
        value += if is_scheme { scheme + 1 } else { 0 };
    } else if !(name.ends_with(b"key") || name.ends_with(b"token")) {
        return None;
    }
    let is_whole = subject.run_end(TOKEN, value) == end && end - value >= 8;
    (is_whole && entropy_millis(subject.slice(value, end)) > 2750).then_some((value, end))
}

fn user(subject: &Subject<'_>, at: usize) -> Option<(usize, usize)> {
    let (start, end, after) = credentials(subject, at)?;
    let is_ended = subject.byte(after).is_none_or(is_space)
        || super::edge::escape_length(subject, after) > 0
        || matches!(subject.byte(after), Some(b'"' | b'\''));
    let value = subject.slice(start, end);
    // Quotes make a short one look less random than it is.
    let is_random = entropy_millis(value) > 2000 || entropy_millis(subject.slice(start - 1, end + 1)) > 2000;
    (is_ended && is_random && !is_placeholder(value)).then_some((start, end))
}

/// Where a name and a password stand, and what they end with.
fn credentials(subject: &Subject<'_>, at: usize) -> Option<(usize, usize, usize)> {
    if let Some((start, end, quote)) = quoted(subject, at)
        && subject.byte(end + 1) != Some(b':')
    {
        let value = subject.slice(start, end);
        let colon = memchr(b':', value)?;
        let (name, password) = (colon, value.len() - colon - 1);
        let is_either = quote == b'"' && (name.max(password) >= SHORTEST && name.min(password) == 0);
        let is_both = name >= SHORTEST && password >= SHORTEST;
        let after = end + if subject.byte(end) == Some(b'\\') { 2 } else { 1 };
        return (is_either || is_both).then_some((start, end, after));
    }
    let name = part(subject, at)?;
    (subject.byte(name) == Some(b':')).then_some(())?;
    let end = part(subject, name + 1)?;
    Some((at, end, end))
}

/// Where one half of `name:password` ends.
fn part(subject: &Subject<'_>, at: usize) -> Option<usize> {
    if let Some((start, end, _)) = quoted(subject, at) {
        return (end - start >= SHORTEST).then_some(end + 1);
    }
    let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$@.-{}".contains(byte);
    let length = subject.slice(at, at + LONGEST_QUOTED).iter().take_while(|byte| is_bare(byte)).count();
    (length > 0).then_some(at + length)
}

/// Whether the password is one that documentation uses, or a variable.
fn is_placeholder(value: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[
        b"changeit",
        b"changeme",
        b"pass",
        b"password",
        b"pwd",
        b"test",
        b"token",
        b"secret",
        b"***",
        b"xxx",
    ];
    let colon = memchr(b':', value).unwrap_or(value.len());
    let password = value.get(colon + 1..).unwrap_or_default().to_ascii_lowercase();
    let password = password.trim_ascii().strip_prefix(b"\"").unwrap_or(&password);
    let is_variable = match (password.first(), password.last()) {
        (Some(b'$' | b'<'), _) => true,
        (Some(b'['), Some(last)) => *last == b']',
        (Some(b'{'), Some(last)) => *last == b'}',
        (Some(b'%'), Some(last)) => *last == b'%',
        _ => false,
    };
    is_variable || WORDS.contains(&password) || value.first() == Some(&b'$') && password.is_empty()
}
