//! The base of a step: the target, with the branches of closed dependencies that have not landed merged into it.
//!
//! What a killed step left behind is kept: its commit is taken up again, and what it had not committed stays reachable. It must
//! not overwrite changes in a working tree that a person named.

use std::collections::BTreeSet;

use premath_bd::issues::{GraphView, IssueStore as _};
use premath_kernel::Status;
use premath_tusk::sandbox::Interrupt;
use premath_tusk::session::HeldIssue;
use premath_tusk::version_control::{CommitId, NewCommit, RefUpdate, TreeId};

use super::super::bench::Bench;
use super::names::{branch, branch_ref, done_ref, issue_trailer, landed_ref, landing_ref, leftover_ref};
use super::tree::{Conflict, StepTree};
use super::{Landing, LandingFailure};
use crate::table::ActionError;

/// The label of an issue whose commit did not merge when it was landed after its close.
pub(super) const CONFLICT_LABEL: &str = "landing-conflict";

type Prepared = Result<StepTree, LandingFailure>;

impl Bench<'_> {
    /// Makes the working tree ready for an attempt: on the branch of the issue, at its base.
    pub(in super::super) fn prepare(
        &mut self,
        landing: &Landing<'_>,
        held: &HeldIssue,
        (before, interrupt): (Option<StepTree>, &Interrupt),
    ) -> Result<Prepared, ActionError> {
        let again = before.filter(|tree| tree.issue_id == held.issue_id);
        if let Some(tree) = again {
            // Who resolves a conflict with the target stays at the head of the queue, so that the target waits for it.
            if tree.conflict.is_some() && tree.landed.is_some() && !self.enter_queue(interrupt)? {
                return Ok(Ok(tree));
            }
            return Ok(landing.prepare_again(tree));
        }
        let dependencies = self.closed_dependencies(&held.issue_id)?;
        let row = self.look(&held.issue_id)?;
        let labels =
            row.as_ref().and_then(|row| row.object().get("labels").and_then(premath_kernel::Value::as_array));
        let is_conflict =
            labels.unwrap_or_default().iter().any(|label| label.as_text() == Some(CONFLICT_LABEL));
        Ok(landing.prepare_first(held, &self.place.worker, &dependencies, is_conflict))
    }

    /// The closed issues that an issue depends on, at any distance, dependencies first.
    pub(super) fn closed_dependencies(&self, issue_id: &str) -> Result<Vec<String>, ActionError> {
        let view = self.store.view()?;
        Ok(closed_dependencies(&view.graph()?, issue_id))
    }
}

/// The closed issues that an issue depends on, at any distance, dependencies first.
pub(super) fn closed_dependencies(graph: &GraphView, issue_id: &str) -> Vec<String> {
    let (mut seen, mut ordered) = (BTreeSet::new(), Vec::new());
    // A walk with its own stack: a chain of dependencies may be longer than the stack of a thread.
    let mut stack = vec![(issue_id.to_owned(), false)];
    while let Some((id, is_done)) = stack.pop() {
        if is_done {
            ordered.push(id);
            continue;
        }
        if !seen.insert(id.clone()) {
            continue;
        }
        let Some(facts) = graph.number(&id).and_then(|number| graph.node(number)) else { continue };
        if id != issue_id {
            if facts.status != Status::Closed {
                continue;
            }
            stack.push((id.clone(), true));
        }
        let parents = facts.blocking.iter().map(|one| (one.depends_on.clone(), false));
        stack.extend(parents.collect::<Vec<_>>().into_iter().rev());
    }
    ordered
}

impl Landing<'_> {
    fn prepare_first(
        &self,
        held: &HeldIssue,
        worker: &str,
        dependencies: &[String],
        is_conflict: bool,
    ) -> Prepared {
        self.keep_leftovers(worker)?;
        let branch = branch(&held.issue_id);
        if let Some(tree) = self.adopted(&held.issue_id)?.filter(|_| !is_conflict) {
            if let Some(commit) = &tree.adopted {
                self.git.switch(&self.tree, &branch, commit)?;
            }
            return Ok(tree);
        }
        let (base, conflict) = self.base(&held.issue_id, dependencies)?;
        let earlier = if is_conflict { self.earlier_work(&held.issue_id, &base)? } else { None };
        let mut tree =
            StepTree::new(&held.issue_id, vec![base.clone()], self.git.tree_of(&self.repository, &base)?);
        self.git.switch(&self.tree, &branch, &base)?;
        if let Some(conflict) = conflict.or(earlier) {
            self.git.place_tree(&self.tree, &conflict.tree)?;
            tree.parents.clone_from(&conflict.parents);
            tree.conflict = Some(conflict);
        }
        Ok(tree)
    }

    /// The attempt after one that failed: from the conflict where there was one, else from what is in the folder.
    fn prepare_again(&self, before: StepTree) -> Prepared {
        let Some(conflict) = before.conflict.clone() else {
            return Ok(StepTree { adopted: None, verified: None, landed: None, ..before });
        };
        let conflict = match &before.landed {
            Some((_, own)) => self.merge_again(&before, own, conflict)?,
            None => conflict,
        };
        let Some(base) = conflict.parents.first().cloned() else { return Ok(before) };
        self.git.switch(&self.tree, &branch(&before.issue_id), &base)?;
        self.git.place_tree(&self.tree, &conflict.tree)?;
        let base = self.git.tree_of(&self.repository, &base)?;
        let mut tree = StepTree::new(&before.issue_id, conflict.parents.clone(), base);
        tree.conflict = Some(conflict);
        tree.failed = before.failed;
        Ok(tree)
    }

    /// The conflict of a commit with the target as it is now, which may have moved since.
    fn merge_again(
        &self,
        before: &StepTree,
        own: &TreeId,
        conflict: Conflict,
    ) -> Result<Conflict, LandingFailure> {
        let target = self.target_commit()?;
        if conflict.parents.first() == Some(&target) {
            return Ok(conflict);
        }
        let onto = self.git.tree_of(&self.repository, &target)?;
        let merged = self.git.merge(&self.repository, &before.base, &onto, own)?;
        let (id, paths) = (&before.issue_id, merged.conflicts);
        let message = match paths.as_slice() {
            [] => format!("{id} merges with `{}` again: make the verification pass.", self.target),
            paths => conflict_message(id, &self.target, paths),
        };
        Ok(Conflict { tree: merged.tree, parents: vec![target], paths, message })
    }

    /// What a killed step left uncommitted stays reachable; what a person left in a tree of their own is in the way.
    fn keep_leftovers(&self, worker: &str) -> Result<(), LandingFailure> {
        let changes = self.git.local_changes(&self.tree)?;
        let Some(head) = self.git.head(&self.tree)?.filter(|_| !changes.is_empty()) else { return Ok(()) };
        let is_ours = head.branch.as_deref().is_some_and(|branch| branch.starts_with("premath/"));
        if !is_ours && !self.is_own {
            let listed = listed(&changes);
            let detail =
                format!("`{}` has local changes: {listed}; commit or stash them", self.tree.display());
            return Err(LandingFailure::new("landing_worktree_dirty", detail));
        }
        let tree = self.git.snapshot(&self.tree)?;
        let message = format!("premath: what a step of {worker} left uncommitted\n");
        let commit = NewCommit { tree, parents: vec![head.commit], message, is_kept: false };
        let commit = self.git.commit(&self.repository, &commit)?;
        let name = leftover_ref(worker);
        let old = self.git.resolve(&self.repository, &name)?;
        self.git.update_refs(&self.repository, &[RefUpdate { name, new: Some(commit), old }])?;
        Ok(())
    }

    /// The commit of a killed attempt at the issue that is not closed yet; none when there is none.
    fn adopted(&self, issue_id: &str) -> Result<Option<StepTree>, LandingFailure> {
        let resolve = |name: &str| self.git.resolve(&self.repository, name);
        let landing = resolve(&landing_ref(issue_id))?;
        let tip = resolve(&branch_ref(&branch(issue_id)))?;
        let done = resolve(&done_ref(issue_id))?;
        let trailer = issue_trailer(issue_id);
        for commit in [landing, tip].into_iter().flatten() {
            let message = self.git.message_of(&self.repository, &commit)?;
            if done.as_ref() == Some(&commit) || !message.lines().any(|line| line.trim_end() == trailer) {
                continue;
            }
            let parents = self.git.parents_of(&self.repository, &commit)?;
            let Some(base) = parents.first() else { continue };
            let base = self.git.tree_of(&self.repository, base)?;
            let mut tree = StepTree::new(issue_id, parents, base);
            tree.adopted = Some(commit);
            return Ok(Some(tree));
        }
        Ok(None)
    }

    /// The target with what it lacks of the dependencies; and where one of them does not merge, the conflict.
    fn base(
        &self,
        issue_id: &str,
        dependencies: &[String],
    ) -> Result<(CommitId, Option<Conflict>), LandingFailure> {
        let mut base = self.target_commit()?;
        for dependency in dependencies {
            let Some(tip) = self.git.resolve(&self.repository, &branch_ref(&branch(dependency)))? else {
                continue;
            };
            if self.git.is_ancestor(&self.repository, &tip, &base)? || self.has_landed(dependency)? {
                continue;
            }
            let merged = self.git.merge_commits(&self.repository, &base, &tip)?;
            if merged.conflicts.is_empty() {
                let message = format!("Base of {issue_id}: add {dependency}\n");
                let parents = vec![base, tip];
                let commit = NewCommit { tree: merged.tree, parents, message, is_kept: true };
                base = self.git.commit(&self.repository, &commit)?;
                continue;
            }
            let paths = merged.conflicts;
            let message = format!(
                "The work of {dependency} does not merge with the rest of the base in: {}. The files hold conflict \
                 markers: resolve them, then do the work of the issue.",
                listed(&paths)
            );
            let parents = vec![base.clone(), tip];
            return Ok((base, Some(Conflict { tree: merged.tree, parents, paths, message })));
        }
        Ok((base, None))
    }

    /// The commit that an issue was closed with, merged over a new base: what the worker has to resolve.
    fn earlier_work(&self, issue_id: &str, base: &CommitId) -> Result<Option<Conflict>, LandingFailure> {
        let Some(done) = self.git.resolve(&self.repository, &done_ref(issue_id))? else { return Ok(None) };
        let parents = self.git.parents_of(&self.repository, &done)?;
        let Some(from) = parents.first() else { return Ok(None) };
        let tree = |commit: &CommitId| self.git.tree_of(&self.repository, commit);
        let merged = self.git.merge(&self.repository, &tree(from)?, &tree(base)?, &tree(&done)?)?;
        let paths = merged.conflicts;
        let message = format!(
            "The commit of {issue_id} does not apply to `{}` any more in: {}. The files hold it with conflict markers: \
             resolve them.",
            self.target,
            listed(&paths)
        );
        Ok(Some(Conflict { tree: merged.tree, parents: vec![base.clone()], paths, message }))
    }

    /// Where the target is now.
    pub(super) fn target_commit(&self) -> Result<CommitId, LandingFailure> {
        let name = branch_ref(&self.target);
        self.git.resolve(&self.repository, &name)?.ok_or_else(|| {
            LandingFailure::new(
                "landing_target_missing",
                format!("there is no branch `{}` any more", self.target),
            )
        })
    }

    /// Whether the commit of a closed issue is on the target.
    pub(super) fn has_landed(&self, issue_id: &str) -> Result<bool, LandingFailure> {
        match self.git.resolve(&self.repository, &landed_ref(issue_id))? {
            Some(commit) => Ok(self.git.is_ancestor(&self.repository, &commit, &self.target_commit()?)?),
            None => Ok(false),
        }
    }
}

/// What a worker is told of a conflict with the target.
pub(super) fn conflict_message(issue_id: &str, target: &str, paths: &[String]) -> String {
    format!(
        "{issue_id} conflicts with `{target}` in {}. The files hold conflict markers: resolve them, and keep what both \
         sides did.",
        listed(paths)
    )
}

/// Paths for a sentence, not all of them where there are many.
pub(super) fn listed(paths: &[String]) -> String {
    const MOST: usize = 8;
    let named: Vec<String> = paths.iter().take(MOST).map(|path| format!("`{path}`")).collect();
    let more = paths.len().saturating_sub(MOST);
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}
