//! The worktrees of one coordinator: found or made before anything starts, and taken away afterwards where nothing is lost.
//!
//! What this run did not make stays, whatever is asked for. It must not remove anything that git would call changed.

use std::path::{Path, PathBuf};

use premath_exec::{Removal, Worktree};
use premath_wire::v1::{CoordinatorAnswer, KeptWorktree};

use crate::args::work::CoordinatorArgs;
use crate::error::CliError;
use crate::system;

/// The worktrees of one coordinator.
#[derive(Debug, Default)]
pub(super) struct Worktrees {
    paths: Vec<PathBuf>,
    made: Vec<Worktree>,
}

impl Worktrees {
    /// The worktrees that were named, there and under their real names: said before anything is started.
    pub(super) fn ready(args: &CoordinatorArgs, root: &Path) -> Result<Self, CliError> {
        let mut typed = Vec::new();
        let owned = args.workers.map(|count| own_trees(root, count)).transpose()?.unwrap_or_default();
        typed.extend(owned.iter().cloned());
        for path in &args.worktree {
            let whole = PathBuf::from(system::absolute(Some(path))?);
            if !system::is_folder(&whole) && !args.create_worktrees {
                return Err(system::worktree_missing(
                    path,
                    "name one that exists, or say --create-worktrees",
                ));
            }
            typed.push(whole);
        }
        let mut ready = Self::default();
        for path in &typed {
            if let Err(error) = ready.take(root, path) {
                return Err(ready.taken_back(root, error));
            }
        }
        ready.paths.sort_unstable();
        ready.paths.dedup();
        Ok(ready)
    }

    /// Makes one that is missing, and remembers each under its real name.
    fn take(&mut self, root: &Path, path: &Path) -> Result<(), CliError> {
        if !system::is_folder(path) {
            let made = Worktree::add(root, path).map_err(|error| {
                CliError::environment(error, "worktrees are made in a git repository with a commit")
            })?;
            self.made.push(made);
        }
        self.paths.push(system::real_folder(path)?);
        Ok(())
    }

    /// Takes back what was made for nothing.
    fn taken_back(self, root: &Path, mut error: CliError) -> CliError {
        for made in self.made {
            let path = made.path().display().to_string();
            if let Removal::Kept { reason } = made.remove(root) {
                error.hints.push(format!("the worktree `{path}` was made and stays: {reason}"));
            }
        }
        error
    }

    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// What was made stays, and whoever was refused is told of it.
    pub(super) fn left(&self) -> Option<String> {
        let made: Vec<String> = self.made.iter().map(|made| format!("`{}`", made.path().display())).collect();
        (!made.is_empty()).then(|| format!("the worktrees that were made stay: {}", made.join(", ")))
    }

    /// Removes what this run made and nothing would be lost with, and says what became of each.
    pub(super) fn remove(self, root: &Path, answer: &mut CoordinatorAnswer) {
        let is_whole = matches!(answer.outcome.as_str(), "done" | "rounds");
        let kept =
            |path: &Path, reason: String| KeptWorktree { worktree: path.display().to_string(), reason };
        for path in &self.paths {
            if !self.made.iter().any(|made| made.path() == path) {
                answer.kept_worktrees.push(kept(path, "this run did not make it".to_owned()));
            }
        }
        for made in self.made {
            let path = made.path().to_owned();
            let removal = if is_whole {
                made.remove(root)
            } else {
                Removal::Kept { reason: format!("the run ended as {}", answer.outcome) }
            };
            match removal {
                Removal::Removed => answer.removed_worktrees.push(path.display().to_string()),
                Removal::Kept { reason } => answer.kept_worktrees.push(kept(&path, reason)),
            }
        }
        answer.removed_worktrees.sort_unstable();
        answer.kept_worktrees.sort_unstable_by(|one, other| one.worktree.cmp(&other.worktree));
    }
}

/// The worktrees of `count` workers: `parser.worktrees/w1` and so on beside `parser`.
fn own_trees(root: &Path, count: u16) -> Result<Vec<PathBuf>, CliError> {
    let named = if root.as_os_str().is_empty() { None } else { Some(root) };
    let root = PathBuf::from(system::absolute(named)?);
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = root.with_file_name(format!("{name}.worktrees"));
    Ok((1..=count).map(|number| folder.join(format!("w{number}"))).collect())
}
