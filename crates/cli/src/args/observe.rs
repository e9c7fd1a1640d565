//! The observation, as it is typed.

use clap::{Args, Subcommand};

use super::Format;

/// Arguments of `observe-build`.
#[derive(Debug, Args)]
pub(crate) struct ObserveBuildArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `observe`.
#[derive(Debug, Args)]
pub(crate) struct ObserveArgs {
    /// What to look at.
    #[command(subcommand)]
    pub(crate) command: ObserveCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum ObserveCommand {
    /// Show the observation that was built last
    #[command(after_help = "Example:\n  premath observe latest --json")]
    Latest(ObserveLookArgs),
    /// Look at everything now, without writing anything
    #[command(after_help = "Example:\n  premath observe now --json")]
    Now(ObserveLookArgs),
    /// List what a person should look at, and why
    #[command(name = "needs_attention", alias = "needs-attention")]
    #[command(after_help = "Example:\n  premath observe needs_attention")]
    NeedsAttention(ObserveAttentionArgs),
    /// Show the witness of one instruction, and who worked under it
    #[command(after_help = "Example:\n  premath observe instruction 20261116T071200Z-fix-parser")]
    Instruction(ObserveInstructionArgs),
    /// Show every issue that is not at rest, with who holds it
    #[command(after_help = "Example:\n  premath observe projection")]
    Projection(ObserveLookArgs),
}

/// Arguments of those that take nothing.
#[derive(Debug, Args)]
pub(crate) struct ObserveLookArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `observe needs_attention`.
#[derive(Debug, Args)]
pub(crate) struct ObserveAttentionArgs {
    /// Look now, instead of at what was built last
    #[arg(long)]
    pub(crate) now: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `observe instruction`.
#[derive(Debug, Args)]
pub(crate) struct ObserveInstructionArgs {
    /// The instruction: a name, not a path
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) format: Format,
}
