//! Approvals as rows: their tokens, how they are read back, how they are shown. It must not change any.

use premath_kernel::{Digest, Object, Value};
use premath_wire::time::format_time;
use rusqlite::{Connection, Params, Row, params};

use super::super::answer::Stop;
use super::super::database::{from_stored, named, stored_json};
use super::super::pattern::Pattern;
use super::{Approval, ApprovalKind, ApprovalRequest, ApprovalScope, ApprovalState, Target};

impl ApprovalKind {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::Confirmation, Self::Plan, Self::Checkpoint];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Plan => "plan",
            Self::Checkpoint => "checkpoint",
        }
    }
}

impl ApprovalState {
    /// Every one of them.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Approved, Self::Denied, Self::Expired, Self::Consumed, Self::Revoked];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Consumed => "consumed",
            Self::Revoked => "revoked",
        }
    }
}

impl ApprovalScope {
    /// The token on the wire.
    #[must_use]
    pub const fn token(&self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Run => "run",
            Self::Pattern(_) => "pattern",
        }
    }

    pub(super) const fn pattern(&self) -> Option<&Pattern> {
        match self {
            Self::Once | Self::Run => None,
            Self::Pattern(pattern) => Some(pattern),
        }
    }
}

impl Target {
    /// As it is kept and shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("id", self.id.as_str())
            .field("kind", self.kind.as_str())
            .field("name", self.name.as_str())
            .finish()
    }
}

impl Approval {
    /// As it is shown. The signature is not.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let request = &self.request;
        Object::fields()
            .field("arguments", request.arguments.borrowed())
            .field("argumentsDigest", self.arguments_digest.as_str())
            .optional("decidedAt", self.decided_at.map(format_time))
            .optional("decidedBy", self.decided_by.as_deref())
            .optional("diff", request.diff.as_deref())
            .field("expiresAt", format_time(request.expires_at))
            .field("id", self.id.as_str())
            .field("kind", request.kind.token())
            .optional("message", self.message.as_deref())
            .optional("pattern", self.scope.pattern().map(Pattern::to_value))
            .optional("revokedAt", self.revoked_at.map(format_time))
            .optional("revokedBy", self.revoked_by.as_deref())
            .field("reason", request.reason.as_str())
            .field("requestedAt", format_time(self.requested_at))
            .field("rule", request.rule.as_str())
            .field("runId", request.run_id.as_str())
            .field("scope", self.scope.token())
            .field("state", self.state.token())
            .field("targets", targets_value(&request.targets))
            .field("tier", request.tier.as_str())
            .field("tool", request.tool.as_str())
            .field("toolCallId", request.tool_call_id.as_str())
            .finish()
    }
}

impl Approval {
    /// The digest of the card: everything a person is shown before they decide. What they sign has it.
    #[must_use]
    pub fn card_digest(&self) -> Digest {
        let request = &self.request;
        let card = Object::fields()
            .field("arguments", request.arguments.borrowed())
            .field("callId", request.call_id.as_str())
            .optional("diff", request.diff.as_deref())
            .field("id", self.id.as_str())
            .field("kind", request.kind.token())
            .field("reason", request.reason.as_str())
            .field("rule", request.rule.as_str())
            .field("runId", request.run_id.as_str())
            .field("targets", targets_value(&request.targets))
            .field("tier", request.tier.as_str())
            .field("tool", request.tool.as_str())
            .field("toolCallId", request.tool_call_id.as_str())
            .finish();
        Digest::prefixed("crd1_", &card)
    }
}

/// Targets as they are kept and shown.
pub(in super::super) fn targets_value(targets: &[Target]) -> Value<'_> {
    Value::Array(targets.iter().map(Target::to_value).collect())
}

/// Targets as they were kept.
pub(in super::super) fn read_targets(text: &str) -> Result<Vec<Target>, Stop> {
    targets_of(&stored_json(text)?).ok_or_else(|| Stop::Damaged("targets that cannot be read".to_owned()))
}

/// Targets out of a value.
pub(in super::super) fn targets_of(value: &Value<'_>) -> Option<Vec<Target>> {
    let target = |value: &Value<'_>| {
        let members = value.as_object()?;
        let text = |name: &str| members.get(name).and_then(Value::as_text).map(str::to_owned);
        Some(Target { kind: text("kind")?, id: text("id")?, name: text("name")? })
    };
    value.as_array()?.iter().map(target).collect()
}

/// One approval as it stands at a time.
pub(super) fn approval_row(connection: &Connection, id: &str, now: i64) -> Result<Option<Approval>, Stop> {
    let approval = approvals_where(connection, "id = ?2", params![now, id])?.pop();
    approval.iter().try_for_each(|approval| named(id, &approval.id))?;
    Ok(approval)
}

/// The approvals that meet a condition. Its first parameter is the time: what waited for longer has expired, whether
/// somebody wrote that down or not.
pub(super) fn approvals_where(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> Result<Vec<Approval>, Stop> {
    let query = format!(
        "SELECT id, run_id, tool_call_id, kind, tool, arguments, arguments_digest, targets, diff, reason, rule,
           tier, requested_at, expires_at, current, scope, pattern, decided_by, decided_at, message, signature,
           call_id, revoked_by, revoked_at
         FROM (SELECT *, CASE WHEN state = 'approved' AND revoked_at IS NOT NULL THEN 'revoked'
                 WHEN state IN ('pending', 'approved') AND expires_at <= ?1 THEN 'expired'
                 ELSE state END AS current FROM approvals) WHERE {condition}"
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(parameters)?;
    let mut approvals = Vec::new();
    while let Some(row) = rows.next()? {
        approvals.push(read(row)?);
    }
    Ok(approvals)
}

fn read(row: &Row<'_>) -> Result<Approval, Stop> {
    let damaged = |what: &str| Stop::Damaged(format!("an approval with an unknown {what}"));
    let (kind, state, scope): (String, String, String) = (row.get(3)?, row.get(14)?, row.get(15)?);
    let pattern = match row.get::<_, Option<String>>(16)? {
        Some(text) => Some(Pattern::read(&stored_json(&text)?)?),
        None => None,
    };
    let request = ApprovalRequest {
        run_id: row.get(1)?,
        call_id: row.get(21)?,
        tool_call_id: row.get(2)?,
        kind: ApprovalKind::ALL
            .into_iter()
            .find(|known| known.token() == kind)
            .ok_or_else(|| damaged("kind"))?,
        tool: row.get(4)?,
        arguments: stored_json(&row.get::<_, String>(5)?)?,
        targets: read_targets(&row.get::<_, String>(7)?)?,
        diff: row.get(8)?,
        reason: row.get(9)?,
        rule: row.get(10)?,
        tier: row.get(11)?,
        expires_at: from_stored(row.get(13)?),
    };
    Ok(Approval {
        id: row.get(0)?,
        arguments_digest: row.get(6)?,
        requested_at: from_stored(row.get(12)?),
        state: ApprovalState::ALL
            .into_iter()
            .find(|known| known.token() == state)
            .ok_or_else(|| damaged("state"))?,
        scope: match (scope.as_str(), pattern) {
            ("once", None) => ApprovalScope::Once,
            ("run", None) => ApprovalScope::Run,
            ("pattern", Some(pattern)) => ApprovalScope::Pattern(pattern),
            _ => return Err(damaged("scope")),
        },
        decided_by: row.get(17)?,
        decided_at: row.get::<_, Option<i64>>(18)?.map(from_stored),
        message: row.get(19)?,
        signature: row.get(20)?,
        revoked_by: row.get(22)?,
        revoked_at: row.get::<_, Option<i64>>(23)?.map(from_stored),
        request,
    })
}
