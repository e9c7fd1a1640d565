//! Tools: what a model may ask for, how its arguments are checked, and the built-in ones that touch files and processes.
//!
//! A tool reaches the outside through the ports in its [`ToolContext`] and through nothing else. It must not decide whether
//! it may run (that is policy), and it must not change issue memory (I2).

mod apply_patch;
mod arguments;
mod catalogue;
pub(crate) mod clip;
mod closest;
mod command_changes;
mod context;
pub mod files;
pub mod foreign;
mod fs_list;
mod fs_read;
mod fs_search;
mod outcome;
pub mod payloads;
mod pending;
mod protected;
mod resolve_ref;
mod secret_names;
mod shell;
mod shown;
mod spec;
mod spec_row;
mod tool_search;
mod walk;
mod work_path;
mod work_tree;

use std::fmt::Debug;
use std::sync::Arc;

use crate::policy::Target;

pub use apply_patch::{
    AfterFile, ApplyPatch, CommitFailure, FileChange, FileState, PatchedFile, PreparedPatch, UndoRecord,
    UndoRecordError, prepare_patch, text_diff,
};
pub use arguments::{Arguments, SchemaError};
pub use catalogue::{Catalogue, CatalogueDigests, CatalogueError, Drift, Pins};
pub use closest::closest;
pub use command_changes::{
    ActiveCommands, ChangeTracker, CommandBaseline, CommandChanges, KeepLimits, MOST_ENTRIES, MOST_ROWS,
    TrackedWorkdir,
};
pub use context::{Consent, Reader, ToolContext};
pub use fs_list::FsList;
pub use fs_read::FsRead;
pub use fs_search::FsSearch;
pub use outcome::{Aftermath, Extent, FileBase, FoundTools, ToolArtifact, ToolFailure, ToolOutput};
pub use pending::PendingIntent;
pub use protected::{ChangeRule, ProtectedKind, ProtectedName, ProtectedPaths};
pub use resolve_ref::ResolveRef;
pub use secret_names::{
    CREDENTIAL_FILES, SECRET_BEGINNINGS, SECRET_ENDINGS, SURROUNDINGS, holds_credentials, in_one_spelling,
    names_a_secret,
};
pub use shell::Shell;
pub use shown::Shown;
pub use spec::{Caller, Risk, SpecError, ToolKind, ToolSpec};
pub use tool_search::ToolSearch;
pub use work_path::WorkPath;
pub use work_tree::{FileStamp, TreeContent, TreeEntry, WorkTree};

/// Something a model may ask for.
pub trait Tool: Debug + Send + Sync {
    /// What it is.
    fn spec(&self) -> &ToolSpec;

    /// Does it. Blocks until it is done; whoever must not wait calls it on a thread that may.
    ///
    /// # Errors
    /// A typed failure that the model can read.
    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure>;

    /// What a call is about, looked up where it lives, so that policy knows it before anything runs. Reads only.
    ///
    /// # Errors
    /// It names something that cannot be found.
    fn targets(
        &self,
        _arguments: &Arguments,
        _context: &ToolContext<'_>,
    ) -> Result<Vec<Target>, ToolFailure> {
        Ok(Vec::new())
    }

    /// What a call would change, as a diff for the person who is asked about it; none where there is nothing to show. Reads
    /// only.
    ///
    /// # Errors
    /// Why the call would not do what is asked.
    fn preview(
        &self,
        _arguments: &Arguments,
        _context: &ToolContext<'_>,
    ) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    /// Works out how to take a call back before it is made, so that this is on disk before the effect is (I7). Reads only.
    ///
    /// # Errors
    /// Why the call would not do what is asked.
    fn prepare(
        &self,
        _arguments: &Arguments,
        _context: &ToolContext<'_>,
    ) -> Result<Option<UndoRecord>, ToolFailure> {
        Ok(None)
    }

    /// Does what was prepared, and nothing else; without a record it is a call like any other.
    ///
    /// # Errors
    /// As `call`; and that what was prepared does not fit any more.
    fn call_prepared(
        &self,
        arguments: &Arguments,
        _undo: Option<&UndoRecord>,
        context: &ToolContext<'_>,
    ) -> Result<ToolOutput, ToolFailure> {
        self.call(arguments, context)
    }
}

/// The tools over files, processes and payloads that come with premath, and the search for deferred ones.
///
/// # Errors
/// Never, as long as their own definitions are well formed; a test holds them to it.
pub fn built_in() -> Result<Vec<Arc<dyn Tool>>, SpecError> {
    Ok(vec![
        Arc::new(ApplyPatch::new()?),
        Arc::new(FsList::new()?),
        Arc::new(FsRead::new()?),
        Arc::new(FsSearch::new()?),
        Arc::new(ResolveRef::new()?),
        Arc::new(Shell::new()?),
        Arc::new(ToolSearch::new()?),
    ])
}
