//! What an issue says of itself: its status and its type.
//!
//! Values of other tools are `Other` here; their spelling stays with the row. Must not decide what follows from a
//! status beyond whether the issue is resolved.

/// Where an issue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Nobody works on it.
    Open,
    /// Somebody works on it.
    InProgress,
    /// It was set aside by hand.
    Blocked,
    /// Done or dropped.
    Closed,
    /// Deleted by another tool, which keeps the row as a tombstone. Holds nothing back and is not listed.
    Deleted,
    /// A status of another tool.
    Other,
}

impl Status {
    /// Every status we write.
    pub const ALL: [Self; 4] = [Self::Open, Self::InProgress, Self::Blocked, Self::Closed];

    /// Reads a token, trimmed and without regard to ASCII case. `tombstone` is what beads writes for a deleted issue.
    #[must_use]
    pub fn from_token(token: &str) -> Self {
        let token = token.trim();
        let mut read = Self::ALL.into_iter().chain([Self::Deleted]);
        let known = read.find(|status| token.eq_ignore_ascii_case(status.token()));
        known.unwrap_or(Self::Other)
    }

    /// The token on the wire; `other` stands for all we do not know and is never written.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Closed => "closed",
            Self::Deleted => "tombstone",
            Self::Other => "other",
        }
    }

    /// Whether what depends on the issue may go on. An unknown status resolves nothing.
    #[must_use]
    pub const fn is_resolved(self) -> bool {
        matches!(self, Self::Closed | Self::Deleted)
    }
}

/// What sort of work an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IssueType {
    /// A piece of work.
    Task,
    /// A parent of other issues.
    Epic,
    /// Something to mend.
    Bug,
    /// Something new for a user.
    Feature,
    /// Upkeep.
    Chore,
    /// A type of another tool.
    Other,
}

impl IssueType {
    /// Every type we write.
    pub const ALL: [Self; 5] = [Self::Task, Self::Epic, Self::Bug, Self::Feature, Self::Chore];

    /// Reads a token, trimmed and without regard to ASCII case.
    #[must_use]
    pub fn from_token(token: &str) -> Self {
        let token = token.trim();
        let known = Self::ALL.into_iter().find(|kind| token.eq_ignore_ascii_case(kind.token()));
        known.unwrap_or(Self::Other)
    }

    /// The token on the wire; `other` stands for all we do not know and is never written.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Epic => "epic",
            Self::Bug => "bug",
            Self::Feature => "feature",
            Self::Chore => "chore",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests;
