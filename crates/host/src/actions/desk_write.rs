//! `desk.write`, `desk.rename` and `desk.delete`: a person's own changes of what lies on the desk.
//!
//! Each makes a version like any other change, and can be taken back. A content names the version that was read, so that
//! nobody writes over what they have not seen. It must not change anything without a permit.

use premath_bd::desk::{CellUpdate, DeskRefusal, DeskRefusalClass, FileType, Item, Operation, TextChange};
use premath_kernel::Value;
use premath_wire::Json;
use premath_wire::strict::{Limits, parse};
use schemars::JsonSchema;
use serde::Deserialize;

use super::desk::{change, named, refuse};
use super::issue::{arguments, invalid};
use crate::table::{ActionError, Answer, Host};

/// What `desk.write` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteArgs {
    /// The file: its id, or its name where only one is called that.
    id: String,
    /// The version that was read.
    version: u64,
    /// The whole text of a markdown file; of a spreadsheet, updates as JSON: `[{"cell": "B2", "value": 3}]`.
    content: Option<String>,
    /// Values of a spreadsheet.
    updates: Option<Vec<CellArgs>>,
}

/// One value of a spreadsheet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CellArgs {
    /// Where, for example `B12`.
    cell: String,
    /// A text, a number, a flag, or null for no value.
    value: Json,
}

/// What `desk.rename` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenameArgs {
    /// The file: its id, or its name where only one is called that.
    id: String,
    /// What to call it.
    name: String,
    /// The version that was seen, where it matters.
    version: Option<u64>,
}

/// What `desk.delete` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeleteArgs {
    /// The file or the folder: its id, or its name where only one is called that.
    id: String,
    /// The version that was seen, where it matters.
    version: Option<u64>,
}

/// `desk.write`
pub(crate) fn write(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.write";
    let args: WriteArgs = arguments(args)?;
    let (desk, file) = match named(host, &args.id)? {
        Ok(named) => named,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    let item = desk.item(&file)?;
    drop(desk);
    let file_type = match item {
        Some(Item::File(found)) => found.file_type,
        Some(Item::Folder(_)) | None => {
            let detail = format!("`{}` is no file", args.id.escape_debug());
            return refuse(host, ACTION, &DeskRefusal { class: DeskRefusalClass::Invalid, detail });
        }
    };
    let version = args.version;
    let operation = match (file_type, args.content, args.updates) {
        (FileType::Markdown, Some(content), None) => {
            Operation::UpdateMarkdown { file, version, change: TextChange::Content(content) }
        }
        (FileType::Spreadsheet, None, Some(updates)) => {
            Operation::UpdateCells { file, version, updates: updates.into_iter().map(update).collect() }
        }
        (FileType::Spreadsheet, Some(content), None) => {
            Operation::UpdateCells { file, version, updates: read_updates(&content)? }
        }
        (FileType::Markdown, _, Some(_)) => {
            return Err(invalid("a markdown file has no cells; give its content", "updates").into());
        }
        (FileType::Spreadsheet, Some(_), Some(_)) => {
            return Err(invalid("give the content or the updates, not both", "updates").into());
        }
        (_, None, None) => return Err(invalid("there is nothing to write", "content").into()),
    };
    change(host, ACTION, &operation)
}

fn update(cell: CellArgs) -> CellUpdate {
    CellUpdate { cell: cell.cell, value: cell.value.0 }
}

/// Updates that somebody wrote into a file.
fn read_updates(content: &str) -> Result<Vec<CellUpdate>, ActionError> {
    let expected = || invalid(r#"expected updates such as [{"cell": "B2", "value": 3}]"#, "content");
    let read = parse(content.as_bytes(), Limits::default())
        .map_err(|error| invalid(format!("the updates are no JSON: {error}"), "content"))?
        .into_owned();
    let rows = read.as_array().ok_or_else(expected)?;
    let mut updates = Vec::with_capacity(rows.len());
    for row in rows {
        let members = row.as_object().ok_or_else(expected)?;
        let cell = members.get("cell").and_then(Value::as_text).ok_or_else(expected)?;
        let value = members.get("value").ok_or_else(expected)?;
        if members.iter().any(|(name, _)| !matches!(name, "cell" | "value")) {
            return Err(expected().into());
        }
        updates.push(CellUpdate { cell: cell.to_owned(), value: value.clone() });
    }
    Ok(updates)
}

/// `desk.rename`
pub(crate) fn rename(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.rename";
    let args: RenameArgs = arguments(args)?;
    let (desk, file) = match named(host, &args.id)? {
        Ok(named) => named,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    if let Some(Item::Folder(_)) = desk.item(&file)? {
        let detail = "a folder keeps its name".to_owned();
        return refuse(host, ACTION, &DeskRefusal { class: DeskRefusalClass::Invalid, detail });
    }
    drop(desk);
    let name = args.name.trim().to_owned();
    change(host, ACTION, &Operation::RenameFile { file, name, version: args.version })
}

/// `desk.delete`
pub(crate) fn delete(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "desk.delete";
    let args: DeleteArgs = arguments(args)?;
    let (desk, id) = match named(host, &args.id)? {
        Ok(named) => named,
        Err(refusal) => return refuse(host, ACTION, &refusal),
    };
    let operation = match desk.item(&id)? {
        Some(Item::Folder(_)) if args.version.is_some() => {
            return Err(invalid("a folder has no versions", "version").into());
        }
        Some(Item::Folder(_)) => Operation::DeleteFolder { folder: id },
        Some(Item::File(_)) | None => Operation::DeleteFile { file: id, version: args.version },
    };
    drop(desk);
    change(host, ACTION, &operation)
}
