//! Claiming, keeping and letting go of work, and who holds what.

use premath_bd::issues::{Applied, CamelRow, ClaimTerms, IssueRow, IssueView, Operation};
use premath_kernel::{DEFAULT_TTL_SECONDS, LeaseState, Moment, Value, lease_state};
use premath_wire::InputError;
use premath_wire::time::{format_time, parse_time};
use premath_wire::v1::{ClaimNextAnswer, LeaseProjection, LeaseRow};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{
    IssueLane, Outcome, PlannedChange, arguments, change, count, id, invalid, one_line, told,
};
use super::issue_read::wanted;
use super::issue_write::holder;
use crate::settings::Settings;
use crate::table::{ActionError, Answer, Host};

/// What a claim takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The issue.
    id: String,
    /// Who takes it.
    assignee: String,
    /// What to call the lease, or which lease it is.
    lease_id: Option<String>,
    /// How long it lasts: 30 to 86400, 3600 when absent.
    ttl_seconds: Option<u64>,
    /// When it ends, instead (RFC 3339).
    expires_at: Option<String>,
    /// Why to take it though it is blocked.
    force_reason: Option<String>,
}

/// What a claim of whatever comes first takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimNextArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// Who takes it.
    assignee: String,
    /// What to call the lease, or which lease it is.
    lease_id: Option<String>,
    /// How long it lasts: 30 to 86400, 3600 when absent.
    ttl_seconds: Option<u64>,
    /// When it ends, instead (RFC 3339).
    expires_at: Option<String>,
}

/// `issue.claim`
pub(crate) fn claim(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_claim)
}

/// The claim that arguments of `issue.claim` describe.
pub(crate) fn plan_claim(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: ClaimArgs = arguments(args)?;
    let id = id(&args.id, "id")?;
    let mut terms =
        terms(&args.assignee, args.lease_id.as_deref(), args.ttl_seconds, args.expires_at.as_deref())?;
    terms.force_reason = told(args.force_reason.as_deref()).map(ToOwned::to_owned);
    Ok(PlannedChange { issues: args.issues, operation: Operation::Claim { id, terms } })
}

/// `issue.claim_next`
pub(crate) fn claim_next(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ClaimNextArgs = arguments(args)?;
    let terms =
        terms(&args.assignee, args.lease_id.as_deref(), args.ttl_seconds, args.expires_at.as_deref())?;
    let lane = IssueLane::open(host, "issue.claim_next", args.issues.as_deref());
    let (row, link) = match lane.apply(&Operation::ClaimNext { terms })? {
        Outcome::Applied(Applied::Written(written), link) => (Some(written.row), link),
        Outcome::Applied(Applied::Nothing(_), link) => (None, link),
        Outcome::Applied(Applied::Refused(refusal), _) => {
            return lane.refuse(refusal.class.code(), &refusal.detail, refusal.class.hint());
        }
        Outcome::Shut(refusal) => return lane.shut(&refusal),
        Outcome::Unlinked(refused) => return lane.refuse(&refused.class, &refused.detail, &refused.hint),
    };
    let answer = Answer::new(
        "accepted",
        &ClaimNextAnswer {
            action: lane.action(),
            issues_path: lane.path,
            claimed: row.is_some(),
            issue: row.as_ref().map(|row| CamelRow(row.object())),
        },
    )?;
    Ok(answer.linked(link))
}

fn terms(
    assignee: &str,
    lease_id: Option<&str>,
    ttl_seconds: Option<u64>,
    expires_at: Option<&str>,
) -> Result<ClaimTerms, InputError> {
    let lease_id = told(lease_id).map(|text| one_line(text, "leaseId")).transpose()?;
    let expires_at = told(expires_at).map(|text| {
        parse_time(text).ok_or_else(|| invalid("expected a time such as 2026-11-15T07:12:52Z", "expiresAt"))
    });
    Ok(ClaimTerms {
        // A blank name is refused by the lease machine, which has a class for it.
        assignee: one_line(assignee, "assignee")?,
        lease_id,
        ttl_seconds: ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS),
        expires_at: expires_at.transpose()?,
        force_reason: None,
    })
}

/// What a holder takes to keep a lease, or to let it go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HolderArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The issue.
    id: String,
    /// Who holds it.
    owner: Option<String>,
    /// What to call the lease, or which lease it is.
    lease_id: Option<String>,
    /// The fence of the lease, as the claim answered it.
    fence: Option<u64>,
    /// How long it lasts: 30 to 86400, 3600 when absent.
    ttl_seconds: Option<u64>,
}

/// `issue.lease_renew`
pub(crate) fn renew(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_renew)
}

/// What arguments of `issue.lease_renew` name.
pub(crate) fn plan_renew(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: HolderArgs = arguments(args)?;
    let operation = Operation::LeaseRenew {
        id: id(&args.id, "id")?,
        holder: holder(args.owner.as_deref(), args.lease_id.as_deref(), args.fence),
        ttl_seconds: args.ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS),
    };
    Ok(PlannedChange { issues: args.issues, operation })
}

/// `issue.lease_release`
pub(crate) fn release(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_release)
}

/// What arguments of `issue.lease_release` name.
pub(crate) fn plan_release(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: HolderArgs = arguments(args)?;
    if args.ttl_seconds.is_some() {
        return Err(invalid("unknown field", "ttlSeconds").into());
    }
    let operation = Operation::LeaseRelease {
        id: id(&args.id, "id")?,
        holder: holder(args.owner.as_deref(), args.lease_id.as_deref(), args.fence),
    };
    Ok(PlannedChange { issues: args.issues, operation })
}

/// What the projection of all leases takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ProjectionArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// `issue.lease_projection`
pub(crate) fn projection(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ProjectionArgs = arguments(args)?;
    let lane = IssueLane::open(host, "issue.lease_projection", args.issues.as_deref());
    let now = host.workspace.clock.now();
    lane.reading(|view| {
        let leases = leases(view, now)?;
        let of = |state: LeaseState| count(leases.iter().filter(|(its, _)| *its == state).count());
        let (active_count, expired_count, invalid_count) =
            (of(LeaseState::Active), of(LeaseState::Expired), of(LeaseState::Invalid));
        let total = leases.len();
        let limit = wanted(args.limit).unwrap_or(usize::MAX);
        let items: Vec<LeaseRow> = leases.into_iter().take(limit).map(|(_, row)| row).collect();
        Answer::new(
            "ok",
            &LeaseProjection {
                action: lane.action(),
                issues_path: lane.path.clone(),
                count: count(items.len()),
                total: (items.len() < total).then(|| count(total)),
                active_count,
                expired_count,
                invalid_count,
                items,
            },
        )
    })
}

/// Every lease on every issue, in natural order of the issues.
fn leases(view: &dyn IssueView, now: Moment) -> Result<Vec<(LeaseState, LeaseRow)>, ActionError> {
    let graph = view.graph()?;
    let mut leases = Vec::new();
    for (facts, place) in graph.facts.iter().zip(&graph.rows) {
        if facts.lease_until.is_none() {
            continue;
        }
        let Some(row) = IssueRow::read(&view.line(*place)?) else { continue };
        leases.extend(lease_row(&row, now));
    }
    Ok(leases)
}

/// The lease on an issue, as answers show it.
pub(crate) fn lease_row(row: &IssueRow, now: Moment) -> Option<(LeaseState, LeaseRow)> {
    let lease = row.lease()?;
    let state = lease_state(Some(&lease), now);
    let shown = LeaseRow {
        issue_id: row.id().to_owned(),
        state: state.token().to_owned(),
        acquired_at: format_time(lease.acquired_at),
        expires_at: format_time(lease.expires_at),
        renewed_at: lease.renewed_at.map(format_time),
        fence: lease.fence,
        assignee: row.text("assignee").map(ToOwned::to_owned),
        lease_id: lease.lease_id,
        owner: lease.owner,
    };
    Some((state, shown))
}
