//! `desk`, as it is typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Format, StoreChange, Terminal, limit};

/// Arguments of `desk`.
#[derive(Debug, Args)]
pub(crate) struct DeskArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: DeskCommand,
}

/// What can be done with the desk.
#[derive(Debug, Subcommand)]
pub(crate) enum DeskCommand {
    /// List files, in the order in which they were made
    #[command(
        after_help = "Example:\n  premath desk list --type markdown\n  premath desk list --deleted --json"
    )]
    List(DeskListArgs),
    /// Show a file and its content
    #[command(
        after_help = "Example:\n  premath desk show notes.md\n  premath desk show fil_0123456789ab --version 2\n\n\
                            A file is named by its id, or by its name where only one is called that."
    )]
    Show(DeskShowArgs),
    /// Show folders and files as a tree
    #[command(after_help = "Example:\n  premath desk tree")]
    Tree(DeskTreeArgs),
    /// Search names and contents
    #[command(after_help = "Example:\n  premath desk search \"quarterly budget\" --limit 5")]
    Search(DeskSearchArgs),
    /// Put a file or a folder on the desk
    #[command(
        after_help = "Example:\n  premath desk add notes.md --file notes.md\n  premath desk add Reports --type folder\n  \
                      premath desk add budget --type spreadsheet --file cells.json --folder Reports\n\n\
                      The cells of a spreadsheet are JSON: {\"A1\": {\"value\": 3, \"format\": \"0.00\"}}."
    )]
    Add(DeskAddArgs),
    /// Give a file another content, or cells other values
    #[command(after_help = "Example:\n  premath desk write notes.md --version 3 --file notes.md\n  \
                      premath desk write budget --version 1 --file updates.json\n\n\
                      The updates of a spreadsheet are JSON: [{\"cell\": \"B2\", \"value\": 3}].\n\
                      The version is the one that was read: what somebody else wrote since is not written over.")]
    Write(DeskWriteArgs),
    /// Give a file another name
    #[command(after_help = "Example:\n  premath desk rename notes.md minutes.md")]
    Rename(DeskRenameArgs),
    /// Delete a file or a folder; `desk restore` brings it back
    #[command(
        after_help = "Example:\n  premath desk delete notes.md\n  premath desk delete notes.md --version 3"
    )]
    Delete(DeskDeleteArgs),
    /// Bring back what was deleted, or an earlier version
    #[command(
        after_help = "Example:\n  premath desk restore notes.md\n  premath desk restore notes.md --version 2"
    )]
    Restore(DeskRestoreArgs),
    /// List every version of a file
    #[command(after_help = "Example:\n  premath desk history notes.md")]
    History(DeskHistoryArgs),
}

/// Arguments of `desk list`.
#[derive(Debug, Args)]
pub(crate) struct DeskListArgs {
    /// Only files of this type: markdown or spreadsheet
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) file_type: Option<String>,
    /// Files that were deleted, the last one first
    #[arg(long)]
    pub(crate) deleted: bool,
    /// The most files; 50 when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    /// Go on where an earlier answer stopped
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk show`.
#[derive(Debug, Args)]
pub(crate) struct DeskShowArgs {
    /// The file: its id or its name
    pub(crate) file: String,
    /// The content of an earlier version
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk tree`.
#[derive(Debug, Args)]
pub(crate) struct DeskTreeArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk search`.
#[derive(Debug, Args)]
pub(crate) struct DeskSearchArgs {
    /// Words of the name or the content
    pub(crate) query: String,
    /// The most files; 20 when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk add`.
#[derive(Debug, Args)]
pub(crate) struct DeskAddArgs {
    /// What to call it
    pub(crate) name: String,
    /// markdown, spreadsheet or folder
    #[arg(long = "type", value_name = "TYPE", default_value = "markdown")]
    pub(crate) item_type: String,
    /// The folder to put it into: its id or its name
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<String>,
    /// Where the content is; - is standard input. Empty when nobody says
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk write`.
#[derive(Debug, Args)]
pub(crate) struct DeskWriteArgs {
    /// The file: its id or its name
    pub(crate) item: String,
    /// The version that was read
    #[arg(long, value_name = "N")]
    pub(crate) version: u64,
    /// Where the content is, or the updates of a spreadsheet; - is standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk rename`.
#[derive(Debug, Args)]
pub(crate) struct DeskRenameArgs {
    /// The file: its id or its name
    pub(crate) item: String,
    /// What to call it
    pub(crate) name: String,
    /// The version that was seen, where it matters
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk delete`.
#[derive(Debug, Args)]
pub(crate) struct DeskDeleteArgs {
    /// The file or the folder: its id or its name
    pub(crate) item: String,
    /// The version that was seen, where it matters
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk restore`.
#[derive(Debug, Args)]
pub(crate) struct DeskRestoreArgs {
    /// The file or the folder: its id or its name
    pub(crate) item: String,
    /// Go back to this version; when absent, only the deletion is taken back
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `desk history`.
#[derive(Debug, Args)]
pub(crate) struct DeskHistoryArgs {
    /// The file: its id or its name
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

impl DeskArgs {
    /// What a command that changes the desk is held to: the repository it stands in.
    pub(crate) fn change(&self) -> Option<StoreChange<'_>> {
        let terminal = match &self.command {
            DeskCommand::Add(args) => &args.terminal,
            DeskCommand::Write(args) => &args.terminal,
            DeskCommand::Rename(args) => &args.terminal,
            DeskCommand::Delete(args) => &args.terminal,
            DeskCommand::Restore(args) => &args.terminal,
            DeskCommand::List(_)
            | DeskCommand::Show(_)
            | DeskCommand::Tree(_)
            | DeskCommand::Search(_)
            | DeskCommand::History(_) => return None,
        };
        Some(terminal.change())
    }
}
