//! `instruction-check`, `instruction-run`, `instruction-witness` and `permits`, as they are typed.

use clap::{Args, Subcommand};

use super::{Format, limit};

/// Arguments of `instruction-check` and `instruction-run`.
#[derive(Debug, Args)]
pub(crate) struct EnvelopeArgs {
    /// The instruction: a file called `<time>-<id>.json`
    #[arg(value_name = "FILE", required_unless_present = "instruction")]
    pub(crate) file: Option<String>,
    /// The same, as an option
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) instruction: Option<String>,
    /// Report a rejection without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

impl EnvelopeArgs {
    /// The file, however it was named.
    pub(crate) fn path(&self) -> &str {
        self.file.as_deref().or(self.instruction.as_deref()).unwrap_or_default()
    }
}

/// Arguments of `instruction-witness`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// The instruction, by name: its file without .json
    #[arg(value_name = "ID")]
    pub(crate) instruction: String,
    /// Report a witness that permits nothing without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `permits`.
#[derive(Debug, Args)]
pub(crate) struct PermitsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: PermitsCommand,
}

/// What can be done about permits.
#[derive(Debug, Subcommand)]
pub(crate) enum PermitsCommand {
    /// List instructions that were issued and permits that were spent, the newest first
    #[command(
        after_help = "Example:\n  premath permits list --issue bd-7\n  premath permits list --limit 20 --json"
    )]
    List(PermitListArgs),
}

/// Arguments of `permits list`.
#[derive(Debug, Args)]
pub(crate) struct PermitListArgs {
    /// Only of this instruction
    #[arg(long, value_name = "ID")]
    pub(crate) instruction: Option<String>,
    /// Only about this issue
    #[arg(long, value_name = "ID")]
    pub(crate) issue: Option<String>,
    /// At most so many rows
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}
