//! Protected paths: what other programs execute or obey without being asked, and premath's own records.
//!
//! The standard names are data (`protected_names.txt`) that file tools, the sandbox and the guard of other
//! agents all read. Names are compared without
//! regard to ASCII case, because some file systems ignore it too.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::work_path::WorkPath;

/// The standard names as they are shipped.
const DATA: &str = include_str!("protected_names.txt");

static NAMES: LazyLock<Vec<ProtectedName>> = LazyLock::new(|| DATA.lines().filter_map(parse_line).collect());

/// What a protected path is where it is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtectedKind {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// Who may change a protected path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeRule {
    /// A tool, after a person saw the diff and agreed.
    Ask,
    /// No tool.
    Never,
}

/// One standard name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedName {
    /// The path, relative to the workdir.
    pub path: &'static str,
    /// What it is where it is present.
    pub kind: ProtectedKind,
    /// Who may change it.
    pub rule: ChangeRule,
    /// Whether agents or git keep hooks there, the guard of premath among them.
    pub has_hooks: bool,
}

/// Reads one line of the data file; none for a comment. A word that is not known protects the most.
fn parse_line(line: &'static str) -> Option<ProtectedName> {
    let mut words = line.split_ascii_whitespace();
    let path = words.next().filter(|path| !path.starts_with('#'))?;
    let kind = match words.next() {
        Some("folder") => ProtectedKind::Folder,
        Some(_) | None => ProtectedKind::File,
    };
    let rule = match words.next() {
        Some("ask") => ChangeRule::Ask,
        Some(_) | None => ChangeRule::Never,
    };
    let has_hooks = words.next() == Some("hooks");
    Some(ProtectedName { path, kind, rule, has_hooks })
}

/// Protected paths of one workdir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedPaths {
    below: Vec<(Vec<String>, ChangeRule)>,
    anywhere: Vec<String>,
}

impl ProtectedPaths {
    /// Names that no tool changes in any folder: a repository inside the repository, and another workdir of premath.
    pub const ANYWHERE: [&'static str; 2] = [".git", ".premath"];

    /// The standard names, sorted.
    #[must_use]
    pub fn names() -> &'static [ProtectedName] {
        &NAMES
    }

    /// The standard paths.
    #[must_use]
    pub fn standard() -> Self {
        let below = NAMES.iter().map(|name| (split_path(name.path), name.rule)).collect();
        Self { below, anywhere: Self::ANYWHERE.map(str::to_owned).to_vec() }
    }

    /// These paths with everything below them, and these names in any folder. No tool changes them.
    #[must_use]
    pub fn new<'a>(
        paths: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let none = Self { below: Vec::new(), anywhere: names.into_iter().map(str::to_owned).collect() };
        none.with_paths(paths)
    }

    /// The same with further paths that no tool changes. A path that is among them already keeps its rule.
    #[must_use]
    pub fn with_paths<'a>(mut self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        for path in paths.into_iter().map(split_path).filter(|path| !path.is_empty()) {
            if !self.below.iter().any(|(known, _)| *known == path) {
                self.below.push((path, ChangeRule::Never));
            }
        }
        self
    }

    /// Who may change a path; none when it is not protected. The longest protected path above it decides.
    #[must_use]
    pub fn rule(&self, path: &WorkPath) -> Option<ChangeRule> {
        let covering = self.below.iter().filter(|(protected, _)| starts_with(path, protected));
        let longest = covering.max_by_key(|(protected, _)| protected.len());
        let inner = longest.map_or(0, |(protected, _)| protected.len());
        let is_reserved =
            |component: &str| self.anywhere.iter().any(|name| component.eq_ignore_ascii_case(name));
        if path.components().skip(inner).any(is_reserved) {
            return Some(ChangeRule::Never);
        }
        longest.map(|(_, rule)| *rule)
    }

    /// Whether a path is protected, or lies below one that is.
    #[must_use]
    pub fn cover(&self, path: &WorkPath) -> bool {
        self.rule(path).is_some()
    }

    /// The first protected path that lies below a folder other than the workdir itself.
    #[must_use]
    pub fn first_below(&self, folder: &WorkPath) -> Option<String> {
        if folder.is_root() {
            return None;
        }
        let depth = folder.components().count();
        let lies_below = |protected: &[String]| {
            let mut names = protected.iter();
            protected.len() > depth
                && folder
                    .components()
                    .all(|part| names.next().is_some_and(|name| part.eq_ignore_ascii_case(name)))
        };
        self.below
            .iter()
            .find(|(protected, _)| lies_below(protected))
            .map(|(protected, _)| protected.join("/"))
    }
}

fn split_path(path: &str) -> Vec<String> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").map(str::to_owned).collect()
}

fn starts_with(path: &WorkPath, protected: &[String]) -> bool {
    let mut components = path.components();
    protected.iter().all(|name| components.next().is_some_and(|part| part.eq_ignore_ascii_case(name)))
}

impl Default for ProtectedPaths {
    fn default() -> Self {
        Self::standard()
    }
}
