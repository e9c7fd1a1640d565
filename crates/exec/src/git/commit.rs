//! Commits and merges, made from trees alone: no working tree and no reference is touched.
//!
//! Author, committer and signing key are those that git's configuration names. It must not make a commit under a name of its
//! own where it is kept.

use std::path::Path;

use premath_tusk::version_control::{CommitId, MergedTree, NewCommit, TreeId, VersionControlFault};

use super::Outcome;
use super::command::{Git, reason};

/// The author of commits that nothing refers to for longer than a moment.
const NOBODY: [&str; 6] =
    ["-c", "user.name=premath", "-c", "user.email=premath@localhost", "-c", "commit.gpgSign=false"];

pub(super) fn make(folder: &Path, commit: &NewCommit) -> Outcome<CommitId> {
    let git = Git::at(folder, "commit").with_input(commit.message.as_bytes());
    let mut arguments: Vec<&str> = Vec::new();
    if commit.is_kept {
        require_identity(folder)?;
    } else {
        arguments.extend(NOBODY);
    }
    arguments.extend(["commit-tree", commit.tree.as_str()]);
    for parent in &commit.parents {
        arguments.extend(["-p", parent.as_str()]);
    }
    let signs = commit.is_kept && signs(folder)?;
    if signs {
        arguments.push("-S");
    }
    let output = git.output(&arguments)?;
    if output.status.success() {
        return Ok(CommitId::new(String::from_utf8_lossy(&output.stdout).trim().to_owned()));
    }
    let fault = if signs { VersionControlFault::SigningFailed } else { VersionControlFault::Other };
    Err(git.fault(fault, reason(&output)))
}

/// Whether a commit could be made: an author is configured, and what is to be signed can be.
pub(super) fn ready(folder: &Path) -> Outcome<()> {
    require_identity(folder)?;
    if !signs(folder)? {
        return Ok(());
    }
    let git = Git::at(folder, "sign a commit");
    let head = git.run(&["rev-parse", "--verify", "HEAD^{tree}"])?;
    let tree = TreeId::new(head.trim().to_owned());
    let message = "premath: can commits be signed?\n".to_owned();
    make(folder, &NewCommit { tree, parents: Vec::new(), message, is_kept: true }).map(drop)
}

fn require_identity(folder: &Path) -> Outcome<()> {
    let git = Git::at(folder, "commit");
    for kind in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        let output = git.output(&["-c", "user.useConfigOnly=true", "var", kind])?;
        if !output.status.success() {
            let detail =
                "no author is configured: `git config user.name NAME` and `git config user.email ADDRESS`";
            return Err(git.fault(VersionControlFault::IdentityMissing, detail.to_owned()));
        }
    }
    Ok(())
}

fn signs(folder: &Path) -> Outcome<bool> {
    let git = Git::at(folder, "read the configuration");
    Ok(git
        .ask(&["config", "--type=bool", "--get", "commit.gpgSign"])?
        .is_some_and(|value| value.trim() == "true"))
}

/// Merges two trees over a third: two commits over a common root are made for it, since git merges commits.
pub(super) fn merge(folder: &Path, base: &TreeId, ours: &TreeId, theirs: &TreeId) -> Outcome<MergedTree> {
    let commit = |tree: &TreeId, parents: Vec<CommitId>| {
        let (tree, message) = (tree.clone(), "premath: one side of a merge".to_owned());
        make(folder, &NewCommit { tree, parents, message, is_kept: false })
    };
    let root = commit(base, Vec::new())?;
    let ours = commit(ours, vec![root.clone()])?;
    let theirs = commit(theirs, vec![root])?;
    merge_commits(folder, &ours, &theirs)
}

pub(super) fn merge_commits(folder: &Path, ours: &CommitId, theirs: &CommitId) -> Outcome<MergedTree> {
    let git = Git::at(folder, "merge");
    let arguments =
        ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours.as_str(), theirs.as_str()];
    let output = git.output(&arguments)?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(git.failed(reason(&output)));
    }
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut fields = printed.split('\0').filter(|field| !field.is_empty());
    let tree = fields.next().map(|id| TreeId::new(id.trim().to_owned()));
    let tree = tree.ok_or_else(|| git.failed("the merge has no tree".to_owned()))?;
    let conflicts = if output.status.success() { Vec::new() } else { fields.map(str::to_owned).collect() };
    Ok(MergedTree { tree, conflicts })
}
