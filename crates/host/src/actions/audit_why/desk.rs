//! From a row of the audit log back: a change to its turn, the approvals and the plan behind it, and whoever asked.
//!
//! A row that leads to nobody is said to. It must not guess.

use premath_bd::AuditFilter;
use premath_kernel::Value;
use premath_wire::v1::{AuditKind, WhyKind};

use super::turns::kind_of;
use super::{ROWS, Trail, text};
use crate::desk_store::existing_desk;
use crate::table::ActionError;

/// What the ids of the desk begin with.
const ITEMS: [&str; 2] = ["fil_", "fol_"];
/// What the ids of plans begin with.
const PROPOSAL: &str = "prp_";
/// What becomes of a plan once it is agreed to; the turns that did it say more.
const CARRIED_OUT: [&str; 3] = ["executing", "step", "executed"];

impl Trail<'_> {
    /// The name of what the desk has by this id, deleted or not.
    pub(super) fn desk_name(&self, id: &str) -> Result<Option<String>, ActionError> {
        if !ITEMS.iter().any(|begin| id.starts_with(begin)) {
            return Ok(None);
        }
        let Some(desk) = existing_desk(self.workspace)? else { return Ok(None) };
        Ok(desk.item(id)?.map(|item| item.name().to_owned()))
    }

    /// The rows of one approval or one proposal, the oldest first.
    pub(super) fn rows_about(&self, id: &str) -> Result<Vec<Value<'static>>, ActionError> {
        let filter = AuditFilter { about: Some(id.to_owned()), ..AuditFilter::default() };
        let mut rows = self.rows(&filter, ROWS)?;
        rows.reverse();
        Ok(rows)
    }

    /// An approval or a proposal: what became of it, and from there back.
    pub(super) fn asked(&mut self, id: &str) -> Result<usize, ActionError> {
        let rows = self.rows_about(id)?;
        if rows.is_empty() {
            self.unknown(0, format!("no row of the audit log speaks of `{id}`"));
        }
        for row in &rows {
            self.follow(row)?;
        }
        for found in self.turns_of(id, &|_| true)? {
            self.turn_steps(0, &found, None, None)?;
        }
        Ok(rows.len())
    }

    /// Rows, changes first, each with everything behind it; says how many changes there are, or rows where there is none.
    pub(super) fn follow_all(&mut self, rows: &[Value<'static>], limit: usize) -> Result<usize, ActionError> {
        let is_change = |row: &&Value<'static>| text(row, "kind") == Some(AuditKind::Mutation.token());
        for row in rows.iter().filter(is_change).take(limit) {
            self.follow(row)?;
        }
        for row in rows.iter().filter(|row| !is_change(row)).take(limit) {
            self.follow(row)?;
        }
        let changes = rows.iter().filter(is_change).count();
        Ok(if changes == 0 { rows.len() } else { changes })
    }

    /// A row and everything behind it. What was told on the way back from another is not told again.
    fn follow(&mut self, row: &Value<'_>) -> Result<(), ActionError> {
        let says = |name: &str| text(row, name);
        let proof = says("id").map(|id| format!("audit://{id}"));
        if self.steps.iter().any(|step| step.evidence.is_some() && step.evidence == proof) {
            return Ok(());
        }
        let kind = says("kind").and_then(kind_of).unwrap_or(WhyKind::Change);
        self.audited(0, kind, row);
        let (digest, run) = (says("turnDigest"), says("runId"));
        match (kind, digest, run) {
            (WhyKind::Change, Some(digest), run) => {
                self.by_turn(Some(digest), says("intentDigest"), says("policyDigest"), run)?;
            }
            (_, _, Some(run)) => self.by_run_once(run)?,
            (WhyKind::Change | WhyKind::Policy, None, None) => self.by_person(row),
            (_, _, None) => self.unknown(1, "the row does not say who asked for it"),
        }
        Ok(())
    }

    /// Whoever made a change with their own hands.
    fn by_person(&mut self, row: &Value<'_>) {
        let data = row.as_object().and_then(|row| row.get("data"));
        let authority = data.and_then(|data| text(data, "authority"));
        match (authority, text(row, "actor")) {
            (Some("operator" | "maintenance") | None, Some(actor)) => {
                self.step(1, WhyKind::Person, actor).evidence =
                    text(row, "id").map(|id| format!("audit://{id}"));
            }
            (Some(other), _) => self.unknown(1, format!("an authority that names nobody: `{other}`")),
            (None, None) => self.unknown(1, "the row does not say who wrote it"),
        }
    }

    /// A run and who began it, unless it is told already.
    fn by_run_once(&mut self, run: &str) -> Result<(), ActionError> {
        let proof = Some(format!("run://{run}"));
        // Another agent's session has no journal of ours: who asked for it is in its own books.
        if run.starts_with("hook:") && !self.steps.iter().any(|step| step.evidence == proof) {
            self.step(1, WhyKind::Model, format!("{run}, a session of another agent")).evidence = proof;
            return Ok(());
        }
        if self.steps.iter().any(|step| step.evidence == proof) { Ok(()) } else { self.by_run(1, run) }
    }

    /// What people said about the calls of a turn, oldest first.
    pub(super) fn approvals(
        &mut self,
        depth: u64,
        run_id: &str,
        calls: &[String],
    ) -> Result<(), ActionError> {
        let kind = Some(AuditKind::Approval);
        let filter = AuditFilter { kind, run: Some(run_id.to_owned()), ..AuditFilter::default() };
        let rows = self.rows(&filter, ROWS)?;
        let is_of_turn = |row: &&Value<'static>| {
            text(row, "toolCallId").is_some_and(|id| calls.iter().any(|call| call == id))
        };
        for row in rows.iter().rev().filter(is_of_turn) {
            self.audited(depth, WhyKind::Approval, row);
        }
        Ok(())
    }

    /// The plan that a run carries out, which has its name: who proposed it, who agreed, and from there back.
    pub(super) fn planned(&mut self, depth: u64, run_id: &str) -> Result<(), ActionError> {
        if !run_id.starts_with(PROPOSAL) {
            return Ok(());
        }
        let rows = self.rows_about(run_id)?;
        let is_told = |row: &&Value<'static>| {
            text(row, "kind") == Some(AuditKind::Proposal.token())
                && text(row, "effect").is_some_and(|effect| !CARRIED_OUT.contains(&effect))
        };
        for row in rows.iter().filter(is_told) {
            self.audited(depth, WhyKind::Proposal, row);
        }
        let proposer = rows.iter().filter(is_told).find_map(|row| text(row, "runId"));
        match proposer.filter(|proposer| *proposer != run_id) {
            Some(proposer) => self.by_run(depth, proposer),
            None => Ok(()),
        }
    }
}
