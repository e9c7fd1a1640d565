//! Proposals as rows: their tokens, how they are read back, how they are shown. It must not change any.

use premath_kernel::{Object, Value};
use premath_wire::time::{format_time, parse_time};
use rusqlite::{Connection, Params, Row, params};

use super::super::answer::Stop;
use super::super::approvals::{targets_of, targets_value};
use super::super::database::{from_stored, named, stored_json};
use super::super::file::unsigned;
use super::{PlanStep, Proposal, ProposalDraft, ProposalState, StepResult, StepState};
use crate::issues::counted;

impl ProposalState {
    /// Every one of them.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Approved,
        Self::Executing,
        Self::Executed,
        Self::Failed,
        Self::Rejected,
        Self::Expired,
    ];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Executing => "executing",
            Self::Executed => "executed",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    pub(in super::super) const fn refusal_code(self) -> &'static str {
        match self {
            Self::Pending => "proposal_pending",
            Self::Approved => "proposal_approved",
            Self::Executing => "proposal_executing",
            Self::Executed => "proposal_executed",
            Self::Failed => "proposal_failed",
            Self::Rejected => "proposal_rejected",
            Self::Expired => "proposal_expired",
        }
    }
}

impl StepState {
    /// Every one of them.
    pub const ALL: [Self; 4] = [Self::Ok, Self::Failed, Self::Skipped, Self::Compensated];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Compensated => "compensated",
        }
    }
}

impl PlanStep {
    /// The step of that number, as it is kept, shown and hashed.
    #[must_use]
    pub fn to_value(&self, number: usize) -> Value<'_> {
        let digest = premath_kernel::Digest::of(&self.arguments).as_str().to_owned();
        Object::fields()
            .field("arguments", self.arguments.borrowed())
            .field("argumentsDigest", digest)
            .optional("compensation", self.compensation.as_ref().map(Value::borrowed))
            .field("id", self.id.as_str())
            .field("n", count(number))
            .optional("preview", self.preview.as_deref())
            .field("rationale", self.rationale.as_str())
            .optional("shown", Some(self.shown.as_str()).filter(|shown| !shown.is_empty()))
            .field("targets", targets_value(&self.targets))
            .field("tool", self.tool.as_str())
            .finish()
    }

    fn read(value: &Value<'_>) -> Option<Self> {
        let members = value.as_object()?;
        let text = |name: &str| members.get(name).and_then(Value::as_text).map(str::to_owned);
        let owned = |name: &str| members.get(name).map(|value| value.borrowed().into_owned());
        Some(Self {
            id: text("id")?,
            tool: text("tool")?,
            arguments: owned("arguments")?,
            rationale: text("rationale")?,
            targets: targets_of(members.get("targets")?)?,
            preview: text("preview"),
            shown: text("shown").unwrap_or_default(),
            compensation: owned("compensation"),
        })
    }
}

impl StepResult {
    /// As it is kept and shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("at", format_time(self.at))
            .field("detail", self.detail.as_str())
            .field("n", count(self.number))
            .field("state", self.state.token())
            .finish()
    }

    fn read(value: &Value<'_>) -> Option<Self> {
        let members = value.as_object()?;
        let text = |name: &str| members.get(name).and_then(Value::as_text);
        let state = text("state")?;
        Some(Self {
            number: usize::try_from(members.get("n")?.as_number()?.as_u64()?).ok()?,
            state: StepState::ALL.into_iter().find(|known| known.token() == state)?,
            detail: text("detail")?.to_owned(),
            at: parse_time(text("at")?)?,
        })
    }
}

impl Proposal {
    /// As it is shown. The signature is not.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let lease = self.lease_owner.as_deref().map(|owner| {
            Object::fields()
                .optional("expiresAt", self.lease_expires_at.map(format_time))
                .field("fence", counted(self.fence))
                .field("owner", owner)
                .finish()
        });
        let results: Vec<_> = self.results.iter().map(StepResult::to_value).collect();
        Object::fields()
            .field("createdAt", format_time(self.created_at))
            .optional("decidedAt", self.decided_at.map(format_time))
            .optional("decidedBy", self.decided_by.as_deref())
            .field("expiresAt", format_time(self.expires_at))
            .field("goal", self.draft.goal.as_str())
            .field("id", self.id.as_str())
            .optional("lease", lease)
            .optional("message", self.message.as_deref())
            .field("planDigest", self.plan_digest.as_str())
            .field("results", results)
            .field("rollback", self.draft.rollback.as_str())
            .field("runId", self.draft.run_id.as_str())
            .field("state", self.state.token())
            .field("steps", self.draft.steps_value())
            .finish()
    }
}

/// One proposal as it stands at a time.
pub(super) fn proposal_row(connection: &Connection, id: &str, now: i64) -> Result<Option<Proposal>, Stop> {
    let proposal = proposals_where(connection, "id = ?2", params![now, id])?.pop();
    proposal.iter().try_for_each(|proposal| named(id, &proposal.id))?;
    Ok(proposal)
}

/// The proposals that meet a condition. Its first parameter is the time: what waited for longer has expired, whether
/// somebody wrote that down or not.
pub(super) fn proposals_where(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> Result<Vec<Proposal>, Stop> {
    let query = format!(
        "SELECT id, run_id, goal, rollback, steps, plan_digest, current, created_at, expires_at, decided_by,
           decided_at, message, signature, lease_owner, lease_expires_at, fence, results
         FROM (SELECT *, CASE WHEN state IN ('pending', 'approved') AND expires_at <= ?1 THEN 'expired'
                 ELSE state END AS current FROM proposals) WHERE {condition}"
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(parameters)?;
    let mut proposals = Vec::new();
    while let Some(row) = rows.next()? {
        proposals.push(read(row)?);
    }
    Ok(proposals)
}

fn read(row: &Row<'_>) -> Result<Proposal, Stop> {
    let damaged = |what: &str| Stop::Damaged(format!("a proposal whose {what} cannot be read"));
    let steps = stored_json(&row.get::<_, String>(4)?)?;
    let steps = steps.as_array().and_then(|steps| steps.iter().map(PlanStep::read).collect());
    let results = stored_json(&row.get::<_, String>(16)?)?;
    let results = results.as_array().and_then(|results| results.iter().map(StepResult::read).collect());
    let state: String = row.get(6)?;
    let draft = ProposalDraft {
        run_id: row.get(1)?,
        goal: row.get(2)?,
        rollback: row.get(3)?,
        steps: steps.ok_or_else(|| damaged("plan"))?,
    };
    Ok(Proposal {
        id: row.get(0)?,
        draft,
        plan_digest: row.get(5)?,
        state: ProposalState::ALL
            .into_iter()
            .find(|known| known.token() == state)
            .ok_or_else(|| damaged("state"))?,
        created_at: from_stored(row.get(7)?),
        expires_at: from_stored(row.get(8)?),
        decided_by: row.get(9)?,
        decided_at: row.get::<_, Option<i64>>(10)?.map(from_stored),
        message: row.get(11)?,
        signature: row.get(12)?,
        lease_owner: row.get(13)?,
        lease_expires_at: row.get::<_, Option<i64>>(14)?.map(from_stored),
        fence: unsigned(row.get(15)?)?,
        results: results.ok_or_else(|| damaged("results"))?,
    })
}

fn count(number: usize) -> Value<'static> {
    counted(u64::try_from(number).unwrap_or(u64::MAX))
}
