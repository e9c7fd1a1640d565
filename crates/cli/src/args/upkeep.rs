//! `verify`, `doctor` and `coherence-check`, as they are typed.

use clap::Args;

use super::{Format, Terminal};

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Report problems without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Mend what can be mended; a copy of everything that changes is kept under .premath/backup
    #[arg(long)]
    pub(crate) fix: bool,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    /// Report findings without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `coherence-check`.
#[derive(Debug, Args)]
pub(crate) struct CoherenceArgs {
    /// Report problems without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}
