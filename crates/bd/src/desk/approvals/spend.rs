//! Using a yes: for the very call it was given for, before it expires, with a signature that fits, and no more often than it
//! says. Everything else is a refusal, and uses nothing up.

use premath_kernel::Digest;
use rusqlite::params;

use super::super::answer::{DeskAnswer, DeskRefusal, DeskRefusalClass, Stop};
use super::super::credential::PersonCredential;
use super::super::database::{Desk, Writing, to_stored};
use super::decide::{expired, signed};
use super::row::{approval_row, approvals_where};
use super::{Approval, ApprovalScope, ApprovalState, AskedCall, Target, Use, existing, tell};
use crate::error::StoreError;

impl Desk {
    /// The approvals that were used, each with the run that used it.
    ///
    /// # Errors
    /// A database that failed.
    pub fn used_approvals(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.read(|connection| {
            let query = "SELECT DISTINCT approval, run_id FROM approval_uses ORDER BY approval, run_id";
            let mut statement = connection.prepare(query)?;
            let uses = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok::<_, Stop>(uses.collect::<Result<Vec<_>, _>>()?)
        })
    }

    /// Uses a yes for a call.
    ///
    /// # Errors
    /// A database that failed. Refuses whatever is no signed, living, unused yes for that call.
    pub fn consume_approval(
        &self,
        credential: &PersonCredential,
        id: &str,
        call: &AskedCall<'_>,
    ) -> DeskAnswer<Use> {
        self.write(|writing| {
            let approval = existing(writing, id)?;
            if approval.state == ApprovalState::Expired {
                return expired(writing, &approval);
            }
            spend(writing, credential, &approval, call).map(Ok)
        })
    }

    /// Whether a yes for one call was used for this very call before, by somebody who could not say so any more. What the row
    /// says does not count without the signature, and not when its time is over.
    ///
    /// # Errors
    /// A database that failed.
    pub fn was_consumed_for(
        &self,
        credential: &PersonCredential,
        id: &str,
        call: &AskedCall<'_>,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        self.read(|connection| {
            let Some(approval) = approval_row(connection, id, now)? else { return Ok(false) };
            if approval.state != ApprovalState::Consumed || to_stored(approval.request.expires_at) <= now {
                return Ok(false);
            }
            let agreed = Approval { state: ApprovalState::Approved, ..approval };
            let query = "SELECT EXISTS(SELECT 1 FROM approval_uses
                 WHERE approval = ?1 AND run_id = ?2 AND call_id = ?3 AND tool_call_id = ?4)";
            let key = params![id, call.run_id, call.call_id, call.tool_call_id];
            let is_used: bool = connection.query_row(query, key, |row| row.get(0))?;
            Ok::<_, Stop>(is_used && is_signed(&agreed, credential) && mismatch(&agreed, call).is_none())
        })
    }

    /// Whether a yes that goes further than one call covers this one. It is not used by being looked for.
    ///
    /// # Errors
    /// A database that failed.
    pub fn is_covered(
        &self,
        credential: &PersonCredential,
        call: &AskedCall<'_>,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        self.read(|connection| {
            let condition = "current = 'approved' AND tool = ?2 AND
                 (scope = 'pattern' OR (scope = 'run' AND run_id = ?3))";
            let covers =
                |approval: &Approval| mismatch(approval, call).is_none() && is_signed(approval, credential);
            let wider = approvals_where(connection, condition, params![now, call.tool, call.run_id])?;
            Ok::<_, Stop>(wider.iter().any(covers))
        })
    }

    /// Uses whichever yes covers a call: one for itself first, then one for its run, then a pattern.
    ///
    /// # Errors
    /// A database that failed. Refuses when none does, as the last one that was tried, or as not found.
    pub fn consume_any_approval(
        &self,
        credential: &PersonCredential,
        call: &AskedCall<'_>,
    ) -> DeskAnswer<Use> {
        self.write(|writing| {
            let condition = "current = 'approved' AND tool = ?2 AND (scope = 'pattern' OR run_id = ?3)
                 ORDER BY CASE scope WHEN 'once' THEN 0 WHEN 'run' THEN 1 ELSE 2 END, number";
            let row = params![writing.now, call.tool, call.run_id];
            let mut refusal =
                DeskRefusal::new(DeskRefusalClass::NotFound, "nobody has approved this call".to_owned());
            for approval in approvals_where(&writing.transaction, condition, row)? {
                if mismatch(&approval, call).is_some() {
                    continue;
                }
                match spend(writing, credential, &approval, call) {
                    Ok(used) => return Ok(Ok(used)),
                    Err(Stop::Refused(next)) => refusal = next,
                    Err(stop) => return Err(stop),
                }
            }
            Ok(Err(refusal))
        })
    }
}

fn spend(
    writing: &Writing<'_>,
    credential: &PersonCredential,
    approval: &Approval,
    call: &AskedCall<'_>,
) -> Result<Use, Stop> {
    usable(approval)?;
    if !is_signed(approval, credential) {
        let detail = format!("{} does not carry the signature of `{}`", approval.id, credential.name());
        return Err(Stop::refused(DeskRefusalClass::ApprovalUnsigned, detail));
    }
    if let Some(detail) = mismatch(approval, call) {
        let detail = format!("{} is for {detail}", approval.id);
        return Err(Stop::refused(DeskRefusalClass::ApprovalMismatch, detail));
    }
    let arguments_digest = Digest::of(call.arguments).as_str().to_owned();
    let is_once = approval.scope == ApprovalScope::Once;
    // A yes for one call has no second use, whatever its state says.
    let insert = "INSERT INTO approval_uses(approval, run_id, call_id, tool_call_id, arguments_digest, at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6
         WHERE NOT (?7 AND EXISTS(SELECT 1 FROM approval_uses WHERE approval = ?1)) ON CONFLICT DO NOTHING";
    let (run, turn, at) = (call.run_id, call.call_id, writing.now);
    let row = params![approval.id, run, turn, call.tool_call_id, arguments_digest, at, is_once];
    if writing.transaction.execute(insert, row)? == 0 {
        return Err(consumed(approval));
    }
    if is_once {
        let update = "UPDATE approvals SET state = 'consumed' WHERE id = ?1 AND state = 'approved'";
        writing.transaction.execute(update, [&approval.id])?;
    }
    let approval = existing(writing, &approval.id)?;
    tell(writing, &approval, call.run_id, "consumed")?;
    Ok(Use { approval, arguments_digest })
}

fn is_signed(approval: &Approval, credential: &PersonCredential) -> bool {
    let signature = approval.signature.as_deref().unwrap_or_default();
    approval.decided_by.as_deref() == Some(credential.name())
        && credential.has_signed(&signed(approval), signature)
}

/// Refuses what is no yes.
pub(super) fn usable(approval: &Approval) -> Result<(), Stop> {
    let by = approval.decided_by.as_deref().unwrap_or("nobody");
    let (class, what) = match approval.state {
        ApprovalState::Approved => return Ok(()),
        ApprovalState::Pending => (DeskRefusalClass::ApprovalPending, "is not decided".to_owned()),
        ApprovalState::Denied => (DeskRefusalClass::ApprovalDenied, format!("was denied by `{by}`")),
        ApprovalState::Expired => (DeskRefusalClass::ApprovalExpired, "has expired".to_owned()),
        ApprovalState::Consumed => return Err(consumed(approval)),
        ApprovalState::Revoked => {
            let by = approval.revoked_by.as_deref().unwrap_or(by);
            (DeskRefusalClass::ApprovalRevoked, format!("was revoked by `{by}`"))
        }
    };
    Err(Stop::refused(class, format!("{} {what}", approval.id)))
}

fn consumed(approval: &Approval) -> Stop {
    Stop::refused(DeskRefusalClass::ApprovalConsumed, format!("{} was used already", approval.id))
}

/// What the yes is for instead; none when it covers the call.
fn mismatch(approval: &Approval, call: &AskedCall<'_>) -> Option<&'static str> {
    let request = &approval.request;
    if request.tool != call.tool {
        return Some("another tool");
    }
    match &approval.scope {
        ApprovalScope::Once | ApprovalScope::Run if request.run_id != call.run_id => Some("another run"),
        ApprovalScope::Once
            if (request.call_id.as_str(), request.tool_call_id.as_str())
                != (call.call_id, call.tool_call_id) =>
        {
            Some("another call")
        }
        ApprovalScope::Once if Digest::of(call.arguments).as_str() != approval.arguments_digest => {
            Some("other arguments")
        }
        ApprovalScope::Once if request.targets != call.targets => Some("other targets"),
        // Also for rows that were approved before such a yes was refused.
        ApprovalScope::Run | ApprovalScope::Pattern(_) if request.is_undeclared() => Some("one call"),
        ApprovalScope::Run if !same_things(&request.targets, call.targets) => Some("other targets"),
        ApprovalScope::Once | ApprovalScope::Run => None,
        ApprovalScope::Pattern(pattern) => {
            let covered = pattern.covers(call.tool, call.arguments, call.targets);
            (!covered).then_some("calls that fit its pattern")
        }
    }
}

/// Whether they are the same things, whatever they are called by now. Nothing is not the same as nothing: a yes that names
/// nothing would cover every call of its tool.
fn same_things(shown: &[Target], named: &[Target]) -> bool {
    let keys = |targets: &[Target]| {
        let mut keys: Vec<_> =
            targets.iter().map(|target| (target.kind.clone(), target.id.clone())).collect();
        keys.sort();
        keys.dedup();
        keys
    };
    !shown.is_empty() && keys(shown) == keys(named)
}
