//! `serve`, as it is typed.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command are flags")]
pub(crate) struct ServeArgs {
    /// The port on the loopback address; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 7423)]
    pub(crate) port: u16,
    /// Directory to serve, as if started there [default: the project around the current directory]
    #[arg(long, value_name = "DIR", conflicts_with = "demo")]
    pub(crate) root: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Serve an example that is made for it: a desk with a scripted assistant, issues, runs in every state, open questions
    #[arg(long)]
    pub(crate) demo: bool,
    /// Where the example is made; a temporary folder when nobody says
    #[arg(long, value_name = "FOLDER", requires = "demo")]
    pub(crate) keep: Option<PathBuf>,
    /// Answer the pages of this origin too, as `https://app.example`; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Write a line of JSON to standard error for every request
    #[arg(long)]
    pub(crate) log: bool,
    /// Print the address and where the token is as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
