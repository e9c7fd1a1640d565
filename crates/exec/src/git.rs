//! Version control by the git command: the port that steps of work commit, merge and land through.
//!
//! Hooks, pagers, editors, prompts and the file system monitor are off; the person's author, signing key, filters and
//! credentials count. Nothing here takes a decision from what git prints for people. It must not be handed a name that came
//! from a model without a check that git cannot read it as an option.

mod checkout;
mod command;
mod commit;
mod refs;
mod remote;
mod snapshot;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use premath_tusk::version_control::{
    CommitId, Head, MergedTree, NewCommit, Pushed, RefUpdate, TreeId, VersionControl, VersionControlError,
};

use command::Git;

type Outcome<T> = Result<T, VersionControlError>;

/// What premath keeps in a repository: part of no commit of a step.
const STATE_FOLDERS: [&str; 3] = [".premath", "artifacts/ciwitness", "artifacts/observation"];

/// The git command of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct GitCommand;

impl VersionControl for GitCommand {
    fn head(&self, folder: &Path) -> Outcome<Option<Head>> {
        refs::head(folder)
    }

    fn main_folder(&self, folder: &Path) -> Outcome<Option<PathBuf>> {
        Ok(checkout::worktrees(folder)?.into_iter().next().map(|tree| tree.folder))
    }

    fn top_folder(&self, folder: &Path) -> Outcome<Option<PathBuf>> {
        checkout::top(folder)
    }

    fn ready_to_commit(&self, folder: &Path) -> Outcome<()> {
        commit::ready(folder)
    }

    fn resolve(&self, folder: &Path, revision: &str) -> Outcome<Option<CommitId>> {
        refs::resolve(folder, revision)
    }

    fn tree_of(&self, folder: &Path, commit: &CommitId) -> Outcome<TreeId> {
        let revision = format!("{commit}^{{tree}}");
        let id = Git::at(folder, "read a commit").run(&["rev-parse", "--verify", "--quiet", &revision])?;
        Ok(TreeId::new(id.trim().to_owned()))
    }

    fn parents_of(&self, folder: &Path, commit: &CommitId) -> Outcome<Vec<CommitId>> {
        let line = Git::at(folder, "read a commit").run(&[
            "rev-list",
            "--parents",
            "--max-count=1",
            commit.as_str(),
        ])?;
        Ok(line.split_whitespace().skip(1).map(|id| CommitId::new(id.to_owned())).collect())
    }

    fn message_of(&self, folder: &Path, commit: &CommitId) -> Outcome<String> {
        Git::at(folder, "read a commit").run(&["log", "--max-count=1", "--format=%B", commit.as_str()])
    }

    fn is_ancestor(&self, folder: &Path, ancestor: &CommitId, descendant: &CommitId) -> Outcome<bool> {
        refs::is_ancestor(folder, ancestor, descendant)
    }

    fn find_trailer(&self, folder: &Path, range: &str, trailer: &str) -> Outcome<Option<CommitId>> {
        refs::find_trailer(folder, range, trailer)
    }

    fn refs(&self, folder: &Path, prefix: &str) -> Outcome<Vec<(String, CommitId)>> {
        refs::with_prefix(folder, prefix)
    }

    fn update_refs(&self, folder: &Path, updates: &[RefUpdate]) -> Outcome<()> {
        refs::update(folder, updates)
    }

    fn local_changes(&self, worktree: &Path) -> Outcome<Vec<String>> {
        snapshot::local_changes(worktree)
    }

    fn switch(&self, worktree: &Path, branch: &str, commit: &CommitId) -> Outcome<()> {
        checkout::switch(worktree, branch, commit)
    }

    fn detach(&self, worktree: &Path, commit: &CommitId) -> Outcome<()> {
        checkout::detach(worktree, commit)
    }

    fn place_tree(&self, worktree: &Path, tree: &TreeId) -> Outcome<()> {
        checkout::place_tree(worktree, tree)
    }

    fn snapshot(&self, worktree: &Path) -> Outcome<TreeId> {
        snapshot::record(worktree)
    }

    fn changed_paths(&self, folder: &Path, from: &TreeId, to: &TreeId) -> Outcome<Vec<String>> {
        let changes = snapshot::changes(folder, from.as_str(), to.as_str())?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    fn diff(&self, folder: &Path, from: &TreeId, to: &TreeId, most: usize) -> Outcome<String> {
        snapshot::diff(folder, from, to, most)
    }

    fn conflict_markers(&self, folder: &Path, tree: &TreeId, paths: &[String]) -> Outcome<Vec<String>> {
        snapshot::conflict_markers(folder, tree, paths)
    }

    fn commit(&self, folder: &Path, commit: &NewCommit) -> Outcome<CommitId> {
        commit::make(folder, commit)
    }

    fn merge(&self, folder: &Path, base: &TreeId, ours: &TreeId, theirs: &TreeId) -> Outcome<MergedTree> {
        commit::merge(folder, base, ours, theirs)
    }

    fn merge_commits(&self, folder: &Path, ours: &CommitId, theirs: &CommitId) -> Outcome<MergedTree> {
        commit::merge_commits(folder, ours, theirs)
    }

    fn clean_checkout(&self, repository: &Path, commit: &CommitId, folder: &Path) -> Outcome<()> {
        checkout::clean(repository, commit, folder)
    }

    fn remove_checkout(&self, repository: &Path, folder: &Path) -> Outcome<()> {
        checkout::remove(repository, folder)
    }

    fn checked_out(&self, folder: &Path, branch: &str) -> Outcome<Option<PathBuf>> {
        let name = format!("refs/heads/{branch}");
        let trees = checkout::worktrees(folder)?;
        Ok(trees.into_iter().find(|tree| tree.branch.as_deref() == Some(&name)).map(|tree| tree.folder))
    }

    fn fast_forward(&self, worktree: &Path, commit: &CommitId) -> Outcome<()> {
        checkout::fast_forward(worktree, commit)
    }

    fn push(&self, folder: &Path, remote: &str, branch: &str) -> Outcome<Pushed> {
        remote::push(folder, remote, branch)
    }

    fn fetch(&self, folder: &Path, remote: &str, branch: &str) -> Outcome<CommitId> {
        remote::fetch(folder, remote, branch)
    }
}
