//! `[retention]`: which objects a garbage collection may remove. Ages and sizes as people write them: `36h`, `2GiB`.
//!
//! Each value knows its line. It must not remove anything.

use premath_bd::{DEFAULT_AGE_SECONDS, RetentionRules, SHORTEST_AGE_SECONDS};

use super::{Layer, Setting};

/// Units of time, in seconds.
const TIMES: [(&str, u64); 5] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];
/// Units of size, in bytes. Longer names come first: each is looked for at the end of a text.
const SIZES: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// What `[retention]` says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RetentionSettings {
    /// `retention.min_age`, in seconds
    pub min_age_seconds: Option<Setting<u64>>,
    /// `retention.max_size`, in bytes
    pub max_bytes: Option<Setting<u64>>,
}

impl RetentionSettings {
    /// The rules, with the defaults where nothing is said.
    #[must_use]
    pub fn rules(&self) -> RetentionRules {
        RetentionRules {
            min_age_seconds: self.min_age_seconds.as_ref().map_or(DEFAULT_AGE_SECONDS, |age| age.value),
            max_bytes: self.max_bytes.as_ref().map(|size| size.value),
        }
    }

    /// Every value with where it comes from, for people.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, Setting<String>)> {
        let max_size = match &self.max_bytes {
            Some(size) => Setting { value: format_size(size.value), layer: size.layer.clone() },
            None => Setting { value: "none".to_owned(), layer: Layer::Default },
        };
        let layer = self.min_age_seconds.as_ref().map_or(Layer::Default, |age| age.layer.clone());
        let min_age = Setting { value: format_age(self.rules().min_age_seconds), layer };
        vec![("max_size", max_size), ("min_age", min_age)]
    }
}

/// An age in seconds: a whole number with `s`, `m`, `h`, `d` or `w`.
///
/// # Errors
/// What it should be.
pub fn parse_age(text: &str) -> Result<u64, String> {
    let wrong = || "expected an age such as 90m, 36h or 7d".to_owned();
    let seconds = measured(text, &TIMES).ok_or_else(wrong)?;
    if seconds < SHORTEST_AGE_SECONDS {
        return Err(format!(
            "expected at least {SHORTEST_AGE_SECONDS}s: what a run has just written is not garbage"
        ));
    }
    Ok(seconds)
}

/// A size in bytes: a whole number with `B`, `KiB`, `MiB`, `GiB`, `TiB`, `kB`, `MB`, `GB` or `TB`.
///
/// # Errors
/// What it should be.
pub fn parse_size(text: &str) -> Result<u64, String> {
    measured(text, &SIZES).ok_or_else(|| "expected a size such as 500MiB or 2GiB".to_owned())
}

/// A whole number of a unit, in the smallest one.
fn measured(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let number = number.trim_end();
    let is_plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse::<u64>().ok().filter(|_| is_plain)?.checked_mul(*unit)
}

fn format_age(seconds: u64) -> String {
    format_in(seconds, &TIMES)
}

fn format_size(bytes: u64) -> String {
    format_in(bytes, &SIZES)
}

/// In the largest unit that leaves no rest.
fn format_in(amount: u64, units: &[(&str, u64)]) -> String {
    let fitting = units.iter().filter(|(_, unit)| amount.is_multiple_of(*unit) && amount >= *unit);
    let (name, unit) = fitting.max_by_key(|(_, unit)| *unit).copied().unwrap_or(("", 1));
    format!("{}{name}", amount / unit)
}

#[cfg(test)]
mod tests;
