//! Tools that ask for a change of the desk. Whatever would be refused is refused at once, by trying it and keeping nothing;
//! what would work becomes an intent, and happens when the turn is closed and admitted.

use std::sync::Arc;

use premath_bd::Change;
use premath_bd::desk::{CellUpdate, Cells, Edit, FileType, Item, Operation, Rehearsal, TextChange};
use premath_kernel::Value as Canonical;
use premath_tusk::policy::Target;
use premath_tusk::tools::{
    Arguments, PendingIntent, Risk, SpecError, Tool, ToolContext, ToolFailure, ToolKind, ToolOutput,
    ToolSpec, text_diff,
};
use premath_wire::strict::{Limits, parse};
use serde_json::{Value, json};

use super::effects::effects;
use super::failure::{at, refused};
use super::pieces::output;
use super::shelf::{Shelf, file_target, folder_preview, folder_target, shown};

/// From arguments to the change they ask for.
type Plan = fn(&Shelf, &Arguments) -> Result<Operation, ToolFailure>;

/// A tool that asks.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) name: &'static str,
    pub(super) scope: &'static str,
    pub(super) risk: Risk,
    pub(super) description: &'static str,
    pub(super) schema: &'static str,
    pub(super) examples: &'static [&'static str],
    pub(super) plan: Plan,
}

/// Asks for a change of the desk.
#[derive(Debug)]
pub(super) struct AskTool {
    spec: ToolSpec,
    plan: Plan,
    shelf: Arc<Shelf>,
}

impl AskTool {
    pub(super) fn new(definition: &'static Asking, shelf: Arc<Shelf>) -> Result<Self, SpecError> {
        let (description, schema) = (definition.description, definition.schema);
        let mut spec =
            ToolSpec::new(definition.name, definition.scope, description, schema, definition.examples)?;
        spec.kind = ToolKind::Intent;
        spec.risk = definition.risk;
        Ok(Self { spec, plan: definition.plan, shelf })
    }

    fn tried(&self, arguments: &Arguments) -> Result<(Operation, Rehearsal), ToolFailure> {
        let operation = (self.plan)(&self.shelf, arguments)?;
        let rehearsal = self.shelf.rehearse(&operation)?;
        Ok((operation, rehearsal))
    }
}

impl Tool for AskTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        let (operation, rehearsal) = self.tried(arguments)?;
        let answer = json!({"effects": effects(&operation, &rehearsal.item)});
        let note = described(&operation, rehearsal.item.name());
        let change = Change::Desk(operation);
        let intent = Some(PendingIntent { action: change.action(), change, targets: Vec::new() });
        Ok(ToolOutput { intent, ..output(&answer, false, note) })
    }

    fn targets(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        if let Some(id) = arguments.text("file_id") {
            return Ok(vec![file_target(&self.shelf.file(id, "/file_id")?)]);
        }
        match arguments.text("id") {
            Some(id) if self.spec.name == "desk_delete_folder" => {
                let (folder, files) = self.shelf.folder(id, "/id")?;
                Ok(vec![folder_target(&folder, &files)])
            }
            Some(id) => Ok(vec![file_target(&self.shelf.file(id, "/id")?)]),
            // What is not there yet has no name to be known by.
            None => Ok(Vec::new()),
        }
    }

    fn preview(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<Option<String>, ToolFailure> {
        let (operation, rehearsal) = self.tried(arguments)?;
        let name = rehearsal.item.name();
        Ok(match operation {
            Operation::RenameFile { .. } => {
                let before = self.shelf.file(arguments.required_text("file_id")?, "/file_id")?.name;
                Some(format!("rename {}\nto     {}\n", shown(&before), shown(name)))
            }
            Operation::DeleteFolder { folder } => {
                let (folder, files) = self.shelf.folder(&folder, "/id")?;
                Some(folder_preview(&folder, &files))
            }
            Operation::RestoreFolder { .. } | Operation::CreateFolder { .. } => None,
            Operation::CreateMarkdown { .. }
            | Operation::CreateSpreadsheet { .. }
            | Operation::UpdateMarkdown { .. }
            | Operation::UpdateCells { .. }
            | Operation::DeleteFile { .. }
            | Operation::RestoreFile { .. } => {
                let is_sheet =
                    matches!(&rehearsal.item, Item::File(file) if file.file_type == FileType::Spreadsheet);
                let text = |content: &Option<String>| match content {
                    Some(content) if is_sheet => Some(lines(content)),
                    content => content.clone(),
                };
                let (before, after) = (text(&rehearsal.before), text(&rehearsal.after));
                Some(text_diff(name, before.as_deref(), after.as_deref()))
            }
        })
    }
}

/// Cells are one line of JSON; a diff of them needs a line each.
fn lines(content: &str) -> String {
    Cells::from_content(content).map_or_else(|_| content.to_owned(), |cells| cells.lines())
}

/// What would happen, and that it has not.
fn described(operation: &Operation, name: &str) -> String {
    let name = shown(name);
    let what = match operation {
        Operation::CreateMarkdown { .. } | Operation::CreateSpreadsheet { .. } => {
            format!("`{name}` is created")
        }
        Operation::CreateFolder { .. } => format!("the folder `{name}` is created"),
        Operation::UpdateMarkdown { version, .. } | Operation::UpdateCells { version, .. } => {
            format!("`{name}` becomes version {}", version + 1)
        }
        Operation::RenameFile { .. } => format!("the file is called `{name}`"),
        Operation::DeleteFile { .. } => format!("`{name}` is deleted"),
        Operation::DeleteFolder { .. } => format!("the folder `{name}` is deleted with everything in it"),
        Operation::RestoreFile { .. } | Operation::RestoreFolder { .. } => format!("`{name}` is restored"),
    };
    format!(
        "nothing has changed yet: once this turn is closed and admitted, {what}; the next turn says what came of it"
    )
}

pub(super) fn update_cells(shelf: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let file = shelf.file(arguments.required_text("file_id")?, "/file_id")?.id;
    let updates = arguments.value().get("updates").and_then(Value::as_array).into_iter().flatten();
    let update = |update: &Value| {
        let cell = update.get("cell").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(CellUpdate { cell, value: canonical(update.get("value").unwrap_or(&Value::Null))? })
    };
    let updates = updates.map(update).collect::<Result<_, ToolFailure>>()?;
    Ok(Operation::UpdateCells { file, version: version(arguments)?, updates })
}

pub(super) fn rename(shelf: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let file = shelf.file(arguments.required_text("file_id")?, "/file_id")?.id;
    let name = arguments.required_text("name")?.trim().to_owned();
    Ok(Operation::RenameFile { file, name, version: None })
}

pub(super) fn update_markdown(shelf: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let file = shelf.file(arguments.required_text("file_id")?, "/file_id")?.id;
    let patch = arguments.value().get("patch").and_then(Value::as_array);
    let change = match (arguments.text("content"), patch) {
        (Some(content), None) => TextChange::Content(content.to_owned()),
        (None, Some(edits)) => {
            let text = |edit: &Value, name: &str| {
                edit.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            TextChange::Patch(
                edits.iter().map(|edit| Edit { old: text(edit, "old"), new: text(edit, "new") }).collect(),
            )
        }
        (Some(_), Some(_)) | (None, None) => {
            let failure =
                ToolFailure::new("tool.schema_invalid", "give `content` or `patch`, one of the two");
            return Err(at(at(failure, "/content"), "/patch"));
        }
    };
    Ok(Operation::UpdateMarkdown { file, version: version(arguments)?, change })
}

pub(super) fn create_spreadsheet(_: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let cells = canonical(arguments.value().get("cells").unwrap_or(&Value::Null))?;
    let cells = Cells::read(cells).map_err(|refusal| at(refused(refusal), "/cells"))?;
    let name = arguments.required_text("name")?.trim().to_owned();
    Ok(Operation::CreateSpreadsheet { name, folder: None, cells })
}

pub(super) fn create_markdown(_: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let name = arguments.required_text("name")?.trim().to_owned();
    let content = arguments.required_text("content")?.to_owned();
    Ok(Operation::CreateMarkdown { name, folder: None, content })
}

pub(super) fn delete_file(shelf: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let file = shelf.file(arguments.required_text("id")?, "/id")?;
    // Whoever agrees agrees to the loss of what is there now, and not of what somebody wrote since.
    Ok(Operation::DeleteFile { file: file.id, version: Some(file.version) })
}

pub(super) fn delete_folder(shelf: &Shelf, arguments: &Arguments) -> Result<Operation, ToolFailure> {
    let (folder, _) = shelf.folder(arguments.required_text("id")?, "/id")?;
    Ok(Operation::DeleteFolder { folder: folder.id })
}

fn version(arguments: &Arguments) -> Result<u64, ToolFailure> {
    let missing = || at(ToolFailure::new("tool.schema_invalid", "`version` is missing"), "/version");
    arguments.count("version").ok_or_else(missing)
}

/// A value as digests know it.
pub(super) fn canonical(value: &Value) -> Result<Canonical<'static>, ToolFailure> {
    let text = value.to_string();
    match parse(text.as_bytes(), Limits::default()) {
        Ok(value) => Ok(value.into_owned()),
        Err(error) => Err(ToolFailure::new("tool.schema_invalid", error.to_string())),
    }
}
