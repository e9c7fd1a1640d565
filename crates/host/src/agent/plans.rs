//! Carrying out a plan that a person approved: a run of its own that nobody answers, whose one turn makes the calls that were
//! shown, each gated like any other.
//!
//! Its journal is what a process that died is gone on from: what was done is found, what was not is done, and what became of
//! every step is written down in order. It must not make a call that was not shown.

use premath_bd::desk::{Desk, PersonCredential, Proposal, ProposalState, StepState};
use premath_bd::{Journal, StoreError};
use premath_kernel::{ActionMode, encode};
use premath_tusk::evidence::CallOutcome;
use premath_tusk::model::{ModelError, ModelErrorKind, ModelEvent, ModelRequest, PortFuture};
use premath_tusk::policy::{ApprovedPlan, PlannedStep};
use premath_tusk::sandbox::Profile;
use premath_tusk::turn_loop::{
    AnswerError, AnswerPort, Answered, AppliedIntent, Beginning, ContextLimits, Event, IntentOutcome, Limits,
    Machine, Redriven, RunOutcome, STRUCTURED, Step, Workflow,
};

use super::assemble::{Plan, again, make};
use super::door::AgentDoor;
use super::instructed::inherited;
use super::ports::FileJournal;
use super::resume::{each_journal_row, redriven, resumed};
use super::retention;
use super::run::{Ground, Session, is_begun, journal, one, unusable};
use super::traces;
use super::verification::VerificationSource;
use crate::desk_store::{open_desk, publish};
use crate::table::ActionError;
use crate::workspace::{Retention, Workspace};

/// How long a plan is somebody's to carry out before another may take it over.
const LEASE_SECONDS: u32 = 120;
/// What a step is refused with that comes behind one that failed.
const STOPPED: &str = "plan_stopped";
/// What is said of a step that was not tried because another one could not be done.
const NOT_TRIED: [&str; 2] = [STOPPED, "turn_refused"];

/// Nobody answers in a run that only does what was approved.
#[derive(Debug)]
pub(super) struct NoAnswers;

impl AnswerPort for NoAnswers {
    fn answer<'a>(
        &'a mut self,
        _: &'a ModelRequest,
        _: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        let error = ModelError::new(ModelErrorKind::Model, "no_model", "a plan asks no model");
        Box::pin(std::future::ready(Err(AnswerError::Model(error))))
    }
}

/// The same for whoever stands at a door.
pub(crate) fn approved(
    workspace: &Workspace,
    agent: &dyn AgentDoor,
    credential: &PersonCredential,
    proposal: &Proposal,
) -> Result<Proposal, ActionError> {
    carry_out(Ground { workspace, agent }, credential, proposal)
}

/// Carries out an approved plan, or goes on where somebody was cut off, and returns what became of it.
pub(super) fn carry_out(
    ground: Ground<'_>,
    credential: &PersonCredential,
    proposal: &Proposal,
) -> Result<Proposal, ActionError> {
    let seen = retention::of_plan(ground.workspace, &proposal.id, &proposal.draft.run_id)?;
    let carried_out = execute(Ground { workspace: &seen, ..ground }, credential, proposal)?;
    if seen.retention == (Retention::Digests { owner: proposal.id.clone() }) {
        // Nobody else goes on from what it did.
        retention::forget(&seen, &proposal.id)?;
    }
    Ok(carried_out)
}

fn execute(
    ground: Ground<'_>,
    credential: &PersonCredential,
    proposal: &Proposal,
) -> Result<Proposal, ActionError> {
    let desk = open_desk(ground.workspace)?;
    let as_it_is = || Ok(desk.proposal(&proposal.id)?.unwrap_or_else(|| proposal.clone()));
    let owner = format!("run {}", proposal.draft.run_id);
    let begin = || {
        let (id, digest) = (&proposal.id, &proposal.plan_digest);
        let begun = desk.begin_execution_alone(credential, id, digest, &owner, LEASE_SECONDS)?;
        publish(ground.workspace, &desk)?;
        Ok::<_, ActionError>(begun)
    };
    match proposal.state {
        ProposalState::Approved | ProposalState::Executing => {}
        // That it is too late is written down when somebody comes.
        ProposalState::Expired => return begin().and_then(|_| as_it_is()),
        ProposalState::Pending
        | ProposalState::Executed
        | ProposalState::Failed
        | ProposalState::Rejected => return as_it_is(),
    }
    let journal = journal(ground.workspace, &proposal.id)?;
    // Whoever carries it out holds its journal until the end, so whoever gets it is alone: a holder that died is known by
    // this at once, and not when its lease runs out.
    let writer = match FileJournal::open(&journal, ground.workspace) {
        Err(StoreError::Busy { .. }) => return as_it_is(),
        opened => opened?,
    };
    let Ok(execution) = begin()? else { return as_it_is() };
    drive(ground, &execution.proposal, &journal, writer)?;
    let (applied, outcomes) = came_of(ground, &proposal.id)?;
    for (step, number) in execution.proposal.draft.steps.iter().zip(1..) {
        if number < execution.next_step {
            continue;
        }
        let (state, detail) = step_state(&step.id, &applied, &outcomes);
        let recorded = desk.record_step(&proposal.id, execution.fence, number, state, &detail)?;
        if recorded.is_err() {
            break;
        }
    }
    finish(&desk, proposal, execution.fence, ground)
}

fn finish(desk: &Desk, proposal: &Proposal, fence: u64, ground: Ground<'_>) -> Result<Proposal, ActionError> {
    let finished = desk.finish_execution(&proposal.id, fence)?;
    publish(ground.workspace, desk)?;
    match finished {
        Ok(finished) => Ok(finished),
        // Somebody took it over; what they write down counts.
        Err(_) => Ok(desk.proposal(&proposal.id)?.unwrap_or_else(|| proposal.clone())),
    }
}

/// Drives the run of a plan to its end.
fn drive(
    ground: Ground<'_>,
    proposal: &Proposal,
    journal: &Journal,
    writer: FileJournal,
) -> Result<(), ActionError> {
    let (session, toolbox) = if is_begun(journal)? {
        let Redriven { machine, unwritten, .. } = redriven(journal)?;
        if let Step::Done(RunOutcome::Completed | RunOutcome::FailedClosed { .. }) = machine.next() {
            return Ok(());
        }
        let toolbox = again(ground.workspace, ground.agent, machine.config(), None)?;
        (resumed(machine, unwritten, writer, None)?, toolbox)
    } else {
        let made = make(ground.workspace, ground.agent, plan(ground, proposal)?)?;
        let machine = Machine::new(made.config).map_err(|error| unusable(&error))?;
        (Session { machine, writer, beginning: Beginning::Fresh }, made.toolbox)
    };
    one(ground, session, &toolbox, &mut |_| {}).map(drop)
}

/// The run of a plan: what the run that proposed it may do now, and nothing else.
fn plan(ground: Ground<'_>, proposal: &Proposal) -> Result<Plan, ActionError> {
    let parent = traces::config_of(ground.workspace, &proposal.draft.run_id)?;
    let policy = parent.as_ref().and_then(|config| config.policy.as_ref());
    let step = |step: &premath_bd::desk::PlanStep| PlannedStep {
        id: step.id.clone(),
        tool: step.tool.clone(),
        arguments: String::from_utf8_lossy(&encode(&step.arguments)).into_owned(),
        about: about(step),
        shown: step.shown.clone(),
    };
    let profile = parent
        .as_ref()
        .and_then(|config| Profile::ALL.into_iter().find(|profile| profile.as_str() == config.profile));
    Ok(Plan {
        run_id: proposal.id.clone(),
        instruction: parent.as_ref().and_then(|config| inherited(config, &proposal.id)),
        task: proposal.draft.goal.clone(),
        issue: None,
        holder: None,
        models: vec!["harness:plan".to_owned()],
        workflow: Workflow::chain(),
        action_mode: ActionMode::Json,
        normalizer: STRUCTURED.to_owned(),
        profile: profile.unwrap_or(Profile::ReadOnly),
        // A run that nobody knows any more has no rights to hand on.
        scopes: Some(policy.map(|policy| policy.granted.clone()).unwrap_or_default()),
        limits: Limits { checkpoint_every: None, checkpoint_before: Vec::new(), ..Limits::standard() },
        context: ContextLimits::standard(),
        autonomy: None,
        role: None,
        scope: None,
        parent: None,
        required_artifacts: Vec::new(),
        judges: false,
        material: None,
        conversation: None,
        verification: VerificationSource::Own(Vec::new()),
        approved: Some(ApprovedPlan {
            proposal_id: proposal.id.clone(),
            digest: proposal.plan_digest.clone(),
            steps: proposal.draft.steps.iter().map(step).collect(),
        }),
    })
}

fn about(step: &premath_bd::desk::PlanStep) -> String {
    step.targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// What the run of a plan wrote down about its calls.
fn came_of(ground: Ground<'_>, run_id: &str) -> Result<(Vec<AppliedIntent>, Vec<CallOutcome>), ActionError> {
    let journal = journal(ground.workspace, run_id)?;
    let (mut applied, mut finished) = (Vec::new(), Vec::new());
    each_journal_row(&journal, |row| {
        match Event::from_value(&row.event) {
            Ok(Some(Event::Applied { outcomes })) => applied.extend(outcomes),
            Ok(Some(Event::ToolsFinished { outcomes, .. })) => finished.extend(outcomes),
            Ok(_) => {}
            Err(error) => {
                let detail = error.to_string();
                let path = journal.path().to_owned();
                return Err(ActionError::Store(StoreError::Corrupt { path, detail }));
            }
        }
        Ok(())
    })?;
    Ok((applied, finished))
}

fn step_state(id: &str, applied: &[AppliedIntent], finished: &[CallOutcome]) -> (StepState, String) {
    if let Some(applied) = applied.iter().find(|applied| applied.tool_call_id == id) {
        return match &applied.outcome {
            IntentOutcome::Applied { .. } | IntentOutcome::Changed { .. } => (StepState::Ok, String::new()),
            IntentOutcome::Unchanged => (StepState::Ok, "there was nothing to change".to_owned()),
            IntentOutcome::Refused { class, detail } if class == STOPPED => {
                (StepState::Skipped, detail.clone())
            }
            IntentOutcome::Refused { class, detail } => (StepState::Failed, format!("{class}: {detail}")),
        };
    }
    match finished.iter().find(|outcome| outcome.tool_call_id == id) {
        Some(outcome) => match outcome.failure() {
            Some(failure) if NOT_TRIED.contains(&failure.error_code.as_str()) => {
                (StepState::Skipped, failure.message.clone())
            }
            Some(failure) => (StepState::Failed, format!("{}: {}", failure.error_code, failure.message)),
            None if outcome.intent.is_some() => {
                (StepState::Failed, "the turn it belongs to was not admitted".to_owned())
            }
            None => (StepState::Ok, String::new()),
        },
        None => (StepState::Skipped, "the execution ended before it".to_owned()),
    }
}

/// Whoever answers in a run of its kind.
pub(super) fn answers(
    ground: Ground<'_>,
    config: &premath_tusk::turn_loop::RunConfig,
) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
    let is_plan = config.policy.as_ref().is_some_and(|policy| policy.plan.is_some());
    if is_plan { Ok(Box::new(NoAnswers)) } else { ground.agent.answers(&config.models) }
}
