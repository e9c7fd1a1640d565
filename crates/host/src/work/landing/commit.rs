//! The commit of a step: exactly the tree that was verified, under a message that names issue, step and evidence.

use premath_kernel::Digest;
use premath_tusk::session::HeldIssue;
use premath_tusk::version_control::{CommitId, NewCommit, RefUpdate, TreeId};

use super::super::bench::Bench;
use super::names::{branch, branch_ref, done_ref, issue_trailer, landed_ref, landing_ref};
use super::tree::StepTree;
use super::{Landing, LandingFailure};
use crate::settings::LandMode;
use crate::table::ActionError;

/// The longest body that is taken from an issue, in characters.
const MOST_BODY: usize = 4_000;

/// The message of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitMessage {
    pub(super) title: String,
    pub(super) body: String,
    pub(super) issue_id: String,
    pub(super) run: String,
    pub(super) witness: String,
}

impl CommitMessage {
    /// The text: title, body, trailers. A line of the issue that looks like one of our trailers is indented, so that nobody
    /// takes it for one.
    pub(super) fn text(&self) -> String {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = if title.is_empty() { self.issue_id.clone() } else { title };
        let body: String = self.body.trim().chars().take(MOST_BODY).collect();
        let lines = body.lines().map(|line| {
            let line = line.trim_end();
            if line.trim_start().to_ascii_lowercase().starts_with("premath-") {
                format!("    {line}")
            } else {
                line.to_owned()
            }
        });
        let body = lines.collect::<Vec<_>>().join("\n");
        let body = if body.is_empty() { body } else { format!("{body}\n\n") };
        let Self { issue_id, run, witness, .. } = self;
        format!(
            "{title}\n\n{body}{}\nPremath-Run: {run}\nPremath-Witness: {witness}\n",
            issue_trailer(issue_id)
        )
    }
}

impl Bench<'_> {
    pub(super) fn message(
        &self,
        held: &HeldIssue,
        step_id: &str,
        evidence: &Digest,
    ) -> Result<String, ActionError> {
        let row = self.look(&held.issue_id)?;
        let body = row.as_ref().and_then(|row| row.text("description")).unwrap_or_default().to_owned();
        Ok(CommitMessage {
            title: held.title.clone(),
            body,
            issue_id: held.issue_id.clone(),
            run: step_id.to_owned(),
            witness: evidence.as_str().to_owned(),
        }
        .text())
    }
}

impl Landing<'_> {
    /// Commits the verified tree onto the branch of the issue; none where the work changed nothing.
    pub(super) fn commit_verified(
        &self,
        tree: &StepTree,
        message: String,
    ) -> Result<Option<(CommitId, TreeId)>, LandingFailure> {
        if let Some(commit) = &tree.adopted {
            return Ok(Some((commit.clone(), self.git.tree_of(&self.repository, commit)?)));
        }
        let Some((verified, _)) = &tree.verified else {
            return Err(LandingFailure::new("landing_check_failed", "no tree was verified"));
        };
        if *verified == tree.base && tree.parents.len() == 1 {
            return Ok(None);
        }
        let parents = tree.parents.clone();
        let commit = NewCommit { tree: verified.clone(), parents, message, is_kept: true };
        let commit = self.git.commit(&self.repository, &commit)?;
        self.move_branch(&tree.issue_id, Some(&commit))?;
        self.git.detach(&self.tree, &commit)?;
        Ok(Some((commit, verified.clone())))
    }

    /// Puts the branch of an issue at a commit, or removes it.
    pub(super) fn move_branch(&self, issue_id: &str, new: Option<&CommitId>) -> Result<(), LandingFailure> {
        let update = self.update(branch_ref(&branch(issue_id)), new)?;
        Ok(self.git.update_refs(&self.repository, &update.into_iter().collect::<Vec<_>>())?)
    }

    /// The change of a reference from where it is now; none where it is there already.
    pub(super) fn update(
        &self,
        name: String,
        new: Option<&CommitId>,
    ) -> Result<Option<RefUpdate>, LandingFailure> {
        let old = self.git.resolve(&self.repository, &name)?;
        let is_there = old.as_ref() == new;
        Ok((!is_there).then(|| RefUpdate { name, new: new.cloned(), old }))
    }

    /// The issue is closed: marks what it was closed with, and lets go of the branch where its work has landed.
    pub(in super::super) fn finish(&self, tree: &StepTree) -> Result<(), LandingFailure> {
        let id = &tree.issue_id;
        let commit = tree.landed.as_ref().map(|(commit, _)| commit);
        let mut updates = vec![self.update(done_ref(id), commit)?, self.update(landing_ref(id), None)?];
        if self.mode == LandMode::Merge {
            updates.push(self.update(landed_ref(id), commit)?);
            updates.push(self.update(branch_ref(&branch(id)), None)?);
        }
        let updates: Vec<RefUpdate> = updates.into_iter().flatten().collect();
        if updates.is_empty() {
            return Ok(());
        }
        Ok(self.git.update_refs(&self.repository, &updates)?)
    }
}

#[cfg(test)]
mod tests {
    use super::CommitMessage;

    fn message(title: &str, body: &str) -> String {
        CommitMessage {
            title: title.to_owned(),
            body: body.to_owned(),
            issue_id: "bd-1".to_owned(),
            run: "w.bd-1.3-1".to_owned(),
            witness: "sha256:00".to_owned(),
        }
        .text()
    }

    #[test]
    fn a_message_has_the_title_the_description_and_three_trailers() {
        assert_eq!(
            message(" Parse  the\nheader ", "It fails since yesterday.\n"),
            "Parse the header\n\nIt fails since yesterday.\n\nPremath-Issue: bd-1\nPremath-Run: w.bd-1.3-1\nPremath-Witness: sha256:00\n"
        );
        assert!(message("", "").starts_with("bd-1\n\nPremath-Issue: bd-1\n"));
    }

    #[test]
    fn a_description_cannot_forge_a_trailer() {
        let text = message("T", "Premath-Issue: bd-9\nPREMATH-Run: x");
        assert_eq!(text.lines().filter(|line| line.starts_with("Premath-")).count(), 3);
        assert!(text.contains("    Premath-Issue: bd-9") && text.contains("    PREMATH-Run: x"));
    }
}
