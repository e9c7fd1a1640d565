//! Where the way back begins: what a subject is, and the changes that are its.

use std::collections::BTreeMap;

use premath_bd::AuditFilter;
use premath_bd::issues::IssueRow;
use premath_kernel::Value;
use premath_wire::v1::{WhyKind, WhySubject};

use super::turns::Found;
use super::witness::witness_name;
use super::{ROWS, Trail, text};
use crate::agent::traces::MadeTurn;
use crate::table::ActionError;

impl Trail<'_> {
    /// What a subject is, when nobody says: a digest by its form, an approval, a proposal, an issue or a run that there is,
    /// else a path.
    pub(super) fn kind_of(&mut self, subject: &str) -> Result<WhySubject, ActionError> {
        if is_digest(subject) || witness_name(subject).is_some() {
            return Ok(WhySubject::Digest);
        }
        for (begin, kind) in [("apr_", WhySubject::Approval), ("prp_", WhySubject::Proposal)] {
            if subject.starts_with(begin) && !self.rows_about(subject)?.is_empty() {
                return Ok(kind);
            }
        }
        if !self.history(subject)?.is_empty() {
            return Ok(WhySubject::Issue);
        }
        self.load(subject)?;
        let is_run = self.runs.get(subject).is_some_and(Option::is_some);
        Ok(if is_run { WhySubject::Run } else { WhySubject::Path })
    }

    /// The newest changes of an issue.
    pub(super) fn issue(&mut self, id: &str, limit: usize) -> Result<usize, ActionError> {
        let rows = self.history(id)?;
        if rows.is_empty() {
            self.unknown(0, format!("there is no issue `{id}`"));
        }
        let audit = self.audit_of(id)?;
        for row in rows.iter().rev().take(limit) {
            self.change(row, &audit)?;
        }
        Ok(rows.len())
    }

    /// The audit rows about an issue, by id.
    fn audit_of(&self, issue: &str) -> Result<BTreeMap<String, Value<'static>>, ActionError> {
        let filter = AuditFilter { issue: Some(issue.to_owned()), ..AuditFilter::default() };
        let rows = self.rows(&filter, ROWS)?;
        Ok(rows.into_iter().filter_map(|row| Some((text(&row, "id")?.to_owned(), row))).collect())
    }

    /// The newest turns that wrote a file, and what the audit log says of it besides. A file of the desk goes by its name.
    pub(super) fn path(&mut self, subject: &str, limit: usize) -> Result<usize, ActionError> {
        let name = self.desk_name(subject)?;
        let path = name.as_deref().unwrap_or(subject);
        let writes = |turn: &MadeTurn| wrote(turn, path).is_some();
        let mut found = Vec::new();
        for name in self.names()? {
            found.extend(self.turns_of(&name, &writes)?);
        }
        self.newest_first(&mut found);
        for one in found.iter().take(limit) {
            self.written(one, path)?;
        }
        let filter = AuditFilter { path: Some(path.to_owned()), ..AuditFilter::default() };
        let rows = self.rows(&filter, ROWS)?;
        let changes = self.follow_all(&rows, limit)?;
        if found.is_empty() && rows.is_empty() {
            self.unknown(0, format!("no journal and no audit row here speaks of `{path}`"));
        }
        Ok(found.len().max(changes))
    }

    fn newest_first(&self, found: &mut [Found]) {
        let at = |one: &Found| self.turn(one).map(|turn| turn.at.clone());
        found.sort_by_key(|one| std::cmp::Reverse(at(one)));
    }

    fn written(&mut self, found: &Found, path: &str) -> Result<(), ActionError> {
        let Some(turn) = self.turn(found) else { return Ok(()) };
        let (Some((tool, call, digest)), at) = (wrote(turn, path), turn.at.clone()) else { return Ok(()) };
        let step = self.step(0, WhyKind::Change, format!("`{path}` was written by {tool}, call `{call}`"));
        step.at = Some(at);
        step.evidence = digest;
        self.turn_steps(1, found, None, None)
    }

    /// A run: its newest turns.
    pub(super) fn run(&mut self, run_id: &str, limit: usize) -> Result<usize, ActionError> {
        self.by_run(0, run_id)?;
        let mut turns = self.turns_of(run_id, &|_| true)?;
        let all = turns.len();
        turns.drain(..all.saturating_sub(limit));
        for found in &turns {
            self.turn_steps(1, found, None, None)?;
        }
        Ok(all)
    }

    /// Whatever bears a digest: rows of issues, turns, files that were written, rows of the audit log.
    pub(super) fn digest(&mut self, digest: &str, limit: usize) -> Result<usize, ActionError> {
        if let Some(id) = witness_name(digest) {
            return self.witness_subject(id);
        }
        let mut rows: Vec<IssueRow> = Vec::new();
        self.issues.each_row(|row| {
            let witness = row.object().get("write_witness").and_then(Value::as_object);
            let bears =
                witness.is_some_and(|one| one.iter().any(|(_, value)| value.as_text() == Some(digest)));
            if bears && !rows.contains(&row) {
                rows.push(row);
            }
        })?;
        let mut changes = rows.len();
        for row in rows.iter().rev().take(limit) {
            let audit = self.audit_of(row.id())?;
            self.change(row, &audit)?;
        }
        if rows.is_empty() {
            changes = self.made_with(digest, limit)?;
        }
        let filter = AuditFilter { digest: Some(digest.to_owned()), ..AuditFilter::default() };
        let audited = self.rows(&filter, ROWS)?;
        if rows.is_empty() {
            changes = changes.max(self.follow_all(&audited, limit)?);
        }
        if changes == 0 && audited.is_empty() {
            self.unknown(0, format!("nothing here bears the digest {digest}"));
        }
        Ok(changes)
    }

    /// Turns of that digest, or that wrote a file which hashes to it.
    fn made_with(&mut self, digest: &str, limit: usize) -> Result<usize, ActionError> {
        let has =
            |turn: &MadeTurn| turn.turn_digest.as_deref() == Some(digest) || wrote_as(turn, digest).is_some();
        let mut found = Vec::new();
        for name in self.names()? {
            found.extend(self.turns_of(&name, &has)?);
        }
        self.newest_first(&mut found);
        for one in found.iter().take(limit) {
            match self.turn(one).and_then(|turn| wrote_as(turn, digest)).map(str::to_owned) {
                Some(path) => self.written(one, &path)?,
                None => self.turn_steps(0, one, None, None)?,
            }
        }
        Ok(found.len())
    }
}

/// The call of a turn that wrote a file last: its tool, its id, and what the file hashed to then.
fn wrote<'t>(turn: &'t MadeTurn, path: &str) -> Option<(&'t str, &'t str, Option<String>)> {
    turn.calls.iter().rev().find_map(|call| {
        let artifact = call.artifacts.iter().find(|one| one.path == path && one.access != "read")?;
        Some((call.tool.as_str(), call.tool_call_id.as_str(), artifact.digest.clone()))
    })
}

/// The file that a turn wrote and that hashed to this.
fn wrote_as<'t>(turn: &'t MadeTurn, digest: &str) -> Option<&'t str> {
    let artifacts = turn.calls.iter().flat_map(|call| &call.artifacts);
    artifacts
        .filter(|one| one.access != "read" && one.digest.as_deref() == Some(digest))
        .map(|one| one.path.as_str())
        .next()
}

/// A short prefix and sixty-four hexadecimal digits.
fn is_digest(text: &str) -> bool {
    let Some((prefix, hash)) = text.split_once([':', '_']) else { return false };
    prefix.len() <= 8 && hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}
