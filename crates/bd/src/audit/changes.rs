//! The row about a change of issue memory, made from the row that the change wrote; and changes that have no such row.
//!
//! The id of the audit row follows from the seal of the issue's row: whoever records a change a second time, or finds
//! later that nobody did, comes to the same id. It must not guess: rows without a seal of ours are not judged.

use std::collections::BTreeMap;

use premath_kernel::{Digest, Moment, Object, Value};
use premath_wire::Json;
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow};

use super::AuditLog;
use super::row::audit_id;
use crate::error::StoreError;
use crate::issues::{FileIssues, IssueRow, counted};

/// What an audit calls somebody without a name.
const NAMELESS: &str = "operator";

/// The row about the change that wrote a row of issue memory; `None` when the row does not say who wrote it.
#[must_use]
pub fn change_row(row: &IssueRow, args_digest: Option<&Digest>) -> Option<AuditRow> {
    let witness = row.object().get("write_witness")?.as_object()?;
    let text = |name: &str| witness.get(name).and_then(Value::as_text).map(str::to_owned);
    let authority = text("authority")?;
    let actor = match authority.as_str() {
        "turn" | "lease" => text("instruction_ref").unwrap_or_else(|| authority.clone()),
        _ => text("actor").unwrap_or_else(|| NAMELESS.to_owned()),
    };
    let mut audit =
        AuditRow::new(audit_id(&text("digest")?), text("at")?, AuditKind::Mutation, actor, "applied");
    audit.tool = text("action");
    audit.run_id =
        text("instruction_ref").and_then(|reference| reference.strip_prefix("run://").map(str::to_owned));
    audit.reason = text("override_reason");
    audit.args_digest = args_digest.map(|digest| digest.as_str().to_owned());
    audit.policy_digest = text("policy_digest");
    audit.turn_digest = text("turn_digest");
    audit.intent_digest = text("intent_digest");
    audit.issue_id = Some(row.id().to_owned());
    audit.data = Some(data(&authority, row, text("digest")));
    Some(audit)
}

fn data(authority: &str, row: &IssueRow, digest: Option<String>) -> Json {
    Json(
        Object::fields()
            .field("authority", authority.to_owned())
            .field("rev", counted(row.rev()))
            .optional("rowSeal", digest)
            .field("status", row.text("status").unwrap_or("open").to_owned())
            .finish(),
    )
}

/// The row about rows that were taken over together, at one moment.
#[must_use]
pub fn import_row(at: Moment, actor: Option<&str>, written: u64) -> AuditRow {
    let at = format_time(to_millis(at));
    let id = audit_id(&format!("issue.import {at}"));
    let actor = actor.unwrap_or(NAMELESS).to_owned();
    let mut audit = AuditRow::new(id, at, AuditKind::Mutation, actor, "applied");
    audit.tool = Some("issue.import".to_owned());
    audit.data = Some(Json(
        Object::fields().field("authority", "maintenance").field("rows", counted(written)).finish(),
    ));
    audit
}

/// A change that the log does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecorded {
    /// The row that would say so, marked as recovered.
    pub row: AuditRow,
    /// The revision of the issue; for rows that were taken over together, how many.
    pub rev: u64,
    /// On whose authority it was made.
    pub authority: String,
}

/// The changes of issue memory that the audit log does not know, oldest first.
///
/// Changes from before the first one that it knows are not among them: nobody kept a log then.
///
/// # Errors
/// `Io` when the log or issue memory cannot be read.
pub fn unrecorded(log: &AuditLog, issues: &FileIssues) -> Result<Vec<Unrecorded>, StoreError> {
    let (known, first) = log.known()?;
    let Some(first) = first.as_deref().and_then(parse_time) else { return Ok(Vec::new()) };
    let mut lost: BTreeMap<String, Unrecorded> = BTreeMap::new();
    issues.each_row(|row| {
        let Some(found) = of_row(&row).filter(|found| !known.contains(&found.row.id)) else { return };
        if parse_time(&found.row.at).is_none_or(|at| at < first) {
            return;
        }
        lost.entry(found.row.id.clone())
            .and_modify(|one| one.rev += u64::from(one.authority == "maintenance"))
            .or_insert(found);
    })?;
    let mut lost: Vec<Unrecorded> = lost.into_values().collect();
    lost.sort_by(|one, other| (&one.row.at, &one.row.id).cmp(&(&other.row.at, &other.row.id)));
    Ok(lost.into_iter().map(recovered).collect())
}

fn of_row(row: &IssueRow) -> Option<Unrecorded> {
    let witness = row.object().get("write_witness")?.as_object()?;
    let authority = witness.get("authority")?.as_text()?.to_owned();
    if authority != "maintenance" {
        return Some(Unrecorded { row: change_row(row, None)?, rev: row.rev(), authority });
    }
    let at = parse_time(witness.get("at")?.as_text()?)?;
    let actor = witness.get("actor").and_then(Value::as_text);
    Some(Unrecorded { row: import_row(at, actor, 0), rev: 1, authority })
}

/// The same, saying that it was found later.
fn recovered(mut found: Unrecorded) -> Unrecorded {
    let mut members: Vec<_> = match &found.row.data {
        Some(Json(Value::Object(data))) => data
            .iter()
            .filter(|(name, _)| *name != "rows")
            .map(|(name, value)| (name.to_owned().into(), value.clone()))
            .collect(),
        Some(_) | None => Vec::new(),
    };
    members.push(("recovered".into(), Value::Bool(true)));
    if found.authority == "maintenance" {
        members.push(("rows".into(), counted(found.rev)));
    }
    found.row.data = Object::from_members(members).ok().map(|data| Json(Value::Object(data)));
    found
}
