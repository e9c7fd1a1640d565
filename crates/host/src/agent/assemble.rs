//! From a request to what a run is made of: its tools, its first words, its configuration.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::issues::{Holder, IssueRow};
use premath_kernel::{ActionMode, OrchestrationRole, Roots};
use premath_tusk::context::{Assembled, Blocks};
use premath_tusk::policy::{ApprovedPlan, EffectiveScopes, RunPolicy};
use premath_tusk::sandbox::{ExecutionLimits, Profile};
use premath_tusk::tools::files::{ScopedFiles, WorkFiles};
use premath_tusk::tools::payloads::StoredPayloads;
use premath_tusk::tools::{Catalogue, ChangeTracker, Tool, ToolKind, ToolSpec, TrackedWorkdir, built_in};
use premath_tusk::turn_loop::{
    CHOOSE_ROUTE, CODE_EXECUTION, ChooseRoute, CodeExecution, ContextLimits, EvidenceRules, GIVE_VERDICT,
    GiveVerdict, Limits, ParentRun, RunConfig, RunSecrets, SPAWN_WORKER, Scope, SpawnWorker, Toolbox,
    Verification, Workflow,
};
use premath_wire::{InputClass, InputError, JsonPath};

use super::conversing::Shown;
use super::door::AgentDoor;
use super::effective;
use super::governed::record_refusals;
use super::instructed::own_instruction;
use super::retention;
use super::steady::steady;
use super::turn_policies;
use super::verification::VerificationSource;
use super::withdrawn::Withdrawn;
use crate::agent_tools::IssueTools;
use crate::desk_tools::{DeskTools, with_implied};
use crate::foreign::{self, Found};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// How much of a command's output is kept.
const CAPTURE: usize = 8 << 20;

/// The tool that closes issues.
const CLOSING_TOOL: &str = "issue_update";

/// What is shown of a result that is not filtered: I8 holds for it too.
const WIDEST_RESULT: u64 = 4 << 20;

/// What one run is made of.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) run_id: String,
    pub(super) task: String,
    pub(super) issue: Option<IssueRow>,
    pub(super) holder: Option<Holder>,
    pub(super) models: Vec<String>,
    pub(super) workflow: Workflow,
    pub(super) action_mode: ActionMode,
    pub(super) normalizer: String,
    pub(super) profile: Profile,
    /// What is granted; everything when nobody says.
    pub(super) scopes: Option<Vec<String>>,
    pub(super) limits: Limits,
    pub(super) context: ContextLimits,
    pub(super) autonomy: Option<String>,
    pub(super) role: Option<OrchestrationRole>,
    pub(super) scope: Option<Scope>,
    pub(super) parent: Option<ParentRun>,
    pub(super) required_artifacts: Vec<String>,
    pub(super) judges: bool,
    /// What it works on: somebody else's words.
    pub(super) material: Option<String>,
    /// The approved plan that it carries out.
    pub(super) approved: Option<ApprovedPlan>,
    /// The instruction that somebody named; its own when nobody did.
    pub(super) instruction: Option<String>,
    /// What was said before, and what is open, where it answers a message.
    pub(super) conversation: Option<Shown>,
    /// What verifies its work.
    pub(super) verification: VerificationSource,
}

/// What a run works with, and what it is.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) config: RunConfig,
    pub(super) toolbox: Toolbox,
}

pub(super) fn make(workspace: &Workspace, door: &dyn AgentDoor, plan: Plan) -> Result<Made, ActionError> {
    let found = Found::look(workspace, door, plan.scopes.as_deref())?;
    let blocked = found.lines();
    let tools = tools(workspace, found, &plan)?;
    let (mut catalogue, scopes) = granted(workspace, &tools, &plan)?;
    if plan.action_mode == ActionMode::Code {
        catalogue = with_programs(&catalogue)?;
    }
    let specs: Vec<ToolSpec> = catalogue.specs().cloned().collect();
    let (governor, policy, turn_policies) = steady(workspace, || {
        let governor = door.governor(&specs)?;
        let policy = effective::policy(workspace, &governor, &scopes, &specs, plan.approved.clone())?;
        Ok((governor, policy, turn_policies::read(workspace)?))
    })?;
    let refusals = effective::refusals(&policy.principal, &scopes.refused);
    record_refusals(workspace, &plan.run_id, &refusals)?;
    let mut plan = plan;
    if !workspace.settings.tools.filter() {
        plan.context.result_bytes = WIDEST_RESULT;
    }
    let secrets = new_secrets(door);
    let task = governor.redaction(&plan.task);
    secrets.hold_given(&task);
    plan.task = task.text;
    plan.material = plan.material.map(|material| governor.redact(&material));
    let redact = |text: &str| governor.redact(text);
    let verification = plan.verification.resolve(&workspace.settings, plan.issue.as_ref());
    let mut blocks = blocks(&plan, &catalogue, &policy, verification.as_ref(), &redact);
    let mut wholes = Vec::new();
    if let Some(shown) = plan.conversation.take() {
        (blocks, wholes) = shown.into_blocks(blocks, &redact);
    }
    let Assembled { system, opening, to_store } = blocks.assemble();
    for whole in wholes.into_iter().chain(to_store) {
        retention::objects(workspace)?.put(&mut whole.text.as_bytes())?;
    }
    let issue_scope = issue_scope(&plan);
    let run_id = plan.run_id;
    let config = RunConfig {
        run_id: run_id.clone(),
        task: plan.task,
        issue_id: plan.issue.as_ref().map(|row| row.id().to_owned()),
        instruction_ref: Some(plan.instruction.unwrap_or_else(|| own_instruction(&run_id))),
        models: plan.models,
        system: system.into_iter().map(|block| block.text).collect(),
        opening,
        action_mode: plan.action_mode,
        normalizer: plan.normalizer,
        workflow: plan.workflow,
        role: plan.role,
        scope: plan.scope,
        issue_scope,
        edit_surfaces: Some(workspace.settings.turn_loop.edit_surfaces()),
        capabilities: capabilities(&specs),
        tools: specs,
        profile: plan.profile.as_str().to_owned(),
        limits: plan.limits,
        context: plan.context,
        code: (plan.action_mode == ActionMode::Code).then(|| workspace.settings.turn_loop.code_limits()),
        autonomy: plan.autonomy,
        parent: plan.parent,
        required_artifacts: plan.required_artifacts,
        incoming: Vec::new(),
        blocked,
        policy: Some(policy),
        evidence: EvidenceRules::Computed,
        verification,
        turn_policies,
        sinks: Some(door.trace_sinks().into_iter().map(|mode| mode.token().to_owned()).collect()),
    };
    let toolbox = toolbox(workspace, door, &config, catalogue, secrets)?;
    Ok(Made { config, toolbox })
}

/// The issues that a run may change: a specialist its own, with what descends from it; everybody else any.
fn issue_scope(plan: &Plan) -> Vec<String> {
    match plan.role {
        Some(OrchestrationRole::Specialist) => {
            // One without an issue has nothing to change.
            vec![plan.issue.as_ref().map_or("none", IssueRow::id).to_owned()]
        }
        Some(OrchestrationRole::Orchestrator) | None => Vec::new(),
    }
}

/// Whether a plan names only what there is, said before anything is taken or written for it.
pub(super) fn check_names(workspace: &Workspace, found: Found, plan: &Plan) -> Result<(), ActionError> {
    let tools = tools(workspace, found, plan)?;
    granted(workspace, &tools, plan)?;
    let own = plan.limits.checkpoint_before.iter();
    let own = own.filter(|name| !tools.iter().any(|tool| tool.spec().name == **name)).cloned();
    check_checkpoints(workspace, &own.collect::<Vec<_>>())
}

/// Whether every tool before which a person is to be asked can be there at all.
pub(super) fn check_checkpoints(workspace: &Workspace, before: &[String]) -> Result<(), ActionError> {
    if before.is_empty() {
        return Ok(());
    }
    let mut tools = every_tool(workspace, None, None, &Workflow::chain())?;
    tools.extend(DeskTools::new(workspace, "").tools().map_err(broken)?);
    let own = [CHOOSE_ROUTE, CODE_EXECUTION, GIVE_VERDICT, SPAWN_WORKER];
    let is_known = |name: &str| own.contains(&name) || tools.iter().any(|tool| tool.spec().name == name);
    match before.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let what = format!("there is no tool `{unknown}`");
            let path = JsonPath::root().key("checkpointBefore");
            Err(InputError::new(InputClass::FieldInvalid, &what, path).into())
        }
    }
}

/// What is left of the tools of a run when its workflow no longer makes some of them, and the changes they ask for.
pub(super) fn left_of(config: &RunConfig, workflow: &Workflow) -> (Vec<ToolSpec>, Vec<String>) {
    let stays = |spec: &&ToolSpec| match spec.name.as_str() {
        CHOOSE_ROUTE => !workflow.routes.is_empty(),
        SPAWN_WORKER => workflow.spawns(),
        _other => true,
    };
    let mut specs: Vec<ToolSpec> = config.tools.iter().filter(stays).cloned().collect();
    if specs.iter().any(|spec| spec.name == CODE_EXECUTION)
        && let Ok(programs) = CodeExecution::new(&specs)
    {
        // Its definition names the functions, and some of them may be gone.
        specs.retain(|spec| spec.name != CODE_EXECUTION);
        specs.push(programs.spec().clone());
    }
    let capabilities = capabilities(&specs);
    (specs, capabilities)
}

/// The tools of a run that goes on: the very ones it began with, or none. Those whose scope the role has lost do nothing.
pub(super) fn again(
    workspace: &Workspace,
    door: &dyn AgentDoor,
    config: &RunConfig,
    holder: Option<Holder>,
) -> Result<Toolbox, ActionError> {
    let mut all = every_tool(workspace, config.issue_id.as_deref(), holder, &config.workflow)?;
    all.extend(DeskTools::new(workspace, &config.run_id).tools().map_err(broken)?);
    all.extend(foreign::again(workspace, door, &config.tools)?);
    if config.tools.iter().any(|spec| spec.name == GIVE_VERDICT) {
        all.push(Arc::new(GiveVerdict::new().map_err(broken)?));
    }
    if config.tools.iter().any(|spec| spec.name == CODE_EXECUTION) {
        all.push(Arc::new(CodeExecution::new(&config.tools).map_err(broken)?));
    }
    let withdrawn =
        config.policy.as_ref().map(|policy| effective::withdrawn(workspace, policy)).unwrap_or_default();
    let principal = effective::principal(workspace);
    let wanted = |tool: &Arc<dyn Tool>| config.tools.iter().any(|spec| spec.name == tool.spec().name);
    let held = |tool: Arc<dyn Tool>| -> Arc<dyn Tool> {
        if withdrawn.contains(&tool.spec().scope) {
            let error = EffectiveScopes::missing(&principal, &tool.spec().scope);
            Arc::new(Withdrawn::new(tool, error))
        } else {
            tool
        }
    };
    let catalogue = Catalogue::new(all.into_iter().filter(wanted).map(held)).map_err(unusable)?;
    let pinned: premath_tusk::tools::Pins =
        config.tools.iter().map(|spec| (spec.name.clone(), spec.digest())).collect();
    if let Some(drift) = catalogue.drifted(&pinned).first() {
        return Err(ActionError::Unavailable {
            what: format!("the tool `{}` is not the one that run `{}` began with", drift.name, config.run_id),
            hint: "start a new run; `premath runs show` says how far this one got".to_owned(),
        });
    }
    record_refusals(workspace, &config.run_id, &effective::refusals(&principal, &withdrawn))?;
    let now = workspace.clock.now();
    let held = door.secret_vault().and_then(|vault| vault.take(&config.run_id, now));
    let secrets = held.unwrap_or_else(|| new_secrets(door));
    toolbox(workspace, door, config, catalogue, secrets)
}

/// Secrets of a run that begins. They are held where somebody can answer for them.
fn new_secrets(door: &dyn AgentDoor) -> Arc<RunSecrets> {
    let can_sign = matches!(door.credential(), Ok(Some(_)));
    let is_answered = can_sign && door.secret_vault().is_some();
    Arc::new(if is_answered { RunSecrets::holding() } else { RunSecrets::default() })
}

fn toolbox(
    workspace: &Workspace,
    door: &dyn AgentDoor,
    config: &RunConfig,
    catalogue: Catalogue,
    secrets: Arc<RunSecrets>,
) -> Result<Toolbox, ActionError> {
    let workdir: PathBuf = door.workdir()?;
    let files = door.files()?;
    let files: Arc<dyn WorkFiles> = match &config.scope {
        Some(scope) => Arc::new(ScopedFiles::new(
            files,
            scope.read.iter().map(String::as_str),
            scope.write.iter().map(String::as_str),
        )),
        None => files,
    };
    let profile = Profile::ALL.into_iter().find(|profile| profile.as_str() == config.profile);
    let output = u64::try_from(CAPTURE).unwrap_or(u64::MAX);
    Ok(Toolbox {
        catalogue,
        files,
        sandbox: door.sandbox(),
        interrupt: door.interrupt(),
        workdir,
        profile: profile.unwrap_or(Profile::ReadOnly),
        limits: ExecutionLimits { output, ..ExecutionLimits::default() },
        protected: door.protected()?,
        readable_state: readable_state(config),
        payloads: Arc::new(StoredPayloads::new(retention::objects(workspace)?)),
        budget: usize::try_from(result_budget(config)).unwrap_or(usize::MAX),
        capture: CAPTURE,
        parallel: usize::try_from(config.limits.parallel).unwrap_or(1),
        changes: change_tracker(workspace, door, &config.run_id, &secrets)?,
        secrets,
    })
}

/// Files of premath's own folder that commands may read: those that a tool of the run reads as a whole anyway.
fn readable_state(config: &RunConfig) -> Vec<String> {
    let reads_issues = config.tools.iter().any(|spec| spec.scope == "issues:read");
    let files = [".premath/issues.jsonl", ".premath/issues.history.jsonl"];
    if reads_issues { files.map(str::to_owned).to_vec() } else { Vec::new() }
}

/// What compares the workdir before and after the commands of a run.
fn change_tracker(
    workspace: &Workspace,
    door: &dyn AgentDoor,
    run_id: &str,
    secrets: &Arc<RunSecrets>,
) -> Result<Option<Arc<ChangeTracker>>, ActionError> {
    let Some(observed) = door.observed_tree()? else { return Ok(None) };
    let place = TrackedWorkdir {
        run_id: run_id.to_owned(),
        tree: observed.tree,
        sandbox: door.sandbox(),
        workdir: door.workdir()?,
        protected: door.protected()?,
        objects: retention::objects(workspace)?,
        redactor: secrets.before(workspace.redactor.clone()),
        limits: workspace.settings.tools.shell.limits(),
        active: observed.active,
    };
    Ok(Some(Arc::new(ChangeTracker::new(place))))
}

/// How much of a result is kept in its row: what a model can be shown, or what a program is given.
fn result_budget(config: &RunConfig) -> u64 {
    match config.code {
        Some(code) => code.result_bytes,
        // A tenth is left for what fencing adds, so that what fits a row is never cut when it is shown.
        None => config.context.result_bytes / 10 * 9,
    }
}

/// The tools with the one that runs programs over them.
fn with_programs(catalogue: &Catalogue) -> Result<Catalogue, ActionError> {
    let programs = CodeExecution::new(catalogue.specs()).map_err(broken)?;
    catalogue.with(Arc::new(programs)).map_err(unusable)
}

fn tools(workspace: &Workspace, found: Found, plan: &Plan) -> Result<Vec<Arc<dyn Tool>>, ActionError> {
    let issue = plan.issue.as_ref().map(IssueRow::id);
    let mut tools = every_tool(workspace, issue, plan.holder.clone(), &plan.workflow)?;
    tools.extend(found.tools);
    if asks_for_the_desk(plan) {
        // A plan is carried out in the name of the run that proposed it.
        tools.extend(DeskTools::new(workspace, &plan.run_id).tools().map_err(broken)?);
    }
    if plan.judges {
        tools.push(Arc::new(GiveVerdict::new().map_err(broken)?));
    }
    Ok(tools)
}

/// Every tool that a run could have, whoever asks.
pub(crate) fn all_tools(workspace: &Workspace) -> Result<Vec<Arc<dyn Tool>>, ActionError> {
    let mut tools = every_tool(workspace, None, None, &Workflow::chain())?;
    tools.extend(DeskTools::new(workspace, "").tools().map_err(broken)?);
    Ok(tools)
}

/// Whether somebody asked for the desk by name: whoever works on files has no use for it.
fn asks_for_the_desk(plan: &Plan) -> bool {
    plan.scopes.iter().flatten().any(|scope| scope.starts_with("desk:"))
}

fn every_tool(
    workspace: &Workspace,
    issue: Option<&str>,
    holder: Option<Holder>,
    workflow: &Workflow,
) -> Result<Vec<Arc<dyn Tool>>, ActionError> {
    let mut tools = built_in().map_err(broken)?;
    let mut issues = IssueTools::new(workspace);
    if let Some((issue, holder)) = issue.zip(holder) {
        issues = issues.holding(issue, holder);
    }
    tools.extend(issues.tools().map_err(broken)?);
    if let (true, Some(issue)) = (workflow.spawns(), issue) {
        let prefix = &workspace.settings.issue_prefix.value;
        tools.push(Arc::new(SpawnWorker::new(issue, prefix).map_err(broken)?));
    }
    if !workflow.routes.is_empty() {
        tools.push(Arc::new(ChooseRoute::new(&workflow.routes).map_err(broken)?));
    }
    Ok(tools)
}

/// What is left when only the scopes of the plan are granted.
fn granted(
    workspace: &Workspace,
    tools: &[Arc<dyn Tool>],
    plan: &Plan,
) -> Result<(Catalogue, EffectiveScopes), ActionError> {
    let all = Catalogue::new(tools.iter().map(Arc::clone)).map_err(unusable)?;
    let known: BTreeSet<String> = all.specs().map(|spec| spec.scope.clone()).collect();
    effective::check_scopes(plan.scopes.as_deref().unwrap_or_default(), &known)?;
    let effective = effective::scopes(workspace, plan.scopes.as_deref(), &known);
    let mut scopes = with_implied(effective.granted.clone());
    scopes.extend(effective::SHAPING.map(str::to_owned));
    let reads_all = |scope: &Scope| Roots::new(scope.read.iter().map(String::as_str)).cover(".");
    if plan.scope.as_ref().is_some_and(|scope| !reads_all(scope)) {
        // What a command writes is seen afterwards, what it reads is not: a role that may not read everything runs none.
        scopes.remove("process:run");
    }
    Ok((all.granted(&scopes), effective))
}

fn capabilities(specs: &[ToolSpec]) -> Vec<String> {
    let actions = specs
        .iter()
        .filter(|spec| spec.kind == ToolKind::Intent)
        .map(|spec| if spec.name == SPAWN_WORKER { "issue_add" } else { spec.name.as_str() });
    let names: BTreeSet<String> =
        actions.map(|action| format!("capabilities.change_morphisms.{action}")).collect();
    names.into_iter().collect()
}

fn blocks(
    plan: &Plan,
    catalogue: &Catalogue,
    policy: &RunPolicy,
    verification: Option<&Verification>,
    redact: &dyn Fn(&str) -> String,
) -> Blocks {
    let mut blocks = Blocks::new(plan.task.clone());
    match plan.action_mode {
        ActionMode::Json => {}
        ActionMode::Text => blocks.tools.push_str(&text_tools(catalogue)),
        ActionMode::Code => blocks.tools.push_str(CODE_TOOLS),
    }
    if let Some(row) = &plan.issue {
        blocks = blocks.with_issue(row.id(), redact(&issue_text(row)));
    }
    let mut scopes: Vec<String> = permissions(policy);
    if let Some(scope) = &plan.scope {
        scopes.push(format!("You may read: {}", listed(&scope.read)));
        scopes.push(format!("You may change: {}", listed(&scope.write)));
    }
    if !scopes.is_empty() {
        blocks = blocks.with_scopes(scopes);
    }
    let mut workspace = Vec::new();
    if !plan.required_artifacts.is_empty() {
        workspace.push(format!(
            "These files must be there when you are done: {}",
            listed(&plan.required_artifacts)
        ));
    }
    let closes = catalogue.specs().any(|spec| spec.name == CLOSING_TOOL);
    workspace.extend(verification.filter(|_| closes).map(|rule| redact(&rule.advice())));
    if !workspace.is_empty() {
        blocks = blocks.with_workspace(workspace.join("\n"));
    }
    if let Some(material) = &plan.material {
        blocks = blocks.with_panel("what was made, in the words of who made it", material.clone());
    }
    if plan.judges {
        blocks = blocks.with_role(
            "You judge what somebody else made. You change nothing. Look at what is there, then call give_verdict once \
             and end your turn.",
        );
    }
    blocks
}

/// What the run may do with the desk, and what it asked for and was not given.
fn permissions(policy: &RunPolicy) -> Vec<String> {
    let has = |scope: &str| policy.granted.iter().any(|granted| granted == scope);
    let is_about_the_desk = policy.granted.iter().chain(&policy.refused).any(|one| one.starts_with("desk:"));
    let mut lines = Vec::new();
    if is_about_the_desk {
        for scope in ["desk:read", "desk:write", "desk:create", "desk:delete"] {
            lines.push(format!("{scope}: {}", if has(scope) { "enabled" } else { "disabled" }));
        }
    }
    let others = policy.refused.iter().filter(|scope| !scope.starts_with("desk:"));
    lines.extend(others.map(|scope| format!("{}: disabled", premath_tusk::context::plain_line(scope, 100))));
    lines
}

/// How tools are called where a model writes programs.
const CODE_TOOLS: &str = "\n- Tools are functions of programs here. Where a tool is named, call it in a program of \
code_execution: (resolve_ref \"sha256:…\"). What its functions give back is not fenced, and you see none of it that the \
program does not return or display; what the program gives you is fenced like any result.";

/// How tools are called where a model only writes text, and which there are.
fn text_tools(catalogue: &Catalogue) -> String {
    let mut text = String::from(
        "\n\nYou call a tool by writing a block, alone on its lines:\n```tool_call\n{\"name\": \"fs_read\", \
         \"arguments\": {\"path\": \"README.md\"}}\n```\nIts result comes with the next message. The tools:",
    );
    for spec in catalogue.specs().filter(|spec| !spec.defer_loading) {
        let schema = spec.input_schema.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("\n- {}: {} Arguments: {schema}", spec.name, spec.description));
    }
    text
}

fn listed(paths: &[String]) -> String {
    if paths.is_empty() { "nothing".to_owned() } else { paths.join(", ") }
}

fn issue_text(row: &IssueRow) -> String {
    let members = [
        ("title", "Title"),
        ("description", "Description"),
        ("design", "Design"),
        ("acceptance_criteria", "Acceptance criteria"),
        ("notes", "Notes"),
    ];
    let texts = members.into_iter().filter_map(|(member, title)| {
        row.text(member).filter(|text| !text.trim().is_empty()).map(|text| format!("{title}: {text}"))
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn broken(error: premath_tusk::tools::SpecError) -> ActionError {
    ActionError::Unavailable { what: error.to_string(), hint: "this is a fault of premath".to_owned() }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn unusable(error: premath_tusk::tools::CatalogueError) -> ActionError {
    ActionError::Unavailable { what: error.to_string(), hint: "this is a fault of premath".to_owned() }
}
