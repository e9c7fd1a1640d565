//! Working trees of a git repository, made and removed by git itself.
//!
//! They are detached: no branch moves. It must not remove a tree that holds anything that is nowhere else, nor one that git
//! does not know as one of the repository.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// More places than this a tree is not looked for that it was at.
const MOST_PLACES: &str = "--max-count=1000";

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
#[error("git cannot {doing} the worktree `{path}`: {detail}")]
pub struct WorktreeError {
    /// What was asked for.
    pub doing: &'static str,
    /// The tree.
    pub path: String,
    /// What git said, in one line.
    pub detail: String,
}

/// A working tree that was made here.
#[derive(Debug)]
pub struct Worktree {
    path: PathBuf,
    /// The commit it was made at.
    base: String,
}

/// What came of removing a working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// It is gone.
    Removed,
    /// It stays.
    Kept {
        /// Why.
        reason: String,
    },
}

impl Worktree {
    /// Makes a detached working tree of the repository around `root`, at what it is at now.
    ///
    /// # Errors
    /// What git says. Nothing is left behind then.
    pub fn add(root: &Path, path: &Path) -> Result<Self, WorktreeError> {
        let failed =
            |detail: String| WorktreeError { doing: "make", path: path.display().to_string(), detail };
        let absolute = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
        let base = git(root, &["rev-parse", "--verify", "HEAD^{commit}"]).map_err(failed)?;
        let base = base.trim().to_owned();
        let mut command = command(root, &["worktree", "add", "--detach", "--quiet"]);
        said(command.arg(&absolute).arg(&base)).map_err(failed)?;
        // Under its real name: whoever compares it with another compares folders.
        let path = absolute.canonicalize().unwrap_or(absolute);
        Ok(Self { path, base })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, unless something would be lost with it: what nobody committed, or a commit that no branch holds.
    #[must_use]
    pub fn remove(self, root: &Path) -> Removal {
        let kept = |reason: String| Removal::Kept { reason };
        match self.changes() {
            Ok(None) => {}
            Ok(Some(reason)) => return kept(reason),
            Err(reason) => return kept(format!("git does not say what is in it: {reason}")),
        }
        // Without force: git looks once more, and what became of it since then stays.
        match said(command(root, &["worktree", "remove"]).arg(&self.path)) {
            Ok(_) => Removal::Removed,
            Err(reason) => kept(format!("git does not remove it: {reason}")),
        }
    }

    /// What would be lost with it.
    fn changes(&self) -> Result<Option<String>, String> {
        if !git(&self.path, &["status", "--porcelain", "--untracked-files=normal"])?.is_empty() {
            return Ok(Some("there are changes in it that nobody committed".to_owned()));
        }
        // Wherever it was, not only where it is: a commit that was left again is held by nothing either.
        let places = git(&self.path, &["log", "--walk-reflogs", MOST_PLACES, "--format=%H", "HEAD"])?;
        let mut command = command(&self.path, &["rev-list", "--max-count=1", "HEAD"]);
        command.args(places.lines()).args(["--not", "--branches", "--remotes", "--tags"]).arg(&self.base);
        let lonely = said(&mut command)?;
        let commit = lonely.trim();
        Ok((!commit.is_empty()).then(|| format!("no branch holds its commit {commit}")))
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut command = Command::new("git");
    command.arg("-C").arg(here).args(arguments);
    // Within a hook of another repository these would lead there.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    said(&mut command(folder, arguments))
}

/// What git prints, or why it did not do it in one line.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().last().unwrap_or("it gave no reason").trim().to_owned())
}

#[cfg(test)]
mod tests;
