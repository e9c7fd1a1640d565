//! What the commands of the family take that change issue memory.

use clap::Args;

use crate::args::{Authorised, Format, Store, Terminal};

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
    pub(crate) by: Authorised,
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
    pub(crate) by: Authorised,
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
    pub(crate) by: Authorised,
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
    pub(crate) by: Authorised,
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
    pub(crate) by: Authorised,
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
    pub(crate) by: Authorised,
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
    pub(crate) by: Authorised,
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
