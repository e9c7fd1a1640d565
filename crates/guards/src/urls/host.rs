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
        let inner = text.strip_prefix('[').map_or(Some(text), |rest| rest.strip_suffix(']'))?;
        if inner.contains(':') {
            // The zone of an address is not part of it, and the parser below takes none.
            return inner
                .split('%')
                .next()?
                .parse()
                .ok()
                .map(|address| Self::Address(embedded_ipv4(address)));
        }
        let host = url::Host::parse(text.trim_end_matches('.')).ok()?;
        match host {
            url::Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                (!name.is_empty()).then(|| Self::Name(name.to_owned()))
            }
            url::Host::Ipv4(address) => Some(Self::Address(IpAddr::V4(address))),
            url::Host::Ipv6(address) => Some(Self::Address(embedded_ipv4(address))),
        }
    }
}

/// Whether a host could be taken for another by its letters.
pub(super) fn is_lookalike(text: &str) -> bool {
    !text.is_ascii()
        || text.contains('%')
        || text.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--"))
}

/// An IPv4 address that is mapped or translated to IPv6 is that address.
fn embedded_ipv4(address: Ipv6Addr) -> IpAddr {
    let translated = match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        _ => None,
    };
    address.to_ipv4_mapped().or(translated).map_or(IpAddr::V6(address), IpAddr::V4)
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
