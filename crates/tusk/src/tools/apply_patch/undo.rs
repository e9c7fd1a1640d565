//! How to take a patch back: what each file was, what it became, and nothing that was not looked at.

mod form;

use super::change::{AfterFile, Current, FileChange, current};
use super::commit::{CommitFailure, FileState, PatchedFile, Swap, commit};
use crate::tools::context::ToolContext;
use crate::tools::files::{EntryKind, FileError, WorkFiles};
use crate::tools::outcome::ToolFailure;

pub use self::form::UndoRecordError;

/// How to take a patch back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoRecord {
    folders: Vec<String>,
    changes: Vec<FileChange>,
}

impl UndoRecord {
    pub(super) const fn new(folders: Vec<String>, changes: Vec<FileChange>) -> Self {
        Self { folders, changes }
    }

    /// What becomes of each file, in the order of the patch.
    #[must_use]
    pub fn changes(&self) -> &[FileChange] {
        &self.changes
    }

    /// The folders that the patch makes, those above first.
    #[must_use]
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// The changes as a unified diff for people, bounded.
    #[must_use]
    pub fn diff(&self) -> String {
        super::diff::unified(&self.changes)
    }

    /// Which version of each file is there: what a run that was killed asks before it goes on.
    ///
    /// # Errors
    /// A file that cannot be looked at.
    pub fn states(&self, files: &dyn WorkFiles) -> Result<Vec<PatchedFile>, FileError> {
        let file = |change: &FileChange| {
            let state = change.state_of(&current(files, &change.path)?);
            Ok(PatchedFile { path: change.path.clone(), state })
        };
        self.changes.iter().map(file).collect()
    }

    /// Makes every change, or none.
    pub(super) fn apply(&self, folders: &[String], files: &dyn WorkFiles) -> Result<(), CommitFailure> {
        let mut swaps = Vec::with_capacity(self.changes.len());
        for FileChange { path, before, after } in &self.changes {
            let to = after.as_ref().and_then(AfterFile::content);
            swaps.push(Swap { path, from: before.as_ref(), to });
        }
        commit(files, folders, &swaps)
    }

    /// Makes every change that was prepared, if every file is still as it was then.
    ///
    /// # Errors
    /// `patch.stale` when a file is not; what the files say.
    pub(super) fn apply_prepared(&self, context: &ToolContext<'_>) -> Result<(), ToolFailure> {
        let is_known_only =
            |change: &FileChange| change.after.as_ref().is_some_and(|it| it.content().is_none());
        if self.changes.iter().any(is_known_only) {
            let message = "what the patch would write was not kept; it has to be prepared again";
            return Err(ToolFailure::new("patch.stale", message));
        }
        let found = self.found(context)?;
        self.must_be(&[FileState::Old], &found).map_err(|others| {
            ToolFailure::new("patch.stale", format!("files changed since the patch was prepared: {others}"))
        })?;
        // Another patch of the turn may have made a folder by now.
        let mut folders = Vec::new();
        for folder in &self.folders {
            match context.files.metadata(folder) {
                Ok(entry) if entry.kind == EntryKind::Folder => {}
                Ok(_) | Err(FileError::Missing { .. }) => folders.push(folder.clone()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.apply(&folders, context.files)?)
    }

    /// Puts every file back as it was before the patch, or none.
    ///
    /// # Errors
    /// `undo.stale` when a file is not as the patch left it; what the files say.
    pub fn undo(&self, context: &ToolContext<'_>) -> Result<(), ToolFailure> {
        self.take_back(&[FileState::New], context)
    }

    /// Puts back what a patch had changed that was cut off in the middle; what it had not come to stays as it is.
    ///
    /// # Errors
    /// `undo.stale` when somebody else changed a file, and then nothing is put back; what the files say.
    pub fn put_back(&self, context: &ToolContext<'_>) -> Result<(), ToolFailure> {
        self.take_back(&[FileState::New, FileState::Old], context)
    }

    /// What is there under each name, none of which may be protected or behind a link by now.
    fn found(&self, context: &ToolContext<'_>) -> Result<Vec<Current>, ToolFailure> {
        let look = |change: &FileChange| {
            change.path.refuse_protected(context)?;
            Ok(current(context.files, &change.path)?)
        };
        self.changes.iter().map(look).collect()
    }

    /// Names the files of which a version is there that is not wanted.
    fn must_be(&self, wanted: &[FileState], found: &[Current]) -> Result<(), String> {
        let states = self.changes.iter().zip(found).map(|(change, found)| (change, change.state_of(found)));
        let others = states.filter(|(_, state)| !wanted.contains(state));
        let others: Vec<String> =
            others.map(|(change, state)| format!("`{}` is {state}", change.path)).collect();
        if others.is_empty() { Ok(()) } else { Err(others.join(", ")) }
    }

    fn take_back(&self, wanted: &[FileState], context: &ToolContext<'_>) -> Result<(), ToolFailure> {
        let found = self.found(context)?;
        self.must_be(wanted, &found).map_err(|others| {
            ToolFailure::new("undo.stale", format!("files are not as the patch left them: {others}"))
        })?;
        // What the patch wrote may be nowhere but on disk; without it a failed undo could not go back.
        let mut swaps = Vec::with_capacity(self.changes.len());
        for (change, found) in self.changes.iter().zip(&found) {
            if change.state_of(found) == FileState::New {
                swaps.push(Swap { path: &change.path, from: found.content(), to: change.before.as_ref() });
            }
        }
        commit(context.files, &[], &swaps)?;
        for folder in self.folders.iter().rev() {
            // A folder that somebody else uses by now stays.
            match context.files.remove(folder) {
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}
