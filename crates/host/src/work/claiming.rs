//! Taking, keeping and letting go of an issue, under the instruction of the session.

use premath_bd::issues::{Applied, ClaimTerms, IssueRow, IssueStore as _, Operation};
use premath_bd::{Permit, StoreError};
use premath_tusk::session::{HeldIssue, StepEvent, standing_of};

use super::bench::{Bench, lease_id, lease_instruction};
use super::workable::{Takeable, is_escalation, takeable};
use crate::authority::link;
use crate::recording::{For, apply};
use crate::table::ActionError;

/// So often somebody else may be faster before there is taken to be nothing.
const CONTENDED: usize = 32;

impl Bench<'_> {
    /// Takes an issue: that one, or whatever comes first.
    pub(super) fn claim(&mut self, issue_id: Option<&str>) -> Result<StepEvent, ActionError> {
        if issue_id.is_some() {
            return self.claim_one(issue_id);
        }
        for _ in 0..CONTENDED {
            let takeable = takeable(self.store.view()?.as_ref(), self.workspace().clock.now())?;
            let claimed = match &takeable {
                Takeable::Nothing => return Ok(StepEvent::NothingToClaim),
                Takeable::First => return self.claim_one(None),
                Takeable::One(id) => self.claim_one(Some(id))?,
            };
            // Somebody else was faster: there may be another one.
            if !matches!(&claimed, StepEvent::ClaimRefused { class } if class == "lease_contention_active") {
                return Ok(claimed);
            }
        }
        Ok(StepEvent::NothingToClaim)
    }

    fn claim_one(&mut self, issue_id: Option<&str>) -> Result<StepEvent, ActionError> {
        let mut terms =
            ClaimTerms { ttl_seconds: self.request.ttl_seconds, ..ClaimTerms::of(&self.place.worker) };
        let operation = match issue_id {
            Some(id) => {
                terms.lease_id = Some(lease_id(id, &self.place.worker));
                Operation::Claim { id: id.to_owned(), terms }
            }
            None => Operation::ClaimNext { terms },
        };
        if let Err(class) = self.fresh_lease()? {
            return Ok(StepEvent::ClaimRefused { class });
        }
        let permit = match self.lease.lease_permit(&operation) {
            Ok(permit) => permit,
            Err(refused) => return Ok(StepEvent::ClaimRefused { class: refused.class }),
        };
        Ok(match self.applied(permit, &operation) {
            Err(StoreError::Busy { .. }) => StepEvent::ClaimRefused { class: "lease_store_busy".to_owned() },
            Err(error) => return Err(error.into()),
            Ok(Applied::Written(written)) => StepEvent::Claimed(held(&written.row)),
            Ok(Applied::Nothing(_)) => StepEvent::NothingToClaim,
            Ok(Applied::Refused(refusal)) => {
                StepEvent::ClaimRefused { class: refusal.class.code().to_owned() }
            }
        })
    }

    /// Looks at the instruction again before more work is taken under it; one that ended is followed by another.
    fn fresh_lease(&mut self) -> Result<Result<(), String>, ActionError> {
        let linked = match link(self.workspace(), self.lease.instruction_ref())? {
            Ok(linked) => linked,
            Err(refused) if self.request.instruction.is_some() => return Ok(Err(refused.class)),
            Err(_ended) => match lease_instruction(self.host, &self.place.worker)? {
                Ok(linked) => linked,
                Err(refused) => return Ok(Err(refused.class)),
            },
        };
        self.lease = std::sync::Arc::new(linked);
        Ok(Ok(()))
    }

    fn applied(&self, permit: Permit, operation: &Operation) -> Result<Applied, StoreError> {
        apply(self.workspace(), &self.store, permit, operation, For::Run(&self.place.worker))
    }

    /// Where the lease stands.
    pub(super) fn stands(&self, held: &HeldIssue) -> Result<StepEvent, ActionError> {
        let row = self.look(&held.issue_id)?;
        let lease = row.as_ref().and_then(IssueRow::lease);
        let status = row.as_ref().map(IssueRow::status);
        let now = self.workspace().clock.now();
        Ok(StepEvent::Stands(standing_of(status, lease.as_ref(), held.fence, now)))
    }

    pub(super) fn renew(&self, held: &HeldIssue) -> Result<StepEvent, ActionError> {
        let operation = Operation::LeaseRenew {
            id: held.issue_id.clone(),
            holder: self.holder(held),
            ttl_seconds: self.request.ttl_seconds,
        };
        let permit = match self.lease.lease_permit(&operation) {
            Ok(permit) => permit,
            Err(refused) => return Ok(StepEvent::Refused { class: refused.class }),
        };
        Ok(match self.applied(permit, &operation)? {
            Applied::Written(_) | Applied::Nothing(_) => StepEvent::Renewed,
            Applied::Refused(refusal) => StepEvent::Refused { class: refusal.class.code().to_owned() },
        })
    }

    /// Lets go. What is not ours any more is nobody's to let go of, and stays as it is.
    pub(super) fn release(&self, held: &HeldIssue) -> Result<StepEvent, ActionError> {
        let operation = Operation::LeaseRelease { id: held.issue_id.clone(), holder: self.holder(held) };
        if let Ok(permit) = self.lease.lease_permit(&operation) {
            match self.applied(permit, &operation)? {
                Applied::Written(_) | Applied::Nothing(_) | Applied::Refused(_) => {}
            }
        }
        Ok(StepEvent::Released)
    }
}

fn held(row: &IssueRow) -> HeldIssue {
    HeldIssue {
        issue_id: row.id().to_owned(),
        title: row.text("title").unwrap_or_default().to_owned(),
        fence: row.lease().map_or(0, |lease| lease.fence),
        rev: row.rev(),
        is_escalation: is_escalation(row),
    }
}
