//! Working trees of a git repository, made and removed by git itself.
//!
//! They are detached: no branch moves. It must not remove a tree that git does not know as one of the repository.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::path::Path;
use std::process::{Command, Stdio};

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

/// Makes a detached working tree of the repository around `root`, at what it is at now.
///
/// # Errors
/// What git says.
pub fn add_worktree(root: &Path, path: &Path) -> Result<(), WorktreeError> {
    git(root, path, "make", &["worktree", "add", "--detach", "--quiet"])
}

/// Removes a working tree, with what nobody committed in it.
///
/// # Errors
/// What git says.
pub fn remove_worktree(root: &Path, path: &Path) -> Result<(), WorktreeError> {
    git(root, path, "remove", &["worktree", "remove", "--force"])
}

fn git(root: &Path, path: &Path, doing: &'static str, arguments: &[&str]) -> Result<(), WorktreeError> {
    let failed = |detail: String| WorktreeError { doing, path: path.display().to_string(), detail };
    let absolute = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
    let here = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut command = Command::new("git");
    command.arg("-C").arg(here).args(arguments).arg(absolute);
    // Within a hook of another repository these would lead there.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failed(said.lines().last().unwrap_or("it gave no reason").trim().to_owned()))
}
