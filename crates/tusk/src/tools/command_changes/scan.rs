//! One look at the workdir: every name with its stamp, without what git ignores and what no command can change.
//!
//! A folder that was not there at git's last answer is not entered before git was asked about it: it may be a large one that
//! is ignored. It must not read a file.

use std::collections::{BTreeMap, VecDeque};

use super::git_listing::GitListing;
use super::{MOST_ENTRIES, TrackedWorkdir, TreeState};
use crate::sandbox::Interrupt;
use crate::tools::files::{EntryKind, FileError};
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::WorkPath;
use crate::tools::work_tree::{FileStamp, TreeEntry};

/// The deepest folder.
const DEEPEST: usize = 128;
/// The name of the files whose change may change what is ignored.
const RULES: &str = ".gitignore";
/// So many files may differ from the last look before git is asked which of them are clean.
const MOST_STRANGE: usize = 16;

/// The workdir as one look found it.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) files: BTreeMap<String, FileStamp>,
    /// Why it is not all there is.
    pub(super) incomplete: Option<String>,
    /// Whether git answered during this look.
    pub(super) is_listed: bool,
    /// Folders that were not there at git's last answer.
    unknown_folders: Vec<(String, usize)>,
    entries: usize,
}

impl TrackedWorkdir {
    /// Looks at the workdir. Git is asked at the first look, and when something appeared that it may ignore.
    pub(super) fn look(&self, state: &mut TreeState, interrupt: &Interrupt) -> Result<Look, ToolFailure> {
        let is_first = state.listing.is_none();
        if is_first {
            state.listing = Some(self.list(interrupt)?);
        }
        let mut look = Look { is_listed: is_first, ..Look::default() };
        self.walk(".", 0, state, is_first, &mut look)?;
        if !is_first && is_strange(state, &look) {
            let is_git = state.listing.as_ref().is_some_and(GitListing::is_git);
            if is_git {
                state.listing = Some(self.list(interrupt)?);
                look.is_listed = true;
            }
            let listing = state.listing.as_ref();
            look.files.retain(|path, _| !listing.is_some_and(|listing| listing.ignores_file(path)));
            for (folder, depth) in std::mem::take(&mut look.unknown_folders) {
                if !state.listing.as_ref().is_some_and(|listing| listing.ignores_folder(&folder)) {
                    self.walk(&folder, depth, state, true, &mut look)?;
                }
            }
        }
        Ok(look)
    }

    /// What git says, where there is a repository.
    fn list(&self, interrupt: &Interrupt) -> Result<GitListing, ToolFailure> {
        let top = self.tree.entries(".").map_err(not_observed)?;
        let has_repository = top.iter().any(|entry| entry.name == ".git");
        let listing = if has_repository {
            GitListing::ask(self.sandbox.as_ref(), &self.workdir, interrupt)
        } else {
            None
        };
        if interrupt.is_requested() {
            return Err(ToolFailure::interrupted());
        }
        Ok(listing.unwrap_or_else(GitListing::none))
    }

    /// Enters a folder and those below it. `is_listed` says that git's answer is about everything that is there.
    fn walk(
        &self,
        folder: &str,
        depth: usize,
        state: &TreeState,
        is_listed: bool,
        look: &mut Look,
    ) -> Result<(), ToolFailure> {
        let mut open = VecDeque::from([(folder.to_owned(), depth)]);
        while let Some((folder, depth)) = open.pop_front() {
            let entries = match self.tree.entries(&folder) {
                Ok(entries) => entries,
                Err(error) if folder == "." => return Err(not_observed(error)),
                // It went, or became something else, while we looked.
                Err(FileError::Missing { .. } | FileError::Link { .. } | FileError::WrongKind { .. }) => {
                    continue;
                }
                Err(error) => {
                    look.miss(&format!("a folder was not listed: {error}"));
                    continue;
                }
            };
            for entry in entries {
                self.meet(&folder, depth, entry, state, is_listed, &mut open, look);
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one step of the walk above, which owns all of it")]
    fn meet(
        &self,
        folder: &str,
        depth: usize,
        entry: TreeEntry,
        state: &TreeState,
        is_listed: bool,
        open: &mut VecDeque<(String, usize)>,
        look: &mut Look,
    ) {
        let path = if folder == "." { entry.name } else { format!("{folder}/{}", entry.name) };
        if self.protected.cover(&WorkPath::of_name(&path)) {
            return;
        }
        look.entries += 1;
        if look.entries > MOST_ENTRIES {
            look.miss(&format!("there are more than {MOST_ENTRIES} names"));
            return;
        }
        let listing = state.listing.as_ref();
        match entry.stamp.kind {
            EntryKind::Folder => {
                if listing.is_some_and(|listing| listing.ignores_folder(&path)) {
                    return;
                }
                if depth >= DEEPEST {
                    look.miss(&format!("folders are more than {DEEPEST} deep"));
                } else if is_listed || !is_git(state) || is_known_folder(state, &path) {
                    open.push_back((path, depth + 1));
                } else {
                    look.unknown_folders.push((path, depth + 1));
                }
            }
            EntryKind::File | EntryKind::Link | EntryKind::Other => {
                if !listing.is_some_and(|listing| listing.ignores_file(&path)) {
                    look.files.insert(path, entry.stamp);
                }
            }
        }
    }
}

impl Look {
    /// The first reason is the one that is told.
    fn miss(&mut self, why: &str) {
        self.incomplete.get_or_insert_with(|| why.to_owned());
    }
}

fn is_git(state: &TreeState) -> bool {
    state.listing.as_ref().is_some_and(GitListing::is_git)
}

/// Whether a file below the folder was there at the last look.
fn is_known_folder(state: &TreeState, folder: &str) -> bool {
    let below = format!("{folder}/");
    state.files.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
}

/// Whether git has to be asked again: something appeared that it may ignore, its rules changed, or so much differs from the
/// last look that somebody may have switched branches.
fn is_strange(state: &TreeState, look: &Look) -> bool {
    if !look.unknown_folders.is_empty() {
        return true;
    }
    let mut differing = 0;
    for (path, stamp) in &look.files {
        match state.files.get(path) {
            None => return true,
            Some(known) if known.stamp == *stamp => {}
            Some(_) if is_rules(path) => return true,
            Some(_) => differing += 1,
        }
    }
    let is_gone = |path: &String| is_rules(path) && !look.files.contains_key(path);
    differing > MOST_STRANGE || state.files.keys().any(is_gone)
}

fn is_rules(path: &str) -> bool {
    path.rsplit('/').next() == Some(RULES)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn not_observed(error: FileError) -> ToolFailure {
    ToolFailure::new("shell.not_observed", format!("the workdir cannot be looked at: {error}")).retryable()
}
