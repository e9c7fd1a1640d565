//! Claiming, renewing and releasing: the lease machine of the kernel, applied to rows.

use premath_kernel::{Claim, Lease, LeaseClass, Override, claim, release, renew};

use super::{Answer, Bench, Planned, keep_fence, proof, refuse};
use crate::error::StoreError;
use crate::issues::operation::{ClaimTerms, Holder};
use crate::issues::refusal::{IssueRefusal, RefusalClass};
use crate::issues::row::IssueRow;

impl Bench<'_> {
    pub(super) fn claim(&self, id: &str, terms: &ClaimTerms) -> Answer {
        let before = match self.leasable(id)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let lease = before.lease();
        let holding = self.holding(&before, lease.as_ref())?;
        let wish = Claim {
            assignee: &terms.assignee,
            lease_id: terms.lease_id.as_deref(),
            ttl_seconds: terms.ttl_seconds,
            expires_at: terms.expires_at,
            blocked: terms
                .force_reason
                .as_deref()
                .map_or(Override::None, |reason| Override::Forced { reason }),
        };
        Ok(match claim(&holding, &wish, self.now) {
            Ok(lease) => {
                let row = before
                    .clone()
                    .with_lease(Some(&lease))
                    .with_text("assignee", Some(&lease.owner))
                    .with_text("status", Some("in_progress"))
                    .settling(|field| matches!(field, "lease" | "assignee"))
                    .with_time("updated_at", Some(self.now));
                let row = match terms.force_reason.as_deref().filter(|reason| !reason.trim().is_empty()) {
                    Some(reason) if holding.held_back => noted(row, reason),
                    _ => row,
                };
                Ok(Planned::Row { before: Some(before), row })
            }
            Err(refusal) => Err(refusal.into()),
        })
    }

    pub(super) fn claim_next(&self, terms: &ClaimTerms) -> Answer {
        // Terms that nobody could claim anything under are refused, also when there is nothing to claim.
        let probe = premath_kernel::Holding {
            issue_id: "any",
            status: premath_kernel::Status::Open,
            held_back: false,
            lease: None,
            last_fence: 0,
            assignee: None,
        };
        let wish = Claim {
            assignee: &terms.assignee,
            lease_id: terms.lease_id.as_deref(),
            ttl_seconds: terms.ttl_seconds,
            expires_at: terms.expires_at,
            blocked: Override::None,
        };
        if let Err(refusal) = claim(&probe, &wish, self.now) {
            return Ok(Err(refusal.into()));
        }
        match self.view.first_claimable(&terms.assignee, self.now)? {
            Some(id) => self.claim(&id, terms),
            None => Ok(Ok(Planned::Nothing(None))),
        }
    }

    /// A person may renew or release by name. A worker names its fence: another process may go by the same name. A lease from
    /// before there were fences has none to name.
    fn names_its_fence(&self, holder: &Holder, lease: Option<&Lease>) -> Result<(), IssueRefusal> {
        let is_unfenced = lease.is_some_and(Lease::is_unfenced);
        if holder.fence.is_some() || self.authority.is_person || is_unfenced {
            return Ok(());
        }
        let class = RefusalClass::Lease(LeaseClass::Stale);
        Err(IssueRefusal::new(class, "a holder that is no person names its fence"))
    }

    pub(super) fn renew(&self, id: &str, holder: &Holder, ttl_seconds: u64) -> Answer {
        let before = match self.leasable(id)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let lease = before.lease();
        if let Err(refusal) = self.names_its_fence(holder, lease.as_ref()) {
            return Ok(Err(refusal));
        }
        let holding = self.holding(&before, lease.as_ref())?;
        Ok(match renew(&holding, &proof(holder), ttl_seconds, self.now) {
            Ok(lease) => {
                let row = before.clone().with_lease(Some(&lease)).with_time("updated_at", Some(self.now));
                Ok(Planned::Row { before: Some(before), row })
            }
            Err(refusal) => Err(refusal.into()),
        })
    }

    pub(super) fn release(&self, id: &str, holder: &Holder) -> Answer {
        let before = match self.leasable(id)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let lease = before.lease();
        if let Err(refusal) = self.names_its_fence(holder, lease.as_ref()) {
            return Ok(Err(refusal));
        }
        let holding = self.holding(&before, lease.as_ref())?;
        Ok(match release(&holding, &proof(holder), self.now) {
            Ok(released) => {
                let fence = before.last_fence();
                let row = before.clone().with_lease(None).with_text("assignee", None);
                let row = match released.next_status {
                    status if status == before.status() => row,
                    status => row.with_text("status", Some(status.token())),
                };
                let row = row.with_time("updated_at", Some(self.now));
                Ok(Planned::Row { before: Some(before), row: keep_fence(row, fence) })
            }
            Err(refusal) => Err(refusal.into()),
        })
    }

    fn leasable(&self, id: &str) -> Result<Result<IssueRow, IssueRefusal>, StoreError> {
        match self.existing(id)? {
            Ok(row) => Ok(Ok(row)),
            Err(refusal) => refuse(RefusalClass::Lease(LeaseClass::NotFound), refusal.detail),
        }
    }
}

/// The reason for taking blocked work stays with the work.
fn noted(row: IssueRow, reason: &str) -> IssueRow {
    let notes = row.text("notes").map(|notes| format!("{notes}\n")).unwrap_or_default();
    row.with_text("notes", Some(&format!("{notes}claimed although blocked: {}", reason.trim())))
}
