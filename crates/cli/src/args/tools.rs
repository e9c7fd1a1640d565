//! `tools`, as it is typed.

use clap::{Args, Subcommand};

use super::Format;

/// Arguments of `tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ToolsCommand,
}

/// What can be done about tools of other servers.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List the tools of runs: what they can do, and which scope they need
    #[command(after_help = "Example:\n  premath tools catalogue\n  premath tools catalogue --json")]
    Catalogue(CatalogueArgs),
    /// List other servers and what was approved of them; nothing is started
    #[command(after_help = "Example:\n  premath tools list\n  premath tools list weather --json")]
    List(ServerArgs),
    /// Ask servers what they define now, and hold it against what was approved
    #[command(after_help = "Example:\n  premath tools check\n  premath tools check weather --json\n\n\
                            Ends with 1 when a server gives no answer, or a tool has changed, hides something or clashes.")]
    Check(ServerArgs),
    /// Show the definitions of a server, or of one tool, and what has changed since they were approved
    #[command(
        after_help = "Example:\n  premath tools show weather\n  premath tools show weather/forecast --json"
    )]
    Show(TargetArgs),
    /// Approve a server of the repository, or tools as they are defined now
    #[command(
        after_help = "Example:\n  premath tools approve weather\n  premath tools approve weather/forecast\n  \
                            premath tools approve weather/forecast --digest tpn1_0123…\n\n\
                            What is approved is shown first, and you are asked. Without a terminal nothing is approved but \
                            by the --digest of what was shown.\nMore: docs/reference/mcp.md."
    )]
    Approve(ApproveToolsArgs),
    /// Take an approval back: of one tool, or of a server and all its tools
    #[command(
        after_help = "Example:\n  premath tools forget weather/forecast\n  premath tools forget weather"
    )]
    Forget(TargetArgs),
}

/// Arguments of `tools catalogue`.
#[derive(Debug, Args)]
pub(crate) struct CatalogueArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `tools list` and `tools check`.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// Only this server
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `tools show` and `tools forget`.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// A server, or one of its tools: SERVER or SERVER/TOOL
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `tools approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveToolsArgs {
    /// A server, or one of its tools: SERVER or SERVER/TOOL
    pub(crate) target: String,
    /// The digest of what you were shown; anything else is refused
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}
