//! Refusals of authority: how they are told, and the row of the audit log that each of them gets.

use premath_bd::{StoreError, fresh_audit_id};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow};

use crate::agent::RunRefused;
use crate::recording::audit_log;
use crate::workspace::Workspace;

/// The class of evidence that is not there.
pub(super) const EVIDENCE_MISSING: &str = "mutation.use_evidence_missing";

/// Evidence that a change needs and that is not there, or not what it was.
pub(crate) fn evidence_missing(detail: impl Into<String>, hint: &str) -> RunRefused {
    refused(EVIDENCE_MISSING, detail, hint)
}

pub(super) fn refused(class: &str, detail: impl Into<String>, hint: &str) -> RunRefused {
    RunRefused { class: class.to_owned(), detail: detail.into(), hint: hint.to_owned() }
}

/// What was refused, to whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Denied<'d> {
    /// The action that was asked for.
    pub(crate) action: &'d str,
    /// The issue that it was about.
    pub(crate) issue_id: Option<&'d str>,
    /// The instruction that was named.
    pub(crate) instruction: Option<&'d str>,
    /// What asked.
    pub(crate) door: &'d str,
}

/// Puts a refusal on record. A folder that is no repository has no log.
///
/// # Errors
/// `Busy` while another process writes; `Io`.
pub(crate) fn denied(workspace: &Workspace, what: &Denied<'_>, why: &RunRefused) -> Result<(), StoreError> {
    let at = format_time(to_millis(workspace.clock.now()));
    let id = fresh_audit_id(workspace.ids.as_ref());
    let mut row = AuditRow::new(id, at, AuditKind::Decision, what.door.to_owned(), "deny");
    row.tool = Some(what.action.to_owned());
    row.issue_id = what.issue_id.map(str::to_owned);
    row.code = Some(why.class.clone());
    row.reason = Some(why.detail.clone());
    row.policy_name = Some("authority".to_owned());
    row.targets.extend(what.instruction.map(str::to_owned));
    match audit_log(workspace).append(&[row]) {
        Err(StoreError::Missing { .. }) => Ok(()),
        written => written.map(drop),
    }
}
