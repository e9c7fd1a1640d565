//! Whose hook it is, and what can be said to it.
//!
//! The difference that matters: an agent that cannot ask a person through its hook takes `ask` for a mistake of the hook, and
//! goes on.

/// Whose hook it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HookFormat {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl HookFormat {
    /// Both of them.
    pub(crate) const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    /// The word in arguments and rows.
    pub(crate) const fn token(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// What the audit log calls the way in.
    pub(crate) const fn door(self) -> &'static str {
        match self {
            Self::ClaudeCode => "hook:claude-code",
            Self::Codex => "hook:codex",
        }
    }

    /// Whether a person is asked when the hook says so. In the modes that nobody watches, or that we do not know, nobody is.
    pub(crate) fn asks_a_person(self, mode: Option<&str>) -> bool {
        match self {
            Self::ClaudeCode => matches!(mode, None | Some("default" | "acceptEdits" | "plan")),
            Self::Codex => false,
        }
    }

    /// Whether the hook can put another result in the place of one.
    pub(crate) const fn replaces_results(self) -> bool {
        match self {
            Self::ClaudeCode => true,
            Self::Codex => false,
        }
    }
}
