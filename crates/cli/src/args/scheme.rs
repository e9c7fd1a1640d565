//! `scheme-eval`, as it is typed.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `scheme-eval`.
#[derive(Debug, Args)]
pub(crate) struct SchemeEvalArgs {
    /// The program: a file, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    pub(crate) program: Option<PathBuf>,
    /// The program itself
    #[arg(short = 'e', long = "expression", value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) expression: Option<String>,
    /// Deny everything that does more than read
    #[arg(long)]
    pub(crate) read_only: bool,
    /// At most so many calls of host functions
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// At most so many steps
    #[arg(long, value_name = "N")]
    pub(crate) fuel: Option<u64>,
    /// The instruction that changes are linked to, by name
    #[arg(long, value_name = "ID")]
    pub(crate) instruction: Option<String>,
    /// Write everything that went in and came out to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Run a trace again, with no host at all, and compare everything
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["read_only", "max_calls", "fuel", "instruction"])]
    pub(crate) replay: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}
