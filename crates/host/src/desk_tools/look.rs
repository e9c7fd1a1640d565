//! Tools that look at the desk. They change nothing, and what does not fit can be fetched.

use std::sync::Arc;

use premath_bd::desk::{Cells, DeskFile, FileType, Item};
use premath_tusk::policy::Target;
use premath_tusk::tools::{Arguments, SpecError, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};
use premath_wire::time::format_time;
use serde_json::{Map, Value, json};

use super::failure::{at, refused, unread};
use super::pieces::{fitting, output, piece};
use super::shelf::{Shelf, file_target};

/// The most files of a page.
const PAGE: usize = 100;
/// The most files that a search finds.
const MATCHES: usize = 20;

/// What a tool does.
type Look = fn(&Shelf, &Arguments, &ToolContext<'_>) -> Result<ToolOutput, ToolFailure>;

/// A tool that looks.
#[derive(Debug)]
pub(super) struct Looking {
    pub(super) name: &'static str,
    pub(super) scope: &'static str,
    pub(super) description: &'static str,
    /// What a program gets of it.
    pub(super) returns: &'static str,
    pub(super) schema: &'static str,
    pub(super) examples: &'static [&'static str],
    pub(super) look: Look,
}

/// Looks at the desk.
#[derive(Debug)]
pub(super) struct LookTool {
    spec: ToolSpec,
    look: Look,
    shelf: Arc<Shelf>,
}

impl LookTool {
    pub(super) fn new(definition: &'static Looking, shelf: Arc<Shelf>) -> Result<Self, SpecError> {
        let (description, schema) = (definition.description, definition.schema);
        let mut spec =
            ToolSpec::new(definition.name, definition.scope, description, schema, definition.examples)?;
        definition.returns.clone_into(&mut spec.returns);
        Ok(Self { spec, look: definition.look, shelf })
    }
}

impl Tool for LookTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        (self.look)(&self.shelf, arguments, context)
    }

    fn targets(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        match arguments.text("file_id") {
            Some(id) => Ok(vec![file_target(&self.shelf.file(id, "/file_id")?)]),
            None => Ok(Vec::new()),
        }
    }
}

pub(super) fn list(
    shelf: &Shelf,
    arguments: &Arguments,
    context: &ToolContext<'_>,
) -> Result<ToolOutput, ToolFailure> {
    let file_type = arguments.text("file_type").and_then(FileType::from_token);
    let Some(desk) = shelf.desk()? else {
        return Ok(output(&json!({"files": [], "nextCursor": null, "total": 0}), false, String::new()));
    };
    let page = desk.list(file_type, arguments.text("cursor"), PAGE).map_err(|error| unread(&error))?;
    let page = page.map_err(|refusal| at(refused(refusal), "/cursor"))?;
    let written = |count: usize| {
        let files: Vec<Value> = page.files.iter().take(count).map(entry).collect();
        let last = page.files.get(count.wrapping_sub(1)).map(|file| file.id.as_str());
        let is_cut = count < page.files.len();
        let next = if is_cut { last } else { page.next_cursor.as_deref() };
        json!({"files": files, "nextCursor": next, "total": page.total})
    };
    let count = fitting(page.files.len(), context.budget, written);
    let answer = written(count);
    let note = match answer.get("nextCursor").and_then(Value::as_str) {
        Some(cursor) => {
            format!(
                "{count} of {} files; go on with desk_list_files {{\"cursor\": \"{cursor}\"}}",
                page.total
            )
        }
        None => String::new(),
    };
    Ok(output(&answer, !note.is_empty(), note))
}

fn entry(file: &DeskFile) -> Value {
    json!({
        "id": file.id,
        "name": file.name,
        "type": file.file_type.token(),
        "updatedAt": format_time(file.updated_at),
    })
}

pub(super) fn read(
    shelf: &Shelf,
    arguments: &Arguments,
    context: &ToolContext<'_>,
) -> Result<ToolOutput, ToolFailure> {
    let id = arguments.required_text("file_id")?;
    shelf.file(id, "/file_id")?;
    let Some(desk) = shelf.desk()? else {
        return Err(ToolFailure::new("desk.missing", "this repository has no desk"));
    };
    let read = desk.read_file(id, None).map_err(|error| unread(&error))?.map_err(refused)?;
    let content = match arguments.text("range") {
        None => read.content,
        Some(range) if read.file.file_type == FileType::Spreadsheet => {
            within(&Cells::from_content(&read.content).map_err(refused)?, range)
        }
        Some(_) => {
            let message = "only a spreadsheet has cells; leave range out";
            return Err(at(ToolFailure::new("desk_invalid", message), "/range"));
        }
    };
    let file = described(&read.file);
    let written =
        |shown: &str, next: Option<usize>| json!({"file": file, "content": shown, "nextOffset": next});
    let offset = arguments.integer("offset").unwrap_or(0);
    let length = arguments.count("length");
    let Some((start, end)) =
        piece(&content, offset, length, context.budget, |shown| written(shown, Some(content.len())))
    else {
        let message = format!("the content has {} bytes", content.len());
        return Err(at(ToolFailure::new("desk_invalid", message), "/offset"));
    };
    let next = (end < content.len()).then_some(end);
    let note = match next {
        Some(next) => format!(
            "bytes {start} to {end} of {}; read on with desk_read_file {}",
            content.len(),
            json!({"file_id": id, "offset": next})
        ),
        None if start > 0 => format!("bytes {start} to {end} of {}", content.len()),
        None => String::new(),
    };
    let is_cut = next.is_some()
        && length.is_none_or(|length| u64::try_from(end - start).is_ok_and(|shown| shown < length));
    Ok(output(&written(content.get(start..end).unwrap_or_default(), next), is_cut, note))
}

fn described(file: &DeskFile) -> Value {
    json!({
        "id": file.id,
        "name": file.name,
        "type": file.file_type.token(),
        "version": file.version,
        "origin": file.origin.token(),
        "updatedAt": format_time(file.updated_at),
        "bytes": file.bytes,
    })
}

/// The cells of a rectangle.
fn within(cells: &Cells, range: &str) -> String {
    let (from, to) = range.split_once(':').unwrap_or((range, range));
    let ((from_column, from_row), (to_column, to_row)) = (place(from), place(to));
    let columns = from_column.min(to_column)..=from_column.max(to_column);
    let rows = from_row.min(to_row)..=from_row.max(to_row);
    let is_within = |name: &str| {
        let (column, row) = place(name);
        columns.contains(&column) && rows.contains(&row)
    };
    cells.filtered(is_within).content()
}

/// A place as numbers: column and row.
fn place(name: &str) -> (u64, u64) {
    let letters = name.chars().take_while(char::is_ascii_uppercase);
    let column =
        letters.fold(0, |column, letter| column * 26 + u64::from(u32::from(letter) - u32::from('A')) + 1);
    let row = name.trim_start_matches(|letter: char| letter.is_ascii_uppercase()).parse().unwrap_or(0);
    (column, row)
}

pub(super) fn tree(shelf: &Shelf, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
    let mut text = String::new();
    let mut ids = Map::new();
    if let Some(desk) = shelf.desk()? {
        for (at, entry) in desk.tree().map_err(|error| unread(&error))?.iter().enumerate() {
            let number = (at + 1).to_string();
            let slash = if matches!(entry.item, Item::Folder(_)) { "/" } else { "" };
            let indent = "  ".repeat(entry.depth);
            text.push_str(&format!("{indent}{}{slash} [{number}]\n", entry.item.name()));
            ids.insert(number, Value::from(entry.item.id()));
        }
    }
    let note = if ids.is_empty() { "there is nothing on the desk".to_owned() } else { String::new() };
    // Whole, however long: whoever called keeps all of it and shows a part.
    Ok(output(&json!({"tree": text, "ids": ids}), false, note))
}

pub(super) fn search(
    shelf: &Shelf,
    arguments: &Arguments,
    context: &ToolContext<'_>,
) -> Result<ToolOutput, ToolFailure> {
    let query = arguments.required_text("query")?;
    let found = match shelf.desk()? {
        Some(desk) => desk.search(query, MATCHES).map_err(|error| unread(&error))?,
        None => Vec::new(),
    };
    let written = |count: usize| {
        let matches = found.iter().take(count).map(|found| {
            json!({
                "id": found.file.id,
                "name": found.file.name,
                "type": found.file.file_type.token(),
                "snippet": found.snippet,
            })
        });
        json!({"matches": matches.collect::<Vec<_>>()})
    };
    let count = fitting(found.len(), context.budget, written);
    let note = match (found.len(), count) {
        (0, _) => "nothing was found".to_owned(),
        (all, shown) if shown < all => {
            format!("the best {shown} of {all}; ask for more words to find others")
        }
        _ => String::new(),
    };
    Ok(output(&written(count), count < found.len(), note))
}

pub(super) fn panels(shelf: &Shelf, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
    let panels = match shelf.desk()? {
        Some(desk) => desk.panels().map_err(|error| unread(&error))?,
        None => Vec::new(),
    };
    let panel = |(panel, file_type): &(premath_bd::desk::Panel, FileType)| {
        json!({
            "panelId": panel.panel_id,
            "fileId": panel.file_id,
            "fileType": file_type.token(),
            "label": panel.label,
            "focused": panel.is_focused,
            "pinned": panel.is_pinned,
        })
    };
    let note = if panels.is_empty() { "no panel is open".to_owned() } else { String::new() };
    Ok(output(&json!({"panels": panels.iter().map(panel).collect::<Vec<_>>()}), false, note))
}
