//! `audit`, as it is typed.

use clap::{Args, Subcommand};

use super::{Format, limit};

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

/// What can be asked of the audit log.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List what was decided and done, the newest first
    #[command(after_help = "Example:\n  premath audit query --effect deny --since 2026-11-15T00:00:00Z\n  \
                            premath audit query --issue bd-7 --kind mutation\n  \
                            premath audit query --run run-019a7c21b3f45d08 --limit 20 --json")]
    Query(Box<QueryArgs>),
    /// Check that the log is what was written, and that every change has its row
    #[command(after_help = "Example:\n  premath audit verify\n  premath audit verify --reconcile\n\n\
                            Ends with 1 when rows were edited, deleted, swapped, doubled or cut off.")]
    Verify(AuditVerifyArgs),
    /// Follow something back to the turn, the decisions and whoever asked for it
    #[command(after_help = "Example:\n  premath audit why bd-7\n  premath audit why src/lib.rs\n  \
                            premath audit why run-019a7c21b3f45d08\n  \
                            premath audit why sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef")]
    Why(WhyArgs),
}

/// Arguments of `audit query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// decision, approval, proposal, mutation, guard, policy or run
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// What came of it: allow, ask, deny, applied, …
    #[arg(long, value_name = "EFFECT")]
    pub(crate) effect: Option<String>,
    /// The run
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The issue
    #[arg(long, value_name = "ID")]
    pub(crate) issue: Option<String>,
    /// The tool or the action
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The file
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Who
    #[arg(long, value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// The code of a refusal
    #[arg(long, value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// Any of the digests of a row
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    /// Not before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Not after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only rows that say this somewhere
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) query: Option<String>,
    /// The most rows; 50 when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    /// Go on where an earlier answer stopped
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `audit verify`.
#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArgs {
    /// Add rows for changes that have none
    #[arg(long)]
    pub(crate) reconcile: bool,
    /// Report problems without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `audit why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// An issue, a path or a file of the desk, a run, a digest, a witness, an approval, a proposal or a commit
    pub(crate) subject: String,
    /// Which of them it is: issue, path, run, digest, approval, proposal or commit
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// The most changes to follow back; 5 when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}
