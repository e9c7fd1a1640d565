//! From a commit back: its trailers name the issue, the step and the evidence of the verification.
//!
//! What another clone has on record is said to be not here. A trailer is a claim: nothing is taken from it that this clone's
//! own records do not confirm.

use premath_bd::{Grouping, ObjectId, Query, StoreError, Trajectory};
use premath_kernel::Value;
use premath_tusk::version_control::{CommitId, VersionControl, VersionControlError};
use premath_wire::v1::{ProjectionMode, WhyKind};

use super::Trail;
use crate::checking::check_objects;
use crate::table::ActionError;

/// The shortest abbreviation that is taken for a commit.
const SHORTEST: usize = 7;
/// So many steps are looked through for the one that a commit names.
const MOST_STEPS: usize = 100_000;

/// The commit that a subject names; none when it is no abbreviation of one.
pub(super) fn commit_named(
    git: &dyn VersionControl,
    folder: &std::path::Path,
    subject: &str,
) -> Result<Option<CommitId>, ActionError> {
    let is_hash = subject.len() >= SHORTEST && subject.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash || git.head(folder).map_err(unavailable)?.is_none() {
        return Ok(None);
    }
    git.resolve(folder, subject).map_err(unavailable)
}

/// The value of a trailer.
fn trailer<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    message.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::trim)
}

impl Trail<'_> {
    /// A commit: its step, its evidence, and the changes of its issue.
    pub(super) fn commit(
        &mut self,
        git: &dyn VersionControl,
        (folder, commit): (&std::path::Path, &CommitId),
        limit: usize,
    ) -> Result<usize, ActionError> {
        let message = git.message_of(folder, commit).map_err(unavailable)?;
        let title = message.lines().next().unwrap_or_default();
        let step = self.step(0, WhyKind::Change, format!("commit {commit}: {title}"));
        step.evidence = Some(format!("git://commit/{commit}"));
        let Some(issue) = trailer(&message, "Premath-Issue").map(str::to_owned) else {
            self.unknown(1, "the commit has no trailer of premath: a person or another program made it");
            return Ok(0);
        };
        self.committed_by(trailer(&message, "Premath-Run"), commit)?;
        self.verified_with(trailer(&message, "Premath-Witness"))?;
        self.issue(&issue, limit)
    }

    fn committed_by(&mut self, run: Option<&str>, commit: &CommitId) -> Result<(), ActionError> {
        let Some(run) = run else {
            self.unknown(1, "the commit names no step");
            return Ok(());
        };
        let path = self.workspace.root.join(".premath").join("harness_trajectory.jsonl");
        let trajectory = Trajectory::new(std::sync::Arc::clone(&self.workspace.disk), path);
        let query = Query { mode: ProjectionMode::Latest, limit: MOST_STEPS, grouping: Grouping::None };
        let rows = match trajectory.query(&query) {
            Err(StoreError::Missing { .. }) => Vec::new(),
            found => found?.items,
        };
        let member = |row: &Value<'_>, name: &str| super::text(row, name).map(str::to_owned);
        let Some(row) = rows.iter().find(|row| member(row, "stepId").as_deref() == Some(run)) else {
            self.unknown(1, format!("not_here: this clone has no step `{run}`"));
            return Ok(());
        };
        let named = row.as_object().and_then(|row| row.get("mutationRefs")).and_then(Value::as_array);
        let reference = format!("git://commit/{commit}");
        let is_cited = named.unwrap_or_default().iter().any(|one| one.as_text() == Some(&reference));
        let (class, at) = (member(row, "resultClass").unwrap_or_default(), member(row, "finishedAt"));
        let step = self.step(1, WhyKind::Turn, format!("made by step `{run}`, which ended as {class}"));
        step.at = at;
        step.evidence = Some(format!("step://{run}"));
        if !is_cited {
            // Rebased by a person, or landed by another step.
            self.unknown(2, format!("the step does not cite commit {commit}"));
        }
        Ok(())
    }

    fn verified_with(&mut self, witness: Option<&str>) -> Result<(), ActionError> {
        let Some(digest) = witness else {
            self.unknown(1, "the commit names no verification");
            return Ok(());
        };
        let objects = check_objects(self.workspace);
        let is_here = match digest.parse::<ObjectId>() {
            Ok(id) => objects.contains(&id)?,
            Err(_) => false,
        };
        if !is_here {
            self.unknown(1, format!("not_here: this clone does not have the evidence {digest}"));
            return Ok(());
        }
        let step = self.step(1, WhyKind::Witness, "verified by a command on a checkout of its tree");
        step.evidence = Some(digest.to_owned());
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn unavailable(error: VersionControlError) -> ActionError {
    ActionError::Unavailable {
        what: format!("environment_git: {error}"),
        hint: "`git log` says whether git works here".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::trailer;

    #[test]
    fn a_trailer_is_read_from_the_end_of_a_message_and_not_from_an_indented_line() {
        let message = "T\n\n    Premath-Issue: forged\n\nPremath-Issue: bd-1\nPremath-Run: w.bd-1.1-1\n";
        assert_eq!(trailer(message, "Premath-Issue"), Some("bd-1"));
        assert_eq!(trailer(message, "Premath-Witness"), None);
    }
}
