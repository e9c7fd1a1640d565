//! Working trees: which there are, what they have checked out, and clean ones for verification.
//!
//! A folder that git does not know as a working tree of the repository is never written or removed.

use std::fs;
use std::path::{Path, PathBuf};

use premath_tusk::version_control::{CommitId, TreeId, VersionControlFault};

use super::Outcome;
use super::command::{Git, reason};

/// A working tree as git lists it.
#[derive(Debug)]
pub(super) struct ListedTree {
    pub(super) folder: PathBuf,
    pub(super) branch: Option<String>,
}

/// The working trees of a repository, the main one first; none where there is no repository.
pub(super) fn worktrees(folder: &Path) -> Outcome<Vec<ListedTree>> {
    let git = Git::at(folder, "list the working trees");
    if !git.output(&["rev-parse", "--git-dir"])?.status.success() {
        return Ok(Vec::new());
    }
    let listed = git.run(&["worktree", "list", "--porcelain", "-z"])?;
    let mut trees = Vec::new();
    for field in listed.split('\0') {
        match (field.split_once(' '), trees.last_mut()) {
            (Some(("worktree", path)), _) => {
                trees.push(ListedTree { folder: PathBuf::from(path), branch: None });
            }
            (Some(("branch", name)), Some(tree)) => tree.branch = Some(name.to_owned()),
            _ => {}
        }
    }
    Ok(trees)
}

/// The top of the working tree around a folder.
pub(super) fn top(folder: &Path) -> Outcome<Option<PathBuf>> {
    if !folder.as_os_str().is_empty() && !folder.is_dir() {
        return Ok(None);
    }
    let output = Git::at(folder, "look at the working tree").output(&["rev-parse", "--show-toplevel"])?;
    let path = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
    Ok((output.status.success() && !path.is_empty()).then(|| PathBuf::from(path)))
}

fn is_worktree(repository: &Path, folder: &Path) -> Outcome<bool> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = real(folder);
    Ok(worktrees(repository)?.into_iter().skip(1).any(|tree| real(&tree.folder) == folder))
}

pub(super) fn switch(worktree: &Path, branch: &str, commit: &CommitId) -> Outcome<()> {
    let git = Git::at(worktree, "check out a branch");
    git.run(&[
        "checkout",
        "--quiet",
        "--force",
        "--no-recurse-submodules",
        "--ignore-other-worktrees",
        "-B",
        branch,
        commit.as_str(),
    ])?;
    git.run(&["clean", "--quiet", "-ffd"]).map(drop)
}

pub(super) fn detach(worktree: &Path, commit: &CommitId) -> Outcome<()> {
    let git = Git::at(worktree, "leave the branch");
    git.run(&["update-ref", "--no-deref", "HEAD", commit.as_str()])?;
    git.run(&["reset", "--quiet", "--mixed", "--no-refresh"]).map(drop)
}

pub(super) fn place_tree(worktree: &Path, tree: &TreeId) -> Outcome<()> {
    let git = Git::at(worktree, "write the files of a tree");
    git.run(&["read-tree", "--reset", "-u", tree.as_str()])?;
    git.run(&["reset", "--quiet", "--mixed"]).map(drop)
}

pub(super) fn clean(repository: &Path, commit: &CommitId, folder: &Path) -> Outcome<()> {
    if fs::symlink_metadata(folder).is_ok() && is_worktree(repository, folder)? {
        let git = Git::at(folder, "clean the checkout for verification");
        git.run(&["checkout", "--quiet", "--force", "--no-recurse-submodules", "--detach", commit.as_str()])?;
        return git.run(&["clean", "--quiet", "-ffdx"]).map(drop);
    }
    let git = Git::at(repository, "make a checkout for verification");
    // With force also where the folder of an earlier one was removed and git has it on its list still.
    let mut arguments: Vec<&std::ffi::OsStr> =
        ["worktree", "add", "--quiet", "--force", "--detach"].map(std::ffi::OsStr::new).to_vec();
    arguments.extend([folder.as_os_str(), std::ffi::OsStr::new(commit.as_str())]);
    git.run(&arguments).map(drop)
}

pub(super) fn remove(repository: &Path, folder: &Path) -> Outcome<()> {
    if !is_worktree(repository, folder)? {
        return Ok(());
    }
    let arguments = ["worktree", "remove", "--force", "--force"].map(std::ffi::OsStr::new);
    let mut arguments = arguments.to_vec();
    arguments.push(folder.as_os_str());
    Git::at(repository, "remove the checkout for verification").run(&arguments).map(drop)
}

pub(super) fn fast_forward(worktree: &Path, commit: &CommitId) -> Outcome<()> {
    let git = Git::at(worktree, "move the branch forward");
    let output =
        git.output(&["merge", "--quiet", "--ff-only", "--no-verify", "--no-autostash", commit.as_str()])?;
    if output.status.success() {
        return Ok(());
    }
    let detail = reason(&output);
    let fault =
        match detail.contains("would be overwritten") || detail.contains("not possible because you have") {
            true => VersionControlFault::LocalChanges,
            false => VersionControlFault::RefMoved,
        };
    Err(git.fault(fault, detail))
}
