//! The tree of one step: what it began from, what was verified, and the commit that was made of it. Data only.

use premath_kernel::Digest;
use premath_tusk::version_control::{CommitId, TreeId};

/// Work that did not merge: the next attempt begins from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Conflict {
    /// The merged files, with markers where they conflict.
    pub(super) tree: TreeId,
    /// The commits that were to be merged: the parents of the attempt that solves it.
    pub(super) parents: Vec<CommitId>,
    /// The paths with conflicts; none where only the verification failed.
    pub(in super::super) paths: Vec<String>,
    /// What happened, for the worker.
    pub(in super::super) message: String,
}

/// The tree that a step works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct StepTree {
    pub(super) issue_id: String,
    /// The parents of the commit to be made: the base first.
    pub(super) parents: Vec<CommitId>,
    /// The tree of the base.
    pub(super) base: TreeId,
    /// The commit of an earlier, killed attempt at this issue, which is verified again in the place of working again.
    pub(in super::super) adopted: Option<CommitId>,
    /// What was verified last, and the evidence of it.
    pub(super) verified: Option<(TreeId, Digest)>,
    /// Trees whose verification failed once.
    pub(super) failed: Vec<TreeId>,
    /// A tree whose verification failed and then passed.
    pub(in super::super) flaky: Option<TreeId>,
    /// What the worker is to solve.
    pub(in super::super) conflict: Option<Conflict>,
    /// The commit and the tree that the issue is closed with.
    pub(super) landed: Option<(CommitId, TreeId)>,
}

impl StepTree {
    pub(super) fn new(issue_id: &str, parents: Vec<CommitId>, base: TreeId) -> Self {
        Self {
            issue_id: issue_id.to_owned(),
            parents,
            base,
            adopted: None,
            verified: None,
            failed: Vec::new(),
            flaky: None,
            conflict: None,
            landed: None,
        }
    }

    /// How the commit and its tree are cited.
    pub(in super::super) fn refs(&self) -> Vec<String> {
        match &self.landed {
            Some((commit, tree)) => vec![format!("git://commit/{commit}"), format!("git://tree/{tree}")],
            None => Vec::new(),
        }
    }
}
