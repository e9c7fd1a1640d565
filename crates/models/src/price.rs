//! What an answer cost, from a table of prices that a user can extend. Whole numbers only; a model without a price has
//! no cost, which is not a cost of nothing. It must not guess a price from a similar name.

mod price_file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use premath_tusk::model::Usage;

pub use self::price_file::PriceFileError;

/// Prices of one model in millionths of a dollar per million tokens, which is to say in 10^-12 dollar per token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input that no cache had a part in.
    pub input: u64,
    /// Input read from a cache.
    pub cache_read: u64,
    /// Input written to a cache.
    pub cache_write: u64,
    /// Output, reasoning included.
    pub output: u64,
}

impl Price {
    /// Whether no part of it is lower than that of another price.
    #[must_use]
    pub const fn is_at_least(&self, other: &Self) -> bool {
        self.input >= other.input
            && self.cache_read >= other.cache_read
            && self.cache_write >= other.cache_write
            && self.output >= other.output
    }

    /// What this many tokens cost.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let of = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        // Four products of 64-bit numbers stay below 2^128 unless all of them are at the very end of their range.
        let sum = of(usage.input_tokens, self.input)
            .saturating_add(of(usage.cache_read_tokens, self.cache_read))
            .saturating_add(of(usage.cache_write_tokens, self.cache_write))
            .saturating_add(of(usage.output_tokens, self.output));
        Cost { picodollars: sum }
    }
}

/// An amount of money, exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// In 10^-12 dollar.
    pub picodollars: u128,
}

impl Cost {
    /// In millionths of a dollar, rounded up.
    #[must_use]
    pub fn microdollars(self) -> u64 {
        u64::try_from(self.picodollars.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Cost {
    /// Dollars with six digits, rounded up: `$0.012345`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.microdollars();
        write!(formatter, "${}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }
}

/// A price and the day on which it was true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceEntry {
    /// The price.
    pub price: Price,
    /// The day, as `2026-10-10`; where the configuration names no day, the line that says the price.
    pub as_of: String,
}

/// Prices by model. A name that ends with `*` is a prefix; an exact name goes before prefixes, a longer prefix before a
/// shorter one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceTable {
    exact: BTreeMap<String, PriceEntry>,
    prefixes: BTreeMap<String, PriceEntry>,
}

impl PriceTable {
    /// No prices at all.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The list prices this crate was built with. They do not know discounts, batches or surcharges for long prompts.
    ///
    /// # Errors
    /// The shipped file cannot be read, which is a fault of ours: without it no model has a price.
    pub fn built_in() -> Result<Self, PriceFileError> {
        let mut table = Self::empty();
        for row in price_file::read_shipped()? {
            let entry = PriceEntry { price: row.price, as_of: row.as_of };
            // A name with a date behind it is a model of its own: earlier snapshots of one name had other prices.
            for model in row.snapshots.iter().chain([&row.model]) {
                table.insert(model, entry.clone());
            }
        }
        Ok(table)
    }

    /// Adds a price, or replaces one.
    pub fn insert(&mut self, model: &str, entry: PriceEntry) {
        match model.strip_suffix('*') {
            Some(prefix) => self.prefixes.insert(prefix.to_owned(), entry),
            None => self.exact.insert(model.to_owned(), entry),
        };
    }

    /// The price of a model, if it is known.
    #[must_use]
    pub fn find(&self, model: &str) -> Option<&PriceEntry> {
        let by_prefix = || {
            let fitting = self.prefixes.iter().filter(|(prefix, _)| model.starts_with(prefix.as_str()));
            fitting.max_by_key(|(prefix, _)| prefix.len()).map(|(_, entry)| entry)
        };
        self.exact.get(model).or_else(by_prefix)
    }

    /// What an answer of a model cost; nothing is known of a model without a price.
    #[must_use]
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<Cost> {
        self.find(model).map(|entry| entry.price.cost(usage))
    }

    /// Every name with its price, exact names before prefixes, which end with `*`.
    pub fn entries(&self) -> impl Iterator<Item = (String, &PriceEntry)> {
        let exact = self.exact.iter().map(|(name, entry)| (name.clone(), entry));
        exact.chain(self.prefixes.iter().map(|(prefix, entry)| (format!("{prefix}*"), entry)))
    }
}

/// Dollars with up to six decimals, in millionths. No floating point: money adds up.
#[must_use]
pub fn micro_dollars(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(part)
}
