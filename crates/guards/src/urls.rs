//! Addresses and hosts that a text names, with a scheme or without, held against a list of hosts.
//!
//! Only what is listed is allowed, in whichever spelling: names are compared in ASCII, numbers as the address they are. An
//! address with a user in it and a scheme that is not HTTP are not allowed. It must not resolve or fetch anything.

mod bare;
mod host;
#[cfg(test)]
mod tests;

use std::ops::Range;

use aho_corasick::AhoCorasick;
use premath_tusk::policy::Finding;

use self::host::{Host, ListedHost, is_lookalike, split_port};

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
    hosts: Vec<ListedHost>,
    schemes: Vec<String>,
    automaton: AhoCorasick,
}

impl Urls {
    /// `None` when the list cannot be compiled, or an entry is no host.
    pub(crate) fn new(settings: &UrlSettings) -> Option<Self> {
        let patterns = ["://", ":\\/\\/"].iter().chain(BARE_SCHEMES);
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(patterns).ok()?;
        let hosts = settings.hosts.iter().map(|host| ListedHost::read(host)).collect::<Option<Vec<_>>>()?;
        let schemes = settings.schemes.iter().map(|scheme| scheme.to_ascii_lowercase()).collect();
        Some(Self { hosts, schemes, automaton })
    }

    /// Every address and every host that is not allowed, in the order of the text.
    pub(crate) fn find(&self, text: &str) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        let mut addresses: Vec<Range<usize>> = Vec::new();
        let mut until = 0;
        for hit in self.automaton.find_overlapping_iter(text) {
            let is_bare = hit.pattern().as_usize() >= 2;
            let place = if is_bare { bare(text, hit.start(), hit.end()) } else { scheme(text, hit.start()) };
            let Some((start, scheme_end)) = place.filter(|(start, _)| *start >= until) else { continue };
            let scheme = text.get(start..scheme_end).unwrap_or_default().to_ascii_lowercase();
            let (authority, end) = authority(text, scheme_end + 1);
            until = end.max(hit.end());
            addresses.push(start..until);
            if let Some(label) = self.refusal(&scheme, authority, has_hidden_user(text, end)) {
                found.push(Finding { label: label.to_owned(), span: Some(start..until) });
            }
        }
        for host in bare::find(text, &addresses) {
            let authority = text.get(host.span.clone()).unwrap_or_default();
            if let Some(label) = self.host_refusal(authority) {
                found.push(Finding { label: label.to_owned(), span: Some(host.span) });
            }
        }
        found.sort_by_key(|finding| finding.span.as_ref().map(|span| span.start));
        found
    }

    fn refusal(&self, scheme: &str, authority: &str, has_hidden_user: bool) -> Option<&'static str> {
        if !matches!(scheme, "http" | "https") {
            return (!self.schemes.iter().any(|known| known == scheme)).then_some("url-scheme");
        }
        if has_hidden_user || authority.contains('@') || authority.to_ascii_lowercase().contains("%40") {
            return Some("url-userinfo");
        }
        self.host_refusal(authority)
    }

    /// Why a host with its port is not allowed.
    fn host_refusal(&self, authority: &str) -> Option<&'static str> {
        let (text, port) = split_port(authority);
        let host = Host::read(text);
        // What is no port belongs to something else.
        let port = port.map(|port| port.parse::<u16>().unwrap_or(0));
        if host.as_ref().is_some_and(|host| self.hosts.iter().any(|known| known.covers(host, port))) {
            return None;
        }
        Some(match host {
            Some(Host::Address(_)) => "url-ip-literal",
            _ if is_lookalike(text) => "url-lookalike",
            Some(Host::Name(_)) | None => "url-host",
        })
    }
}

/// Whether a backslash hides a user: some programs take what stands before it for the host, others what stands behind `@`.
fn has_hidden_user(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    rest.starts_with('\\')
        && !rest.starts_with("\\/")
        && rest
            .chars()
            .take(LONGEST_AUTHORITY)
            .take_while(|one| !one.is_whitespace() && *one != '"')
            .any(|one| one == '@')
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
