//! The paths that no tool changes: what other programs execute or obey without being asked, and our own records.
//!
//! Data, given by whoever composes the runtime. Names are compared without regard to ASCII case, because some file
//! systems do not regard it either.

use super::work_path::WorkPath;

/// The paths that no tool changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedPaths {
    below: Vec<Vec<String>>,
    anywhere: Vec<String>,
}

impl ProtectedPaths {
    /// The standard ones at the top of a workdir, sorted. A sandbox holds the same.
    pub const TOP: [&'static str; 30] = [
        ".bash_login",
        ".bash_logout",
        ".bash_profile",
        ".bashrc",
        ".claude",
        ".codex",
        ".config",
        ".envrc",
        ".git",
        ".gitconfig",
        ".gitmodules",
        ".gnupg",
        ".husky",
        ".idea",
        ".local",
        ".mcp.json",
        ".mise.toml",
        ".premath",
        ".profile",
        ".ssh",
        ".tool-versions",
        ".vscode",
        ".zlogin",
        ".zlogout",
        ".zprofile",
        ".zshenv",
        ".zshrc",
        "mise.toml",
        "policies",
        "premath.toml",
    ];

    /// The standard ones wherever they are: a repository inside the repository, and another workdir of ours.
    pub const ANYWHERE: [&'static str; 2] = [".git", ".premath"];

    /// The standard ones.
    #[must_use]
    pub fn standard() -> Self {
        Self::new(Self::TOP, Self::ANYWHERE)
    }

    /// These paths with everything below them, and these names wherever they are.
    #[must_use]
    pub fn new<'a>(
        paths: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let components = |path: &str| -> Vec<String> {
            path.split('/').filter(|name| !name.is_empty() && *name != ".").map(str::to_owned).collect()
        };
        let below = paths.into_iter().map(components).filter(|path| !path.is_empty()).collect();
        Self { below, anywhere: names.into_iter().map(str::to_owned).collect() }
    }

    /// Whether a path is protected, or lies below one that is.
    #[must_use]
    pub fn cover(&self, path: &WorkPath) -> bool {
        let is_below = self.below.iter().any(|protected| {
            let mut components = path.components();
            protected
                .iter()
                .all(|name| components.next().is_some_and(|component| component.eq_ignore_ascii_case(name)))
        });
        let is_anywhere =
            |component: &str| self.anywhere.iter().any(|name| component.eq_ignore_ascii_case(name));
        is_below || path.components().any(is_anywhere)
    }
}

impl Default for ProtectedPaths {
    fn default() -> Self {
        Self::standard()
    }
}
