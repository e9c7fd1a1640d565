//! The harness lanes, as they are typed: session, feature ledger, trajectory and the figure made of it.

use clap::{Args, Subcommand};

use super::{Format, limit};

/// Arguments of `harness-session`.
#[derive(Debug, Args)]
pub(crate) struct HarnessSessionArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: SessionCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Write the handoff: what is not named stays, what is blank goes, refs replace refs
    #[command(after_help = "Example:\n  premath harness-session write --state stopped --issue-id bd-7 \
                            --summary \"parser done\" --next-step \"wire it up\"")]
    Write(Box<SessionWriteArgs>),
    /// Show the handoff
    #[command(after_help = "Example:\n  premath harness-session read --json")]
    Read(SessionReadArgs),
    /// Say how a fresh process goes on: resume or attach, with what, at which feature
    #[command(after_help = "Example:\n  premath harness-session bootstrap --json")]
    Bootstrap(BootstrapArgs),
}

/// Arguments of `harness-session write`.
#[derive(Debug, Args)]
pub(crate) struct SessionWriteArgs {
    /// The session, when it is not .premath/harness_session.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// active or stopped; a new session is stopped
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,
    /// The session's name; made up for a new one
    #[arg(long, value_name = "ID")]
    pub(crate) session_id: Option<String>,
    /// The issue that is worked on
    #[arg(long, value_name = "ID")]
    pub(crate) issue_id: Option<String>,
    /// What was done
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// What to do next
    #[arg(long, value_name = "TEXT")]
    pub(crate) next_step: Option<String>,
    /// An instruction it works under; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) instruction_ref: Vec<String>,
    /// A witness it left; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) witness_ref: Vec<String>,
    /// Where in the site it works; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) lineage_ref: Vec<String>,
    /// The issue memory it works on
    #[arg(long, value_name = "PATH")]
    pub(crate) issues: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-session read`.
#[derive(Debug, Args)]
pub(crate) struct SessionReadArgs {
    /// The session, when it is not .premath/harness_session.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-session bootstrap`.
#[derive(Debug, Args)]
pub(crate) struct BootstrapArgs {
    /// The session, when it is not .premath/harness_session.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The feature ledger, when it is not the one beside the session
    #[arg(long, value_name = "PATH")]
    pub(crate) feature_ledger: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-feature`.
#[derive(Debug, Args)]
pub(crate) struct HarnessFeatureArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: FeatureCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum FeatureCommand {
    /// Write one feature: what is not named stays, what is blank goes, refs replace refs
    #[command(after_help = "Example:\n  premath harness-feature write --feature-id f1 --status completed \
                            --verification-ref w1_abc")]
    Write(FeatureWriteArgs),
    /// Show the ledger
    #[command(after_help = "Example:\n  premath harness-feature read")]
    Read(FeatureReadArgs),
    /// Name the feature to work on: the one in progress, else the first that is pending
    #[command(after_help = "Example:\n  premath harness-feature next --json")]
    Next(FeatureReadArgs),
    /// Check the ledger
    #[command(after_help = "Example:\n  premath harness-feature check --require-closure")]
    Check(FeatureCheckArgs),
}

/// Arguments of `harness-feature write`.
#[derive(Debug, Args)]
pub(crate) struct FeatureWriteArgs {
    /// The ledger, when it is not .premath/harness_feature_ledger.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Which feature
    #[arg(long, value_name = "ID")]
    pub(crate) feature_id: String,
    /// pending, in_progress, blocked or completed; completed needs a verification ref
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: String,
    /// The issue it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) issue_id: Option<String>,
    /// What it is
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// The session that works on it
    #[arg(long, value_name = "REF")]
    pub(crate) session_ref: Option<String>,
    /// What it was asked for in; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) instruction_ref: Vec<String>,
    /// What shows that it works; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) verification_ref: Vec<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-feature read` and `harness-feature next`.
#[derive(Debug, Args)]
pub(crate) struct FeatureReadArgs {
    /// The ledger, when it is not .premath/harness_feature_ledger.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-feature check`.
#[derive(Debug, Args)]
pub(crate) struct FeatureCheckArgs {
    /// The ledger, when it is not .premath/harness_feature_ledger.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Features that are not completed and verified are a problem
    #[arg(long)]
    pub(crate) require_closure: bool,
    /// Report problems without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-trajectory`.
#[derive(Debug, Args)]
pub(crate) struct HarnessTrajectoryArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: TrajectoryCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum TrajectoryCommand {
    /// Append one step
    #[command(
        after_help = "Example:\n  premath harness-trajectory append --step-id worker-1.bd-7.3 --action apply \
                            --result-class accepted --issue-id bd-7 --witness-ref w1_abc"
    )]
    Append(Box<TrajectoryAppendArgs>),
    /// Show the latest steps, the failed ones, or those worth another try
    #[command(after_help = "Example:\n  premath harness-trajectory query --mode failed --limit 20 \
                            --group-by failure-class")]
    Query(TrajectoryQueryArgs),
}

/// Arguments of `harness-trajectory append`.
#[derive(Debug, Args)]
pub(crate) struct TrajectoryAppendArgs {
    /// The trajectory, when it is not .premath/harness_trajectory.jsonl
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Names the step: worker.issue.n
    #[arg(long, value_name = "ID")]
    pub(crate) step_id: String,
    /// What was done
    #[arg(long, value_name = "ACTION")]
    pub(crate) action: String,
    /// How it ended; accepted, verified_accept, completed, success, ok and passed are successes
    #[arg(long, value_name = "CLASS")]
    pub(crate) result_class: String,
    /// When it ended, as 2026-11-15T07:12:52Z; now when absent
    #[arg(long, value_name = "TIME")]
    pub(crate) finished_at: Option<String>,
    /// When it began
    #[arg(long, value_name = "TIME")]
    pub(crate) started_at: Option<String>,
    /// The issue it was done for
    #[arg(long, value_name = "ID")]
    pub(crate) issue_id: Option<String>,
    /// Which check decided
    #[arg(long, value_name = "CLASS")]
    pub(crate) verification_class: Option<String>,
    /// What to do next
    #[arg(long, value_name = "TEXT")]
    pub(crate) next_step: Option<String>,
    /// Why it failed; may be repeated
    #[arg(long, value_name = "CLASS")]
    pub(crate) failure_class: Vec<String>,
    /// An instruction it worked under; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) instruction_ref: Vec<String>,
    /// Where in the site it worked; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) lineage_ref: Vec<String>,
    /// What it changed; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) mutation_ref: Vec<String>,
    /// A witness it left; may be repeated
    #[arg(long, value_name = "REF")]
    pub(crate) witness_ref: Vec<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-trajectory query`.
#[derive(Debug, Args)]
pub(crate) struct TrajectoryQueryArgs {
    /// The trajectory, when it is not .premath/harness_trajectory.jsonl
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// latest, failed or retry-needed
    #[arg(long, value_name = "MODE", default_value = "latest")]
    pub(crate) mode: String,
    /// At most so many steps, and so many groups
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: u64,
    /// Put failures together: failure-class
    #[arg(long, value_name = "WHAT")]
    pub(crate) group_by: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-kpi`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct HarnessKpiArgs {
    /// What else to do.
    #[command(subcommand)]
    pub(crate) command: Option<KpiCommand>,
    #[command(flatten)]
    pub(crate) report: KpiReportArgs,
}

/// What else can be done than computing the figure.
#[derive(Debug, Subcommand)]
pub(crate) enum KpiCommand {
    /// Record what was done about a figure that fell too low
    #[command(after_help = "Example:\n  premath harness-kpi remediate --note \"two flaky checks fixed\"")]
    Remediate(RemediateArgs),
}

/// Arguments of `harness-kpi`.
#[derive(Debug, Args)]
pub(crate) struct KpiReportArgs {
    /// The trajectory, when it is not .premath/harness_trajectory.jsonl
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// How far to look back
    #[arg(long, value_name = "HOURS", default_value_t = 24)]
    pub(crate) window_hours: u64,
    /// The figure to reach
    #[arg(long, value_name = "NUMBER", default_value = "0.8")]
    pub(crate) target: String,
    /// The figure below which expansion stops
    #[arg(long, value_name = "NUMBER", default_value = "0.4")]
    pub(crate) rollback: String,
    /// Fewer rows decide nothing
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) min_rows: u64,
    /// The figures of so many windows before this one as well
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) history: u64,
    /// When the window ends, in RFC 3339 [default: the end of the newest row]
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `harness-kpi remediate`.
#[derive(Debug, Args)]
pub(crate) struct RemediateArgs {
    /// The trajectory whose figure it is about, when it is not .premath/harness_trajectory.jsonl
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// What was done
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: String,
    #[command(flatten)]
    pub(crate) format: Format,
}
