//! `guard`, as it is typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// Whose hook it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookHost {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
}

impl HookHost {
    /// The word that the host action knows.
    pub(crate) const fn token(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
}

/// Arguments of `guard`.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// Whose hook calls: what is read and answered is in its form
    #[arg(long = "format", value_name = "FORMAT")]
    pub(crate) host: HookHost,
    /// The repository whose policy decides, when it is not the one around the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// When there is no decision after so many seconds, it is a denial; less than the agent waits for its hook
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=590))]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) format: Format,
}
