//! Acting as a holder: renewing a lease, giving it back, writing under it.
//!
//! Each needs proof of whose lease it is; a write also needs the fence. Must not take a lease from anybody.

use alloc::format;

use super::acquire::{issue_closed, next_fence};
use super::refusal::Quoted;
use super::{
    HolderProof, Holding, Lease, LeaseClass, LeaseRefusal, LeaseState, Moment, Status, lease_state,
    seconds_to_live, told,
};

/// What becomes of an issue whose lease was given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Released {
    /// Work in progress is open again; what is closed, blocked or at a status of another tool stays so.
    pub next_status: Status,
}

/// The lease made longer: same id, owner, beginning and fence. It never gets shorter. A lease from before there were fences
/// gets one, which its holder names from then on.
///
/// In this order: an owner or an id; a time to live within bounds; a lease; an issue that is not closed; the right
/// owner, id and fence (as far as given); a lease that has not run out.
///
/// Without a fence any process of the owner's name is accepted. A worker names its own, and must not take the fence of
/// the answer for one it was given: that would make two holders of two processes with one name.
///
/// # Errors
/// The class of the first rule that is broken.
pub fn renew(
    holding: &Holding<'_>,
    proof: &HolderProof<'_>,
    ttl_seconds: u64,
    now: Moment,
) -> Result<Lease, LeaseRefusal> {
    require_binding(proof)?;
    let ttl = seconds_to_live(ttl_seconds)?;
    let lease = present(holding)?;
    if holding.status.is_resolved() {
        return Err(issue_closed(holding));
    }
    check_identity(lease, proof)?;
    check_fence(holding, lease, proof)?;
    check_active(lease, now)?;
    let expires_at = lease.expires_at.max(now.plus_seconds(ttl));
    let fence = if lease.is_unfenced() { next_fence(holding)? } else { lease.fence };
    Ok(Lease { expires_at, renewed_at: Some(now), fence, ..lease.clone() })
}

/// What becomes of the issue when the holder gives its lease back. A lease that ran out may be given back too.
///
/// In this order: an owner or an id; a lease; the right owner, id and fence (as far as given).
///
/// # Errors
/// The class of the first rule that is broken.
pub fn release(
    holding: &Holding<'_>,
    proof: &HolderProof<'_>,
    _now: Moment,
) -> Result<Released, LeaseRefusal> {
    require_binding(proof)?;
    let lease = present(holding)?;
    check_identity(lease, proof)?;
    check_fence(holding, lease, proof)?;
    let next_status = match holding.status {
        Status::InProgress => Status::Open,
        kept @ (Status::Open | Status::Blocked | Status::Closed | Status::Deleted | Status::Other) => kept,
    };
    Ok(Released { next_status })
}

/// Whether a write by somebody who says to hold the lease is one.
///
/// In this order: an owner or an id; a lease; the right owner and id (as far as given); the newest fence, which must
/// be given; a lease that has not run out.
///
/// # Errors
/// The class of the first rule that is broken.
pub fn authorise_write(
    holding: &Holding<'_>,
    proof: &HolderProof<'_>,
    now: Moment,
) -> Result<(), LeaseRefusal> {
    require_binding(proof)?;
    let lease = present(holding)?;
    check_identity(lease, proof)?;
    if lease.is_unfenced() {
        let detail = "the lease has no fence, as leases of older files; renew it first";
        return Err(LeaseRefusal::new(LeaseClass::Stale, detail));
    }
    if proof.fence.is_none() {
        return Err(LeaseRefusal::new(
            LeaseClass::Stale,
            "a write by a holder names its fence, and none is given",
        ));
    }
    check_fence(holding, lease, proof)?;
    check_active(lease, now)
}

fn require_binding(proof: &HolderProof<'_>) -> Result<(), LeaseRefusal> {
    if told(proof.owner).or_else(|| told(proof.lease_id)).is_some() {
        return Ok(());
    }
    Err(LeaseRefusal::new(LeaseClass::BindingAmbiguous, "neither an owner nor a lease id is given"))
}

fn present<'a>(holding: &Holding<'a>) -> Result<&'a Lease, LeaseRefusal> {
    holding.lease.ok_or_else(|| {
        let detail = format!("issue {} has no lease", Quoted(holding.issue_id));
        LeaseRefusal::new(LeaseClass::Missing, detail)
    })
}

fn check_identity(lease: &Lease, proof: &HolderProof<'_>) -> Result<(), LeaseRefusal> {
    if let Some(owner) = told(proof.owner).filter(|owner| *owner != lease.owner) {
        let detail = format!("the lease is held by {}, not by {}", Quoted(&lease.owner), Quoted(owner));
        return Err(LeaseRefusal::new(LeaseClass::OwnerMismatch, detail));
    }
    if let Some(id) = told(proof.lease_id).filter(|id| *id != lease.lease_id) {
        let detail = format!("the lease is {}, not {}", Quoted(&lease.lease_id), Quoted(id));
        return Err(LeaseRefusal::new(LeaseClass::IdMismatch, detail));
    }
    Ok(())
}

/// A fence that is given must be the lease's, and the lease's the newest one of the issue.
fn check_fence(holding: &Holding<'_>, lease: &Lease, proof: &HolderProof<'_>) -> Result<(), LeaseRefusal> {
    let newest = holding.newest_fence();
    match proof.fence {
        Some(fence) if fence != lease.fence || fence != newest => {
            let detail = format!("fence `{fence}` is not the newest one, `{newest}`");
            Err(LeaseRefusal::new(LeaseClass::Stale, detail))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_active(lease: &Lease, now: Moment) -> Result<(), LeaseRefusal> {
    let detail = match lease_state(Some(lease), now) {
        LeaseState::Active => return Ok(()),
        LeaseState::Invalid => format!("lease {} is not one a claim could give", Quoted(&lease.lease_id)),
        LeaseState::Expired | LeaseState::Unleased => {
            let since = now.seconds().saturating_sub(lease.expires_at.seconds());
            format!("lease {} ran out {since} seconds ago", Quoted(&lease.lease_id))
        }
    };
    Err(LeaseRefusal::new(LeaseClass::Stale, detail))
}
