//! A path as a model gives it, in its one spelling: relative to the workdir, names only.
//!
//! Text alone. What links do is asked of [`WorkFiles`] by [`WorkPath::refuse_links`]; that a path stays below the workdir is
//! the port's to hold.

use std::fmt;
use std::path::Path;

use super::context::{Consent, ToolContext};
use super::files::{EntryKind, FileError, WorkFiles};
use super::outcome::ToolFailure;
use super::protected::ChangeRule;

/// The longest path.
const LONGEST: usize = 4096;

/// A path below the workdir; `.` is the workdir itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkPath(String);

impl WorkPath {
    /// The workdir itself.
    #[must_use]
    pub fn root() -> Self {
        Self(".".to_owned())
    }

    /// Reads a path. One that begins with the workdir is taken as what lies below it: models like to give whole paths.
    ///
    /// # Errors
    /// `path.invalid`, `path.outside`.
    pub fn read(text: &str, workdir: &Path) -> Result<Self, ToolFailure> {
        let invalid = |why: &str| Err(ToolFailure::new("path.invalid", format!("`{}` {why}", shown(text))));
        if text.is_empty() || text.len() > LONGEST {
            return invalid("is empty or too long");
        }
        if text.contains(char::is_control) {
            return invalid("holds a control character");
        }
        let relative = match workdir.to_str().and_then(|workdir| text.strip_prefix(workdir)) {
            Some("") => ".",
            Some(below) if below.starts_with('/') => below.trim_start_matches('/'),
            Some(_) | None => text,
        };
        if relative.starts_with('/') {
            return Err(outside(text, "paths are relative to the workdir"));
        }
        let mut names = Vec::new();
        for name in relative.split('/').filter(|name| !name.is_empty() && *name != ".") {
            if name == ".." {
                return Err(outside(text, "`..` is not followed; give the path from the workdir"));
            }
            names.push(name);
        }
        Ok(if names.is_empty() { Self::root() } else { Self(names.join("/")) })
    }

    /// A path that was found on disk: names only, whatever they hold.
    pub(super) fn of_name(path: &str) -> Self {
        Self(path.to_owned())
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the workdir itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0 == "."
    }

    /// Its names from the top.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| *name != ".")
    }

    /// The folders it lies in, from the top, without the workdir.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').filter_map(|(end, _)| self.0.get(..end))
    }

    /// What has this name in it.
    pub(super) fn join(&self, name: &str) -> Self {
        if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// Refuses a path that goes through a link or ends in one: behind it may lie what is protected.
    ///
    /// # Errors
    /// `path.link`, or what the files say; that something is missing is no error here.
    pub(crate) fn refuse_links(&self, files: &dyn WorkFiles) -> Result<(), ToolFailure> {
        if self.is_root() {
            return Ok(());
        }
        for part in self.folders().chain([self.as_str()]) {
            match files.metadata(part) {
                Ok(entry) if entry.kind == EntryKind::Link => {
                    let message = format!("`{}` is a link; name what it leads to", shown(part));
                    return Err(ToolFailure::new("path.link", message));
                }
                Ok(_) => {}
                Err(FileError::Missing { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Refuses what is protected unless a person agreed to its change, and what is reached through a link.
    pub(crate) fn refuse_protected(&self, context: &ToolContext<'_>) -> Result<(), ToolFailure> {
        let refused = match (context.protected.rule(self), context.consent) {
            (None, _) | (Some(ChangeRule::Ask), Consent::Preview | Consent::Given) => None,
            (Some(ChangeRule::Ask), Consent::None) => {
                Some(format!("`{self}` is protected: a person has to agree to its change"))
            }
            (Some(ChangeRule::Never), _) => Some(format!("`{self}` is protected and stays as it is")),
        };
        match refused {
            Some(message) => Err(ToolFailure::new("path.protected", message)),
            None => self.refuse_links(context.files),
        }
    }
}

impl fmt::Display for WorkPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What a model reads about a protected path that a person may let it change.
pub(super) fn ask_for(path: &str) -> String {
    format!("`{path}` is protected: propose the change with apply_patch, which asks a person")
}

fn outside(text: &str, why: &str) -> ToolFailure {
    ToolFailure::new("path.outside", format!("`{}` leads outside: {why}", shown(text)))
}

/// A name of somebody else's on one line: control characters escaped, bounded.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 200;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == MOST {
            shown.push('…');
            break;
        }
        if character.is_control() { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    shown
}
