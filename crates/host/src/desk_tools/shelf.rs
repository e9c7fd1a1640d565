//! The desk as tools reach it: opened once, when there is one, and never made by looking.

use std::sync::{Arc, Mutex, PoisonError};

use premath_bd::desk::{Desk, DeskFile, Folder, Item, Operation, Origin as DeskOrigin, Rehearsal};
use premath_kernel::{Digest, Object};
use premath_tusk::policy::{Origin, Target};
use premath_tusk::tools::{ToolFailure, closest};

use super::failure::{at, refused, unread};
use crate::desk_store::existing_desk;
use crate::workspace::Workspace;

/// So many files are looked at for what may have been meant.
const LOOKED_AT: usize = 500;
/// So many files of a folder are named to whoever is asked about it.
const NAMED: usize = 20;

/// The desk of a repository.
#[derive(Debug)]
pub(super) struct Shelf {
    workspace: Workspace,
    open: Mutex<Option<Arc<Desk>>>,
}

impl Shelf {
    pub(super) fn new(workspace: &Workspace) -> Self {
        Self { workspace: workspace.clone(), open: Mutex::new(None) }
    }

    /// The desk; none while nobody has put anything on it.
    pub(super) fn desk(&self) -> Result<Option<Arc<Desk>>, ToolFailure> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none() {
            *open = existing_desk(&self.workspace).map_err(|error| unread(&error))?.map(Arc::new);
        }
        Ok(open.clone())
    }

    /// The file that an argument names, not deleted.
    pub(super) fn file(&self, id: &str, pointer: &str) -> Result<DeskFile, ToolFailure> {
        match self.item(id)? {
            Some(Item::File(file)) if file.deleted_at.is_none() => Ok(file),
            Some(Item::File(file)) => {
                let message = format!("`{}` is deleted; a person can restore it", file.name);
                Err(at(ToolFailure::new("desk_deleted", message), pointer))
            }
            Some(Item::Folder(_)) | None => Err(at(self.missing("file", id)?, pointer)),
        }
    }

    /// The folder that an argument names, not deleted, and the files that are in it and below.
    pub(super) fn folder(&self, id: &str, pointer: &str) -> Result<(Folder, Vec<DeskFile>), ToolFailure> {
        match self.item(id)? {
            Some(Item::Folder(folder)) if folder.deleted_at.is_none() => {
                let files = self.files_below(&folder.id)?;
                Ok((folder, files))
            }
            Some(Item::Folder(folder)) => {
                let message = format!("folder `{}` is deleted; a person can restore it", folder.name);
                Err(at(ToolFailure::new("desk_deleted", message), pointer))
            }
            Some(Item::File(_)) | None => Err(at(self.missing("folder", id)?, pointer)),
        }
    }

    /// What a change would do. Where there is no desk yet, it is tried on an empty one.
    pub(super) fn rehearse(&self, operation: &Operation) -> Result<Rehearsal, ToolFailure> {
        let rehearsed = match self.desk()? {
            Some(desk) => desk.rehearse(operation),
            None => {
                let (clock, ids) = (Arc::clone(&self.workspace.clock), Arc::clone(&self.workspace.ids));
                Desk::in_memory(clock, ids).and_then(|desk| desk.rehearse(operation))
            }
        };
        rehearsed.map_err(|error| unread(&error))?.map_err(refused)
    }

    fn item(&self, id: &str) -> Result<Option<Item>, ToolFailure> {
        match self.desk()? {
            Some(desk) => desk.item(id).map_err(|error| unread(&error)),
            None => Ok(None),
        }
    }

    fn files_below(&self, folder: &str) -> Result<Vec<DeskFile>, ToolFailure> {
        let Some(desk) = self.desk()? else { return Ok(Vec::new()) };
        let tree = desk.tree().map_err(|error| unread(&error))?;
        let mut entries = tree.into_iter().skip_while(|entry| entry.item.id() != folder);
        let Some(top) = entries.next() else { return Ok(Vec::new()) };
        let below = entries.take_while(|entry| entry.depth > top.depth);
        let file = |item| match item {
            Item::File(file) => Some(file),
            Item::Folder(_) => None,
        };
        Ok(below.filter_map(|entry| file(entry.item)).collect())
    }

    /// The same text without what must not be kept.
    pub(super) fn redacted(&self, text: &str) -> String {
        self.workspace.redactor.text(text).into_owned()
    }

    /// That there is no such thing, with those that may have been meant, by id and by name.
    fn missing(&self, kind: &str, id: &str) -> Result<ToolFailure, ToolFailure> {
        let message = format!("there is no {kind} `{}`; desk_file_tree shows what there is", shown(id));
        let failure = ToolFailure::new("desk_not_found", message);
        let Some(desk) = self.desk()? else { return Ok(failure) };
        let tree = desk.tree().map_err(|error| unread(&error))?;
        let items: Vec<&Item> = tree
            .iter()
            .map(|entry| &entry.item)
            .filter(|item| item.kind().ends_with(kind))
            .take(LOOKED_AT)
            .collect();
        let mut near = closest(id, items.iter().map(|item| item.name()));
        near.extend(closest(id, items.iter().map(|item| item.id())));
        let meant =
            items.iter().filter(|item| near.iter().any(|near| near == item.name() || near == item.id()));
        Ok(failure
            .with_closest(meant.map(|item| format!("{} `{}`", item.id(), item.name())).take(5).collect()))
    }
}

/// A file as policy sees it.
pub(super) fn file_target(file: &DeskFile) -> Target {
    Target {
        kind: "desk_file".to_owned(),
        id: file.id.clone(),
        name: file.name.clone(),
        origin: origin(file.origin),
    }
}

/// A folder as policy sees it: with how much goes with it, so that a yes for two files is none for three.
pub(super) fn folder_target(folder: &Folder, files: &[DeskFile]) -> Target {
    Target {
        kind: "desk_folder".to_owned(),
        id: folder.id.clone(),
        name: format!("{} ({})", folder.name, counted(files)),
        origin: origin(folder.origin),
    }
}

/// What goes with a folder that is deleted: the first files by name and version, how many more there are, and a digest that
/// is another one as soon as any of them is.
pub(super) fn folder_preview(folder: &Folder, files: &[DeskFile]) -> String {
    let mut text = format!("delete folder {} with {}\n", shown(&folder.name), counted(files));
    for file in files.iter().take(NAMED) {
        text.push_str(&format!("  {} (version {})\n", shown(&file.name), file.version));
    }
    if let Some(more @ 1..) = files.len().checked_sub(NAMED) {
        text.push_str(&format!("  and {more} more\n"));
    }
    let file = |file: &DeskFile| {
        Object::fields()
            .field("id", file.id.clone())
            .field("name", file.name.clone())
            .field("version", file.version.to_string())
            .finish()
    };
    let digest = Digest::of_array(files.iter().map(file));
    text.push_str(&format!("all of it: {digest}\n"));
    text
}

fn counted(files: &[DeskFile]) -> String {
    if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) }
}

const fn origin(origin: DeskOrigin) -> Origin {
    match origin {
        DeskOrigin::Person => Origin::Person,
        DeskOrigin::Bot => Origin::Bot,
    }
}

/// What somebody wrote, on one line and not too long.
pub(super) fn shown(text: &str) -> String {
    let line: String = text.chars().take(80).collect();
    line.escape_debug().to_string()
}
