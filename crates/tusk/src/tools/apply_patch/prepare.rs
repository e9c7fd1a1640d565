//! A patch against the files as they are: every change worked out, nothing written yet.

use std::collections::BTreeSet;

use super::LARGEST;
use super::change::{AfterFile, FileChange};
use super::commit::CommitFailure;
use super::hunk::{Action, Hunk, Section};
use super::parse::parse;
use super::place::patched;
use super::undo::UndoRecord;
use crate::tools::clip::length;
use crate::tools::context::ToolContext;
use crate::tools::files::{FileContent, FileError, WorkFiles};
use crate::tools::fs_read::with_neighbours;
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::WorkPath;

/// The most bytes of all files of a patch, before and after.
const MOST_BYTES: u64 = 128 << 20;

/// A patch that was checked against the files and not yet applied. Its undo record exists before its effect does, so that
/// it can be on disk first (I7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedPatch {
    undo: UndoRecord,
}

impl PreparedPatch {
    /// What becomes of each file, in the order of the patch.
    #[must_use]
    pub fn changes(&self) -> &[FileChange] {
        self.undo.changes()
    }

    /// How to take it back.
    #[must_use]
    pub const fn undo_record(&self) -> &UndoRecord {
        &self.undo
    }

    /// Makes every change, or none.
    ///
    /// # Errors
    /// What the files said, after everything was put back; or `patch.partly_applied`, which names each file that could not
    /// be put back.
    pub fn commit(&self, files: &dyn WorkFiles) -> Result<(), CommitFailure> {
        self.undo.apply(self.undo.folders(), files)
    }

    pub(super) fn into_undo(self) -> UndoRecord {
        self.undo
    }
}

/// Reads a patch and works out what it changes.
///
/// # Errors
/// `patch.*`, `path.*` or `file.*`; nothing was written.
pub fn prepare_patch(patch: &str, context: &ToolContext<'_>) -> Result<PreparedPatch, ToolFailure> {
    let mut changes = Vec::new();
    for section in parse(patch)? {
        context.go_on()?;
        prepare(&section, context, &mut changes)?;
        let bytes = |content: Option<&FileContent>| content.map_or(0, |file| length(file.bytes.len()));
        let after = |change: &FileChange| bytes(change.after.as_ref().and_then(AfterFile::content));
        let total: u64 = changes.iter().map(|change| bytes(change.before.as_ref()) + after(change)).sum();
        if total > MOST_BYTES {
            return Err(ToolFailure::new("patch.too_large", "the files of the patch are too large together"));
        }
    }
    refuse_overlap(&changes)?;
    let folders = missing_folders(&changes, context.files)?;
    Ok(PreparedPatch { undo: UndoRecord::new(folders, changes) })
}

fn prepare(
    section: &Section<'_>,
    context: &ToolContext<'_>,
    changes: &mut Vec<FileChange>,
) -> Result<(), ToolFailure> {
    let path = target_path(section.path, context)?;
    match &section.action {
        Action::Add(lines) => {
            refuse_existing(&path, context.files)?;
            let bytes = lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]).flatten().copied().collect();
            let after = Some(AfterFile::Here(FileContent { bytes, executable: false }));
            changes.push(FileChange { path, before: None, after });
        }
        Action::Delete => {
            let before = Some(present(&path, context)?);
            changes.push(FileChange { path, before, after: None });
        }
        Action::Update { target, hunks } => {
            let before = present(&path, context)?;
            let after = AfterFile::Here(changed(&path, &before, section, hunks, target.is_some())?);
            let Some(target) = target else {
                changes.push(FileChange { path, before: Some(before), after: Some(after) });
                return Ok(());
            };
            let target = target_path(target, context)?;
            refuse_existing(&target, context.files)?;
            changes.push(FileChange { path: target, before: None, after: Some(after) });
            changes.push(FileChange { path, before: Some(before), after: None });
        }
    }
    Ok(())
}

fn changed(
    path: &WorkPath,
    before: &FileContent,
    section: &Section<'_>,
    hunks: &[Hunk<'_>],
    is_moved: bool,
) -> Result<FileContent, ToolFailure> {
    let bytes = patched(path, &before.bytes, hunks)?;
    if length(bytes.len()) > LARGEST {
        return Err(FileError::TooLong { path: path.as_str().to_owned(), limit: LARGEST }.into());
    }
    if bytes == before.bytes && !is_moved {
        let line = section.line;
        let message = format!("line {line} of the patch: `{path}` would stay as it is");
        return Err(ToolFailure::new("patch.invalid", message));
    }
    Ok(FileContent { bytes, executable: before.executable })
}

fn target_path(text: &str, context: &ToolContext<'_>) -> Result<WorkPath, ToolFailure> {
    let path = WorkPath::read(text, context.workdir)?;
    if path.is_root() {
        return Err(ToolFailure::new("path.invalid", "a patch is about files, not about the workdir"));
    }
    path.refuse_protected(context)?;
    Ok(path)
}

fn present(path: &WorkPath, context: &ToolContext<'_>) -> Result<FileContent, ToolFailure> {
    let read = context.files.read(path.as_str(), LARGEST);
    read.map_err(|error| with_neighbours(error, path, context))
}

fn refuse_existing(path: &WorkPath, files: &dyn WorkFiles) -> Result<(), ToolFailure> {
    match files.metadata(path.as_str()) {
        Err(FileError::Missing { .. }) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => Err(FileError::Exists { path: path.as_str().to_owned() }.into()),
    }
}

/// One path twice, or one inside another, has no order that makes sense.
fn refuse_overlap(changes: &[FileChange]) -> Result<(), ToolFailure> {
    let mut paths = BTreeSet::new();
    for change in changes {
        if !paths.insert(change.path.as_str()) {
            let message = format!("`{}` is in the patch twice; put its hunks into one section", change.path);
            return Err(ToolFailure::new("patch.invalid", message));
        }
    }
    for change in changes {
        if let Some(folder) = change.path.folders().find(|folder| paths.contains(folder)) {
            let message = format!("`{folder}` would be both a file and the folder of `{}`", change.path);
            return Err(ToolFailure::new("patch.invalid", message));
        }
    }
    Ok(())
}

/// The folders that have to be made, those above first.
fn missing_folders(changes: &[FileChange], files: &dyn WorkFiles) -> Result<Vec<String>, ToolFailure> {
    let mut missing = BTreeSet::new();
    for change in changes.iter().filter(|change| change.before.is_none()) {
        for folder in change.path.folders() {
            match files.metadata(folder) {
                Ok(_) => {}
                Err(FileError::Missing { .. }) => {
                    missing.insert(folder.to_owned());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(missing.into_iter().collect())
}
