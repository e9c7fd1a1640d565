//! What is wrong with a pack: where, what, and what to do about it. All of it at once, so that one repair can mend
//! everything.

use std::fmt;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {problem}; {advice}")]
pub struct LoadError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub advice: String,
}

/// Everything that is wrong with a pack: at least one thing, sorted by place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadErrors(
    // INVARIANT: not empty, ascending.
    Vec<LoadError>,
);

impl LoadErrors {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &LoadError> {
        self.0.iter()
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.0.len()
    }
}

impl std::error::Error for LoadErrors {}

impl fmt::Display for LoadErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.0.first().map(LoadError::to_string).unwrap_or_default();
        match self.0.len() {
            0 | 1 => formatter.write_str(&first),
            count => write!(formatter, "{first} (and {} more)", count - 1),
        }
    }
}

/// What is found while a pack is loaded.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<LoadError>);

impl Problems {
    pub(crate) fn push(
        &mut self,
        file: &str,
        line: usize,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) {
        let (problem, advice) = (one_line(&problem.into()), one_line(&advice.into()));
        self.0.push(LoadError { file: file.to_owned(), line, problem, advice });
    }

    pub(crate) fn are_in(&self, file: &str) -> bool {
        self.0.iter().any(|problem| problem.file == file)
    }

    /// What was loaded, if nothing at all was found.
    pub(crate) fn finish<T>(mut self, loaded: Option<T>) -> Result<T, LoadErrors> {
        self.0.sort_unstable();
        self.0.dedup();
        loaded.filter(|_| self.0.is_empty()).ok_or(LoadErrors(self.0))
    }
}

/// Messages of the language's own parser may go over several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
