//! `desk.*`: how a person fills, reads and repairs the desk. Every change goes through the door, and into the audit log.

use premath_bd::StoreError;
use premath_bd::desk::{
    Applied, Cells, Desk, DeskFile, DeskRefusal, DeskRefusalClass, FileType, Item, Operation, TreeEntry,
    Version,
};
use premath_kernel::Value;
use premath_wire::InputError;
use premath_wire::time::format_time;
use premath_wire::v1::{
    DeskChanged, DeskDocument, DeskFileRow, DeskHistory, DeskListing, DeskMatch, DeskMatches, DeskTree,
    DeskTreeRow, DeskVersion, RefusedAnswer, RefusedBecause,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, id, invalid, token, told};
use crate::desk_store::{desk_path, existing_desk, open_desk, publish};
use crate::table::{ActionError, Answer, Host, Nothing};
use crate::workspace::shown;

/// How many files are listed when nobody says.
const LISTED: u64 = 50;
/// How many files a search finds when nobody says.
const FOUND: u64 = 20;

/// What `desk.list` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// Only files of this type: `markdown` or `spreadsheet`.
    #[serde(rename = "type")]
    file_type: Option<String>,
    /// Where an earlier answer stopped.
    cursor: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
    /// Whether deleted files are listed, and only those.
    deleted: bool,
}

/// What `desk.show` and `desk.restore` take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionArgs {
    /// The file or the folder: its id, or its name where only one is called that.
    id: String,
    /// The version; the latest when absent.
    version: Option<u64>,
}

/// What `desk.history` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryArgs {
    /// The file: its id, or its name where only one is called that.
    id: String,
}

/// What `desk.search` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchArgs {
    /// What to look for.
    query: String,
    /// The most to answer with.
    limit: Option<u64>,
}

/// What `desk.add` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddArgs {
    /// What to call it.
    name: String,
    /// `markdown`, `spreadsheet` or `folder`.
    #[serde(rename = "type")]
    item_type: Option<String>,
    /// The folder to put it into: its id, or its name where only one is called that.
    folder: Option<String>,
    /// A text, or the cells of a spreadsheet in JSON.
    content: Option<String>,
}

/// `desk.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let file_type = told(args.file_type.as_deref())
        .map(|text| token(text, "type", &FileType::ALL, FileType::token))
        .transpose()?;
    let limit = usize::try_from(args.limit.unwrap_or(LISTED)).unwrap_or(usize::MAX);
    let mut listing = DeskListing {
        action: "desk.list".to_owned(),
        desk_path: shown(&desk_path(host.workspace)),
        count: 0,
        total: 0,
        items: Vec::new(),
        next_cursor: None,
    };
    let Some(desk) = existing_desk(host.workspace)? else { return Answer::new("ok", &listing) };
    if args.deleted {
        let files = desk.deleted(usize::MAX)?;
        let files = files.iter().filter(|file| file_type.is_none_or(|wanted| wanted == file.file_type));
        let files: Vec<DeskFileRow> = files.map(row).collect();
        listing.total = count(files.len());
        listing.items = files.into_iter().take(limit).collect();
    } else {
        let page = match desk.list(file_type, told(args.cursor.as_deref()), limit)? {
            Ok(page) => page,
            Err(refusal) => return refuse(host, "desk.list", &refusal),
        };
        listing.total = page.total;
        listing.items = page.files.iter().map(row).collect();
        listing.next_cursor = page.next_cursor;
    }
    listing.count = count(listing.items.len());
    Answer::new("ok", &listing)
}

/// `desk.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.show";
    let args: VersionArgs = arguments(args)?;
    let read = match named(host, &args.id)? {
        Ok((desk, id)) => desk.read_file(&id, args.version)?,
        Err(refusal) => Err(refusal),
    };
    let read = match read {
        Ok(read) => read,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    let document = DeskDocument {
        action: ACTION.to_owned(),
        desk_path: shown(&desk_path(host.workspace)),
        shown_version: args.version.unwrap_or(read.file.version),
        file: row(&read.file),
        content: read.content,
    };
    Answer::new("ok", &document)
}

/// `desk.tree`
pub(crate) fn tree(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let entries = match existing_desk(host.workspace)? {
        Some(desk) => desk.tree()?,
        None => Vec::new(),
    };
    let line = |entry: &TreeEntry| DeskTreeRow {
        depth: count(entry.depth),
        id: entry.item.id().to_owned(),
        name: entry.item.name().to_owned(),
        item_type: item_type(&entry.item).to_owned(),
    };
    let items: Vec<DeskTreeRow> = entries.iter().map(line).collect();
    let desk_path = shown(&desk_path(host.workspace));
    Answer::new(
        "ok",
        &DeskTree { action: "desk.tree".to_owned(), desk_path, count: count(items.len()), items },
    )
}

/// `desk.search`
pub(crate) fn search(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: SearchArgs = arguments(args)?;
    let query = told(Some(&args.query)).ok_or_else(|| invalid("a search needs words", "query"))?;
    let limit = usize::try_from(args.limit.unwrap_or(FOUND)).unwrap_or(usize::MAX);
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.search(query, limit)?,
        None => Vec::new(),
    };
    let items: Vec<DeskMatch> = found
        .into_iter()
        .map(|found| DeskMatch {
            id: found.file.id,
            name: found.file.name,
            file_type: found.file.file_type.token().to_owned(),
            snippet: found.snippet,
        })
        .collect();
    let answer = DeskMatches {
        action: "desk.search".to_owned(),
        desk_path: shown(&desk_path(host.workspace)),
        query: query.to_owned(),
        count: count(items.len()),
        items,
    };
    Answer::new("ok", &answer)
}

/// `desk.history`
pub(crate) fn history(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.history";
    let args: HistoryArgs = arguments(args)?;
    let (desk, id) = match named(host, &args.id)? {
        Ok(named) => named,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    let versions = match desk.history(&id)? {
        Ok(versions) => versions,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    let items: Vec<DeskVersion> = versions.iter().map(version).collect();
    let answer = DeskHistory {
        action: ACTION.to_owned(),
        desk_path: shown(&desk_path(host.workspace)),
        file_id: id,
        count: count(items.len()),
        items,
    };
    Answer::new("ok", &answer)
}

/// `desk.add`
pub(crate) fn add(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.add";
    let args: AddArgs = arguments(args)?;
    let folder = match told(args.folder.as_deref()) {
        None => None,
        Some(text) => match named(host, text)? {
            Ok((_, id)) => Some(id),
            Err(refusal) => return refuse(host, ACTION, &refusal),
        },
    };
    match new_item(&args, folder)? {
        Ok(operation) => change(host, ACTION, &operation),
        Err(refusal) => refuse(host, ACTION, &refusal),
    }
}

fn new_item(args: &AddArgs, folder: Option<String>) -> Result<Result<Operation, DeskRefusal>, InputError> {
    let name = args.name.trim().to_owned();
    let content = || args.content.clone().unwrap_or_default();
    Ok(Ok(match told(args.item_type.as_deref()).unwrap_or("markdown") {
        "markdown" => Operation::CreateMarkdown { name, folder, content: content() },
        "spreadsheet" => {
            let text = args.content.as_deref().unwrap_or("{}");
            match Cells::from_content(text) {
                Ok(cells) => Operation::CreateSpreadsheet { name, folder, cells },
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        "folder" if args.content.is_some() => return Err(invalid("a folder has no content", "content")),
        "folder" => Operation::CreateFolder { name, parent: folder },
        other => {
            let what = format!("`{}` is none of markdown, spreadsheet, folder", other.escape_debug());
            return Err(invalid(what, "type"));
        }
    }))
}

/// `desk.restore`
pub(crate) fn restore(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.restore";
    let args: VersionArgs = arguments(args)?;
    let (desk, id) = match named(host, &args.id)? {
        Ok(named) => named,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    let operation = match desk.item(&id)? {
        Some(Item::Folder(_)) if args.version.is_some() => {
            return Err(invalid("a folder has no versions", "version").into());
        }
        Some(Item::Folder(_)) => Operation::RestoreFolder { folder: id },
        Some(Item::File(_)) | None => Operation::RestoreFile { file: id, version: args.version },
    };
    drop(desk);
    change(host, ACTION, &operation)
}

/// Makes one change through the door, and moves what the desk noted to the audit log.
pub(super) fn change(
    host: &Host<'_>,
    action: &'static str,
    operation: &Operation,
) -> Result<Answer, ActionError> {
    let workspace = host.workspace;
    let permit = match workspace.door.permit(action) {
        Ok(permit) => permit,
        Err(refusal) => return refused(host, action, (refusal.class, &refusal.detail, &refusal.hint)),
    };
    let desk = opened(host)?;
    let by = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let applied = desk.apply(permit, operation, &by)?;
    publish(workspace, &desk)?;
    let written = match applied {
        Applied::Written(written) | Applied::Repeated(written) => written,
        Applied::Refused(refusal) => return refuse(host, action, &refusal),
    };
    let answer = DeskChanged {
        action: action.to_owned(),
        desk_path: shown(&desk_path(workspace)),
        id: written.item.id().to_owned(),
        name: written.item.name().to_owned(),
        item_type: item_type(&written.item).to_owned(),
        version: written.version,
    };
    Answer::new("accepted", &answer)
}

/// The desk, made where there is none. A folder that is no repository gets none.
fn opened(host: &Host<'_>) -> Result<Desk, StoreError> {
    open_desk(host.workspace).map_err(|error| match error {
        StoreError::Missing { .. } => StoreError::Missing { path: host.workspace.root.join(".premath") },
        StoreError::Busy { .. }
        | StoreError::Io { .. }
        | StoreError::Poisoned { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Newer { .. }
        | StoreError::Untrusted { .. }
        | StoreError::DerivedDamaged { .. }
        | StoreError::Input(_) => error,
    })
}

/// The desk and the id of what an argument names: by its id, or by its name where only one thing is called that.
pub(super) fn named(host: &Host<'_>, text: &str) -> Result<Result<(Desk, String), DeskRefusal>, ActionError> {
    let text = id(text, "id")?;
    let not_found = || DeskRefusal {
        class: DeskRefusalClass::NotFound,
        detail: format!("nothing is called `{}`", text.escape_debug()),
    };
    let Some(desk) = existing_desk(host.workspace)? else { return Ok(Err(not_found())) };
    if desk.item(&text)?.is_some() {
        return Ok(Ok((desk, text)));
    }
    let mut called = desk.called(&text)?;
    Ok(match (called.pop(), called.is_empty()) {
        (None, _) => Err(not_found()),
        (Some(id), true) => Ok((desk, id)),
        (Some(id), false) => {
            called.push(id);
            let detail = format!("several things are called that: {}", called.join(", "));
            Err(DeskRefusal { class: DeskRefusalClass::Invalid, detail })
        }
    })
}

pub(super) fn refuse(host: &Host<'_>, action: &str, refusal: &DeskRefusal) -> Result<Answer, ActionError> {
    refused(host, action, (refusal.class.code(), &refusal.detail, refusal.class.hint()))
}

fn refused(
    host: &Host<'_>,
    action: &str,
    (class, detail, hint): (&str, &str, &str),
) -> Result<Answer, ActionError> {
    let refused =
        RefusedBecause { class: class.to_owned(), detail: detail.to_owned(), hint: hint.to_owned() };
    let issues_path = shown(&host.workspace.issues_path(None));
    Answer::refused(class, &RefusedAnswer { action: action.to_owned(), issues_path, refused })
}

fn row(file: &DeskFile) -> DeskFileRow {
    DeskFileRow {
        id: file.id.clone(),
        name: file.name.clone(),
        file_type: file.file_type.token().to_owned(),
        folder: file.folder.clone(),
        origin: file.origin.token().to_owned(),
        created_by: file.created_by.clone(),
        created_at: format_time(file.created_at),
        updated_at: format_time(file.updated_at),
        version: file.version,
        digest: file.digest.clone(),
        bytes: file.bytes,
        deleted_at: file.deleted_at.map(format_time),
    }
}

fn version(version: &Version) -> DeskVersion {
    let authority = version.authority.as_object();
    let said = |name: &str| authority?.get(name)?.as_text().map(str::to_owned);
    DeskVersion {
        version: version.version,
        name: version.name.clone(),
        at: format_time(version.at),
        changed_by: version.action.clone(),
        actor: version.actor.clone(),
        authority: said("authority").unwrap_or_default(),
        turn_digest: said("turn_digest"),
        intent_digest: said("intent_digest"),
        digest: version.digest.clone(),
        bytes: version.bytes,
        is_deleted: version.is_deleted,
    }
}

const fn item_type(item: &Item) -> &'static str {
    match item {
        Item::File(file) => file.file_type.token(),
        Item::Folder(_) => "folder",
    }
}
