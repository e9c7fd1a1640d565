//! The `dep` family, as it is typed.

use clap::{Args, Subcommand};

use super::issue::HolderFlags;
use super::{Authorised, Format, Store, StoreChange, limit};

/// Arguments of `dep`.
#[derive(Debug, Args)]
pub(crate) struct DepArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: DepCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum DepCommand {
    /// Make one issue depend on another
    #[command(after_help = "Example:\n  premath dep add bd-2 bd-1 --type blocks")]
    Add(DepChangeArgs),
    /// Take a dependency away
    #[command(after_help = "Example:\n  premath dep remove bd-2 bd-1")]
    Remove(DepChangeArgs),
    /// Give a dependency another type
    #[command(after_help = "Example:\n  premath dep replace bd-2 bd-1 --type related")]
    Replace(DepReplaceArgs),
    /// Show the graph of dependencies as a tree
    #[command(after_help = "Example:\n  premath dep project --root bd-1")]
    Project(ProjectArgs),
    /// Find cycles and dependencies on issues that do not exist
    #[command(after_help = "Example:\n  premath dep diagnostics --graph-scope full")]
    Diagnostics(DiagnosticsArgs),
}

/// Arguments of `dep add` and `dep remove`.
#[derive(Debug, Args)]
pub(crate) struct DepChangeArgs {
    /// The issue that depends on the other
    pub(crate) issue: String,
    /// What it depends on
    pub(crate) depends_on: String,
    /// blocks, parent-child, conditional-blocks, waits-for, related, relates-to, discovered-from, duplicates, supersedes
    /// or replies-to; when absent, add makes it blocks and remove takes all
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) holder: HolderFlags,
    #[command(flatten)]
    pub(crate) by: Authorised,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `dep replace`.
#[derive(Debug, Args)]
pub(crate) struct DepReplaceArgs {
    /// The issue that depends on the other
    pub(crate) issue: String,
    /// What it depends on
    pub(crate) depends_on: String,
    /// The type it gets; blocks when absent
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// The type it has; every one when absent
    #[arg(long, value_name = "TYPE")]
    pub(crate) from_type: Option<String>,
    #[command(flatten)]
    pub(crate) holder: HolderFlags,
    #[command(flatten)]
    pub(crate) by: Authorised,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `dep project`.
#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    /// Begin at this issue only
    #[arg(long, value_name = "ID")]
    pub(crate) root: Option<String>,
    /// active (what is not closed) or full
    #[arg(long, value_name = "SCOPE")]
    pub(crate) graph_scope: Option<String>,
    /// dependents (what waits for an issue is below it) or dependencies (what it waits for)
    #[arg(long, value_name = "WAY")]
    pub(crate) direction: Option<String>,
    /// At most so many issues
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `dep diagnostics`.
#[derive(Debug, Args)]
pub(crate) struct DiagnosticsArgs {
    /// active (what is not closed) or full
    #[arg(long, value_name = "SCOPE")]
    pub(crate) graph_scope: Option<String>,
    /// At most so many of each
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,
    /// Report problems without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

impl DepArgs {
    /// What it changes, if anything.
    pub(crate) fn change(&self) -> Option<StoreChange<'_>> {
        match &self.command {
            DepCommand::Add(args) | DepCommand::Remove(args) => {
                Some(StoreChange::authorised(&args.store, &args.by))
            }
            DepCommand::Replace(args) => Some(StoreChange::authorised(&args.store, &args.by)),
            DepCommand::Project(_) | DepCommand::Diagnostics(_) => None,
        }
    }
}
