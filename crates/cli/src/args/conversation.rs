//! `conversations`, as it is typed.

use clap::{Args, Subcommand};

use super::{Format, limit};

/// Arguments of `conversations`.
#[derive(Debug, Args)]
pub(crate) struct ConversationsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ConversationsCommand,
}

/// What can be done with conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConversationsCommand {
    /// List conversations, the one that was last spoken in first
    #[command(after_help = "Example:\n  premath conversations list --json")]
    List(ConversationsListArgs),
    /// Begin one
    #[command(after_help = "Example:\n  premath conversations start --id tidy --title \"Tidy the desk\"\n  \
                            premath run --desk --conversation tidy \"Which notes are old?\"")]
    Start(ConversationStartArgs),
    /// Show what was said, called and decided
    #[command(
        after_help = "Example:\n  premath conversations show tidy\n  premath conversations show tidy --limit 5 --json"
    )]
    Show(ConversationShowArgs),
    /// Give it another title
    #[command(after_help = "Example:\n  premath conversations rename tidy \"Old notes\"")]
    Rename(ConversationRenameArgs),
    /// Delete it; the journals of its runs stay
    #[command(after_help = "Example:\n  premath conversations delete tidy")]
    Delete(ConversationDeleteArgs),
    /// List every call of a tool in it: decision, arguments, duration, result, what takes it back
    #[command(
        after_help = "Example:\n  premath conversations log tidy\n  premath conversations log tidy --json"
    )]
    Log(ConversationLogArgs),
}

/// Arguments of `conversations list`.
#[derive(Debug, Args)]
pub(crate) struct ConversationsListArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conversations start`.
#[derive(Debug, Args)]
pub(crate) struct ConversationStartArgs {
    /// What to call it in commands: letters, digits, - and _; made up when nobody says
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// What people call it; the beginning of its first message when nobody says
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conversations show`.
#[derive(Debug, Args)]
pub(crate) struct ConversationShowArgs {
    /// The conversation
    pub(crate) id: String,
    /// The most exchanges, the newest; all of them when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    /// Only exchanges before this one
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conversations rename`.
#[derive(Debug, Args)]
pub(crate) struct ConversationRenameArgs {
    /// The conversation
    pub(crate) id: String,
    /// What people call it from now on
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conversations delete`.
#[derive(Debug, Args)]
pub(crate) struct ConversationDeleteArgs {
    /// The conversation
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conversations log`.
#[derive(Debug, Args)]
pub(crate) struct ConversationLogArgs {
    /// The conversation
    pub(crate) id: String,
    /// The most calls; 100 when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    /// Go on where an earlier answer stopped
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}
