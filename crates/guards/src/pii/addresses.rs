//! Addresses: of mail, and of machines.

use std::net::{Ipv4Addr, Ipv6Addr};

use memchr::memchr_iter;

const LONGEST_LOCAL: usize = 64;
const LONGEST_HOST: usize = 253;

pub(super) fn emails(bytes: &[u8], found: &mut Vec<(usize, usize, &'static str)>) {
    for sign in memchr_iter(b'@', bytes) {
        let before = bytes.get(sign.saturating_sub(LONGEST_LOCAL)..sign).unwrap_or_default();
        let local = before.iter().rev().take_while(|byte| is_local(**byte)).count();
        let name = before.get(before.len() - local..).unwrap_or_default();
        let name = name
            .get(name.iter().take_while(|byte| **byte == b'.' || **byte == b'-').count()..)
            .unwrap_or_default();
        let after = bytes.get(sign + 1..bytes.len().min(sign + 1 + LONGEST_HOST)).unwrap_or_default();
        let host =
            after.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte)).count();
        let host = after.get(..host).unwrap_or_default().trim_ascii_end();
        let host = host.strip_suffix(b".").unwrap_or(host);
        if !name.is_empty() && is_host(host) {
            found.push((sign - name.len(), sign + 1 + host.len(), "email"));
        }
    }
}

const fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn is_host(host: &[u8]) -> bool {
    let mut labels = host.split(|byte| *byte == b'.');
    let is_label = |label: &[u8]| !label.is_empty() && !label.starts_with(b"-") && !label.ends_with(b"-");
    let last = host.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let has_domain = host.contains(&b'.') && last.len() >= 2 && last.iter().all(u8::is_ascii_alphabetic);
    has_domain && labels.all(is_label)
}

pub(super) fn machines(text: &str, found: &mut Vec<(usize, usize, &'static str)>) {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_part(**byte)).count();
        let is_joined =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if (7..=45).contains(&length) && !is_joined(before) && !is_joined(rest.get(length)) {
            let candidate = text.get(at..at + length).unwrap_or_default().trim_end_matches(['.', ':']);
            if candidate.parse::<Ipv4Addr>().is_ok() {
                found.push((at, at + candidate.len(), "ipv4"));
            } else if candidate.parse::<Ipv6Addr>().is_ok() {
                found.push((at, at + candidate.len(), "ipv6"));
            }
        }
        at += length.max(1);
    }
}
