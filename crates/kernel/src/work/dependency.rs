//! How one issue depends on another.
//!
//! The edge points from the dependent to what it depends on. Must not look at a status; see `readiness`.

/// The type of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependencyKind {
    /// The target must be resolved first.
    Blocks,
    /// The target is the parent: it cannot close before its children, but does not hold them back.
    ParentChild,
    /// The target must be resolved first, whichever way it ends.
    ConditionalBlocks,
    /// The target must be resolved first; the dependent waits for its outcome.
    WaitsFor,
    /// The two have to do with each other.
    Related,
    /// The two have to do with each other, as another tool spells it.
    RelatesTo,
    /// Found while working on the target.
    DiscoveredFrom,
    /// Says the same as the target.
    Duplicates,
    /// Replaces the target.
    Supersedes,
    /// Answers the target.
    RepliesTo,
    /// A type of another tool.
    Other,
}

impl DependencyKind {
    /// Every type we write.
    pub const ALL: [Self; 10] = [
        Self::Blocks,
        Self::ParentChild,
        Self::ConditionalBlocks,
        Self::WaitsFor,
        Self::Related,
        Self::RelatesTo,
        Self::DiscoveredFrom,
        Self::Duplicates,
        Self::Supersedes,
        Self::RepliesTo,
    ];

    /// Reads a token, trimmed, without regard to ASCII case, and with `_` for `-`: `parent_child` is `parent-child`.
    #[must_use]
    pub fn from_token(token: &str) -> Self {
        let token = token.trim();
        let known = Self::ALL.into_iter().find(|kind| is_spelling_of(token, kind.token()));
        known.unwrap_or(Self::Other)
    }

    /// The token on the wire; `other` stands for all we do not know and is never written.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::ParentChild => "parent-child",
            Self::ConditionalBlocks => "conditional-blocks",
            Self::WaitsFor => "waits-for",
            Self::Related => "related",
            Self::RelatesTo => "relates-to",
            Self::DiscoveredFrom => "discovered-from",
            Self::Duplicates => "duplicates",
            Self::Supersedes => "supersedes",
            Self::RepliesTo => "replies-to",
            Self::Other => "other",
        }
    }

    /// Whether the edge orders work, and so must not be part of a cycle.
    #[must_use]
    pub const fn is_blocking(self) -> bool {
        matches!(self, Self::Blocks | Self::ParentChild | Self::ConditionalBlocks | Self::WaitsFor)
    }

    /// Whether an unresolved target keeps the dependent from being ready. A child is not blocked by its open parent.
    #[must_use]
    pub const fn holds_back(self) -> bool {
        matches!(self, Self::Blocks | Self::ConditionalBlocks | Self::WaitsFor)
    }
}

/// Whether a text is a token in another case, or with underscores for its hyphens.
fn is_spelling_of(text: &str, token: &str) -> bool {
    let plain = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    text.len() == token.len() && text.bytes().map(plain).eq(token.bytes())
}

#[cfg(test)]
mod tests;
