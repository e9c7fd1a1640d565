//! One run from its beginning to its end: the lease, the machine, the driver, the session and the trajectory it leaves.

use std::sync::Arc;

use futures_util::FutureExt as _;
use premath_bd::issues::{Holder, IssueRow};
use premath_bd::{Journal, StoreError, runs_folder};
use premath_kernel::{Digest, OrchestrationRole, Value};
use premath_tusk::context::HandoffPacket;
use premath_tusk::policy::Governor;
use premath_tusk::turn_loop::{
    Beginning, ConfigError, DriveError, IssuePort as _, Judge, Machine, ParentRun, PolicyPort, Ports,
    Relation, RunConfig, RunEvent, RunOutcome, RunReport, StopCause, Toolbox, Workflow, check, drive,
};
use premath_wire::time::format_time;
use premath_wire::v1::{FilteredTokens, RunAnswer};
use premath_wire::{InputClass, InputError, JsonPath};

use super::assemble::{Made, Plan, check_names, left_of, make};
use super::beginning;
use super::children::HostCrew;
use super::conversing::{self, InConversation, Shown};
use super::cost_limit::{CostLimit, refuse_unpriced};
use super::door::AgentDoor;
use super::footprint::{classes, enter, leave};
use super::governed::HostPolicy;
use super::instructed::inherited;
use super::lease::{self, Authority, Held, Refused};
use super::people::HostPerson;
use super::plans;
use super::ports::{FileJournal, RunIssues, RunObjects};
use super::request::RunRequest;
use super::retention;
use super::shown::ending;
use super::steady::steady;
use super::verification::VerificationSource;
use crate::chat::Unfinished;
use crate::desk_store::{existing_desk, publish};
use crate::foreign::Found;
use crate::recording::audit_log;
use crate::table::{ActionError, Host};
use crate::workspace::{Retention, Workspace, shown};

/// What runs stand on: a repository, and the outside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'g> {
    pub(super) workspace: &'g Workspace,
    pub(super) agent: &'g dyn AgentDoor,
}

/// Whoever watches a run.
pub(super) type Watch<'w> = dyn FnMut(&RunEvent<'_>) + Send + 'w;

/// What came of asking for a run.
#[derive(Debug)]
pub enum Started {
    /// It ran.
    Ran(Box<RunAnswer>),
    /// It did not begin.
    Refused(Refused),
}

/// Starts a run and drives it to its end.
///
/// # Errors
/// Arguments that cannot be read, or an environment that gives no answer.
pub fn start(host: &Host<'_>, args: &Value<'_>, watch: &mut Watch<'_>) -> Result<Started, ActionError> {
    let workspace = host.workspace;
    let mut request = RunRequest::read(args, &workspace.settings.turn_loop)?
        .within_chat(workspace.settings.policy.ceiling());
    if request.models.is_empty() {
        request.models = host.agent.default_models();
    }
    // Said before an issue is taken or a journal begun.
    let issue = request.issue.as_deref();
    check(&request.workflow, request.action_mode, &request.models, issue, &request.limits)
        .map_err(|error| unusable(&error))?;
    if let Some(refused) = beginning::refused(workspace, host.agent)? {
        return Ok(Started::Refused(refused));
    }
    let run_id = request.run_id.clone().unwrap_or_else(|| fresh_id(workspace));
    let seen = retention::of_new_run(workspace, &run_id);
    let host = &Host { workspace: &seen, ..*host };
    let workspace = host.workspace;
    // A model that is not there is told before anything is written.
    match host.agent.answers(&request.models) {
        Err(ActionError::Input(_)) if request.models.is_empty() => {
            return Ok(Started::Refused(unconfigured()));
        }
        answers => drop(answers?),
    }
    check_models(host.agent, &request.workflow)?;
    let limit = CostLimit::find(workspace, request.names_cost);
    let (models, workflow) = (&request.models, &request.workflow);
    if let Some(refused) = refuse_unpriced(host.agent, limit, request.unpriced, models, workflow)? {
        return Ok(Started::Refused(refused));
    }
    // So is a scope, or a tool.
    let row = request.issue.as_deref().map(|issue| lease::look(workspace, issue)).transpose()?.flatten();
    let found = Found::look(workspace, host.agent, request.scopes.as_deref())?;
    if let Some(refused) = found.refusal(request.scopes.as_deref().unwrap_or_default()) {
        return Ok(Started::Refused(refused));
    }
    check_names(workspace, found, &plan(request.clone(), run_id.clone(), row, None))?;
    let journal = journal(workspace, &run_id)?;
    // What stays of a run that kept nothing has its name too.
    if is_begun(&journal)? || is_begun(&retention::kept(workspace, &run_id)?)? {
        return Err(begun_already(&run_id));
    }
    let held = match &request.issue {
        None => None,
        Some(issue) => {
            let wall = request.limits.wall_millis;
            let authority = request.instruction.clone().map_or(Authority::Door, Authority::Instruction);
            match lease::take(workspace, issue, &run_id, wall, &authority)? {
                Ok(held) => Some(held),
                Err(refused) => return Ok(Started::Refused(refused)),
            }
        }
    };
    let ran = match request.conversation.clone() {
        None => begun(host, request, run_id, &journal, held.as_ref(), None, watch).map(Ok),
        Some(asked) => answering(host, request, &run_id, &journal, &asked, watch),
    };
    match released(workspace, held.as_ref(), ran)? {
        Ok(answer) => Ok(Started::Ran(Box::new(answer))),
        Err(refused) => Ok(Started::Refused(refused)),
    }
}

/// Nobody named a model, and none is configured.
fn unconfigured() -> Refused {
    Refused {
        class: "model_unconfigured".to_owned(),
        detail: "no model is configured, and none was named".to_owned(),
        hint: "name one with `--model`, or in premath.toml below [models]: default = \"provider:model\"; \
               `premath models --check` says which providers can be reached"
            .to_owned(),
    }
}

/// Answers the next message of a conversation, which nobody else answers in meanwhile. A run that does not begin leaves no
/// message behind.
fn answering(
    host: &Host<'_>,
    request: RunRequest,
    run_id: &str,
    journal: &Journal,
    asked: &InConversation,
    watch: &mut Watch<'_>,
) -> Result<Result<RunAnswer, Refused>, ActionError> {
    let workspace = host.workspace;
    let text = request.task.clone().unwrap_or_default();
    let mut answering = match conversing::enter(workspace, asked, &text)? {
        Ok(answering) => answering,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Err(refused) = answering.say(workspace, asked, run_id, &text)? {
        return Ok(Err(refused));
    }
    let shown = answering.take_shown();
    let mut unfinished = Unfinished::default();
    let mut watch = |event: &RunEvent<'_>| {
        unfinished.take(event);
        watch(event);
    };
    let ran = begun(host, request, run_id.to_owned(), journal, None, Some(shown), &mut watch);
    if ran.is_err() && !is_begun(journal)? {
        answering.unsay(asked, run_id)?;
    } else {
        conversing::keep_unfinished(workspace, run_id, &unfinished)?;
    }
    ran.map(Ok)
}

/// Begins the journal of a run and drives it. A run that is refused before leaves no folder behind.
fn begun(
    host: &Host<'_>,
    request: RunRequest,
    run_id: String,
    journal: &Journal,
    held: Option<&Held>,
    shown: Option<Shown>,
    watch: &mut Watch<'_>,
) -> Result<RunAnswer, ActionError> {
    let workspace = host.workspace;
    let (row, holder) = (held.map(|held| held.row.clone()), held.map(|held| held.holder.clone()));
    let writer = FileJournal::open(journal, workspace)?;
    if is_begun(journal)? {
        return Err(begun_already(&run_id));
    }
    let plan = Plan { conversation: shown, ..plan(request, run_id, row, holder) };
    let made = match make(workspace, host.agent, plan) {
        Ok(made) => made,
        Err(error) => {
            if let Retention::Digests { owner } = &workspace.retention {
                retention::forget(workspace, owner)?;
            }
            return Err(error);
        }
    };
    sessions(Ground { workspace, agent: host.agent }, made, writer, held, watch)
}

fn begun_already(run_id: &str) -> ActionError {
    let what = format!("run `{run_id}` has begun already; `premath resume {run_id}` goes on with it");
    InputError::new(InputClass::FieldInvalid, &what, JsonPath::root().key("runId")).into()
}

/// Lets go of what a run held. What went wrong in the run is told before what goes wrong here.
pub(super) fn released<T>(
    workspace: &Workspace,
    held: Option<&Held>,
    ran: Result<T, ActionError>,
) -> Result<T, ActionError> {
    let released = held.map_or(Ok(()), |held| lease::let_go(workspace, held));
    let ran = ran?;
    released?;
    Ok(ran)
}

/// The models that work only later are looked for now, with the place that names each.
fn check_models(agent: &dyn AgentDoor, workflow: &Workflow) -> Result<(), ActionError> {
    let place = || JsonPath::root().key("workflow");
    let mut named: Vec<(JsonPath, &String)> = Vec::new();
    named.extend(workflow.worker.model.as_ref().map(|model| (place().key("worker").key("model"), model)));
    for (at, branch) in workflow.branches.iter().enumerate() {
        let path = place().key("branch").index(at).key("model");
        named.extend(branch.model.as_ref().map(|model| (path, model)));
    }
    if let Some(Judge::Model { reference, .. }) = workflow.evaluator.as_ref().map(|one| &one.judge) {
        named.push((place().key("evaluator").key("model"), reference));
    }
    for (path, model) in named {
        match agent.answers(std::slice::from_ref(model)) {
            Ok(_) => {}
            Err(ActionError::Input(error)) => {
                return Err(InputError::new(error.class, error.what, path).into());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn plan(request: RunRequest, run_id: String, issue: Option<IssueRow>, holder: Option<Holder>) -> Plan {
    let title = issue.as_ref().and_then(|row| row.text("title").map(str::to_owned));
    let role = matches!(
        request.workflow.pattern,
        premath_kernel::ExecutionPattern::OrchestratorWorkers | premath_kernel::ExecutionPattern::Parallel
    )
    .then_some(OrchestrationRole::Orchestrator);
    Plan {
        run_id,
        task: request.task.or(title).unwrap_or_default(),
        issue,
        holder,
        models: request.models,
        workflow: request.workflow,
        action_mode: request.action_mode,
        normalizer: request.normalizer,
        profile: request.profile,
        scopes: request.scopes,
        limits: request.limits,
        context: request.context,
        autonomy: request.autonomy,
        role,
        scope: None,
        parent: None,
        required_artifacts: Vec::new(),
        judges: false,
        material: None,
        approved: None,
        instruction: request.instruction,
        conversation: None,
        verification: VerificationSource::Own(request.verify),
    }
}

/// Runs a session and those that go on from it.
fn sessions(
    ground: Ground<'_>,
    made: Made,
    writer: FileJournal,
    held: Option<&Held>,
    watch: &mut Watch<'_>,
) -> Result<RunAnswer, ActionError> {
    let Made { config, toolbox } = made;
    let machine = Machine::new(config).map_err(|error| unusable(&error))?;
    continued(ground, Session { machine, writer, beginning: Beginning::Fresh }, &toolbox, held, watch)
}

/// A machine, the journal it holds, and where it begins.
pub(super) struct Session {
    pub(super) machine: Machine,
    pub(super) writer: FileJournal,
    pub(super) beginning: Beginning,
}

/// Drives a session, and those that go on from it.
pub(super) fn continued(
    ground: Ground<'_>,
    mut session: Session,
    toolbox: &Toolbox,
    held: Option<&Held>,
    watch: &mut Watch<'_>,
) -> Result<RunAnswer, ActionError> {
    loop {
        let (machine, report) = one(ground, session, toolbox, watch)?;
        let RunOutcome::HandedOff { run_id } = &report.outcome else {
            over(ground.workspace, &report.outcome)?;
            hold_secrets(ground, machine.config(), &report.outcome, toolbox);
            return Ok(answer(ground.workspace, machine.config(), &report, held));
        };
        watch(&RunEvent::HandedOff { run_id });
        session = next_session(ground, &machine, run_id)?;
    }
}

/// A run that waits for an answer leaves its secrets where it finds them when it goes on in this process.
fn hold_secrets(ground: Ground<'_>, config: &RunConfig, outcome: &RunOutcome, toolbox: &Toolbox) {
    if let (RunOutcome::Stopped(StopCause::NeedsPerson(_)), Some(vault)) =
        (outcome, ground.agent.secret_vault())
    {
        let now = ground.workspace.clock.now();
        let seconds = ground.workspace.settings.policy.approval_seconds();
        let until = now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
        vault.hold(&config.run_id, Arc::clone(&toolbox.secrets), now, until);
    }
}

/// A work that nobody goes on from needs its private store no more.
fn over(workspace: &Workspace, outcome: &RunOutcome) -> Result<(), StoreError> {
    match (outcome, &workspace.retention) {
        (RunOutcome::Completed | RunOutcome::FailedClosed { .. }, Retention::Digests { owner }) => {
            retention::forget(workspace, owner)
        }
        (RunOutcome::Stopped(_) | RunOutcome::HandedOff { .. }, _) | (_, Retention::Payloads) => Ok(()),
    }
}

/// The session that a machine was handed over to, which has not begun.
pub(super) fn next_session(
    ground: Ground<'_>,
    machine: &Machine,
    run_id: &str,
) -> Result<Session, ActionError> {
    let config = successor(ground.workspace, machine, run_id)?;
    let writer = FileJournal::open(&journal(ground.workspace, run_id)?, ground.workspace)?;
    let machine = Machine::new(config).map_err(|error| unusable(&error))?;
    Ok(Session { machine, writer, beginning: Beginning::Fresh })
}

/// The journal of a run.
pub(super) fn journal(workspace: &Workspace, run_id: &str) -> Result<Journal, StoreError> {
    retention::whole(workspace, run_id)
}

/// Whether a run that begins still is under the package that its controls are from.
fn same_package(governor: &Governor, config: &RunConfig) -> Result<(), ActionError> {
    let Some(policy) = &config.policy else { return Ok(()) };
    let is_same = governor.rules().digest().as_str() == policy.rules
        && governor.guards().digest().as_str() == policy.guards;
    if is_same {
        return Ok(());
    }
    Err(ActionError::Unavailable {
        what: "another policy package came into force while the run began".to_owned(),
        hint: "begin it again".to_owned(),
    })
}

/// Drives one machine over the repository, and leaves its session and its step behind.
pub(super) fn one(
    ground: Ground<'_>,
    session: Session,
    toolbox: &Toolbox,
    watch: &mut Watch<'_>,
) -> Result<(Machine, RunReport), ActionError> {
    let Session { mut machine, mut writer, beginning } = session;
    let workspace = ground.workspace;
    let started_at = format_time(workspace.clock.now());
    let governor = steady(workspace, || ground.agent.governor(&machine.config().tools))?;
    if matches!(beginning, Beginning::Fresh) && machine.config().parent.is_none() {
        same_package(&governor, machine.config())?;
    }
    enter(workspace, machine.config())?;
    let mut models = plans::answers(ground, machine.config())?;
    let mut issues = RunIssues::new(ground, machine.config());
    let mut objects = RunObjects::new(workspace, Arc::clone(&toolbox.files))?;
    let mut person = person(ground, machine.config())?;
    let mut policy = HostPolicy::of(workspace, governor, machine.config())?;
    // What an earlier process noted and could not put on record any more comes before what happens from here on.
    if let Some(desk) = existing_desk(workspace)? {
        publish(workspace, &desk)?;
    }
    policy.as_ref().map_or(Ok(()), |policy| policy.record_run("started"))?;
    let mut crew = HostCrew { ground };
    let time = ground.agent.stopwatch();
    let mut ports = Ports {
        journal: &mut writer,
        models: models.as_mut(),
        tools: toolbox,
        issues: &mut issues,
        objects: &mut objects,
        person: &mut person,
        policy: policy.as_mut().map(|policy| policy as &mut dyn PolicyPort),
        crew: &mut crew,
        time: time.as_ref(),
        watch,
    };
    // Every port here blocks until it is done, so there is nothing to wait for.
    let driven = drive(&mut machine, &mut ports, beginning).now_or_never();
    let report = match driven {
        Some(Ok(report)) => report,
        Some(Err(DriveError::Store(error))) => return Err(error.into()),
        Some(Err(error @ DriveError::Unexpected(_))) => {
            let why = std::error::Error::source(&error).map(|source| format!(": {source}"));
            return Err(fault(&format!("{error}{}", why.unwrap_or_default())));
        }
        None => return Err(fault("a port of the run waits for something that never comes")),
    };
    if machine.config().issue_id.is_some() {
        // The step of the run cites the turn that it ended with.
        issues.witness(&machine.witnesses())?;
    }
    leave(workspace, machine.config(), &report, &issues, &started_at)?;
    policy.as_ref().map_or(Ok(()), |policy| policy.record_run(report.outcome.token()))?;
    audit_log(workspace).seal()?;
    let is_over = match &report.outcome {
        RunOutcome::Completed | RunOutcome::FailedClosed { .. } | RunOutcome::HandedOff { .. } => true,
        RunOutcome::Stopped(_) => false,
    };
    if is_over && policy.is_some() {
        // The audit log anchors how it ended; a run that can be resumed is known outside the repository as well.
        retention::kept(workspace, &machine.config().run_id)?.forget_record()?;
    }
    Ok((machine, report))
}

/// People, as a run asks them.
fn person<'g>(ground: Ground<'g>, config: &RunConfig) -> Result<HostPerson<'g>, ActionError> {
    let tier = config.policy.as_ref().map_or("", |policy| policy.tier().token());
    // A run that asks nobody needs none; one that asks waits, and whoever decides is told what is wrong with it.
    let credential = match ground.agent.credential() {
        Err(ActionError::Unavailable { .. }) => None,
        found => found?,
    };
    Ok(HostPerson { ground, attendant: ground.agent.attendant(), credential, tier: tier.to_owned() })
}

fn fault(what: &str) -> ActionError {
    let hint = "this is a fault of premath; the journal has everything until here".to_owned();
    ActionError::Unavailable { what: what.to_owned(), hint }
}

pub(super) fn unusable(error: &ConfigError) -> ActionError {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    let path = match error {
        ConfigError::CodeMode => JsonPath::root().key("actionMode"),
        ConfigError::SelfJudging { .. } => JsonPath::root().key("workflow").key("evaluator").key("model"),
        ConfigError::Incomplete { .. } => JsonPath::root().key("workflow"),
        ConfigError::Tools(_) => JsonPath::root().key("scopes"),
        ConfigError::Terms(_) => JsonPath::root(),
    };
    InputError::new(InputClass::FieldInvalid, format!("{error}{why}"), path).into()
}

/// The next session of the same work.
fn successor(workspace: &Workspace, machine: &Machine, run_id: &str) -> Result<RunConfig, StoreError> {
    let config = machine.config();
    let report = machine.report();
    let packet = HandoffPacket {
        from_run: config.run_id.clone(),
        target: "successor".to_owned(),
        task: config.task.clone(),
        summary: report.text.clone(),
        next_step: String::new(),
        obligations: machine.run_state().obligations,
        constraints: Vec::new(),
        artifacts: Vec::new(),
        state_digest: machine.context_digest().clone(),
        return_path_ref: None,
        pending_intents: Vec::new(),
    };
    let used = machine.run_state().budget;
    let mut limits = config.limits.clone();
    limits.turns = limits.turns.map(|limit| limit.saturating_sub(used.turns.used));
    limits.tool_calls = limits.tool_calls.map(|limit| limit.saturating_sub(used.tool_calls.used));
    limits.tokens = limits.tokens.map(|limit| limit.saturating_sub(used.tokens.used));
    limits.cost_micros = limits.cost_micros.map(|limit| limit.saturating_sub(used.cost_micros.used));
    limits.wall_millis = limits.wall_millis.map(|limit| limit.saturating_sub(used.wall_millis.used));
    limits.workers = limits.workers.map(|limit| limit.saturating_sub(used.workers.used));
    limits.workflow_turns = limits.workflow_turns.map(|limit| limit.saturating_sub(used.turns.used));
    let workflow = machine.remaining();
    let (tools, capabilities) = left_of(config, &workflow);
    let opening = packet.opening();
    for whole in &opening.to_store {
        retention::objects(workspace)?.put(&mut whole.text.as_bytes())?;
    }
    Ok(RunConfig {
        run_id: run_id.to_owned(),
        // What the workflow had asked for and nobody answered is asked again.
        opening: machine
            .due()
            .map_or_else(|| opening.text.clone(), |due| format!("{}\n\n{due}", opening.text)),
        workflow,
        tools,
        capabilities,
        limits,
        instruction_ref: inherited(config, run_id),
        parent: Some(ParentRun {
            run_id: config.run_id.clone(),
            call_id: machine.last_verdict().map(|verdict| verdict.call_id.clone()).unwrap_or_default(),
            depth: config.depth(),
            relation: Relation::Successor,
        }),
        incoming: vec![Digest::of_bytes(report.text.as_bytes()).as_str().to_owned()],
        ..config.clone()
    })
}

fn answer(workspace: &Workspace, config: &RunConfig, report: &RunReport, held: Option<&Held>) -> RunAnswer {
    let id = &config.run_id;
    let (detail, next_run_id) = match &report.outcome {
        RunOutcome::Completed => (None, None),
        RunOutcome::HandedOff { run_id } => (None, Some(run_id.clone())),
        RunOutcome::FailedClosed { detail, .. } => (Some(detail.clone()), None),
        RunOutcome::Stopped(cause) => (detail(cause), None),
    };
    let mut next = vec![format!("premath runs show {id}")];
    next.extend(report.can_be_replayed().then(|| format!("premath replay {id}")));
    if report.outcome.is_resumable() {
        next.insert(0, format!("premath resume {id}"));
    }
    let journal = runs_folder(&workspace.root).join(id).join("journal.jsonl");
    RunAnswer {
        action: "run.start".to_owned(),
        run_id: id.clone(),
        outcome: ending(&report.outcome),
        detail,
        failure_classes: classes(&report.outcome),
        text: report.text.clone(),
        issue_id: held.map(|held| held.row.id().to_owned()).or_else(|| config.issue_id.clone()),
        turns: report.turns,
        refused_turns: report.refused_turns,
        tool_calls: report.tool_calls,
        tokens: report.tokens,
        cost_micro_usd: report.cost_micros,
        filtered: report.has_filtered().then_some(FilteredTokens {
            shown: report.filtered_tokens,
            unfiltered: report.unfiltered_tokens,
        }),
        wall_ms: report.wall_millis,
        workers: report.workers,
        applied: report.applied,
        resumable: report.outcome.is_resumable(),
        next_run_id,
        journal: shown(&journal),
        next,
    }
}

fn detail(cause: &StopCause) -> Option<String> {
    match cause {
        StopCause::Limit(name) => Some(format!("the limit of {name} is reached")),
        StopCause::NeedsPerson(question) | StopCause::QuestionExpired(question) => Some(question.clone()),
        StopCause::Model { kind, message } => Some(format!("{kind}: {message}")),
        StopCause::Interrupted | StopCause::Declined => None,
    }
}

/// A name for a run that nobody had before: the time to the millisecond and some chance, in sixteen digits.
#[must_use]
pub fn fresh_id(workspace: &Workspace) -> String {
    let digits: String = workspace.ids.fresh().chars().filter(char::is_ascii_alphanumeric).collect();
    let (head, tail) = (digits.chars().take(12), digits.chars().rev().take(4));
    format!("run-{}{}", head.collect::<String>(), tail.collect::<String>())
}

/// Whether a journal has rows.
pub(super) fn is_begun(journal: &Journal) -> Result<bool, StoreError> {
    match journal.read_from(premath_bd::Cursor::START, 1) {
        Ok(page) => Ok(!page.rows.is_empty() || page.unreadable_count > 0),
        Err(StoreError::Missing { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
