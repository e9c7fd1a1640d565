//! How to take a patch back: what each file was, what it became, and nothing that was not looked at.

use super::commit::{FileState, PatchedFile, commit, state};
use super::prepare::FileChange;
use crate::tools::context::ToolContext;
use crate::tools::files::{FileError, WorkFiles};
use crate::tools::outcome::ToolFailure;

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

    /// Which version of each file is there: what a run that was killed asks before it goes on.
    ///
    /// # Errors
    /// A file that cannot be looked at.
    pub fn states(&self, files: &dyn WorkFiles) -> Result<Vec<PatchedFile>, FileError> {
        let file = |change: &FileChange| {
            state(files, change).map(|state| PatchedFile { path: change.path.clone(), state })
        };
        self.changes.iter().map(file).collect()
    }

    /// Puts every file back as it was before the patch, or none.
    ///
    /// # Errors
    /// `undo.stale` when a file is not as the patch left it; what the files say.
    pub fn undo(&self, context: &ToolContext<'_>) -> Result<(), ToolFailure> {
        for change in &self.changes {
            change.path.refuse_protected(context)?;
        }
        let states = self.states(context.files)?;
        let stale: Vec<String> = states
            .iter()
            .filter(|file| file.state != FileState::New)
            .map(|file| format!("`{}` is {}", file.path, file.state))
            .collect();
        if !stale.is_empty() {
            let message = format!("files are not as the patch left them: {}", stale.join(", "));
            return Err(ToolFailure::new("undo.stale", message));
        }
        let inverse: Vec<FileChange> = self.changes.iter().map(FileChange::inverse).collect();
        commit(context.files, &[], &inverse)?;
        for folder in self.folders.iter().rev() {
            // A folder that somebody else uses by now stays.
            match context.files.remove(folder) {
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}
