//! Landing one issue: its commit moved onto the target, verified again where the target has moved.
//!
//! One issue at a time, under a lock of the repository. The mark `landing/<issue>` is written before the target moves, so that
//! whoever comes after a kill sees whether it moved. It must not move the target over local changes, nor to anything but a
//! commit in front of it.

use std::time::Duration;

use premath_bd::issues::{Change, IssueChanges, Operation};
use premath_bd::{Access, DiskFile, LockMode, LockOutcome, StoreError};
use premath_kernel::Digest;
use premath_tusk::sandbox::Interrupt;
use premath_tusk::session::{HeldIssue, StepEvent};
use premath_tusk::version_control::{CommitId, NewCommit, TreeId, VersionControlFault};

use super::super::bench::Bench;
use super::base::{conflict_message, listed};
use super::names::{branch, branch_ref, landing_ref};
use super::tree::{Conflict, StepTree};
use super::{Landing, LandingFailure};
use crate::settings::LandMode;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The lock of the queue, in the state folder.
const LOCK: &str = "landing.lock";
/// How long the lock is waited for at once.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the target may move under the landing of one issue.
const MOST_MOVES: usize = 8;

/// What a commit on its way to the target came to.
#[derive(Debug)]
pub(super) enum Moved {
    /// It is on the target.
    Landed(CommitId, TreeId),
    /// It does not merge, or what it merges to does not pass.
    Failed(LandingFailure, Option<Conflict>),
    /// The lease was lost or somebody asked for the end.
    Interrupted,
}

/// What a landing works on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'c> {
    pub(super) held: &'c HeldIssue,
    pub(super) step_id: &'c str,
    pub(super) interrupt: &'c Interrupt,
}

impl Bench<'_> {
    /// Commits what was verified and brings it to where the mode says.
    pub(in super::super) fn land(
        &mut self,
        landing: &Landing<'_>,
        tree: &mut StepTree,
        candidate: (&HeldIssue, &Digest, &str, &Interrupt),
        words: &mut Option<String>,
    ) -> Result<StepEvent, ActionError> {
        let (held, evidence, step_id, interrupt) = candidate;
        let message = self.message(held, step_id, evidence)?;
        let made = match landing.commit_verified(tree, message) {
            Ok(Some(made)) => made,
            Ok(None) => {
                return Ok(StepEvent::Landed { refs: vec![format!("git://unchanged/{}", tree.base)] });
            }
            Err(failure) => return self.landing_event(&failure, words),
        };
        tree.landed = Some(made);
        match landing.mode {
            LandMode::Off | LandMode::Branch => Ok(StepEvent::Landed { refs: tree.refs() }),
            LandMode::Push => match landing.push(&held.issue_id) {
                Ok(how) => {
                    self.tell_pushed(held, step_id, how);
                    Ok(StepEvent::Submitted { refs: tree.refs() })
                }
                Err(failure) => self.landing_event(&failure, words),
            },
            LandMode::Merge => {
                let candidate = Candidate { held, step_id, interrupt };
                let moved = self.merge_into_target(landing, tree, &candidate);
                self.queue = None;
                match moved? {
                    Moved::Landed(commit, landed) => {
                        tree.landed = Some((commit, landed));
                        let mut refs = tree.refs();
                        refs.push(format!("git://branch/{}", landing.target));
                        Ok(StepEvent::Landed { refs })
                    }
                    Moved::Failed(failure, conflict) => {
                        tree.conflict = conflict;
                        self.landing_event(&failure, words)
                    }
                    Moved::Interrupted => Ok(StepEvent::Interrupted),
                }
            }
        }
    }

    fn tell_pushed(&mut self, held: &HeldIssue, step_id: &str, how: String) {
        let row = premath_wire::v1::WorkEventRow {
            issue_id: Some(held.issue_id.clone()),
            step_id: Some(step_id.to_owned()),
            detail: Some(how),
            ..premath_wire::v1::WorkEventRow::default()
        };
        self.tell("pushed", row);
    }

    /// Waits until this session is at the head of the queue; no when it is to end.
    pub(in super::super) fn enter_queue(&mut self, interrupt: &Interrupt) -> Result<bool, StoreError> {
        if self.queue.is_none() {
            self.queue = queue_lock(self.workspace(), interrupt)?;
        }
        Ok(self.queue.is_some())
    }

    /// Moves the commit of a tree onto the target.
    pub(super) fn merge_into_target(
        &mut self,
        landing: &Landing<'_>,
        tree: &StepTree,
        candidate: &Candidate<'_>,
    ) -> Result<Moved, ActionError> {
        if !self.enter_queue(candidate.interrupt)? {
            return Ok(Moved::Interrupted);
        }
        for _ in 0..MOST_MOVES {
            let (target, own) = match (landing.target_commit(), tree.landed.clone()) {
                (Ok(target), Some(own)) => (target, own),
                (Err(failure), _) => return Ok(Moved::Failed(failure, None)),
                (Ok(_), None) => return Ok(Moved::Interrupted),
            };
            if landing.git.is_ancestor(&landing.repository, &own.0, &target).unwrap_or(false) {
                return Ok(Moved::Landed(own.0, own.1));
            }
            let (commit, landed) = match self.rebased(landing, tree, (&own, &target), candidate)? {
                Ok(rebased) => rebased,
                Err(moved) => return Ok(moved),
            };
            if candidate.interrupt.is_requested() {
                return Ok(Moved::Interrupted);
            }
            match landing.advance(&candidate.held.issue_id, &target, &commit) {
                Ok(()) => return Ok(Moved::Landed(commit, landed)),
                Err(failure) if failure.class == "landing_target_moved" => {}
                Err(failure) => return Ok(Moved::Failed(failure, None)),
            }
        }
        let detail = format!(
            "`{}` moved {MOST_MOVES} times while {} was landed",
            landing.target, candidate.held.issue_id
        );
        Ok(Moved::Failed(LandingFailure::new("landing_target_moved", detail), None))
    }

    /// The commit over the target: itself where the target is its parent, else merged and verified again.
    fn rebased(
        &mut self,
        landing: &Landing<'_>,
        tree: &StepTree,
        (own, target): (&(CommitId, TreeId), &CommitId),
        candidate: &Candidate<'_>,
    ) -> Result<Result<(CommitId, TreeId), Moved>, ActionError> {
        let failed = |failure: LandingFailure| Ok(Err(Moved::Failed(failure, None)));
        if tree.parents.first() == Some(target) {
            return Ok(Ok(own.clone()));
        }
        let onto = match landing.git.tree_of(&landing.repository, target) {
            Ok(onto) => onto,
            Err(error) => return failed(error.into()),
        };
        let merged = match landing.git.merge(&landing.repository, &tree.base, &onto, &own.1) {
            Ok(merged) => merged,
            Err(error) => return failed(error.into()),
        };
        let id = &candidate.held.issue_id;
        let parents = vec![target.clone()];
        if !merged.conflicts.is_empty() {
            let paths = merged.conflicts;
            let detail = format!("{id} conflicts with `{}` in {}", landing.target, listed(&paths));
            let message = conflict_message(id, &landing.target, &paths);
            let conflict = Conflict { tree: merged.tree, parents, paths: paths.clone(), message };
            let failure = LandingFailure { class: "landing_conflict", detail, paths };
            return Ok(Err(Moved::Failed(failure, Some(conflict))));
        }
        let verdict = self.verdict(
            landing,
            (&merged.tree, &onto, &parents),
            candidate.held,
            (candidate.step_id, candidate.interrupt),
        )?;
        let verdict = match verdict {
            Ok(verdict) => verdict,
            Err(failure) => return failed(failure),
        };
        if verdict.is_flaky {
            self.tell_flaky(candidate.held, candidate.step_id, &merged.tree);
        }
        if !verdict.checked.is_passed() {
            if candidate.interrupt.is_requested() {
                return Ok(Err(Moved::Interrupted));
            }
            let detail =
                format!("{id} passes alone, and its verification fails on top of `{}`", landing.target);
            let message =
                format!("{detail}. The files are merged without conflict: make the verification pass.");
            let conflict = Conflict { tree: merged.tree, parents, paths: Vec::new(), message };
            return Ok(Err(Moved::Failed(
                LandingFailure::new("landing_check_failed", detail),
                Some(conflict),
            )));
        }
        let message = self.message(candidate.held, candidate.step_id, &verdict.checked.evidence)?;
        let commit = NewCommit { tree: merged.tree.clone(), parents, message, is_kept: true };
        Ok(match landing.git.commit(&landing.repository, &commit) {
            Ok(commit) => Ok((commit, merged.tree)),
            Err(error) => Err(Moved::Failed(error.into(), None)),
        })
    }

    /// Sets an issue aside whose branch waits for a review.
    pub(in super::super) fn review_operation(&self, landing: &Landing<'_>, held: &HeldIssue) -> Operation {
        let branch = branch(&held.issue_id);
        let note = format!(
            "`{branch}` is on `{}` for review; `premath land --accept` closes the issue when it is merged",
            landing.remote
        );
        let changes = IssueChanges {
            status: Change::Set("blocked".to_owned()),
            add_labels: vec![IN_REVIEW.to_owned()],
            append_notes: Some(note),
            ..IssueChanges::default()
        };
        Operation::Update { id: held.issue_id.clone(), changes: Box::new(changes), holder: self.holder(held) }
    }
}

/// The label of an issue whose branch waits for a review.
pub(in super::super) const IN_REVIEW: &str = "in-review";

impl Landing<'_> {
    /// Moves the target forward to a commit, files included where it is checked out.
    pub(super) fn advance(
        &self,
        issue_id: &str,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<(), LandingFailure> {
        let checkout = self.git.checked_out(&self.repository, &self.target)?;
        if let Some(folder) = &checkout {
            let changes = self.git.local_changes(folder)?;
            if !changes.is_empty() {
                return Err(self.dirty(folder, &changes));
            }
        }
        let mark = self.update(landing_ref(issue_id), Some(to))?;
        self.git.update_refs(&self.repository, &mark.into_iter().collect::<Vec<_>>())?;
        let moved = match &checkout {
            Some(folder) => self.git.fast_forward(folder, to),
            None => {
                let name = branch_ref(&self.target);
                let update = premath_tusk::version_control::RefUpdate {
                    name,
                    new: Some(to.clone()),
                    old: Some(from.clone()),
                };
                self.git.update_refs(&self.repository, &[update])
            }
        };
        match (moved, checkout) {
            (Err(error), Some(folder)) if error.fault == VersionControlFault::LocalChanges => {
                Err(self.dirty(&folder, &[error.detail]))
            }
            (moved, _) => Ok(moved?),
        }
    }

    fn dirty(&self, folder: &std::path::Path, changes: &[String]) -> LandingFailure {
        let (target, folder) = (&self.target, folder.display());
        let detail = format!(
            "`{target}` is checked out in `{folder}` with local changes: {}; commit or stash them",
            listed(changes)
        );
        LandingFailure { class: "landing_target_dirty", detail, paths: changes.to_vec() }
    }

    /// Local changes that would keep anything from landing; said before work begins.
    pub(in super::super) fn target_refusal(&self) -> Result<Option<LandingFailure>, LandingFailure> {
        if self.mode != LandMode::Merge {
            return Ok(None);
        }
        let Some(folder) = self.git.checked_out(&self.repository, &self.target)? else { return Ok(None) };
        let changes = self.git.local_changes(&folder)?;
        Ok((!changes.is_empty()).then(|| self.dirty(&folder, &changes)))
    }

    /// Pushes the branch of an issue; says where to look at it.
    pub(super) fn push(&self, issue_id: &str) -> Result<String, LandingFailure> {
        let branch = branch(issue_id);
        let pushed = self.git.push(&self.repository, &self.remote, &branch)?;
        let (remote, target) = (&self.remote, &self.target);
        Ok(match pushed.links.first() {
            Some(link) => format!("`{branch}` is on `{remote}`; review it at {link}"),
            None => format!(
                "`{branch}` is on `{remote}`; review it, then merge it into `{target}`: git merge {remote}/{branch}"
            ),
        })
    }
}

/// The lock of the landing queue; none when whoever waits is to end.
pub(super) fn queue_lock(
    workspace: &Workspace,
    interrupt: &Interrupt,
) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
    let path = workspace.root.join(".premath").join(LOCK);
    let failed = |source| StoreError::Io { doing: "lock", path: path.clone(), source };
    let file = workspace.disk.open(&path, Access::Update).map_err(failed)?;
    while !interrupt.is_requested() {
        match file.lock(LockMode::Exclusive, PATIENCE).map_err(failed)? {
            LockOutcome::Held => return Ok(Some(file)),
            LockOutcome::Busy => {}
        }
    }
    Ok(None)
}
