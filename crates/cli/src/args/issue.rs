//! The `issue` family, as it is typed.

use clap::{Args, Subcommand};

use super::{Format, Store, Terminal};

/// Arguments of `issue`.
#[derive(Debug, Args)]
pub(crate) struct IssueArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: IssueCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum IssueCommand {
    /// Add an issue
    #[command(after_help = "Example:\n  premath issue add \"Greet by name\" --type feature --priority 1 \
                            --acceptance \"greets\" --depends-on bd-1")]
    Add(AddArgs),
    /// List issues, in natural order of their ids
    #[command(after_help = "Example:\n  premath issue list --status open --status in_progress --label ui --limit 20")]
    List(ListArgs),
    /// Show one issue with its dependencies and its lease
    #[command(after_help = "Example:\n  premath issue show bd-1")]
    Show(OneArgs),
    /// List what can be worked on, most urgent first
    #[command(after_help = "Example:\n  premath issue ready --limit 20 --json")]
    Ready(ListArgs),
    /// List what cannot be worked on, with what holds it back
    #[command(after_help = "Example:\n  premath issue blocked")]
    Blocked(PlainListArgs),
    /// Check every issue, the graph and the file
    #[command(after_help = "Example:\n  premath issue check --graph-scope full")]
    Check(IssueCheckArgs),
    /// Change an issue: what is not named stays, what is blank goes
    #[command(after_help = "Example:\n  premath issue update bd-1 --status closed --append-notes \"done in 4f2a\"")]
    Update(Box<UpdateArgs>),
    /// Take an issue under a lease
    #[command(after_help = "Example:\n  premath issue claim bd-1 --assignee jo --ttl-seconds 900")]
    Claim(ClaimArgs),
    /// Take the first issue that is free: ready, or left behind by a lease that ran out
    #[command(after_help = "Example:\n  premath issue claim-next --assignee worker-1 --json")]
    ClaimNext(ClaimNextArgs),
    /// Add an issue that was found while working on another
    #[command(after_help = "Example:\n  premath issue discover bd-1 \"The check is flaky\" --type bug")]
    Discover(DiscoverArgs),
    /// Hold on to an issue
    #[command(after_help = "Example:\n  premath issue lease-renew bd-1 --assignee jo --fence 1")]
    LeaseRenew(RenewArgs),
    /// Let go of an issue
    #[command(after_help = "Example:\n  premath issue lease-release bd-1 --assignee jo --fence 1")]
    LeaseRelease(ReleaseArgs),
    /// List who holds what
    #[command(after_help = "Example:\n  premath issue lease-projection")]
    LeaseProjection(PlainListArgs),
    /// Show how issue memory is stored
    #[command(after_help = "Example:\n  premath issue backend-status --json")]
    BackendStatus(StoreArgs),
    /// Rewrite issue memory with one row per issue; older rows move to the history
    #[command(after_help = "Example:\n  premath issue compact")]
    Compact(CompactArgs),
    /// Take over issues from a JSONL file, as beads writes it or as `issue export` does
    #[command(after_help = "Example:\n  premath issue import .beads/issues.jsonl")]
    Import(ImportArgs),
    /// Hand out all issues as JSONL
    #[command(after_help = "Example:\n  premath issue export --output issues.jsonl")]
    Export(ExportArgs),
    /// Show what became of an issue, step by step
    #[command(after_help = "Example:\n  premath issue history bd-1 --limit 5")]
    History(HistoryArgs),
}

/// What an issue says.
#[derive(Debug, Args)]
pub(crate) struct IssueTexts {
    /// More about it
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// How it is to be done
    #[arg(long, value_name = "TEXT")]
    pub(crate) design: Option<String>,
    /// When it is done
    #[arg(long, value_name = "TEXT")]
    pub(crate) acceptance: Option<String>,
    /// What was learnt on the way
    #[arg(long, value_name = "TEXT", conflicts_with = "notes_file")]
    pub(crate) notes: Option<String>,
    /// The same from a file; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) notes_file: Option<std::path::PathBuf>,
    /// From 0 (first) to 4
    #[arg(long, value_name = "0-4")]
    pub(crate) priority: Option<u64>,
    /// task, epic, bug, feature or chore
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Option<String>,
    /// Who works on it
    #[arg(long, value_name = "NAME")]
    pub(crate) assignee: Option<String>,
    /// Who answers for it
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
}

/// What a new issue is, beside its title.
#[derive(Debug, Args)]
pub(crate) struct Draft {
    /// Its id; the next free one when absent
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) texts: IssueTexts,
    /// A label; may be repeated
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Short-lived: it needs neither acceptance nor a verification command
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// What it depends on; blocks unless a type is named; may be repeated
    #[arg(long = "depends-on", value_name = "[TYPE:]ID")]
    pub(crate) depends_on: Vec<String>,
    /// The epic it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) parent: Option<String>,
}

/// Arguments of `issue add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What is to be done
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) draft: Draft,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue discover`.
#[derive(Debug, Args)]
pub(crate) struct DiscoverArgs {
    /// The issue that was worked on
    #[arg(value_name = "PARENT")]
    pub(crate) found_in: String,
    /// What is to be done
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) draft: Draft,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue list` and `issue ready`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only with this status; may be repeated
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<String>,
    /// Only of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Vec<String>,
    /// Only whose assignee is this one
    #[arg(long, value_name = "NAME")]
    pub(crate) assignee: Option<String>,
    /// Only with this label; repeated, with all of them
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Vec<String>,
    /// Only of this priority; may be repeated
    #[arg(long, value_name = "0-4")]
    pub(crate) priority: Vec<u8>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of a listing without filters.
#[derive(Debug, Args)]
pub(crate) struct PlainListArgs {
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of a command about one issue.
#[derive(Debug, Args)]
pub(crate) struct OneArgs {
    /// Which issue
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of a command about the store.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue compact`.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue check`.
#[derive(Debug, Args)]
pub(crate) struct IssueCheckArgs {
    /// Where to look for cycles and unknown issues: active or full
    #[arg(long, value_name = "SCOPE")]
    pub(crate) graph_scope: Option<String>,
    /// At most so many problems
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Report problems without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// What somebody shows to write as the holder of a lease.
#[derive(Debug, Args)]
pub(crate) struct HolderFlags {
    /// Write as the holder of the lease: who that is
    #[arg(long, value_name = "NAME")]
    pub(crate) lease_owner: Option<String>,
    /// Write as the holder of the lease: which lease
    #[arg(long, value_name = "ID")]
    pub(crate) lease_id: Option<String>,
    /// Write as the holder of the lease: its fence
    #[arg(long, value_name = "N")]
    pub(crate) fence: Option<u64>,
}

/// Arguments of `issue update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Which issue
    pub(crate) id: String,
    /// Another title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// open, in_progress, blocked or closed
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    #[command(flatten)]
    pub(crate) texts: IssueTexts,
    /// Text to put behind the notes
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_notes: Option<String>,
    /// A label to add; may be repeated
    #[arg(long = "add-label", value_name = "LABEL")]
    pub(crate) add_labels: Vec<String>,
    /// A label to take away; may be repeated
    #[arg(long = "remove-label", value_name = "LABEL")]
    pub(crate) remove_labels: Vec<String>,
    #[command(flatten)]
    pub(crate) holder: HolderFlags,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// The terms of a claim.
#[derive(Debug, Args)]
pub(crate) struct Terms {
    /// Who takes it
    #[arg(long, value_name = "NAME")]
    pub(crate) assignee: String,
    /// What to call the lease
    #[arg(long, value_name = "ID")]
    pub(crate) lease_id: Option<String>,
    /// How long it lasts: 30 to 86400, 3600 when absent
    #[arg(long, value_name = "N")]
    pub(crate) ttl_seconds: Option<u64>,
    /// When it ends, instead
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<String>,
}

/// Arguments of `issue claim`.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// Which issue
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) terms: Terms,
    /// Take it although it is blocked, and say why
    #[arg(long, value_name = "REASON")]
    pub(crate) force: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue claim-next`.
#[derive(Debug, Args)]
pub(crate) struct ClaimNextArgs {
    #[command(flatten)]
    pub(crate) terms: Terms,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Whose lease it is.
#[derive(Debug, Args)]
pub(crate) struct Holding {
    /// Who holds it
    #[arg(long, visible_alias = "owner", value_name = "NAME")]
    pub(crate) assignee: Option<String>,
    /// Which lease
    #[arg(long, value_name = "ID")]
    pub(crate) lease_id: Option<String>,
    /// The fence the claim gave
    #[arg(long, value_name = "N")]
    pub(crate) fence: Option<u64>,
}

/// Arguments of `issue lease-renew`.
#[derive(Debug, Args)]
pub(crate) struct RenewArgs {
    /// Which issue
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) holding: Holding,
    /// How long it lasts from now: 30 to 86400, 3600 when absent
    #[arg(long, value_name = "N")]
    pub(crate) ttl_seconds: Option<u64>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue lease-release`.
#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// Which issue
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) holding: Holding,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file; - reads standard input
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write; standard output when absent
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Which issue
    pub(crate) id: String,
    /// Only the newest so many steps
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

impl IssueArgs {
    /// The reason a person gave to override the configuration.
    pub(crate) fn override_reason(&self) -> Option<&str> {
        let terminal = match &self.command {
            IssueCommand::Add(args) => &args.terminal,
            IssueCommand::Update(args) => &args.terminal,
            IssueCommand::Claim(args) => &args.terminal,
            IssueCommand::ClaimNext(args) => &args.terminal,
            IssueCommand::Discover(args) => &args.terminal,
            IssueCommand::LeaseRenew(args) => &args.terminal,
            IssueCommand::LeaseRelease(args) => &args.terminal,
            IssueCommand::Compact(args) => &args.terminal,
            IssueCommand::Import(args) => &args.terminal,
            IssueCommand::List(_)
            | IssueCommand::Show(_)
            | IssueCommand::Ready(_)
            | IssueCommand::Blocked(_)
            | IssueCommand::Check(_)
            | IssueCommand::LeaseProjection(_)
            | IssueCommand::BackendStatus(_)
            | IssueCommand::Export(_)
            | IssueCommand::History(_) => return None,
        };
        terminal.override_reason.as_deref()
    }
}
