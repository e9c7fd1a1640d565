//! Deciding, exactly once, and signing what was decided. Whoever comes second learns who was first.

use premath_kernel::{Object, Value};
use premath_wire::time::format_time;
use rusqlite::params;

use super::super::answer::{DeskAnswer, DeskRefusal, DeskRefusalClass, Stop};
use super::super::apply::text;
use super::super::credential::PersonCredential;
use super::super::database::{Desk, Writing, to_stored};
use super::{Approval, ApprovalScope, ApprovalState, Decision, Verdict, existing, targets_value, tell};

/// What is signed, so that no signature over something else can be taken for it.
const SIGNED: &str = "premath.approval.v1";

impl Desk {
    /// Decides, with a person's signature.
    ///
    /// # Errors
    /// A database that failed. Refuses what was decided before, with who decided, what expired, another card than the one
    /// that was shown, and a pattern that does not cover the very call it is decided for.
    pub fn decide_approval(
        &self,
        credential: &PersonCredential,
        id: &str,
        decision: &Decision,
    ) -> DeskAnswer<Approval> {
        self.write(|writing| {
            let mut approval = existing(writing, id)?;
            if approval.state == ApprovalState::Expired {
                return expired(writing, &approval);
            }
            check_card(&approval, decision)?;
            decided(&mut approval, credential, decision)?;
            let signature = credential.sign(&signed(&approval));
            let update = "UPDATE approvals SET state = ?2, scope = ?3, pattern = ?4, decided_by = ?5,
                   decided_at = ?6, message = ?7, expires_at = ?8, signature = ?9
                 WHERE id = ?1 AND state = 'pending' AND expires_at > ?6";
            let row = params![
                id,
                approval.state.token(),
                approval.scope.token(),
                approval.scope.pattern().map(|pattern| text(&pattern.to_value())),
                credential.name(),
                writing.now,
                approval.message,
                to_stored(approval.request.expires_at),
                signature,
            ];
            if writing.transaction.execute(update, row)? == 0 {
                return Err(late(&existing(writing, id)?));
            }
            let approval = existing(writing, id)?;
            tell(writing, &approval, credential.name(), approval.state.token())?;
            Ok(Ok(approval))
        })
    }
}

/// Refuses an answer to another card than the one that was shown.
fn check_card(approval: &Approval, decision: &Decision) -> Result<(), DeskRefusal> {
    let Some(shown) = &decision.shown else { return Ok(()) };
    let card = approval.card_digest();
    if card.as_str() == shown {
        return Ok(());
    }
    let detail = format!("{} is {card}, and {} was shown", approval.id, shown.escape_debug());
    Err(DeskRefusal::new(DeskRefusalClass::ApprovalDigestMismatch, detail))
}

/// The approval as it will be.
fn decided(
    approval: &mut Approval,
    credential: &PersonCredential,
    decision: &Decision,
) -> Result<(), DeskRefusal> {
    approval.decided_by = Some(credential.name().to_owned());
    approval.message.clone_from(&decision.message);
    match decision.verdict {
        Verdict::Deny => approval.state = ApprovalState::Denied,
        Verdict::Approve => {
            check_scope(approval, &decision.scope)?;
            approval.state = ApprovalState::Approved;
            approval.scope = decision.scope.clone();
            if let Some(until) = decision.valid_until {
                approval.request.expires_at = until;
            }
        }
    }
    Ok(())
}

/// A yes that goes further than one call says how far.
fn check_scope(approval: &Approval, scope: &ApprovalScope) -> Result<(), DeskRefusal> {
    let request = &approval.request;
    let invalid = |detail: &str| Err(DeskRefusal::new(DeskRefusalClass::Invalid, detail));
    let unbounded = |detail: &str| Err(DeskRefusal::new(DeskRefusalClass::ApprovalUnbounded, detail));
    match scope {
        ApprovalScope::Once => Ok(()),
        ApprovalScope::Run | ApprovalScope::Pattern(_) if request.is_undeclared() => unbounded(
            "the configuration names no argument that says what this tool acts on; it is approved once",
        ),
        ApprovalScope::Run | ApprovalScope::Pattern(_) if request.is_once_only() => {
            unbounded("a secret is in the arguments of the call; it is approved once")
        }
        ApprovalScope::Run if request.targets.is_empty() => {
            invalid("the call names nothing, so a yes for the run would cover every call of the tool")
        }
        ApprovalScope::Run => Ok(()),
        ApprovalScope::Pattern(pattern) if !pattern.is_bounded() => {
            invalid("a pattern names its targets or an argument")
        }
        ApprovalScope::Pattern(pattern) if !request.is_bounded_by(pattern) => unbounded(
            "the pattern names no argument that says what the tool acts on, so it would cover any of them",
        ),
        ApprovalScope::Pattern(pattern)
            if !pattern.covers(&request.tool, &request.arguments, &request.targets) =>
        {
            invalid("the pattern does not cover the call it is decided for")
        }
        ApprovalScope::Pattern(_) => Ok(()),
    }
}

/// Why it could not be decided.
fn late(approval: &Approval) -> Stop {
    let by = approval.decided_by.as_deref().unwrap_or("nobody");
    let at = approval.decided_at.map(format_time).unwrap_or_default();
    let detail = format!("{} was {} by `{by}` at {at}", approval.id, approval.state.token());
    Stop::refused(DeskRefusalClass::ApprovalDecided, detail)
}

/// Writes down that nobody decided, or used it, in time; the refusal is kept with it.
pub(super) fn expired<T>(writing: &Writing<'_>, approval: &Approval) -> Result<Result<T, DeskRefusal>, Stop> {
    let update = "UPDATE approvals SET state = 'expired'
         WHERE id = ?1 AND state IN ('pending', 'approved') AND revoked_at IS NULL AND expires_at <= ?2";
    if writing.transaction.execute(update, params![approval.id, writing.now])? > 0 {
        tell(writing, approval, "clock", "expired")?;
    }
    let at = format_time(approval.request.expires_at);
    let detail = format!("{} expired at {at}", approval.id);
    Ok(Err(DeskRefusal::new(DeskRefusalClass::ApprovalExpired, detail)))
}

/// What a signature is over: everything that says what the yes is for.
pub(super) fn signed(approval: &Approval) -> Value<'_> {
    let request = &approval.request;
    Object::fields()
        .field("argumentsDigest", approval.arguments_digest.as_str())
        .field("cardDigest", approval.card_digest().as_str().to_owned())
        .optional("decidedBy", approval.decided_by.as_deref())
        .field("expiresAt", to_stored(request.expires_at).to_string())
        .field("id", approval.id.as_str())
        .field("kind", request.kind.token())
        .optional("pattern", approval.scope.pattern().map(|pattern| pattern.to_value()))
        .field("runId", request.run_id.as_str())
        .field("scope", approval.scope.token())
        .field("signed", SIGNED)
        .field("state", approval.state.token())
        .field("targets", targets_value(&request.targets))
        .field("tool", request.tool.as_str())
        .finish()
}
