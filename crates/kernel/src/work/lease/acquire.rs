//! Taking a lease: who may have an issue now, and under which fence.
//!
//! Every acquisition raises the fence, also one by the same owner: an older process of that name is fenced out. Must
//! not give a fence twice.

use alloc::format;
use alloc::string::String;

use super::refusal::Quoted;
use super::{
    Claim, Holding, Lease, LeaseClass, LeaseRefusal, MAX_TTL_SECONDS, MIN_TTL_SECONDS, Moment, Status,
    seconds_to_live, told,
};

/// The highest fence: the greatest integer that every reader of JSON keeps exactly.
const LAST_FENCE: u64 = (1 << 53) - 1;

/// The lease that the claim gives, or the first rule against it.
///
/// In this order: an assignee; a time to live and an end within bounds; an issue that is not closed; that is not
/// blocked, held back or at a status of another tool, unless forced with a reason; and no active lease but the same
/// one, by owner and id.
///
/// # Errors
/// The class of the first rule that is broken.
pub fn claim(holding: &Holding<'_>, claim: &Claim<'_>, now: Moment) -> Result<Lease, LeaseRefusal> {
    let Some(owner) = told(Some(claim.assignee)) else {
        return Err(LeaseRefusal::new(LeaseClass::InvalidAssignee, "the assignee is blank"));
    };
    let expires_at = end(claim, now)?;
    check_issue(holding, claim)?;
    let lease_id =
        told(claim.lease_id).map_or_else(|| default_lease_id(holding.issue_id, owner), String::from);
    check_contention(holding, owner, &lease_id, now)?;
    let fence = next_fence(holding)?;
    Ok(Lease { lease_id, owner: String::from(owner), acquired_at: now, expires_at, renewed_at: None, fence })
}

/// Whether claim-next may take the issue for `claimant`: it is open and free, or its worker let its lease run out, and it is
/// not assigned to somebody else.
///
/// An issue in progress without a lease is a person's, and not taken. What is held back is not taken either: claiming
/// it would be refused.
#[must_use]
pub fn is_claimable(holding: &Holding<'_>, claimant: &str, now: Moment) -> bool {
    let is_active = holding.lease.is_some_and(|lease| lease.is_active(now));
    let is_free = match holding.status {
        Status::Open => !is_active,
        Status::InProgress => holding.lease.is_some() && !is_active,
        Status::Blocked | Status::Closed | Status::Deleted | Status::Other => false,
    };
    is_free && !holding.held_back && !is_assigned_to_other(holding.assignee, holding.lease, claimant)
}

/// Whether an issue is assigned to somebody else than `claimant`.
///
/// A claim writes its owner as the assignee, so an assignee that owns the lease on the row is a trace of that lease and
/// reserves nothing once the lease has ended.
#[must_use]
pub fn is_assigned_to_other(assignee: Option<&str>, lease: Option<&Lease>, claimant: &str) -> bool {
    let owner = lease.map(|lease| lease.owner.trim());
    told(assignee).is_some_and(|assignee| assignee != claimant.trim() && owner != Some(assignee))
}

/// When the lease ends. A given end replaces the time to live, which must be a possible one all the same.
fn end(claim: &Claim<'_>, now: Moment) -> Result<Moment, LeaseRefusal> {
    let ttl = seconds_to_live(claim.ttl_seconds)?;
    let end = claim.expires_at.unwrap_or_else(|| now.plus_seconds(ttl));
    let earliest = now.plus_seconds(MIN_TTL_SECONDS.cast_signed());
    let latest = now.plus_seconds(MAX_TTL_SECONDS.cast_signed());
    // At the end of time the bounds meet now, and no lease can end after it.
    if end < earliest || end > latest || end <= now {
        let detail = format!("a lease ends {MIN_TTL_SECONDS} to {MAX_TTL_SECONDS} seconds from now");
        return Err(LeaseRefusal::new(LeaseClass::InvalidExpiresAt, detail));
    }
    Ok(end)
}

fn check_issue(holding: &Holding<'_>, claim: &Claim<'_>) -> Result<(), LeaseRefusal> {
    let issue = Quoted(holding.issue_id);
    let blocked_by = match holding.status {
        Status::Closed | Status::Deleted => return Err(issue_closed(holding)),
        Status::Blocked => "has status `blocked`",
        Status::Other => "has a status that this version does not know",
        Status::Open | Status::InProgress if holding.held_back => "waits for a dependency",
        Status::Open | Status::InProgress => return Ok(()),
    };
    if claim.blocked.is_forced() {
        return Ok(());
    }
    Err(LeaseRefusal::new(LeaseClass::IssueBlocked, format!("issue {issue} {blocked_by}")))
}

fn check_contention(
    holding: &Holding<'_>,
    owner: &str,
    lease_id: &str,
    now: Moment,
) -> Result<(), LeaseRefusal> {
    let Some(lease) = holding.lease.filter(|lease| lease.is_active(now)) else {
        return Ok(());
    };
    if lease.owner == owner && lease.lease_id == lease_id {
        return Ok(());
    }
    let left = lease.expires_at.seconds().saturating_sub(now.seconds());
    let detail = format!(
        "issue {} is held by {} under lease {} for another {left} seconds",
        Quoted(holding.issue_id),
        Quoted(&lease.owner),
        Quoted(&lease.lease_id)
    );
    Err(LeaseRefusal::new(LeaseClass::ContentionActive, detail))
}

/// Nobody works on an issue that is closed or deleted.
pub(super) fn issue_closed(holding: &Holding<'_>) -> LeaseRefusal {
    let what = if holding.status == Status::Deleted { "was deleted" } else { "is closed" };
    LeaseRefusal::new(LeaseClass::IssueClosed, format!("issue {} {what}", Quoted(holding.issue_id)))
}

/// One above every fence the issue ever had.
pub(super) fn next_fence(holding: &Holding<'_>) -> Result<u64, LeaseRefusal> {
    let newest = holding.newest_fence();
    newest.checked_add(1).filter(|fence| *fence <= LAST_FENCE).ok_or_else(|| {
        LeaseRefusal::new(LeaseClass::Stale, format!("no fence can be given above `{newest}`"))
    })
}

/// `lease1_<issue>_<assignee>`, with `-` for every character that a name or a path might trip over.
fn default_lease_id(issue_id: &str, assignee: &str) -> String {
    let plain = |text: &str| -> String {
        let keep = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
        text.chars().map(|one| if keep(one) { one } else { '-' }).collect()
    };
    format!("lease1_{}_{}", plain(issue_id), plain(assignee))
}
