//! How a rule names failure classes: one by one, or all that begin alike.
//!
//! `tool.*` and `instruction_*` end in a star behind the separator; everything else is one class. Must not look at parts of
//! a class that a pattern does not name.

use alloc::string::String;

/// One class, or all that begin alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassPattern(String);

impl ClassPattern {
    /// Reads a pattern; none when it is not one.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_letter =
            |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || matches!(one, '.' | '_');
        let stem = match text.strip_suffix('*') {
            Some(stem) if !stem.ends_with(['.', '_']) => return None,
            Some(stem) => stem,
            None => text,
        };
        let names_something = stem.chars().next().is_some_and(|first| first.is_ascii_lowercase());
        (names_something && stem.chars().all(is_letter)).then(|| Self(String::from(text)))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it names the class.
    #[must_use]
    pub fn matches(&self, class: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(stem) => class.len() > stem.len() && class.starts_with(stem),
            None => self.0 == class,
        }
    }

    /// Whether some class is named by both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self.0.strip_suffix('*'), other.0.strip_suffix('*')) {
            (Some(left), Some(right)) => left.starts_with(right) || right.starts_with(left),
            (Some(_), None) => self.matches(&other.0),
            (None, Some(_)) => other.matches(&self.0),
            (None, None) => self.0 == other.0,
        }
    }
}
