//! `init` and `config`, as they are typed.

use clap::{Args, Subcommand};

use super::{Format, Store, Terminal};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Take over the issues of this JSONL file
    #[arg(long, value_name = "FILE", conflicts_with = "example")]
    pub(crate) import: Option<String>,
    /// Make a small project to try premath on, in a folder that is empty or does not exist
    #[arg(long, value_name = "FOLDER")]
    pub(crate) example: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every value and where it comes from
    #[command(after_help = "Example:\n  premath config show --json")]
    Show(ConfigShowArgs),
}

/// Arguments of `config show`.
#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `metrics`.
#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}
