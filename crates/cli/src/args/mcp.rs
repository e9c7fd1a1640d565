//! `mcp-serve`, as it is typed.

use clap::Args;

/// Arguments of `mcp-serve`.
#[derive(Debug, Args)]
pub(crate) struct McpServeArgs {
    /// The repository to serve, for clients that start programs in a folder of their own; that of the current folder
    /// when absent
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<std::path::PathBuf>,
    /// Listen for HTTP on this loopback address instead of serving standard input; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Offer only these tools: a name (issue_ready) or a family (issue), divided by commas; all when absent
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// With --http: print the address as one JSON object
    #[arg(long, requires = "http")]
    pub(crate) json: bool,
}
