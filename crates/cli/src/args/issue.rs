//! The `issue` family, as it is typed.

mod writing;

use clap::{Args, Subcommand};

pub(crate) use self::writing::{
    AddArgs, ClaimArgs, ClaimNextArgs, CompactArgs, DiscoverArgs, Draft, HolderFlags, Holding, ImportArgs,
    IssueTexts, ReleaseArgs, RenewArgs, Terms, UpdateArgs,
};
use super::{Format, Store, StoreChange, limit};

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
    #[command(
        after_help = "Example:\n  premath issue list --status open --status in_progress --label ui --limit 20"
    )]
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
    #[command(
        after_help = "Example:\n  premath issue update bd-1 --status closed --append-notes \"done in 4f2a\""
    )]
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
    /// Show issues and what they wait for, with who holds what
    #[command(
        after_help = "Example:\n  premath issue graph --json\n  premath issue graph --graph-scope full"
    )]
    Graph(IssueGraphArgs),
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
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `issue graph`.
#[derive(Debug, Args)]
pub(crate) struct IssueGraphArgs {
    /// `active` for what is not closed, `full` for everything
    #[arg(long, value_name = "SCOPE")]
    pub(crate) graph_scope: Option<String>,
    #[command(flatten)]
    pub(crate) list: PlainListArgs,
}

/// Arguments of a listing without filters.
#[derive(Debug, Args)]
pub(crate) struct PlainListArgs {
    /// At most so many
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
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

/// Arguments of `issue check`.
#[derive(Debug, Args)]
pub(crate) struct IssueCheckArgs {
    /// Where to look for cycles and unknown issues: active or full
    #[arg(long, value_name = "SCOPE")]
    pub(crate) graph_scope: Option<String>,
    /// At most so many problems
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
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) format: Format,
}

impl IssueArgs {
    /// What it changes, if anything.
    pub(crate) fn change(&self) -> Option<StoreChange<'_>> {
        let (store, by) = match &self.command {
            IssueCommand::Add(args) => (&args.store, &args.by),
            IssueCommand::Update(args) => (&args.store, &args.by),
            IssueCommand::Claim(args) => (&args.store, &args.by),
            IssueCommand::ClaimNext(args) => (&args.store, &args.by),
            IssueCommand::Discover(args) => (&args.store, &args.by),
            IssueCommand::LeaseRenew(args) => (&args.store, &args.by),
            IssueCommand::LeaseRelease(args) => (&args.store, &args.by),
            IssueCommand::Compact(args) => return Some(StoreChange::new(&args.store, &args.terminal)),
            IssueCommand::Import(args) => return Some(StoreChange::new(&args.store, &args.terminal)),
            IssueCommand::List(_)
            | IssueCommand::Show(_)
            | IssueCommand::Ready(_)
            | IssueCommand::Blocked(_)
            | IssueCommand::Check(_)
            | IssueCommand::Graph(_)
            | IssueCommand::LeaseProjection(_)
            | IssueCommand::BackendStatus(_)
            | IssueCommand::Export(_)
            | IssueCommand::History(_) => return None,
        };
        Some(StoreChange::authorised(store, by))
    }
}
