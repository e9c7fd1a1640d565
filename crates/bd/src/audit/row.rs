//! A row on its way into the log: its id, its form, and what must be true of it.

use premath_kernel::{Object, Value, hex, sha256};
use premath_wire::time::parse_time;
use premath_wire::v1::{AUDIT_KIND, AuditRow};
use premath_wire::{InputClass, InputError, JsonPath};

use super::redact::is_digest;
use crate::clock::IdSource;

const PREFIX: &str = "aud_";
const DIGITS: usize = 12;

/// The id of the row about something that has a name of its own: always the same for the same name.
#[must_use]
pub fn audit_id(name: &str) -> String {
    let hash = match name.split_once([':', '_']) {
        Some((_, hash)) if is_digest(name) => hash.to_owned(),
        _ => hex(&sha256(name.as_bytes())),
    };
    format!("{PREFIX}{}", hash.get(..DIGITS).unwrap_or_default())
}

/// The id of a row about something that has no name.
#[must_use]
pub fn fresh_audit_id(ids: &dyn IdSource) -> String {
    format!("{PREFIX}{}", hex(&sha256(ids.fresh().as_bytes())).get(..DIGITS).unwrap_or_default())
}

/// Whether it is `aud_` and twelve hexadecimal digits.
pub(super) fn is_audit_id(id: &str) -> bool {
    id.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Refuses a row that could not be found again.
pub(super) fn check(row: &AuditRow) -> Result<(), InputError> {
    let invalid = |what: &str, key: &str| {
        Err(InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(key)))
    };
    if !is_audit_id(&row.id) {
        return invalid("expected `aud_` and twelve hexadecimal digits", "id");
    }
    if parse_time(&row.at).is_none() {
        return invalid("expected an RFC 3339 time such as 2026-11-15T07:12:52Z", "at");
    }
    for (name, text) in [("actor", &row.actor), ("effect", &row.effect)] {
        if text.trim().is_empty() {
            return invalid("expected text that is not blank", name);
        }
    }
    Ok(())
}

/// The row as JSON, not yet part of the chain.
pub(super) fn value(row: &AuditRow) -> Value<'_> {
    Object::fields()
        .field("schema", 1_u32)
        .field("rowKind", AUDIT_KIND)
        .field("id", row.id.as_str())
        .field("at", row.at.as_str())
        .field("kind", row.kind.token())
        .field("actor", row.actor.as_str())
        .field("effect", row.effect.as_str())
        .optional("runId", row.run_id.as_deref())
        .optional("callId", row.call_id.as_deref())
        .optional("toolCallId", row.tool_call_id.as_deref())
        .optional("tool", row.tool.as_deref())
        .non_empty("targets", row.targets.iter().map(|target| Value::from(target.as_str())).collect())
        .optional("code", row.code.as_deref())
        .optional("policyName", row.policy_name.as_deref())
        .optional("reason", row.reason.as_deref())
        .optional("argsDigest", row.args_digest.as_deref())
        .optional("policyDigest", row.policy_digest.as_deref())
        .optional("turnDigest", row.turn_digest.as_deref())
        .optional("intentDigest", row.intent_digest.as_deref())
        .optional("approvalId", row.approval_id.as_deref())
        .optional("proposalId", row.proposal_id.as_deref())
        .optional("issueId", row.issue_id.as_deref())
        .optional("path", row.path.as_deref())
        .optional("data", row.data.as_ref().map(|data| data.0.borrowed()))
        .finish()
}
