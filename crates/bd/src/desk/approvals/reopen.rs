//! Asking an expired question again: the same question under the same id, with nothing of the old answer left; and ending one
//! that no answer can be used for any more.

use premath_kernel::Digest;
use rusqlite::params;

use super::super::answer::{DeskAnswer, DeskRefusalClass, Stop};
use super::super::apply::text;
use super::super::database::{Desk, to_stored};
use super::{Approval, ApprovalRequest, ApprovalState, decide, existing, tell};

impl Desk {
    /// Has a question expire now: what it asks about cannot be done any more, whatever the answer.
    ///
    /// # Errors
    /// A database that failed. Refuses a question that is not there.
    pub fn expire_approval(&self, id: &str) -> DeskAnswer<Approval> {
        self.write(|writing| {
            let update = "UPDATE approvals SET expires_at = ?2 WHERE id = ?1 AND state = 'pending' AND expires_at > ?2";
            writing.transaction.execute(update, params![id, writing.now])?;
            let approval = existing(writing, id)?;
            drop(decide::expired::<Approval>(writing, &approval)?);
            Ok(Ok(existing(writing, id)?))
        })
    }

    /// Asks an expired question again, with what the call would do now and the new time to answer in.
    ///
    /// # Errors
    /// A database that failed. Refuses a question that has not expired and a request for another call.
    pub fn reopen_approval(&self, id: &str, request: &ApprovalRequest) -> DeskAnswer<Approval> {
        self.write(|writing| {
            let approval = existing(writing, id)?;
            let known = &approval.request;
            if approval.state != ApprovalState::Expired {
                let detail = format!("{id} is {}, not expired", approval.state.token());
                return Err(Stop::refused(DeskRefusalClass::ApprovalDecided, detail));
            }
            let key = |request: &ApprovalRequest| {
                (request.run_id.clone(), request.call_id.clone(), request.tool_call_id.clone(), request.tool.clone())
            };
            let is_same = key(known) == key(request)
                && known.kind == request.kind
                && approval.arguments_digest == Digest::of(&request.arguments).as_str();
            if !is_same {
                let detail = format!("{id} was asked for another call");
                return Err(Stop::refused(DeskRefusalClass::ApprovalMismatch, detail));
            }
            // The audit has the expiry before it has the second question.
            drop(decide::expired::<Approval>(writing, &approval)?);
            let update = "UPDATE approvals SET state = 'pending', scope = 'once', pattern = NULL, arguments = ?2,
                   targets = ?3, diff = ?4, reason = ?5, rule = ?6, tier = ?7, requested_at = ?8, expires_at = ?9,
                   decided_by = NULL, decided_at = NULL, message = NULL, signature = NULL, revoked_by = NULL,
                   revoked_at = NULL
                 WHERE id = ?1 AND state = 'expired'";
            let row = params![
                id,
                text(&request.arguments),
                text(&super::targets_value(&request.targets)),
                request.diff,
                request.reason,
                request.rule,
                request.tier,
                writing.now,
                to_stored(request.expires_at),
            ];
            writing.transaction.execute(update, row)?;
            let approval = existing(writing, id)?;
            tell(writing, &approval, &approval.request.run_id, "requested")?;
            Ok(Ok(approval))
        })
    }
}
