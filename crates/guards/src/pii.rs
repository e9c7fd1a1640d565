//! Personal data: addresses of mail, telephones, accounts, cards, numbers of persons, addresses of machines.
//!
//! What can be checked is checked: a card by Luhn, an account by its remainder. It must not guess at names of people.

mod accounts;
mod addresses;
mod numbers;
#[cfg(test)]
mod tests;

use premath_tusk::policy::Finding;

/// Which kinds are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the configuration, and none follows from another"
)]
pub struct PiiKinds {
    /// Addresses of mail.
    pub email: bool,
    /// Telephones: international, and the common national forms.
    pub phone: bool,
    /// Bank accounts, IBAN with its check.
    pub iban: bool,
    /// Payment cards, with their check.
    pub card: bool,
    /// Social security numbers of the United States.
    pub us_ssn: bool,
    /// Addresses of machines, version 4 and 6. Mostly of servers, so not unless asked for.
    pub ip: bool,
}

impl Default for PiiKinds {
    fn default() -> Self {
        Self { email: true, phone: true, iban: true, card: true, us_ssn: true, ip: false }
    }
}

/// Everything of these kinds, in order; none overlap.
pub(crate) fn find(text: &str, kinds: &PiiKinds) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    if kinds.email {
        addresses::emails(bytes, &mut found);
    }
    if kinds.iban {
        accounts::ibans(bytes, &mut found);
    }
    numbers::find(bytes, kinds, &mut found);
    if kinds.ip {
        addresses::machines(text, &mut found);
    }
    found.sort_unstable();
    let mut last_end = 0;
    found.retain(|(start, end, _)| {
        let is_free = *start >= last_end;
        last_end = if is_free { *end } else { last_end };
        is_free
    });
    found
        .into_iter()
        .map(|(start, end, label)| Finding { label: label.to_owned(), span: Some(start..end) })
        .collect()
}
