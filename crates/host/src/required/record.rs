//! Witnesses on record: a witness counts when the audit log, whose chain holds, has a row about its very bytes.
//!
//! Anybody can write a file and compute a digest; only this program appends to that log.

use premath_bd::{AuditFilter, StoreError, fresh_audit_id};
use premath_kernel::Digest;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow};

use crate::actions::repository;
use crate::recording::audit_log;
use crate::workspace::Workspace;

const ACTION: &str = "required.witness";
const WITNESSED: &str = "witnessed";

/// Puts a witness on record.
pub(super) fn note(
    workspace: &Workspace,
    digest: &Digest,
    policy: &str,
    path: &str,
) -> Result<(), StoreError> {
    let at = format_time(to_millis(workspace.clock.now()));
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let id = fresh_audit_id(workspace.ids.as_ref());
    let mut row = AuditRow::new(id, at, AuditKind::Decision, actor, WITNESSED);
    row.tool = Some(ACTION.to_owned());
    row.args_digest = Some(digest.as_str().to_owned());
    row.policy_digest = Some(policy.to_owned());
    row.path = Some(path.to_owned());
    audit_log(workspace).append(&[row]).map(drop)
}

/// Why a witness does not count; nothing when it does.
pub(super) fn doubt(workspace: &Workspace, digest: &Digest) -> Result<Option<String>, StoreError> {
    let filter = AuditFilter {
        kind: Some(AuditKind::Decision),
        effect: Some(WITNESSED.to_owned()),
        tool: Some(ACTION.to_owned()),
        digest: Some(digest.as_str().to_owned()),
        ..AuditFilter::default()
    };
    let witnesses = repository(workspace).witnesses();
    Ok(match audit_log(workspace).vouched(&filter, &witnesses, &workspace.root) {
        Err(StoreError::Missing { .. }) => Some("there is no audit log".to_owned()),
        rows => match rows? {
            Ok(rows) if rows.is_empty() => {
                Some(format!("nobody made {digest} here: the audit log has no row about it"))
            }
            Ok(_) => None,
            Err(why) => Some(why),
        },
    })
}
