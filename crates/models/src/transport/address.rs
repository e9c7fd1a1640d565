//! Whether a text is an address that requests may go to. It must not look a name up.

use std::net::IpAddr;

use reqwest::Url;

/// An address that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be read.
    #[error("expected an address such as https://models.example")]
    Invalid,
    /// It is of another kind.
    #[error("expected an address that begins with https:// or http://")]
    Scheme,
    /// It holds a name or a password, which would be shown wherever the address is.
    #[error("an address must not hold a name or a password")]
    Credentials,
    /// It holds more than a place.
    #[error("an address must not have a query or a fragment")]
    Extra,
    /// Anybody between here and there could read the key.
    #[error("plain http is for this machine only; use https")]
    Insecure,
}

/// Whether an address leads to this machine, by its name or number alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This machine.
    Loopback,
    /// Another, or nobody can tell.
    Elsewhere,
}

/// Checks a base address before anything is sent to it.
///
/// # Errors
/// What is wrong with it; never the address itself.
pub fn check_address(text: &str) -> Result<Reach, AddressError> {
    // A parser of addresses forgives what a reader would take for another host.
    if text.chars().any(|character| character.is_whitespace() || character.is_control() || character == '\\')
    {
        return Err(AddressError::Invalid);
    }
    let url = Url::parse(text).map_err(|_| AddressError::Invalid)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() || text.contains('@') {
        return Err(AddressError::Credentials);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(AddressError::Extra);
    }
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or(AddressError::Invalid)?;
    let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_loopback = host == "localhost" || number.is_ok_and(|number| number.is_loopback());
    match (is_loopback, url.scheme()) {
        (true, _) => Ok(Reach::Loopback),
        (false, "http") => Err(AddressError::Insecure),
        (false, _) => Ok(Reach::Elsewhere),
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressError, Reach, check_address};

    #[test]
    fn an_address_is_a_place_and_nothing_else() {
        let cases = [
            ("https://models.example", Ok(Reach::Elsewhere)),
            ("https://models.example/v1", Ok(Reach::Elsewhere)),
            ("http://127.0.0.1:8080", Ok(Reach::Loopback)),
            ("http://[::1]:8080", Ok(Reach::Loopback)),
            ("http://localhost", Ok(Reach::Loopback)),
            ("http://far.example", Err(AddressError::Insecure)),
            ("http://127.0.0.1.far.example", Err(AddressError::Insecure)),
            ("http://localhost.far.example", Err(AddressError::Insecure)),
            ("http://127.0.0.1@far.example", Err(AddressError::Credentials)),
            ("https://bob:secret@models.example", Err(AddressError::Credentials)),
            ("http://127.0.0.1\\@far.example", Err(AddressError::Invalid)),
            ("https://models.example?key=1", Err(AddressError::Extra)),
            ("https://models.example#x", Err(AddressError::Extra)),
            ("ftp://models.example", Err(AddressError::Scheme)),
            ("https://", Err(AddressError::Invalid)),
            ("models.example", Err(AddressError::Invalid)),
            ("", Err(AddressError::Invalid)),
            ("https://models.example/ x", Err(AddressError::Invalid)),
        ];
        for (text, expected) in cases {
            assert_eq!(check_address(text), expected, "{text}");
        }
    }
}
