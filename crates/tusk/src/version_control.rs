//! What version control is to a step of work: trees are recorded, committed, merged and moved to where they belong.
//!
//! A port. Every commit is made by the harness through it, never by a command that a model or a work command runs. It must
//! not decide which commit is made, and it never starts a hook of the repository.

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};

/// The id of a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(String);

/// The id of a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(String);

impl CommitId {
    /// An id as git prints it.
    #[must_use]
    pub const fn new(id: String) -> Self {
        Self(id)
    }

    /// Its hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TreeId {
    /// An id as git prints it.
    #[must_use]
    pub const fn new(id: String) -> Self {
        Self(id)
    }

    /// Its hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for TreeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionControlFault {
    /// Git's configuration names no author.
    IdentityMissing,
    /// A commit is to be signed and was not.
    SigningFailed,
    /// A changed file needs a filter that is not installed, such as that of LFS.
    FilterMissing,
    /// The change moves a submodule or adds a repository: the commit it names may be nowhere else.
    SubmoduleChanged,
    /// Files in a working tree differ from its commit.
    LocalChanges,
    /// A reference is not where it was.
    RefMoved,
    /// The remote refused, or cannot be reached.
    Remote,
    /// Anything else that git says.
    Other,
}

impl VersionControlFault {
    /// The failure class of a step that ends with it.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::IdentityMissing => "landing_identity_missing",
            Self::SigningFailed => "landing_signing_failed",
            Self::FilterMissing => "landing_filter_missing",
            Self::SubmoduleChanged => "landing_submodule_changed",
            Self::LocalChanges => "landing_target_dirty",
            Self::RefMoved => "landing_target_moved",
            Self::Remote => "landing_remote_failed",
            Self::Other => "environment_git",
        }
    }
}

/// Git did not do what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("git cannot {doing}: {detail}")]
pub struct VersionControlError {
    /// What kind of failure.
    pub fault: VersionControlFault,
    /// What was asked for.
    pub doing: &'static str,
    /// What git said, or which files are concerned.
    pub detail: String,
}

/// Where a working tree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its commit.
    pub commit: CommitId,
    /// The branch that is checked out; none when detached.
    pub branch: Option<String>,
}

/// A commit to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommit {
    /// Its content.
    pub tree: TreeId,
    /// Its parents, the first one first.
    pub parents: Vec<CommitId>,
    /// Its message.
    pub message: String,
    /// Whether it is kept: signed where the configuration says so, and under the configured author.
    pub is_kept: bool,
}

/// What a three-way merge of trees comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedTree {
    /// The merged tree; with conflict markers in the files that are named.
    pub tree: TreeId,
    /// Paths with conflicts; none when the merge is clean.
    pub conflicts: Vec<String>,
}

/// A change of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// Its full name.
    pub name: String,
    /// Where it goes; none to delete it.
    pub new: Option<CommitId>,
    /// Where it must be now; none when it must not exist.
    pub old: Option<CommitId>,
}

/// What a push came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// Addresses that the remote printed, such as that of a review.
    pub links: Vec<String>,
}

type Outcome<T> = Result<T, VersionControlError>;

/// Version control of one machine. Folders name the repository or the working tree that is meant.
pub trait VersionControl: Debug + Send + Sync {
    /// Where a working tree is; none where there is no repository, or no commit in it yet.
    ///
    /// # Errors
    /// Git gives no answer.
    fn head(&self, folder: &Path) -> Outcome<Option<Head>>;

    /// The root of the main working tree of the repository; none without one.
    ///
    /// # Errors
    /// Git gives no answer.
    fn main_folder(&self, folder: &Path) -> Outcome<Option<PathBuf>>;

    /// The top of the working tree around a folder; none where there is none, or no folder.
    ///
    /// # Errors
    /// Git gives no answer.
    fn top_folder(&self, folder: &Path) -> Outcome<Option<PathBuf>>;

    /// Whether a commit could be made now: there is an author, and what is to be signed can be signed.
    ///
    /// # Errors
    /// What is missing.
    fn ready_to_commit(&self, folder: &Path) -> Outcome<()>;

    /// The commit that a revision names; none when it names none.
    ///
    /// # Errors
    /// Git gives no answer.
    fn resolve(&self, folder: &Path, revision: &str) -> Outcome<Option<CommitId>>;

    /// The tree of a commit.
    ///
    /// # Errors
    /// There is no such commit.
    fn tree_of(&self, folder: &Path, commit: &CommitId) -> Outcome<TreeId>;

    /// The parents of a commit.
    ///
    /// # Errors
    /// There is no such commit.
    fn parents_of(&self, folder: &Path, commit: &CommitId) -> Outcome<Vec<CommitId>>;

    /// The message of a commit.
    ///
    /// # Errors
    /// There is no such commit.
    fn message_of(&self, folder: &Path, commit: &CommitId) -> Outcome<String>;

    /// Whether one commit is reachable from another.
    ///
    /// # Errors
    /// There is no such commit.
    fn is_ancestor(&self, folder: &Path, ancestor: &CommitId, descendant: &CommitId) -> Outcome<bool>;

    /// The newest commit in a range whose message has this trailer.
    ///
    /// # Errors
    /// There is no such range.
    fn find_trailer(&self, folder: &Path, range: &str, trailer: &str) -> Outcome<Option<CommitId>>;

    /// References whose full name begins with a prefix.
    ///
    /// # Errors
    /// Git gives no answer.
    fn refs(&self, folder: &Path, prefix: &str) -> Outcome<Vec<(String, CommitId)>>;

    /// Moves references, all or none, where each is where it must be.
    ///
    /// # Errors
    /// One of them is somewhere else.
    fn update_refs(&self, folder: &Path, updates: &[RefUpdate]) -> Outcome<()>;

    /// Paths in a working tree that differ from its commit, untracked ones included; what git ignores is left out, and so is
    /// what premath keeps.
    ///
    /// # Errors
    /// Git gives no answer.
    fn local_changes(&self, worktree: &Path) -> Outcome<Vec<String>>;

    /// Puts a branch at a commit and checks it out. Changes are overwritten and untracked files removed; ignored files stay.
    ///
    /// # Errors
    /// The working tree cannot be written.
    fn switch(&self, worktree: &Path, branch: &str, commit: &CommitId) -> Outcome<()>;

    /// Leaves the branch that is checked out and stays at a commit; files stay as they are.
    ///
    /// # Errors
    /// Git gives no answer.
    fn detach(&self, worktree: &Path, commit: &CommitId) -> Outcome<()>;

    /// Makes the files of a working tree those of a tree. The branch stays.
    ///
    /// # Errors
    /// The working tree cannot be written.
    fn place_tree(&self, worktree: &Path, tree: &TreeId) -> Outcome<()>;

    /// Records the files of a working tree over its commit, as `git add --all` would.
    ///
    /// # Errors
    /// A file that cannot be recorded as it is: a filter is missing, or a submodule moved.
    fn snapshot(&self, worktree: &Path) -> Outcome<TreeId>;

    /// Paths that differ between two trees.
    ///
    /// # Errors
    /// There is no such tree.
    fn changed_paths(&self, folder: &Path, from: &TreeId, to: &TreeId) -> Outcome<Vec<String>>;

    /// The difference between two trees as a patch, cut where it is longer than so many bytes.
    ///
    /// # Errors
    /// There is no such tree.
    fn diff(&self, folder: &Path, from: &TreeId, to: &TreeId, most: usize) -> Outcome<String>;

    /// The paths among these that hold conflict markers in a tree.
    ///
    /// # Errors
    /// There is no such tree.
    fn conflict_markers(&self, folder: &Path, tree: &TreeId, paths: &[String]) -> Outcome<Vec<String>>;

    /// Makes a commit. No reference moves.
    ///
    /// # Errors
    /// There is no author, or it cannot be signed.
    fn commit(&self, folder: &Path, commit: &NewCommit) -> Outcome<CommitId>;

    /// Merges two trees over the tree both come from.
    ///
    /// # Errors
    /// There is no such tree.
    fn merge(&self, folder: &Path, base: &TreeId, ours: &TreeId, theirs: &TreeId) -> Outcome<MergedTree>;

    /// Merges two commits over what they have in common.
    ///
    /// # Errors
    /// There is no such commit, or they have nothing in common.
    fn merge_commits(&self, folder: &Path, ours: &CommitId, theirs: &CommitId) -> Outcome<MergedTree>;

    /// Makes a folder a clean checkout of a commit, as a working tree of the repository: ignored files are removed too.
    ///
    /// # Errors
    /// Something else is in the way.
    fn clean_checkout(&self, repository: &Path, commit: &CommitId, folder: &Path) -> Outcome<()>;

    /// Removes a working tree that `clean_checkout` made; one that is not there is removed already.
    ///
    /// # Errors
    /// It cannot be removed.
    fn remove_checkout(&self, repository: &Path, folder: &Path) -> Outcome<()>;

    /// The working tree that has a branch checked out.
    ///
    /// # Errors
    /// Git gives no answer.
    fn checked_out(&self, folder: &Path, branch: &str) -> Outcome<Option<PathBuf>>;

    /// Moves the branch of a working tree forward to a commit, files included.
    ///
    /// # Errors
    /// Local changes are in the way, or it would not be a move forward.
    fn fast_forward(&self, worktree: &Path, commit: &CommitId) -> Outcome<()>;

    /// Sends a branch to a remote, over whatever stands there under its name.
    ///
    /// # Errors
    /// The remote refuses or cannot be reached.
    fn push(&self, folder: &Path, remote: &str, branch: &str) -> Outcome<Pushed>;

    /// Fetches a branch of a remote.
    ///
    /// # Errors
    /// The remote refuses, cannot be reached or has no such branch.
    fn fetch(&self, folder: &Path, remote: &str, branch: &str) -> Outcome<CommitId>;
}

/// A place without version control.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVersionControl;

fn none<T>(doing: &'static str) -> Outcome<T> {
    let detail = "there is no version control here".to_owned();
    Err(VersionControlError { fault: VersionControlFault::Other, doing, detail })
}

impl VersionControl for NoVersionControl {
    fn head(&self, _: &Path) -> Outcome<Option<Head>> {
        Ok(None)
    }

    fn main_folder(&self, _: &Path) -> Outcome<Option<PathBuf>> {
        Ok(None)
    }

    fn top_folder(&self, _: &Path) -> Outcome<Option<PathBuf>> {
        Ok(None)
    }

    fn ready_to_commit(&self, _: &Path) -> Outcome<()> {
        none("commit")
    }

    fn resolve(&self, _: &Path, _: &str) -> Outcome<Option<CommitId>> {
        Ok(None)
    }

    fn tree_of(&self, _: &Path, _: &CommitId) -> Outcome<TreeId> {
        none("read a commit")
    }

    fn parents_of(&self, _: &Path, _: &CommitId) -> Outcome<Vec<CommitId>> {
        none("read a commit")
    }

    fn message_of(&self, _: &Path, _: &CommitId) -> Outcome<String> {
        none("read a commit")
    }

    fn is_ancestor(&self, _: &Path, _: &CommitId, _: &CommitId) -> Outcome<bool> {
        none("compare commits")
    }

    fn find_trailer(&self, _: &Path, _: &str, _: &str) -> Outcome<Option<CommitId>> {
        Ok(None)
    }

    fn refs(&self, _: &Path, _: &str) -> Outcome<Vec<(String, CommitId)>> {
        Ok(Vec::new())
    }

    fn update_refs(&self, _: &Path, _: &[RefUpdate]) -> Outcome<()> {
        none("move references")
    }

    fn local_changes(&self, _: &Path) -> Outcome<Vec<String>> {
        Ok(Vec::new())
    }

    fn switch(&self, _: &Path, _: &str, _: &CommitId) -> Outcome<()> {
        none("switch branches")
    }

    fn detach(&self, _: &Path, _: &CommitId) -> Outcome<()> {
        none("leave a branch")
    }

    fn place_tree(&self, _: &Path, _: &TreeId) -> Outcome<()> {
        none("write files")
    }

    fn snapshot(&self, _: &Path) -> Outcome<TreeId> {
        none("record files")
    }

    fn changed_paths(&self, _: &Path, _: &TreeId, _: &TreeId) -> Outcome<Vec<String>> {
        none("compare trees")
    }

    fn diff(&self, _: &Path, _: &TreeId, _: &TreeId, _: usize) -> Outcome<String> {
        none("compare trees")
    }

    fn conflict_markers(&self, _: &Path, _: &TreeId, _: &[String]) -> Outcome<Vec<String>> {
        none("search a tree")
    }

    fn commit(&self, _: &Path, _: &NewCommit) -> Outcome<CommitId> {
        none("commit")
    }

    fn merge(&self, _: &Path, _: &TreeId, _: &TreeId, _: &TreeId) -> Outcome<MergedTree> {
        none("merge")
    }

    fn merge_commits(&self, _: &Path, _: &CommitId, _: &CommitId) -> Outcome<MergedTree> {
        none("merge")
    }

    fn clean_checkout(&self, _: &Path, _: &CommitId, _: &Path) -> Outcome<()> {
        none("check out a commit")
    }

    fn remove_checkout(&self, _: &Path, _: &Path) -> Outcome<()> {
        Ok(())
    }

    fn checked_out(&self, _: &Path, _: &str) -> Outcome<Option<PathBuf>> {
        Ok(None)
    }

    fn fast_forward(&self, _: &Path, _: &CommitId) -> Outcome<()> {
        none("move a branch forward")
    }

    fn push(&self, _: &Path, _: &str, _: &str) -> Outcome<Pushed> {
        none("push")
    }

    fn fetch(&self, _: &Path, _: &str, _: &str) -> Outcome<CommitId> {
        none("fetch")
    }
}
