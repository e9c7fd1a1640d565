//! `verify`, `doctor`, `gc`, `trust` and `coherence-check`, as they are typed.

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

/// Arguments of `gc`.
#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Remove nothing; say what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep objects younger than AGE: 90m, 36h, 7d; at least 60s [default: retention.min_age, else 24h]
    #[arg(long, value_name = "AGE")]
    pub(crate) min_age: Option<String>,
    /// Remove only what it takes to bring the store down to SIZE, oldest first: 500MiB, 2GiB [default: retention.max_size,
    /// else all garbage is removed]
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_size: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `trust`.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Why you trust these logs; the audit log keeps it, and `verify` shows it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Take over everything from before logs were keyed
    #[arg(long, conflicts_with_all = ["runs", "all"])]
    pub(crate) upgrade: bool,
    /// Also the journal and the permits of a run; can be repeated [default: only the logs of the repository as a whole]
    #[arg(long, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Every log of every run, worker and instruction as well
    #[arg(long, conflicts_with = "runs")]
    pub(crate) all: bool,
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
