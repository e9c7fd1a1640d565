//! Paths that a call names, held against a list of patterns below the workdir.
//!
//! Names only: nothing is looked up, and what a link leads to is the resolver's to refuse.

#[cfg(test)]
mod tests;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use premath_tusk::policy::Finding;

/// What may be named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathSettings {
    /// Patterns relative to the workdir: `src/**`, `docs/*.md`. A `*` stays within one folder.
    pub allowed: Vec<String>,
}

/// The list, ready to be held against paths.
#[derive(Debug)]
pub(crate) struct Paths {
    allowed: GlobSet,
}

impl Paths {
    /// # Errors
    /// The pattern that is none.
    pub(crate) fn new(settings: &PathSettings) -> Result<Self, String> {
        let mut builder = GlobSetBuilder::new();
        for pattern in &settings.allowed {
            let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
            builder.add(glob.map_err(|_| pattern.clone())?);
        }
        builder.build().map(|allowed| Self { allowed }).map_err(|_| settings.allowed.join(", "))
    }

    /// One finding for each path that is not allowed. They have no place: paths stand beside the text.
    pub(crate) fn find(&self, paths: &[String]) -> Vec<Finding> {
        let refused = paths.iter().filter_map(|path| self.refusal(path));
        refused.map(|label| Finding { label: label.to_owned(), span: None }).collect()
    }

    fn refusal(&self, path: &str) -> Option<&'static str> {
        if is_absolute(path) {
            return Some("path-absolute");
        }
        if is_traversal(path) {
            return Some("path-traversal");
        }
        if path.chars().any(char::is_control) {
            return Some("path-control");
        }
        let plain: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        (!self.allowed.is_match(plain.join("/"))).then_some("path-not-listed")
    }
}

fn is_absolute(path: &str) -> bool {
    let mut characters = path.chars();
    let (first, second) = (characters.next(), characters.next());
    let is_drive = first.is_some_and(|first| first.is_ascii_alphabetic()) && second == Some(':');
    matches!(first, Some('/' | '\\' | '~')) || is_drive || path.contains("://")
}

/// Whether any part leads up, written plainly or encoded.
fn is_traversal(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let plain = lower
        .replace("%25", "%")
        .replace("%2e", ".")
        .replace("%2f", "/")
        .replace("%5c", "/")
        .replace("%c0%ae", ".")
        .replace("%c0%af", "/")
        .replace('\\', "/");
    let wide =
        plain.replace(['\u{ff0e}', '\u{2024}'], ".").replace(['\u{ff0f}', '\u{2215}', '\u{2044}'], "/");
    wide.split('/').any(|part| part.trim_end_matches([' ', ';']) == ".." || part.starts_with("..;"))
}
