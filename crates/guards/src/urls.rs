//! Addresses that a text names, held against a list of hosts.
//!
//! Only what is listed is allowed: an address with a user in it, a host that is a number or looks like another, a scheme
//! that is not HTTP are not, unless they are listed as they are. It must not resolve or fetch anything.

#[cfg(test)]
mod tests;

use aho_corasick::AhoCorasick;
use premath_tusk::policy::Finding;

/// What may be named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlSettings {
    /// Hosts: `example.org`, `*.example.org` for everything below it, `127.0.0.1:8080` for one port of one.
    pub hosts: Vec<String>,
    /// Schemes beside `http` and `https`: `mailto`, `file`.
    pub schemes: Vec<String>,
}

/// Schemes that need no `//` to do something.
const BARE_SCHEMES: &[&str] = &[
    "javascript:",
    "vbscript:",
    "data:text/html",
    "data:application/",
    "file:",
    "mailto:",
    "blob:",
    "intent:",
    "ms-msdt:",
    "http:",
    "https:",
    "ftp:",
];
const LONGEST_AUTHORITY: usize = 512;
const LONGEST_SCHEME: usize = 32;

/// The list, ready to be held against texts.
#[derive(Debug)]
pub(crate) struct Urls {
    hosts: Vec<String>,
    schemes: Vec<String>,
    automaton: AhoCorasick,
}

impl Urls {
    /// `None` when the list cannot be compiled.
    pub(crate) fn new(settings: &UrlSettings) -> Option<Self> {
        let patterns = ["://", ":\\/\\/"].iter().chain(BARE_SCHEMES);
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(patterns).ok()?;
        let lower = |all: &[String]| all.iter().map(|one| one.to_ascii_lowercase()).collect();
        Some(Self { hosts: lower(&settings.hosts), schemes: lower(&settings.schemes), automaton })
    }

    /// Every address that is not allowed.
    pub(crate) fn find(&self, text: &str) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        let mut until = 0;
        for hit in self.automaton.find_overlapping_iter(text) {
            let is_bare = hit.pattern().as_usize() >= 2;
            let place = if is_bare { bare(text, hit.start(), hit.end()) } else { scheme(text, hit.start()) };
            let Some((start, scheme_end)) = place.filter(|(start, _)| *start >= until) else { continue };
            let scheme = text.get(start..scheme_end).unwrap_or_default().to_ascii_lowercase();
            let (authority, end) = authority(text, scheme_end + 1);
            until = end.max(hit.end());
            if let Some(label) = self.refusal(&scheme, authority) {
                found.push(Finding { label: label.to_owned(), span: Some(start..until) });
            }
        }
        found
    }

    fn refusal(&self, scheme: &str, authority: &str) -> Option<&'static str> {
        if !matches!(scheme, "http" | "https") {
            return (!self.schemes.iter().any(|known| known == scheme)).then_some("url-scheme");
        }
        let authority = authority.to_ascii_lowercase();
        if authority.contains('@') {
            return Some("url-userinfo");
        }
        let host = host(&authority);
        if self.hosts.iter().any(|known| *known == authority || covers(known, host)) {
            return None;
        }
        Some(match host {
            _ if host.is_empty() => "url-host",
            _ if is_number(host) => "url-ip-literal",
            _ if !host.is_ascii()
                || host.contains('%')
                || host.split('.').any(|label| label.starts_with("xn--")) =>
            {
                "url-lookalike"
            }
            _ => "url-host",
        })
    }
}

/// Whether a listed host means this one. A listed `*.example.org` does not mean `example.org` itself, nor anything below it
/// that looks like another name.
fn covers(known: &str, host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    known.strip_prefix("*.").map_or(known == host, |base| {
        host.strip_suffix(base)
            .is_some_and(|below| below.len() > 1 && below.ends_with('.') && !is_lookalike(below))
    })
}

fn is_lookalike(host: &str) -> bool {
    !host.is_ascii() || host.contains('%') || host.split('.').any(|label| label.starts_with("xn--"))
}

/// The host of an authority without its port.
fn host(authority: &str) -> &str {
    if authority.starts_with('[') {
        return authority.split_inclusive(']').next().unwrap_or(authority);
    }
    authority.split(':').next().unwrap_or(authority)
}

/// Whether a host is an address: in brackets, dotted, or one number in any base.
fn is_number(host: &str) -> bool {
    let is_part = |part: &str| {
        let digits = part.strip_prefix("0x").map_or(part, |_| "0");
        !part.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    host.starts_with('[') || host.split('.').all(is_part)
}

/// The scheme before `://`.
fn scheme(text: &str, colon: usize) -> Option<(usize, usize)> {
    let before = text.as_bytes().get(colon.saturating_sub(LONGEST_SCHEME)..colon)?;
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let length = before.iter().rev().take_while(is_scheme).count();
    (length > 0).then_some((colon - length, colon))
}

/// A scheme that stands without slashes, or with the wrong ones.
fn bare(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_joined = start
        .checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte));
    let colon = memchr::memchr(b':', bytes.get(start..end)?)? + start;
    let needs_slash =
        matches!(text.get(start..colon)?.to_ascii_lowercase().as_str(), "http" | "https" | "ftp" | "file");
    let has_slash = matches!(bytes.get(colon + 1), Some(b'/' | b'\\'));
    (!is_joined && (has_slash || !needs_slash)).then_some((start, colon))
}

/// The authority behind the colon of a scheme, with any number of slashes of any kind between, and where it ends.
fn authority(text: &str, at: usize) -> (&str, usize) {
    let bytes = text.as_bytes();
    let window = bytes.get(at..bytes.len().min(at + LONGEST_AUTHORITY)).unwrap_or_default();
    let slashes = window.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    let is_end =
        |byte: &u8| byte.is_ascii_whitespace() || b"/?#\\\"'<>`(){}|^,;".contains(byte) || *byte < 0x20;
    let rest = window.get(slashes..).unwrap_or_default();
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    let start = at + slashes;
    let end = text.floor_char_boundary(start + length);
    (text.get(start..end).unwrap_or_default(), end)
}
