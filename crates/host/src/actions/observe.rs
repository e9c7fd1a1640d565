//! `observe.*`: building the observation, and looking at it.

use premath_bd::desk::{ApprovalState, ProposalState};
use premath_kernel::Value;
use premath_wire::time::format_time;
use premath_wire::v1::{
    AttentionAnswer, AttentionRow, ObservationAnswer, ObservedInstructionAnswer, ObservedProjectionAnswer,
    ObservedStep, ObservedWork, RefusedAnswer, RefusedBecause,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid};
use crate::agent::traces::{Wanted, list};
use crate::desk_store::existing_desk;
use crate::observation::{
    LATEST_OBSERVATION, Snapshot, build, of_expired_question, of_question, read_snapshot, snapshot_stale,
    write_snapshot,
};
use crate::table::{ActionError, Answer, Host, Nothing};
use crate::workspace::shown;

/// The longest id of an instruction.
const LONGEST_ID: usize = 200;

/// What `observe.instruction` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstructionArgs {
    /// The instruction, by name.
    id: String,
}

/// `observe.build`
pub(crate) fn build_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let observation = build(host)?;
    write_snapshot(host, &observation)?;
    Answer::new(
        "ok",
        &ObservationAnswer {
            action: "observe.build".to_owned(),
            observation_path: LATEST_OBSERVATION.to_owned(),
            stale: false,
            observation,
        },
    )
}

/// `observe.now`: the same, built and not written.
pub(crate) fn now(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    Answer::new(
        "ok",
        &ObservationAnswer {
            action: "observe.now".to_owned(),
            observation_path: LATEST_OBSERVATION.to_owned(),
            stale: false,
            observation: build(host)?,
        },
    )
}

/// `observe.latest`
pub(crate) fn latest(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let Snapshot { observation, is_stale } = read_snapshot(host)?;
    Answer::new(
        "ok",
        &ObservationAnswer {
            action: "observe.latest".to_owned(),
            observation_path: LATEST_OBSERVATION.to_owned(),
            stale: is_stale,
            observation,
        },
    )
}

/// What `observe.needs_attention` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AttentionArgs {
    /// Whether to look now, instead of at what was built last.
    now: bool,
}

/// `observe.needs_attention`
pub(crate) fn needs_attention(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: AttentionArgs = arguments(args)?;
    let Snapshot { observation, is_stale } =
        if args.now { Snapshot { observation: build(host)?, is_stale: false } } else { read_snapshot(host)? };
    let mut items = observation.needs_attention;
    items.extend(is_stale.then(|| snapshot_stale(LATEST_OBSERVATION)));
    items.extend(questions(host)?);
    items.sort();
    Answer::new(
        "ok",
        &AttentionAnswer {
            action: "observe.needs_attention".to_owned(),
            observation_path: LATEST_OBSERVATION.to_owned(),
            generated_at: observation.generated_at,
            needs_attention: !items.is_empty(),
            count: count(items.len()),
            items,
        },
    )
}

/// Questions that wait, and runs whose question expired, as they are now: no snapshot has them, because answers and time
/// change them without a change in any lane.
fn questions(host: &Host<'_>) -> Result<Vec<AttentionRow>, ActionError> {
    let mut rows = Vec::new();
    let Some(desk) = existing_desk(host.workspace)? else { return Ok(rows) };
    for approval in desk.approvals(Some(ApprovalState::Pending), None, usize::MAX)? {
        let request = &approval.request;
        let about = format!("`{}`", request.tool);
        rows.push(of_question(&approval.id, &about, &request.run_id, &format_time(request.expires_at)));
    }
    for plan in desk.proposals(Some(ProposalState::Pending), None, usize::MAX)? {
        let expires_at = format_time(plan.expires_at);
        rows.push(of_question(&plan.id, "a plan", &plan.draft.run_id, &expires_at));
    }
    let wanted = Wanted { state: Some("expired"), limit: usize::MAX, ..Wanted::default() };
    let listing = list(host.workspace, &wanted, host.agent.kept_runs().as_deref())?;
    rows.extend(listing.items.iter().map(|run| of_expired_question(&run.run_id)));
    Ok(rows)
}

/// `observe.instruction`
pub(crate) fn instruction(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "observe.instruction";
    let args: InstructionArgs = arguments(args)?;
    let id = args.id.trim();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if id.is_empty() || id.len() > LONGEST_ID || id.starts_with('.') || !id.chars().all(is_plain) {
        return Err(invalid("an instruction has a name, not a path", "id").into());
    }
    let Snapshot { observation, is_stale } = read_snapshot(host)?;
    let Some(found) = observation.instructions.into_iter().find(|one| one.instruction_id == id) else {
        let class = "instruction_not_found";
        let refused = RefusedBecause {
            class: class.to_owned(),
            detail: format!("no instruction `{id}` is observed"),
            hint: "`premath observe-build` looks again".to_owned(),
        };
        let issues_path = shown(&host.workspace.issues_path(None));
        return Answer::refused(class, &RefusedAnswer { action: ACTION.to_owned(), issues_path, refused });
    };
    let cites =
        |refs: &[String]| refs.iter().any(|one| one == id || found.instruction_ref.as_ref() == Some(one));
    let of_issues = observation.active_issues.into_iter().filter_map(|issue| issue.latest_step);
    let mut steps: Vec<ObservedStep> = observation.trajectory.latest.into_iter().chain(of_issues).collect();
    steps.retain(|step| cites(&step.instruction_refs));
    let order = |step: &ObservedStep| (step.step_id.clone(), step.action.clone());
    steps.sort_by_key(order);
    steps.dedup();
    let sessions =
        observation.sessions.into_iter().filter(|session| cites(&session.instruction_refs)).collect();
    Answer::new(
        "ok",
        &ObservedInstructionAnswer {
            action: ACTION.to_owned(),
            observation_path: LATEST_OBSERVATION.to_owned(),
            stale: is_stale,
            sessions,
            steps,
            instruction: found,
        },
    )
}

/// `observe.projection`
pub(crate) fn projection(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let Snapshot { observation, is_stale } = read_snapshot(host)?;
    let items: Vec<ObservedWork> = observation
        .active_issues
        .iter()
        .map(|issue| {
            let id = &issue.issue_id;
            let of_issue = observation.sessions.iter().filter(|one| one.issue_id.as_ref() == Some(id));
            ObservedWork {
                issue: issue.clone(),
                lease: observation.leases.iter().find(|lease| lease.issue_id == *id).cloned(),
                sessions: of_issue.cloned().collect(),
                needs_attention: observation
                    .needs_attention
                    .iter()
                    .filter(|row| row.subject == *id)
                    .cloned()
                    .collect(),
            }
        })
        .collect();
    Answer::new(
        "ok",
        &ObservedProjectionAnswer {
            action: "observe.projection".to_owned(),
            observation_path: LATEST_OBSERVATION.to_owned(),
            stale: is_stale,
            count: count(items.len()),
            items,
        },
    )
}
