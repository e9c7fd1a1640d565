//! Taking a yes back before it expires. Calls that used it already are not undone.

use rusqlite::params;

use super::super::answer::{DeskAnswer, Stop};
use super::super::credential::PersonCredential;
use super::super::database::Desk;
use super::{Approval, ApprovalState, existing, spend, tell};

impl Desk {
    /// Revokes a yes. Its signature is deleted with it, so that no change of the row makes it a yes again.
    ///
    /// # Errors
    /// A database that failed. Refuses what is no yes that could still be used.
    pub fn revoke_approval(
        &self,
        credential: &PersonCredential,
        id: &str,
        message: Option<&str>,
    ) -> DeskAnswer<Approval> {
        self.write(|writing| {
            let approval = existing(writing, id)?;
            if approval.state == ApprovalState::Expired {
                return super::decide::expired(writing, &approval);
            }
            spend::usable(&approval)?;
            let update = "UPDATE approvals SET revoked_by = ?2, revoked_at = ?3, signature = NULL,
                   message = COALESCE(?4, message)
                 WHERE id = ?1 AND state = 'approved' AND revoked_at IS NULL";
            writing.transaction.execute(update, params![id, credential.name(), writing.now, message])?;
            let approval = existing(writing, id)?;
            if approval.state != ApprovalState::Revoked {
                return Err(Stop::Damaged(format!("{id} could not be revoked")));
            }
            tell(writing, &approval, credential.name(), "revoked")?;
            Ok(Ok(approval))
        })
    }
}
