//! `guard`, as it is typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Format, Terminal};

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
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct GuardArgs {
    /// What to do about the hook itself.
    #[command(subcommand)]
    pub(crate) command: Option<GuardCommand>,
    /// Whose hook calls: what is read and answered is in its form
    #[arg(long = "format", value_name = "FORMAT", required = true)]
    pub(crate) host: Option<HookHost>,
    /// The repository whose policy decides, when it is not the one around the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// When there is no decision after so many seconds, it is a denial; less than the agent waits for its hook
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=590))]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// What can be done about the hook itself.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Put the hook into the configuration of an agent, and show what changes first
    #[command(after_help = "Example:\n  premath guard install --format claude-code\n  \
                      premath guard install --format codex --dry-run\n\n\
                      Asks before it writes; where nobody can be asked, --yes is needed.")]
    Install(GuardInstallArgs),
    /// Take the hook out again
    #[command(after_help = "Example:\n  premath guard uninstall --format claude-code --yes")]
    Uninstall(GuardInstallArgs),
}

/// Arguments of `guard install` and `guard uninstall`.
#[derive(Debug, Args)]
pub(crate) struct GuardInstallArgs {
    /// Whose configuration
    #[arg(long = "format", value_name = "FORMAT")]
    pub(crate) host: HookHost,
    /// The file, when it is not that of the project: .claude/settings.json, .codex/hooks.json
    #[arg(long, value_name = "FILE")]
    pub(crate) path: Option<String>,
    /// What the hook runs, when `premath` is not on the path of the agent
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) program: Option<String>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Show what would change, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}
