//! Verification of a tree: on a clean checkout of it, never on what a command left lying about.
//!
//! A verification that fails is made once more on the same tree; when it passes then, it is flaky and on record as that.

use premath_tusk::session::{Checked, HeldIssue, StepEvent};
use premath_tusk::version_control::{CommitId, NewCommit, TreeId};

use super::super::bench::Bench;
use super::super::command::{Line, Purpose, run};
use super::base::listed;
use super::tree::StepTree;
use super::{Landing, LandingFailure};
use crate::checking::CHECK_FAILED;
use crate::table::ActionError;

/// A verdict about a tree.
#[derive(Debug)]
pub(super) struct TreeVerdict {
    pub(super) checked: Checked,
    /// Whether it failed first, on the same tree.
    pub(super) is_flaky: bool,
}

impl Bench<'_> {
    /// Records the tree of an attempt and verifies it.
    pub(in super::super) fn verify_tree(
        &mut self,
        landing: &Landing<'_>,
        tree: &mut StepTree,
        held: &HeldIssue,
        (step_id, interrupt): (&str, &premath_tusk::sandbox::Interrupt),
        words: &mut Option<String>,
    ) -> Result<Checked, ActionError> {
        let mut failed = |failure: &LandingFailure| {
            *words = Some(failure.detail.clone());
            self.landing_failed(failure)
        };
        let recorded = match &tree.adopted {
            Some(commit) => landing.git.tree_of(&landing.repository, commit),
            None => landing.git.snapshot(&landing.tree),
        };
        let recorded = match recorded {
            Ok(recorded) => recorded,
            Err(error) => return failed(&error.into()),
        };
        if let Some(failure) = landing.unresolved(tree, &recorded) {
            return failed(&failure);
        }
        let verdict =
            self.verdict(landing, (&recorded, &tree.base, &tree.parents), held, (step_id, interrupt))?;
        let TreeVerdict { checked, is_flaky } = match verdict {
            Ok(verdict) => verdict,
            Err(failure) => return failed(&failure),
        };
        let was_failed = tree.failed.contains(&recorded);
        if !checked.is_passed() {
            if !was_failed {
                tree.failed.push(recorded);
            }
            return Ok(checked);
        }
        if is_flaky || was_failed {
            self.tell_flaky(held, step_id, &recorded);
            tree.flaky = Some(recorded.clone());
        }
        tree.verified = Some((recorded, checked.evidence.clone()));
        Ok(checked)
    }

    /// Runs the verification on a clean checkout of a tree; once more where it failed.
    pub(super) fn verdict(
        &self,
        landing: &Landing<'_>,
        (tree, base, parents): (&TreeId, &TreeId, &[CommitId]),
        held: &HeldIssue,
        (step_id, interrupt): (&str, &premath_tusk::sandbox::Interrupt),
    ) -> Result<Result<TreeVerdict, LandingFailure>, ActionError> {
        if let Err(failure) = landing.check_out(tree, parents, &held.issue_id) {
            return Ok(Err(failure));
        }
        let text = self.request.verify.clone().unwrap_or_default();
        let line = Line {
            purpose: Purpose::Verify,
            text: &text,
            folder: landing.verification_tree().join(&landing.prefix),
            environment: self.environment(held, step_id),
            limit: self.request.verify_limit,
            tree: Some((tree.as_str(), base.as_str())),
        };
        let checked = run(self.host, &self.evidence, &line, interrupt)?;
        let is_verdict = checked.classes.iter().any(|class| class == CHECK_FAILED);
        if !is_verdict || interrupt.is_requested() {
            return Ok(Ok(TreeVerdict { checked, is_flaky: false }));
        }
        if let Err(failure) = landing.check_out(tree, parents, &held.issue_id) {
            return Ok(Err(failure));
        }
        let again = run(self.host, &self.evidence, &line, interrupt)?;
        Ok(Ok(match again.is_passed() {
            true => TreeVerdict { checked: again, is_flaky: true },
            false => TreeVerdict { checked, is_flaky: false },
        }))
    }

    pub(super) fn tell_flaky(&mut self, held: &HeldIssue, step_id: &str, tree: &TreeId) {
        let row = premath_wire::v1::WorkEventRow {
            issue_id: Some(held.issue_id.clone()),
            step_id: Some(step_id.to_owned()),
            detail: Some(format!("the verification failed and then passed on the same tree {tree}")),
            ..premath_wire::v1::WorkEventRow::default()
        };
        self.tell("flaky", row);
    }

    /// A failure of landing as a failed check: its evidence names the paths.
    pub(in super::super) fn landing_failed(&self, failure: &LandingFailure) -> Result<Checked, ActionError> {
        let document = premath_kernel::Object::fields()
            .field("kind", "premath.landing_failure.v1")
            .field("failureClass", failure.class)
            .field("detail", failure.detail.as_str())
            .field("paths", premath_kernel::Value::text_list(failure.paths.iter().map(String::as_str)))
            .finish();
        let evidence = self.evidence.put(&premath_kernel::encode(&document))?;
        Ok(Checked { classes: vec![failure.class.to_owned()], evidence })
    }

    /// The same as an event of the step, with the words for whoever reads its escalation.
    pub(in super::super) fn landing_event(
        &self,
        failure: &LandingFailure,
        words: &mut Option<String>,
    ) -> Result<StepEvent, ActionError> {
        let checked = self.landing_failed(failure)?;
        *words = Some(failure.detail.clone());
        Ok(StepEvent::Checked(checked))
    }
}

impl Landing<'_> {
    /// A conflict that the worker was to resolve and left as it was.
    fn unresolved(&self, tree: &StepTree, recorded: &TreeId) -> Option<LandingFailure> {
        let paths = tree.conflict.as_ref().map(|conflict| conflict.paths.as_slice()).unwrap_or_default();
        let left = match self.git.conflict_markers(&self.repository, recorded, paths) {
            Ok(left) => left,
            Err(error) => return Some(error.into()),
        };
        let detail = format!("{} holds conflict markers still in {}", tree.issue_id, listed(&left));
        (!left.is_empty()).then_some(LandingFailure { class: "landing_conflict", detail, paths: left })
    }

    /// A clean checkout of a tree.
    fn check_out(&self, tree: &TreeId, parents: &[CommitId], issue_id: &str) -> Result<(), LandingFailure> {
        let message = format!("premath: verification of {issue_id}\n");
        let commit = NewCommit { tree: tree.clone(), parents: parents.to_vec(), message, is_kept: false };
        let commit = self.git.commit(&self.repository, &commit)?;
        Ok(self.git.clean_checkout(&self.repository, &commit, &self.verification_tree())?)
    }

    /// Removes the checkout for verification: nothing in it is anybody's.
    pub(in super::super) fn remove_verification_tree(&self) -> Result<(), LandingFailure> {
        Ok(self.git.remove_checkout(&self.repository, &self.verification_tree())?)
    }
}
