//! Taking, keeping and letting go of an issue, under the instruction of the session.

use premath_bd::issues::{Applied, ClaimTerms, IssueRow, IssueStore as _, Operation};
use premath_bd::{Permit, StoreError};
use premath_tusk::session::{HeldIssue, StepEvent, standing_of};

use super::bench::{Bench, lease_id, lease_instruction};
use super::workable::{is_escalation, takeable};
use crate::authority::link;
use crate::governance::package_refusal;
use crate::recording::{For, apply};
use crate::table::ActionError;

/// So often somebody else may be faster before that is said.
const CONTENDED: usize = 64;
/// What an issue is called that somebody else took, finished or blocked since it was looked at.
const GONE: [&str; 3] = ["lease_contention_active", "lease_issue_closed", "lease_issue_blocked"];

impl Bench<'_> {
    /// Takes an issue: that one, or whatever comes first.
    pub(super) fn claim(&mut self, issue_id: Option<&str>) -> Result<StepEvent, ActionError> {
        if let Some(id) = issue_id {
            return self.claim_one(id);
        }
        for _ in 0..CONTENDED {
            let now = self.workspace().clock.now();
            let found = takeable(self.store.view()?.as_ref(), &self.place.worker, now)?;
            let Some(id) = found else { return Ok(StepEvent::NothingToClaim) };
            let claimed = self.claim_one(&id)?;
            // Somebody else was faster: there may be another one.
            if !matches!(&claimed, StepEvent::ClaimRefused { class } if GONE.contains(&class.as_str())) {
                return Ok(claimed);
            }
        }
        // Everybody was faster, every time: that is no lack of work.
        Ok(StepEvent::ClaimRefused { class: "lease_store_busy".to_owned() })
    }

    fn claim_one(&mut self, id: &str) -> Result<StepEvent, ActionError> {
        let terms = ClaimTerms {
            ttl_seconds: self.request.ttl_seconds,
            lease_id: Some(lease_id(id, &self.place.worker)),
            ..ClaimTerms::of(&self.place.worker)
        };
        let operation = Operation::Claim { id: id.to_owned(), terms };
        if let Err(class) = self.fresh_lease()? {
            return Ok(StepEvent::ClaimRefused { class });
        }
        if let Some(refused) = package_refusal(self.workspace())? {
            return Ok(StepEvent::ClaimRefused { class: refused.class });
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
