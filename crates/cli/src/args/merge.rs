//! `merge-driver`, as git calls it.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `merge-driver`.
#[derive(Debug, Args)]
pub(crate) struct MergeDriverArgs {
    /// The version that both began with (%O)
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// Our version, which the result takes the place of (%A)
    #[arg(value_name = "OURS")]
    pub(crate) ours: PathBuf,
    /// Their version (%B)
    #[arg(value_name = "THEIRS")]
    pub(crate) theirs: PathBuf,
    /// How long conflict markers are (%L); nothing is marked in the file
    #[arg(value_name = "MARKER_SIZE")]
    pub(crate) marker_size: u32,
    /// The file that is merged, from the root of the working tree (%P)
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) format: Format,
}
