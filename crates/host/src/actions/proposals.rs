//! `proposal.*`: plans that wait for people, their answers, and what became of every step.

use premath_bd::StoreError;
use premath_bd::desk::{PlanStep, Proposal, ProposalState};
use premath_kernel::Value;
use premath_wire::Json;
use premath_wire::time::format_time;
use premath_wire::v1::{ProposalAnswer, ProposalPage, ProposalRow, ProposalStepRow};
use schemars::JsonSchema;
use serde::Deserialize;

use super::approvals::{message, named, nobody, refuse, unknown};
use super::issue::{arguments, count, id, token, told};
use crate::agent::carry_out;
use crate::desk_store::{desk_path, existing_desk, open_desk, publish};
use crate::table::{ActionError, Answer, Host};

/// How many are listed when nobody says.
const LISTED: u64 = 50;

/// What `proposal.list` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// Only those in this state.
    state: Option<String>,
    /// Only those of this run.
    run: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// What the others take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneArgs {
    /// The plan, by its id.
    id: String,
    /// What to say about it.
    message: Option<String>,
    /// The digest of the plan that was shown, where it was shown elsewhere.
    digest: Option<String>,
}

/// `proposal.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let state = told(args.state.as_deref())
        .map(|state| token(state, "state", &ProposalState::ALL, ProposalState::token))
        .transpose()?;
    let limit = usize::try_from(args.limit.unwrap_or(LISTED)).unwrap_or(usize::MAX);
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.proposals(state, told(args.run.as_deref()), limit)?,
        None => Vec::new(),
    };
    let items: Vec<ProposalRow> = found.iter().map(row).collect();
    let action = "proposal.list".to_owned();
    Answer::new("ok", &ProposalPage { action, count: count(items.len()), items })
}

/// `proposal.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "proposal.show";
    let args: OneArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.proposal(wanted)?,
        None => None,
    };
    match found {
        Some(proposal) => answered(ACTION, &proposal),
        None => unknown(host, ACTION, wanted),
    }
}

/// `proposal.approve`: what was shown is carried out at once.
pub(crate) fn approve(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "proposal.approve";
    let args: OneArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let Some(credential) = host.agent.credential()? else { return nobody(host, ACTION) };
    let desk = open_desk(host.workspace)?;
    let Some(proposal) = desk.proposal(wanted)? else { return unknown(host, ACTION, wanted) };
    let message = message(host, args.message.as_deref());
    let shown = told(args.digest.as_deref()).unwrap_or(&proposal.plan_digest);
    let approved = desk.approve_proposal(&credential, wanted, shown, message.as_deref())?;
    publish(host.workspace, &desk)?;
    match approved {
        Ok(approved) => answered(ACTION, &carry_out(host.workspace, host.agent, &credential, &approved)?),
        Err(refusal) => refuse(host, ACTION, &refusal),
    }
}

/// `proposal.reject`
pub(crate) fn reject(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "proposal.reject";
    let args: OneArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let Some(credential) = host.agent.credential()? else { return nobody(host, ACTION) };
    let desk = open_desk(host.workspace)?;
    let message = message(host, args.message.as_deref());
    let rejected = desk.reject_proposal(&credential, wanted, message.as_deref())?;
    publish(host.workspace, &desk)?;
    match rejected {
        Ok(proposal) => answered(ACTION, &proposal),
        Err(refusal) => refuse(host, ACTION, &refusal),
    }
}

/// `proposal.resume`: an approved plan that nobody carried out, or somebody began and did not end.
pub(crate) fn resume(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "proposal.resume";
    let args: OneArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let Some(credential) = host.agent.credential()? else { return nobody(host, ACTION) };
    let desk = open_desk(host.workspace)?;
    let Some(proposal) = desk.proposal(wanted)? else { return unknown(host, ACTION, wanted) };
    let carried = carry_out(host.workspace, host.agent, &credential, &proposal)?;
    if matches!(carried.state, ProposalState::Approved | ProposalState::Executing) {
        // Somebody else is at it; trying again may help.
        return Err(StoreError::Busy { path: desk_path(host.workspace) }.into());
    }
    answered(ACTION, &carried)
}

/// A plan that failed is an answer, and no success.
fn answered(action: &str, proposal: &Proposal) -> Result<Answer, ActionError> {
    let answer = ProposalAnswer { action: action.to_owned(), proposal: row(proposal) };
    let is_asked_for = !matches!(action, "proposal.show" | "proposal.reject");
    let class = match proposal.state {
        ProposalState::Failed | ProposalState::Expired | ProposalState::Rejected if is_asked_for => {
            "rejected"
        }
        ProposalState::Pending
        | ProposalState::Approved
        | ProposalState::Executing
        | ProposalState::Executed
        | ProposalState::Failed
        | ProposalState::Expired
        | ProposalState::Rejected => "ok",
    };
    Answer::new(class, &answer)
}

/// What is shown of a plan: everything.
#[must_use]
pub fn row(proposal: &Proposal) -> ProposalRow {
    let step = |(step, n): (&PlanStep, u64)| {
        let said = proposal.results.iter().rev().find(|result| count(result.number) == n);
        ProposalStepRow {
            n,
            id: step.id.clone(),
            tool: step.tool.clone(),
            arguments: Json(step.arguments.clone()),
            rationale: step.rationale.clone(),
            targets: named(&step.targets),
            preview: step.preview.clone(),
            shown: step.shown.clone(),
            compensation: step.compensation.clone().map(Json),
            state: said.map(|said| said.state.token().to_owned()),
            detail: said.map(|said| said.detail.clone()).filter(|detail| !detail.is_empty()),
        }
    };
    ProposalRow {
        id: proposal.id.clone(),
        state: proposal.state.token().to_owned(),
        run_id: proposal.draft.run_id.clone(),
        goal: proposal.draft.goal.clone(),
        rollback: proposal.draft.rollback.clone(),
        steps: proposal.draft.steps.iter().zip(1..).map(step).collect(),
        plan_digest: proposal.plan_digest.clone(),
        created_at: format_time(proposal.created_at),
        expires_at: format_time(proposal.expires_at),
        decided_by: proposal.decided_by.clone(),
        decided_at: proposal.decided_at.map(format_time),
        message: proposal.message.clone(),
    }
}
