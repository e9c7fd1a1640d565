//! The desk as a person reads it: files in a table, folders as a tree, contents as they are.

use premath_kernel::Moment;
use premath_wire::v1::{DeskChanged, DeskDocument, DeskHistory, DeskListing, DeskMatches, DeskTree};

use super::table::{Cell, Table};
use super::time::relative;
use super::{lines, plain};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP};

/// The answer of `desk list`.
pub(crate) fn listing(answer: &DeskListing, now: Moment, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return format!("no files\n{TIP}hint:{TIP:#} `premath desk add` puts one on the desk\n");
    }
    let mut table = Table::new(&["id", "type", "name", "version", "bytes", "by", "changed"], 2);
    for file in &answer.items {
        let when = file.deleted_at.as_deref().unwrap_or(&file.updated_at);
        table.row(vec![
            Cell::styled(plain(&file.id), STRONG),
            Cell::new(plain(&file.file_type)),
            Cell::new(plain(&file.name)),
            Cell::new(file.version.to_string()),
            Cell::new(file.bytes.to_string()),
            Cell::styled(plain(&file.origin), DIM),
            Cell::styled(relative(when, now), if file.deleted_at.is_some() { BAD } else { DIM }),
        ]);
    }
    let mut text = table.render(width);
    if answer.count < answer.total {
        text.push_str(&format!("{DIM}{} of {} files{DIM:#}\n", answer.count, answer.total));
    }
    if let Some(cursor) = &answer.next_cursor {
        text.push_str(&format!("{TIP}hint:{TIP:#} more follow with `--cursor {}`\n", plain(cursor)));
    }
    text
}

/// The answer of `desk show`.
pub(crate) fn document(answer: &DeskDocument) -> String {
    let file = &answer.file;
    let mut text = format!(
        "{STRONG}{}{STRONG:#} {DIM}{} {}, version {}",
        plain(&file.name),
        plain(&file.id),
        plain(&file.file_type),
        answer.shown_version
    );
    if answer.shown_version != file.version {
        text.push_str(&format!(" of {}", file.version));
    }
    text.push_str(&format!("{DIM:#}\n\n{}", lines(&answer.content)));
    if !answer.content.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The answer of `desk tree`.
pub(crate) fn tree(answer: &DeskTree) -> String {
    if answer.items.is_empty() {
        return format!("nothing is on the desk\n{TIP}hint:{TIP:#} `premath desk add` puts a file there\n");
    }
    let mut text = String::new();
    for item in &answer.items {
        let indent = "  ".repeat(usize::try_from(item.depth).unwrap_or(0).min(40));
        let name = plain(&item.name);
        let shown = if item.item_type == "folder" { format!("{STRONG}{name}/{STRONG:#}") } else { name };
        text.push_str(&format!("{indent}{shown}  {DIM}{}{DIM:#}\n", plain(&item.id)));
    }
    text
}

/// The answer of `desk search`.
pub(crate) fn matches(answer: &DeskMatches) -> String {
    if answer.items.is_empty() {
        return "nothing was found\n".to_owned();
    }
    let mut text = String::new();
    for item in &answer.items {
        let (name, id, snippet) = (plain(&item.name), plain(&item.id), plain(&item.snippet));
        text.push_str(&format!("{STRONG}{name}{STRONG:#}  {DIM}{id}{DIM:#}\n    {snippet}\n"));
    }
    text
}

/// The answer of `desk add` and `desk restore`.
pub(crate) fn changed(answer: &DeskChanged, what: &str) -> String {
    let version = answer.version.map(|version| format!(", version {version}")).unwrap_or_default();
    let (name, id, kind) = (plain(&answer.name), plain(&answer.id), plain(&answer.item_type));
    format!("{GOOD}{what}{GOOD:#} {STRONG}{name}{STRONG:#} {DIM}{id}{DIM:#} ({kind}{version})\n")
}

/// The answer of `desk history`.
pub(crate) fn history(answer: &DeskHistory, now: Moment, width: Option<usize>) -> String {
    let mut table = Table::new(&["version", "when", "who", "authority", "what", "name", "bytes"], 5);
    for item in &answer.items {
        let style = if item.is_deleted { BAD } else { anstyle::Style::new() };
        table.row(vec![
            Cell::styled(item.version.to_string(), STRONG),
            Cell::new(relative(&item.at, now)),
            Cell::new(plain(&item.actor)),
            Cell::styled(plain(&item.authority), DIM),
            Cell::styled(plain(&item.changed_by), style),
            Cell::new(plain(&item.name)),
            Cell::new(item.bytes.to_string()),
        ]);
    }
    let id = plain(&answer.file_id);
    table.render(width)
        + &format!("{TIP}hint:{TIP:#} `premath desk restore {id} --version N` goes back to one of them\n")
}
