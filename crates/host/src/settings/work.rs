//! `[work]`: where finished work goes.
//!
//! Each value knows its line. It must not look at a repository.

use std::fmt;

use super::{Layer, Setting};

/// Where the work of an issue is when the issue is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandMode {
    /// In the folder where it was done; nothing is committed.
    Off,
    /// On the branch `premath/<issue>`.
    Branch,
    /// On the target branch.
    Merge,
    /// On a branch of a remote, until a person merges it.
    Push,
}

impl LandMode {
    /// Every one of them.
    pub const ALL: [Self; 4] = [Self::Off, Self::Branch, Self::Merge, Self::Push];

    /// Its name in the configuration.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Branch => "branch",
            Self::Merge => "merge",
            Self::Push => "push",
        }
    }

    /// The mode of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.token() == name)
    }
}

impl fmt::Display for LandMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.token())
    }
}

/// What `[work]` says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkSettings {
    /// `work.land`; `branch` in a git repository when absent.
    pub land: Option<Setting<LandMode>>,
    /// `work.target`; the branch that the main working tree has checked out when absent.
    pub target: Option<Setting<String>>,
    /// `work.remote`; `origin` when absent.
    pub remote: Option<Setting<String>>,
}

impl WorkSettings {
    /// The remote of `push`, when none is configured.
    pub const REMOTE: &'static str = "origin";

    /// The remote that branches are pushed to.
    #[must_use]
    pub fn remote(&self) -> &str {
        self.remote.as_ref().map_or(Self::REMOTE, |setting| setting.value.as_str())
    }

    /// Every value with where it comes from, for people.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, Setting<String>)> {
        let or = |setting: &Option<Setting<String>>, default: &str| {
            setting.clone().unwrap_or_else(|| Setting { value: default.to_owned(), layer: Layer::Default })
        };
        let land = self
            .land
            .as_ref()
            .map(|land| Setting { value: land.value.token().to_owned(), layer: land.layer.clone() });
        vec![
            ("land", or(&land, "branch where there is a git repository, else off")),
            ("remote", or(&self.remote, Self::REMOTE)),
            ("target", or(&self.target, "the branch that is checked out")),
        ]
    }
}
