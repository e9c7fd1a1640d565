//! Prepared changes, made one after the other; when one fails, those before it are put back.
//!
//! A step that reports a failure may have happened all the same (a write whose last sync failed), so putting back looks at
//! the files instead of trusting the report. What somebody else wrote meanwhile is never overwritten.

use std::fmt;

use premath_kernel::Access;

use super::change::{Current, current};
use crate::tools::files::{FileContent, FileError, WorkFiles};
use crate::tools::outcome::{Aftermath, ToolArtifact, ToolFailure};
use crate::tools::work_path::WorkPath;

/// Which version of a file is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileState {
    /// The one from before the patch.
    Old,
    /// The one from after it.
    New,
    /// Neither: somebody else changed it.
    Foreign,
    /// It could not be looked at, and its own step failed: either the old or the new one.
    Uncertain,
}

impl fmt::Display for FileState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Old => "as before",
            Self::New => "changed",
            Self::Foreign => "changed by somebody else",
            Self::Uncertain => "either changed or as before",
        })
    }
}

/// A file of a patch and which version of it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    /// The file.
    pub path: WorkPath,
    /// Which version.
    pub state: FileState,
}

/// Changes that were not all made.
#[derive(Debug, thiserror::Error)]
#[error("the patch was not applied")]
pub struct CommitFailure {
    /// Every file of the patch.
    pub files: Vec<PatchedFile>,
    /// Folders that were made and could not be removed again.
    pub left_folders: Vec<String>,
    /// What was written and is there still.
    pub artifacts: Vec<ToolArtifact>,
    /// What stopped it.
    #[source]
    pub cause: FileError,
}

impl CommitFailure {
    /// Whether everything is as before.
    #[must_use]
    pub fn is_put_back(&self) -> bool {
        self.left_folders.is_empty() && self.files.iter().all(|file| file.state == FileState::Old)
    }
}

impl From<CommitFailure> for ToolFailure {
    fn from(failure: CommitFailure) -> Self {
        let is_put_back = failure.is_put_back();
        let cause = Self::from(failure.cause);
        if is_put_back {
            let message = format!("nothing was changed: {}", cause.message);
            return Self { message, ..cause };
        }
        let others = failure.files.iter().filter(|file| file.state != FileState::Old);
        let mut parts: Vec<String> =
            others.map(|file| format!("`{}` is {}", file.path, file.state)).collect();
        parts.extend(failure.left_folders.iter().map(|folder| format!("the folder `{folder}` was made")));
        let (cause, parts) = (cause.message, parts.join(", "));
        let message = format!("{cause}; not everything could be put back: {parts}; the rest is as before");
        let aftermath = Aftermath { artifacts: failure.artifacts, ..Aftermath::default() };
        Self::new("patch.partly_applied", message).with_aftermath(aftermath)
    }
}

/// One file that gives way to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swap<'c> {
    pub(super) path: &'c WorkPath,
    /// What goes; none when nothing is there.
    pub(super) from: Option<&'c FileContent>,
    /// What comes; none when nothing does.
    pub(super) to: Option<&'c FileContent>,
}

impl Swap<'_> {
    fn make(self, files: &dyn WorkFiles) -> Result<(), FileError> {
        let path = self.path.as_str();
        match (self.from, self.to) {
            (None, Some(content)) => files.create(path, content),
            (Some(_), Some(content)) => files.replace(path, content),
            (Some(_), None) => files.remove(path),
            (None, None) => Ok(()),
        }
    }

    const fn inverse(self) -> Self {
        Self { path: self.path, from: self.to, to: self.from }
    }

    /// Which version is there.
    fn state(self, files: &dyn WorkFiles) -> Result<FileState, FileError> {
        let found = current(files, self.path)?;
        if matches!(found, Current::Foreign) {
            return Ok(FileState::Foreign);
        }
        let content = found.content();
        Ok(if content == self.from {
            FileState::Old
        } else if content == self.to {
            FileState::New
        } else {
            FileState::Foreign
        })
    }
}

/// One change of the tree.
#[derive(Clone, Copy)]
enum Step<'c> {
    Folder(&'c str),
    File(Swap<'c>),
}

impl Step<'_> {
    fn make(self, files: &dyn WorkFiles) -> Result<(), FileError> {
        match self {
            Self::Folder(path) => files.make_folder(path),
            Self::File(swap) => swap.make(files),
        }
    }
}

/// Makes all changes: folders and new files first, what goes last, so that a crash in between loses nothing.
pub(super) fn commit(
    files: &dyn WorkFiles,
    folders: &[String],
    swaps: &[Swap<'_>],
) -> Result<(), CommitFailure> {
    let mut ordered = swaps.to_vec();
    ordered.sort_by_key(|swap| (swap.to.is_none(), swap.from.is_some()));
    let folders = folders.iter().map(|folder| Step::Folder(folder));
    let steps: Vec<Step<'_>> = folders.chain(ordered.into_iter().map(Step::File)).collect();
    for (index, step) in steps.iter().enumerate() {
        if let Err(cause) = step.make(files) {
            return Err(put_back(files, &steps, index, cause));
        }
    }
    Ok(())
}

fn put_back(files: &dyn WorkFiles, steps: &[Step<'_>], failed: usize, cause: FileError) -> CommitFailure {
    // Whoever took the name meanwhile keeps it, whatever is there.
    let is_taken = matches!(cause, FileError::Exists { .. });
    let mut failure =
        CommitFailure { files: Vec::new(), left_folders: Vec::new(), artifacts: Vec::new(), cause };
    for (index, step) in steps.iter().enumerate().rev() {
        match step {
            Step::File(swap) => {
                let state = if index > failed {
                    FileState::Old
                } else if index == failed && is_taken {
                    FileState::Foreign
                } else {
                    let believed = if index == failed { FileState::Uncertain } else { FileState::New };
                    restore(files, *swap, believed)
                };
                failure.files.push(PatchedFile { path: swap.path.clone(), state });
                if matches!(state, FileState::New | FileState::Uncertain) {
                    let (path, digest) = (swap.path.as_str().to_owned(), swap.to.map(FileContent::digest));
                    failure.artifacts.push(ToolArtifact::touched(path, digest, Access::Write));
                }
            }
            Step::Folder(path) if index < failed || (index == failed && !is_taken) => {
                match files.remove(path) {
                    Ok(()) | Err(FileError::Missing { .. }) => {}
                    Err(_) => failure.left_folders.push((*path).to_owned()),
                }
            }
            Step::Folder(_) => {}
        }
    }
    failure.files.sort_by(|left, right| left.path.cmp(&right.path));
    failure
}

/// Puts one file back and says which version is there then.
fn restore(files: &dyn WorkFiles, swap: Swap<'_>, believed: FileState) -> FileState {
    match swap.state(files) {
        Ok(FileState::New) => match swap.inverse().make(files) {
            Ok(()) => FileState::Old,
            // What was reported to have failed may have happened.
            Err(_) => swap.state(files).unwrap_or(FileState::Uncertain),
        },
        Ok(found) => found,
        Err(_) => believed,
    }
}
