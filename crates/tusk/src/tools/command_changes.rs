//! Which files a command changed: the workdir is compared before and after it, and what was there before is kept.
//!
//! Files are told apart by their stamps, so that a file nobody wrote is not read. Earlier bytes come from git where the file
//! was clean, else from a copy in the object store within the limits. It must not follow a link, and must not say that a
//! comparison is complete when it is not.

mod active;
mod compare;
mod git_listing;
mod keep;
mod scan;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use premath_bd::{Objects, Redactor};
use premath_kernel::ObservedChanges;

pub use self::active::ActiveCommands;
use self::active::CommandId;
use self::git_listing::GitListing;
use self::keep::Known;
use super::outcome::{ToolArtifact, ToolFailure};
use super::protected::ProtectedPaths;
use super::work_tree::WorkTree;
use crate::sandbox::{Interrupt, Sandbox};

/// The most names that are compared. A workdir that has more is compared up to here, and the row says so.
pub const MOST_ENTRIES: usize = 200_000;
/// The most files that the row of one command names. The rest is in an object that the row refers to.
pub const MOST_ROWS: usize = 1_000;

/// How much is copied to the object store before one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepLimits {
    /// The most bytes, of all files together.
    pub bytes: u64,
    /// The most files.
    pub files: u64,
}

impl KeepLimits {
    /// What is usual: 32 MiB in 1,000 files.
    #[must_use]
    pub const fn standard() -> Self {
        Self { bytes: 32 << 20, files: 1_000 }
    }
}

/// What the tracker of a run works with.
#[derive(Debug)]
pub struct TrackedWorkdir {
    /// The run, for calls of others that overlap.
    pub run_id: String,
    /// Its folders.
    pub tree: Arc<dyn WorkTree>,
    /// Where git runs.
    pub sandbox: Arc<dyn Sandbox>,
    /// The workdir itself.
    pub workdir: PathBuf,
    /// What no command can change, and what the sandbox puts there while one runs.
    pub protected: ProtectedPaths,
    /// Where copies go.
    pub objects: Objects,
    /// What finds secrets: a file that holds one is not copied.
    pub redactor: Redactor,
    /// How much is copied.
    pub limits: KeepLimits,
    /// The commands that are running in this process.
    pub active: Arc<ActiveCommands>,
}

/// Compares a workdir before and after commands. What it learns it keeps through the run.
#[derive(Debug)]
pub struct ChangeTracker {
    place: TrackedWorkdir,
    state: Mutex<TreeState>,
}

/// What is known of the workdir since the last look.
#[derive(Debug, Default)]
struct TreeState {
    files: Arc<BTreeMap<String, Known>>,
    listing: Option<GitListing>,
}

/// The workdir as it was before a command.
#[derive(Debug)]
pub struct CommandBaseline {
    files: Arc<BTreeMap<String, Known>>,
    command: CommandId,
    incomplete: Option<String>,
}

/// What a command changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandChanges {
    /// The files that differ, by path.
    pub artifacts: Vec<ToolArtifact>,
    /// How they were found.
    pub observed: ObservedChanges,
}

impl ChangeTracker {
    /// The tracker of a run.
    #[must_use]
    pub fn new(place: TrackedWorkdir) -> Self {
        Self { place, state: Mutex::default() }
    }

    /// Looks at the workdir before a command and keeps what is nowhere else.
    ///
    /// # Errors
    /// `shell.not_observed`: the workdir cannot be looked at, or copies cannot be stored. The command must not run then.
    pub fn begin(&self, tool_call_id: &str, interrupt: &Interrupt) -> Result<CommandBaseline, ToolFailure> {
        let mut state = self.state();
        let looked = self.place.look(&mut state, interrupt).and_then(|look| {
            let incomplete = look.incomplete.clone();
            Ok((self.place.keep(&state, look)?, incomplete))
        });
        match looked {
            Ok((files, incomplete)) => {
                state.files = Arc::new(files);
                let command = self.place.active.enter(&self.place.run_id, tool_call_id);
                Ok(CommandBaseline { files: Arc::clone(&state.files), command, incomplete })
            }
            Err(failure) => {
                *state = TreeState::default();
                Err(failure)
            }
        }
    }

    /// Looks at the workdir after a command and says what differs.
    #[must_use]
    pub fn finish(&self, baseline: CommandBaseline) -> CommandChanges {
        let mut state = self.state();
        let compared = self.place.compare(&mut state, &baseline);
        let overlaps = self.place.active.leave(baseline.command, &self.place.run_id);
        let is_git = state.listing.as_ref().is_some_and(GitListing::is_git);
        let (artifacts, incomplete) = match compared {
            Ok(compared) => compared,
            Err(failure) => {
                // What was known may be wrong by now; the next command begins with a full look.
                *state = TreeState::default();
                (Vec::new(), Some(format!("the workdir was not compared: {}", failure.message)))
            }
        };
        drop(state);
        let incomplete = baseline.incomplete.or(incomplete);
        CommandChanges { artifacts, observed: compare::observed(is_git, &overlaps, incomplete.as_deref()) }
    }

    /// Notes a call that changes files by itself while commands may be running: their rows name it.
    #[must_use]
    pub fn note_effect(&self, tool_call_id: &str) -> CommandId {
        self.place.active.enter(&self.place.run_id, tool_call_id)
    }

    /// The call that was noted is over.
    pub fn effect_over(&self, effect: CommandId) {
        self.place.active.leave(effect, &self.place.run_id);
    }

    fn state(&self) -> MutexGuard<'_, TreeState> {
        // A state that a panic left behind is at worst out of date, and every look compares it with the disk.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
