//! A host in one spelling: names in ASCII, numbers as the address they are.
//!
//! Browsers, libraries and tools read many spellings as the same host. What is compared here is what all of them would reach;
//! what they would read differently is no host. It must not resolve a name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host as it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// A name, in ASCII and small letters, without a dot at its end.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host in any spelling; nothing for what is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let decoded = percent_decoded(text)?;
        if let Some(inner) = decoded.strip_prefix('[') {
            return ipv6(inner.strip_suffix(']')?).map(Self::Address);
        }
        if decoded.contains(':') {
            return ipv6(&decoded).map(Self::Address);
        }
        let dotted: String = decoded.chars().map(|one| if is_dot(one) { '.' } else { one }).collect();
        let name = dotted.trim_end_matches('.');
        if name.is_empty()
            || name.contains(|one: char| one.is_whitespace() || "/@:#?\\<>^|%\"'".contains(one))
        {
            return None;
        }
        let name = idna::domain_to_ascii(name).ok().filter(|name| !name.is_empty())?;
        match ipv4(&name) {
            Number::Address(address) => Some(Self::Address(IpAddr::V4(address))),
            Number::Broken => None,
            Number::None => Some(Self::Name(name)),
        }
    }
}

/// Dots of other scripts that a name is cut at as well.
fn is_dot(character: char) -> bool {
    matches!(character, '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}')
}

/// Whether a host could be taken for another by its letters.
pub(super) fn is_lookalike(text: &str) -> bool {
    !text.is_ascii()
        || text.contains('%')
        || text.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--"))
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    // A zone of an address is no encoding.
    if text.matches(':').count() > 1 {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// What a name of numbers is.
#[derive(Debug, PartialEq, Eq)]
enum Number {
    /// An address.
    Address(Ipv4Addr),
    /// It ends in a number, and is no address.
    Broken,
    /// No number.
    None,
}

/// IPv4 in one to four parts, each decimal, octal or hexadecimal; the last fills what is left.
fn ipv4(name: &str) -> Number {
    let parts: Vec<&str> = name.split('.').collect();
    let ends_in_number = parts.last().is_some_and(|last| {
        number(last).is_some() || (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if !ends_in_number {
        return Number::None;
    }
    let numbers: Option<Vec<u64>> = parts.iter().map(|part| number(part)).collect();
    let Some((last, first)) = numbers.as_deref().and_then(|numbers| numbers.split_last()) else {
        return Number::Broken;
    };
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return Number::Broken;
    }
    let left = 4 - first.len();
    if *last >= 256_u64.pow(u32::try_from(left).unwrap_or(4)) {
        return Number::Broken;
    }
    let head = first.iter().enumerate().map(|(index, part)| part << (8 * (3 - index))).sum::<u64>();
    match u32::try_from(head + last) {
        Ok(bits) => Number::Address(Ipv4Addr::from(bits)),
        Err(_) => Number::Broken,
    }
}

fn number(part: &str) -> Option<u64> {
    let (radix, digits) = match part.as_bytes() {
        [] => return None,
        [b'0', b'x' | b'X', ..] => (16, part.get(2..)?),
        [b'0', _, ..] => (8, part.get(1..)?),
        _ => (10, part),
    };
    if digits.is_empty() {
        return (radix == 16).then_some(0);
    }
    u64::from_str_radix(digits, radix)
        .ok()
        .filter(|_| digits.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// IPv6 without its zone; an IPv4 address inside of it is that address.
fn ipv6(text: &str) -> Option<IpAddr> {
    let address: Ipv6Addr = text.split('%').next()?.parse().ok()?;
    let translated = match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        _ => None,
    };
    Some(match address.to_ipv4_mapped().or(translated) {
        Some(mapped) => IpAddr::V4(mapped),
        None => IpAddr::V6(address),
    })
}

/// A listed host: what it covers.
#[derive(Debug, Clone)]
pub(super) struct ListedHost {
    host: Listed,
    port: Option<u16>,
}

#[derive(Debug, Clone)]
enum Listed {
    /// This one.
    Exactly(Host),
    /// Everything below a name.
    Below(String),
}

impl ListedHost {
    /// Reads one entry of the list; nothing for what is no host.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.split_once("://").map_or(text, |(_, rest)| rest).trim_end_matches('/');
        let (host, port) = split_port(text);
        let port = port.map(|port| port.parse::<u16>()).transpose().ok()?;
        let host = match host.strip_prefix("*.") {
            Some(base) => match Host::read(base)? {
                Host::Name(name) => Listed::Below(name),
                Host::Address(_) => return None,
            },
            None => Listed::Exactly(Host::read(host)?),
        };
        Some(Self { host, port })
    }

    /// Whether a host is meant. Something below a name that looks like another is not.
    pub(super) fn covers(&self, host: &Host, port: Option<u16>) -> bool {
        if self.port.is_some() && self.port != port {
            return false;
        }
        match (&self.host, host) {
            (Listed::Exactly(known), host) => known == host,
            (Listed::Below(base), Host::Name(name)) => name
                .strip_suffix(base.as_str())
                .is_some_and(|below| below.len() > 1 && below.ends_with('.') && !is_lookalike(below)),
            (Listed::Below(_), Host::Address(_)) => false,
        }
    }
}

/// The host of an authority, and its port.
pub(super) fn split_port(authority: &str) -> (&str, Option<&str>) {
    if let Some(end) = authority.strip_prefix('[').and_then(|_| authority.find(']')) {
        let (host, rest) = authority.split_at_checked(end + 1).unwrap_or((authority, ""));
        return (host, rest.strip_prefix(':').filter(|port| !port.is_empty()));
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, Some(port).filter(|port| !port.is_empty())),
        _ => (authority, None),
    }
}
