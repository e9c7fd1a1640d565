//! Changes of one file: made, written, patched, renamed, deleted, restored.

use rusqlite::{OptionalExtension as _, params};

use super::super::answer::{DeskRefusalClass, Stop};
use super::super::cells::{CellUpdate, Cells};
use super::super::file::{DeskFile, FileType, signed};
use super::super::operation::{Edit, TextChange};
use super::super::read::content_row;
use super::bench::{Bench, Next, check_name, not_found};

impl Bench<'_> {
    pub(super) fn create_markdown(
        &self,
        id: &str,
        name: &str,
        folder: Option<&str>,
        content: &str,
    ) -> Result<u64, Stop> {
        self.found(id, name, FileType::Markdown, folder, content)
    }

    pub(super) fn create_spreadsheet(
        &self,
        id: &str,
        name: &str,
        folder: Option<&str>,
        cells: &Cells,
    ) -> Result<u64, Stop> {
        self.found(id, name, FileType::Spreadsheet, folder, &cells.content())
    }

    pub(super) fn update_markdown(&self, id: &str, version: u64, change: &TextChange) -> Result<u64, Stop> {
        let file = self.current(id, Some(version))?;
        of_type(&file, FileType::Markdown)?;
        let content = match change {
            TextChange::Content(content) => content.clone(),
            TextChange::Patch(edits) => patched(self.content(&file)?, edits)?,
        };
        self.put(&file, Next { content: Some(content), ..Next::like(&file) })
    }

    pub(super) fn update_cells(&self, id: &str, version: u64, updates: &[CellUpdate]) -> Result<u64, Stop> {
        let file = self.current(id, Some(version))?;
        of_type(&file, FileType::Spreadsheet)?;
        let cells = Cells::from_content(&self.content(&file)?)?.updated(updates)?;
        self.put(&file, Next { content: Some(cells.content()), ..Next::like(&file) })
    }

    pub(super) fn rename(&self, id: &str, name: &str, version: Option<u64>) -> Result<u64, Stop> {
        check_name(name)?;
        let file = self.current(id, version)?;
        self.put(&file, Next { name: name.to_owned(), ..Next::like(&file) })
    }

    pub(super) fn delete_file(&self, id: &str, version: Option<u64>) -> Result<u64, Stop> {
        let file = self.current(id, version)?;
        self.put(&file, Next { is_deleted: true, ..Next::like(&file) })
    }

    pub(super) fn restore_file(&self, id: &str, version: Option<u64>) -> Result<u64, Stop> {
        let file = self.file(id)?;
        let Some(version) = version else {
            if file.deleted_at.is_none() {
                let detail = format!("`{}` ({id}) is not deleted", file.name);
                return Err(Stop::refused(DeskRefusalClass::NotDeleted, detail));
            }
            let folder = self.nearest_living(file.folder.as_deref())?;
            return self.put(&file, Next { folder, is_deleted: false, ..Next::like(&file) });
        };
        let query = "SELECT name, folder, digest FROM versions WHERE file = ?1 AND version = ?2";
        let found = self.writing.transaction.query_row(query, params![id, signed(version)], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, String>(2)?))
        });
        let Some((name, folder, digest)) = found.optional()? else {
            return Err(not_found("version", &format!("{id} {version}")));
        };
        let folder = self.nearest_living(folder.as_deref())?;
        let content =
            if digest == file.digest { None } else { Some(content_row(&self.writing.transaction, &digest)?) };
        self.put(&file, Next { name, folder, content, is_deleted: false })
    }

    /// The file that must be there, not deleted, and of that version where one is named.
    fn current(&self, id: &str, version: Option<u64>) -> Result<DeskFile, Stop> {
        let file = self.file(id)?;
        if file.deleted_at.is_some() {
            let detail = format!("`{}` ({id}) is deleted", file.name);
            return Err(Stop::refused(DeskRefusalClass::Deleted, detail));
        }
        match version {
            Some(seen) if seen != file.version => {
                let detail = format!("`{}` ({id}) is at version {}, not {seen}", file.name, file.version);
                Err(Stop::refused(DeskRefusalClass::VersionStale, detail))
            }
            Some(_) | None => Ok(file),
        }
    }

    fn content(&self, file: &DeskFile) -> Result<String, Stop> {
        content_row(&self.writing.transaction, &file.digest)
    }
}

fn of_type(file: &DeskFile, wanted: FileType) -> Result<(), Stop> {
    if file.file_type == wanted {
        return Ok(());
    }
    let detail =
        format!("`{}` ({}) is a {}, no {}", file.name, file.id, file.file_type.token(), wanted.token());
    Err(Stop::refused(DeskRefusalClass::Invalid, detail))
}

/// The text with other passages. A passage that is not there once is no place.
fn patched(mut text: String, edits: &[Edit]) -> Result<String, Stop> {
    if edits.is_empty() {
        return Err(Stop::refused(DeskRefusalClass::Invalid, "a patch without edits"));
    }
    for (number, edit) in edits.iter().enumerate() {
        let mismatch = |detail: &str| {
            let detail = format!("edit {}: {detail}", number + 1);
            Err(Stop::refused(DeskRefusalClass::PatchMismatch, detail))
        };
        if edit.old.is_empty() {
            return mismatch("the passage is empty");
        }
        let Some(place) = text.find(&edit.old) else { return mismatch("the passage is not in the text") };
        if text.rfind(&edit.old) != Some(place) {
            return mismatch("the passage is in the text more than once");
        }
        text.replace_range(place..place + edit.old.len(), &edit.new);
    }
    Ok(text)
}
