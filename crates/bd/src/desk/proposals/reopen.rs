//! Asking about an expired plan again: the same plan under the same id, with nothing of the old answer left.

use rusqlite::params;

use super::super::answer::{DeskAnswer, DeskRefusal, DeskRefusalClass};
use super::super::database::Desk;
use super::{PROPOSAL_SECONDS, Proposal, ProposalState, existing, expired, tell, wrong_state};

impl Desk {
    /// Asks about an expired plan again, for so long and never longer than [`PROPOSAL_SECONDS`].
    ///
    /// # Errors
    /// A database that failed. Refuses a plan that has not expired, and one whose steps were forgotten.
    pub fn reopen_proposal(&self, id: &str, wait_seconds: u64) -> DeskAnswer<Proposal> {
        self.write(|writing| {
            let proposal = existing(writing, id)?;
            if proposal.state != ProposalState::Expired {
                return Err(wrong_state(&proposal));
            }
            if proposal.draft.steps.is_empty() {
                let detail = format!("the steps of {id} were forgotten");
                return Ok(Err(DeskRefusal::new(DeskRefusalClass::NotFound, detail)));
            }
            // The audit has the expiry before it has the second question.
            drop(expired::<Proposal>(writing, &proposal)?);
            let seconds = i64::try_from(wait_seconds).unwrap_or(i64::MAX).min(PROPOSAL_SECONDS);
            let expires_at = writing.now.saturating_add(seconds.saturating_mul(1000));
            let update = "UPDATE proposals SET state = 'pending', expires_at = ?2, decided_by = NULL, decided_at = NULL,
                   message = NULL, signature = NULL WHERE id = ?1 AND state = 'expired'";
            writing.transaction.execute(update, params![id, expires_at])?;
            let proposal = existing(writing, id)?;
            tell(writing, &proposal, &proposal.draft.run_id, "proposed", None)?;
            Ok(Ok(proposal))
        })
    }
}
