//! `premath desk`

use std::path::Path;

use premath_host::Host;
use premath_kernel::Object;
use premath_wire::v1::{DeskChanged, DeskDocument, DeskHistory, DeskListing, DeskMatches, DeskTree};

use super::answer;
use super::dep::number;
use crate::args::desk::{
    DeskAddArgs, DeskArgs, DeskCommand, DeskDeleteArgs, DeskHistoryArgs, DeskListArgs, DeskRenameArgs,
    DeskRestoreArgs, DeskSearchArgs, DeskShowArgs, DeskTreeArgs, DeskWriteArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::desk as render;
use crate::system;

pub(crate) fn run(args: &DeskArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        DeskCommand::List(args) => list(args, host),
        DeskCommand::Show(args) => show(args, host),
        DeskCommand::Tree(args) => tree(args, host),
        DeskCommand::Search(args) => search(args, host),
        DeskCommand::Add(args) => add(args, host),
        DeskCommand::Write(args) => write(args, host),
        DeskCommand::Rename(args) => rename(args, host),
        DeskCommand::Delete(args) => delete(args, host),
        DeskCommand::Restore(args) => restore(args, host),
        DeskCommand::History(args) => history(args, host),
    }
}

fn list(args: &DeskListArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("cursor", args.cursor.as_deref())
        .field("deleted", args.deleted)
        .optional("limit", args.limit.map(number))
        .optional("type", args.file_type.as_deref())
        .finish();
    answer(host, "desk.list", &arguments, &args.format, |found: &DeskListing| {
        render::listing(found, host.workspace.clock.now(), system::terminal_width())
    })
}

fn show(args: &DeskShowArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .field("id", args.file.as_str())
        .optional("version", args.version.map(number))
        .finish();
    answer(host, "desk.show", &arguments, &args.format, |found: &DeskDocument| render::document(found))
}

fn tree(args: &DeskTreeArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    answer(host, "desk.tree", &Object::fields().finish(), &args.format, |found: &DeskTree| {
        render::tree(found)
    })
}

fn search(args: &DeskSearchArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("limit", args.limit.map(number))
        .field("query", args.query.as_str())
        .finish();
    answer(host, "desk.search", &arguments, &args.format, |found: &DeskMatches| render::matches(found))
}

fn add(args: &DeskAddArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let content = args.file.as_deref().map(read).transpose()?;
    let arguments = Object::fields()
        .optional("content", content.as_deref())
        .optional("folder", args.folder.as_deref())
        .field("name", args.name.as_str())
        .field("type", args.item_type.as_str())
        .finish();
    answer(host, "desk.add", &arguments, &args.format, |made: &DeskChanged| render::changed(made, "added"))
}

/// A content that somebody has in a file.
fn read(path: &Path) -> Result<String, CliError> {
    let bytes = system::read_named(path, "--file takes a readable file, or - for standard input")?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let what = format!("`{}` is not UTF-8 at byte {at}", path.display());
        CliError::usage(what, "convert it to UTF-8 first")
    })
}

fn write(args: &DeskWriteArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let content = read(&args.file)?;
    let arguments = Object::fields()
        .field("content", content.as_str())
        .field("id", args.item.as_str())
        .field("version", number(args.version))
        .finish();
    answer(host, "desk.write", &arguments, &args.format, |made: &DeskChanged| {
        render::changed(made, "written")
    })
}

fn rename(args: &DeskRenameArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .field("id", args.item.as_str())
        .field("name", args.name.as_str())
        .optional("version", args.version.map(number))
        .finish();
    answer(host, "desk.rename", &arguments, &args.format, |made: &DeskChanged| {
        render::changed(made, "renamed")
    })
}

fn delete(args: &DeskDeleteArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .field("id", args.item.as_str())
        .optional("version", args.version.map(number))
        .finish();
    answer(host, "desk.delete", &arguments, &args.format, |made: &DeskChanged| {
        render::changed(made, "deleted")
    })
}

fn restore(args: &DeskRestoreArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .field("id", args.item.as_str())
        .optional("version", args.version.map(number))
        .finish();
    answer(host, "desk.restore", &arguments, &args.format, |made: &DeskChanged| {
        render::changed(made, "restored")
    })
}

fn history(args: &DeskHistoryArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("id", args.file.as_str()).finish();
    answer(host, "desk.history", &arguments, &args.format, |found: &DeskHistory| {
        render::history(found, host.workspace.clock.now(), system::terminal_width())
    })
}
