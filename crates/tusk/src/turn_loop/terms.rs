//! The policies of a run: documents made from its configuration, the kernel's terms read from those very documents, and
//! the call spec that binds them.
//!
//! Digest and document come from one place, so that they cannot differ. It must not soften a limit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use premath_kernel::{
    ActionMode, CallSpec, Digest, Document, GovernanceProfile, GuardrailStage, Object, Policies, PolicyKind,
    Text, Token, ToolChoice, Value,
};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::PolicyDocuments;
use premath_wire::{InputClass, InputError, JsonPath, UnknownFields, decode};

use super::code::{CODE_EXECUTION, CodeLimits};
use super::config::{RunConfig, Scope};
use super::evidence_rules::EvidenceRules;
use super::verification::Verification;
use crate::evidence::row::{count, text_list};
use crate::policy::{GovernancePin, RunPolicy};
use crate::tools::{Catalogue, ToolKind, ToolSpec};

/// What stands in a result where its middle was cut out.
pub const CUT_MARKER: &str = "\n[... the middle is left out ...]\n";
/// Where the results of a program's calls go: into the program.
pub(crate) const PROGRAM: &str = "program";
/// The queue of reminders.
pub(crate) const REMINDERS: &str = "reminders";
/// The views that every turn shows.
pub(crate) const VIEWS: [&str; 5] = ["budget", "obligations", "open_calls", "pending_intents", "plan"];
/// Who may receive the work of a session.
pub(crate) const SUCCESSOR: &str = "successor";
/// Who receives the work of a specialist.
pub(crate) const ORCHESTRATOR: &str = "orchestrator";

/// Why a run has no policies.
#[derive(Debug, thiserror::Error)]
pub enum TermsError {
    /// A document that does not read.
    #[error("a policy of the run cannot be read")]
    Document(#[from] InputError),
    /// A name that is blank.
    #[error("`{0}` of the run is blank")]
    Blank(&'static str),
}

/// The policies of a run, bound.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub(crate) policies: Arc<Policies>,
    /// What every turn of the run claims about its governance.
    pub(crate) governance: Option<GovernanceProfile>,
    /// Everything of a call spec but its call, its model and its tool choice.
    spec: CallSpec,
}

impl Terms {
    pub(crate) fn of(config: &RunConfig, catalogue: &Catalogue) -> Result<Self, TermsError> {
        let documents = narrowed(documents(config, catalogue), config)?;
        let read: PolicyDocuments = decode(&documents, UnknownFields::Refuse)?;
        let policies = read.into_kernel()?;
        let spec = spec(config, &policies, &documents)?;
        let governance = config.policy.as_ref().map(governance).transpose()?.flatten();
        Ok(Self { policies: Arc::new(policies), governance, spec })
    }

    /// The call spec of one turn.
    pub(crate) fn call_spec(&self, call_id: Text, model_ref: Text, choice: Option<ToolChoice>) -> CallSpec {
        CallSpec { call_id, model_ref, tool_choice: choice, ..self.spec.clone() }
    }

    pub(crate) const fn spec(&self) -> &CallSpec {
        &self.spec
    }

    pub(crate) fn binding(&self, kind: PolicyKind) -> Option<&Digest> {
        self.spec.binding(kind)
    }

    pub(crate) fn mutation_policy(&self) -> Option<&Document<premath_kernel::MutationPolicy>> {
        self.policies.mutation_policy.as_ref()
    }
}

/// Why a key of the turn policies names none.
fn unknown_key(key: &str) -> InputError {
    let path = JsonPath::root().key("turnPolicies").key(key);
    InputError::new(InputClass::FieldInvalid, "no policy of a turn has this name", path)
}

/// Whether a policy document of a turn has this key.
#[must_use]
pub fn is_turn_policy(key: &str) -> bool {
    ["observabilityMode", "riskTier"].contains(&key) || PolicyKind::ALL.iter().any(|kind| kind.key() == key)
}

/// The documents with the members that the turn policies of the repository set in them. A member that is null sets none.
fn narrowed(documents: Value<'static>, config: &RunConfig) -> Result<Value<'static>, InputError> {
    let Value::Object(mut documents) = documents else { return Ok(documents) };
    for (key, document) in &config.turn_policies {
        if !is_turn_policy(key) {
            return Err(unknown_key(key));
        }
        let Value::Object(set) = parse(document.as_str().as_bytes(), Limits::default())?.into_owned() else {
            return Err(unknown_key(key));
        };
        let generated = documents.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let mut members: Vec<(Cow<'static, str>, Value<'static>)> = Vec::new();
        for (name, value) in set.iter().filter(|(_, value)| **value != Value::Null) {
            members.push((Cow::Owned(name.to_owned()), value.clone()));
        }
        for (name, value) in generated.iter() {
            if !members.iter().any(|(set, _)| set == name) {
                members.push((Cow::Owned(name.to_owned()), value.clone()));
            }
        }
        let merged = Object::from_members(members).map_err(|_| unknown_key(key))?;
        let mut others: Vec<(Cow<'static, str>, Value<'static>)> = Vec::new();
        for (name, value) in documents.iter().filter(|(name, _)| *name != key) {
            others.push((Cow::Owned(name.to_owned()), value.clone()));
        }
        others.push((Cow::Owned(key.clone()), Value::Object(merged)));
        documents = Object::from_members(others).map_err(|_| unknown_key(key))?;
    }
    Ok(Value::Object(documents))
}

fn documents(config: &RunConfig, catalogue: &Catalogue) -> Value<'static> {
    let digests = catalogue.digests();
    let mut fields = Object::fields();
    for (kind, document) in digests.documents() {
        fields = fields.field(kind.key(), document.clone());
    }
    let limits = &config.limits;
    let names = |list: &[&str]| Value::text_list(list.iter().copied()).into_owned();
    let object = Object::fields;
    fields = fields
        .field(
            "parallelPolicy",
            object()
                .field("allowed", most_calls(config) > 1)
                .field("maxBranches", count(most_calls(config)))
                .finish(),
        )
        .field(
            "toolTransportPolicy",
            object()
                .field("ordering", "strict")
                .optional("parallelToolCalls", (most_calls(config) == 1).then_some(false))
                .finish(),
        )
        .field(
            "toolResponseTruncationPolicy",
            object()
                .field("cut", "middle")
                .field("marker", CUT_MARKER)
                .field("maxBytes", count(largest_result(config)))
                .finish(),
        )
        .field(
            "toolRenderProtocol",
            object().field("injectionPoints", names(injection_points(config))).finish(),
        )
        .field("reminderQueuePolicy", object().field("requiredQueues", names(&[REMINDERS])).finish())
        .field("stateViewPolicy", object().field("requiredViews", names(&VIEWS)).finish())
        .field("decompositionPolicy", decomposition(config))
        .field("governancePolicy", package(config))
        .field("mutationPolicy", mutation(config))
        .field("stopPolicy", stop(config))
        .field("protocolStatePolicy", protocol(config))
        .field("executionBoundaryPolicy", boundary(config))
        .field("runtimeSandbox", object().field("profile", config.profile.clone()).finish())
        .field("compactionPolicy", object().field("enabled", true).finish())
        .field("handoffContract", contract(config));
    if let Some(filtering) = filtering_tools(config) {
        let filtering = object().field("filteringTools", names(filtering)).finish();
        fields = fields.field("preContextFilterPolicy", filtering);
    }
    if let Some(scope) = context_scope(config) {
        fields = fields.field("contextScope", scope);
    }
    if let Some(policy) = &config.policy {
        let stages = Value::text_list(policy.controls.stages.iter().map(|stage| stage.token())).into_owned();
        fields = fields
            .field("guardrailStagePolicy", object().field("stages", stages).finish())
            .field(
                "observabilityMode",
                object().field("allowed", names(&[policy.observability.token()])).finish(),
            )
            .field("riskTier", tiers(policy));
    }
    for (kind, document) in pin(config).into_iter().flat_map(|pin| &pin.gates) {
        fields = fields.field(kind.key(), document.clone());
    }
    debug_assert!(limits.parallel > 0, "a limit of no calls at once would run nothing");
    fields.finish()
}

/// Where commands run and what may change files. Runs that began before commands were observed keep their policy.
fn boundary(config: &RunConfig) -> Value<'static> {
    let observed = config.edit_surfaces.as_deref();
    let surfaces = observed.map_or_else(|| owned(&["apply_patch".to_owned()]), owned);
    Object::fields()
        .field("editSurfaces", surfaces)
        .optional("observeCommands", observed.map(|_| true))
        .field("workdirRoots", Value::text_list(["."]).into_owned())
        .finish()
}

/// What the role may read, write and change; none in runs from before scopes were always declared, unless the role is held
/// to something.
fn context_scope(config: &RunConfig) -> Option<Value<'static>> {
    let role = config.spoken_role()?;
    let is_declared =
        config.evidence.is_computed() || config.scope.is_some() || !config.issue_scope.is_empty();
    if !is_declared {
        return None;
    }
    let scope = config.scope.clone().unwrap_or_else(Scope::whole);
    let (read, write) = (owned(&scope.read), owned(&scope.write));
    let is_held = !config.issue_scope.is_empty();
    let issue_tools = config.tools.iter().filter(|spec| is_held && changes_issues(spec));
    let issue_tools = issue_tools.map(|spec| Value::from(spec.name.clone())).collect();
    let scope = Object::fields()
        .non_empty("issueTools", issue_tools)
        .non_empty("issues", owned(&config.issue_scope))
        .field("read", read)
        .field("role", role.token())
        .field("write", write)
        .finish();
    Some(Object::fields().field("roles", vec![scope]).finish())
}

/// Whether a tool asks for changes of issues. A worker is one: its issue is made for it.
fn changes_issues(spec: &ToolSpec) -> bool {
    const SCOPES: [&str; 3] = ["deps:", "issues:", "workers:"];
    spec.kind == ToolKind::Intent && SCOPES.iter().any(|scope| spec.scope.starts_with(scope))
}

/// Which tools filter before a model sees their results. Where no program runs none does, and the policy says so.
const fn filtering_tools(config: &RunConfig) -> Option<&'static [&'static str]> {
    match (config.action_mode, config.evidence) {
        (ActionMode::Code, _) => Some(&[CODE_EXECUTION]),
        (ActionMode::Json | ActionMode::Text, EvidenceRules::Computed) => Some(&[]),
        (ActionMode::Json | ActionMode::Text, EvidenceRules::Formal) => None,
    }
}

fn mutation(config: &RunConfig) -> Value<'static> {
    Object::fields()
        .field("capabilities", owned(&config.capabilities))
        .optional("verification", config.verification.as_ref().map(Verification::document))
        .finish()
}

/// What a program is given of a result may be more than a model is shown of one.
fn largest_result(config: &RunConfig) -> u64 {
    let given = match config.action_mode {
        ActionMode::Code => config.code.unwrap_or(CodeLimits::standard()).result_bytes,
        ActionMode::Json | ActionMode::Text => 0,
    };
    config.context.result_bytes.max(given)
}

const fn injection_points(config: &RunConfig) -> &'static [&'static str] {
    match config.action_mode {
        ActionMode::Code => &[PROGRAM, "tool_response", "turn_start"],
        ActionMode::Json | ActionMode::Text => &["tool_response", "turn_start"],
    }
}

fn pin(config: &RunConfig) -> Option<&GovernancePin> {
    config.policy.as_ref()?.governance.as_ref()
}

/// The profile of the pinned package, with the guardrail stages that the controls of the run bind, in order.
fn governance(policy: &RunPolicy) -> Result<Option<GovernanceProfile>, TermsError> {
    let Some(pin) = &policy.governance else { return Ok(None) };
    let is_bound = |stage: &&GuardrailStage| policy.controls.stages.contains(stage);
    let stages = GuardrailStage::ALL.iter().filter(is_bound);
    let stages = stages.filter_map(|stage| Token::new(stage.token())).collect();
    Ok(Some(GovernanceProfile { guardrail_stages: Some(stages), ..pin.kernel_profile()? }))
}

/// What the run is governed by: the pinned package. Runs from before there was a pin name their rules and guards instead.
fn package(config: &RunConfig) -> Value<'static> {
    if let Some(pin) = pin(config) {
        return pin.package.clone();
    }
    let policy = config.policy.as_ref();
    Object::fields()
        .optional("guards", policy.map(|policy| policy.guards.clone()))
        .field("packageRef", "premath.run.v1")
        .optional("rules", policy.map(|policy| policy.rules.clone()))
        .finish()
}

/// The controls of the tier, bound to it.
fn tiers(policy: &RunPolicy) -> Value<'static> {
    let bound = Object::fields()
        .field("profile", policy.controls.id.clone())
        .field("tier", policy.tier().token())
        .finish();
    Object::fields().field("tiers", vec![bound]).finish()
}

/// The most calls of one answer.
pub(crate) const MOST_CALLS: u64 = 128;

/// The most calls of one answer of a run. A program has a limit of its own for what it calls at once.
pub(crate) fn most_calls(config: &RunConfig) -> u64 {
    match config.action_mode {
        ActionMode::Code => MOST_CALLS,
        ActionMode::Json | ActionMode::Text => {
            config.limits.answer_calls.unwrap_or(MOST_CALLS).min(MOST_CALLS)
        }
    }
}

fn owned(texts: &[String]) -> Vec<Value<'static>> {
    text_list(texts).into_iter().map(Value::into_owned).collect()
}

fn decomposition(config: &RunConfig) -> Value<'static> {
    Object::fields()
        .optional("autonomyTrigger", config.autonomy.clone())
        .optional("maxDepth", config.limits.depth.map(count))
        .optional("maxWorkers", config.limits.workers.map(count))
        .field("patterns", Value::text_list([config.workflow.pattern.token()]))
        .optional("workflowTurnLimit", config.limits.workflow_turns.map(count))
        .finish()
}

fn stop(config: &RunConfig) -> Value<'static> {
    let limits = &config.limits;
    Object::fields()
        .optional("checkpointEveryTurns", limits.checkpoint_every.map(count))
        .optional("maxCostMicros", limits.cost_micros.map(count))
        .optional("maxIdenticalCalls", limits.identical_calls.map(count))
        .optional("maxTokens", limits.tokens.map(count))
        .optional("maxToolCalls", limits.tool_calls.map(count))
        .optional("maxTurns", limits.turns.map(count))
        .optional("maxWallMillis", limits.wall_millis.map(count))
        .finish()
}

fn protocol(config: &RunConfig) -> Value<'static> {
    let reasons = || Value::text_list(["end_turn", "max_tokens", "pause_turn", "tool_use"]);
    let calling = config.evidence.is_computed().then(|| Value::text_list(["tool_use"]));
    Object::fields()
        .field("continuation", reasons())
        .optional("requestsRequired", calling)
        .field("stopReasons", reasons())
        .finish()
}

fn contract(config: &RunConfig) -> Value<'static> {
    let (roles, targets) = match config.spoken_role() {
        None => (["session"], vec![SUCCESSOR]),
        Some(role) => ([role.token()], vec![ORCHESTRATOR, SUCCESSOR]),
    };
    Object::fields()
        .field("requireReturnPath", config.is_worker())
        .non_empty("requiredArtifactRefs", owned(&config.required_artifacts))
        .field("roles", Value::text_list(roles))
        .field("targets", Value::text_list(targets))
        .finish()
}

fn spec(config: &RunConfig, policies: &Policies, documents: &Value<'_>) -> Result<CallSpec, TermsError> {
    let blank = TermsError::Blank;
    let mandatory = |kind: PolicyKind| digest(documents, kind).ok_or_else(|| blank(kind.key()));
    let mut declared = BTreeMap::new();
    for kind in PolicyKind::ALL.iter().filter(|kind| !kind.is_mandatory()) {
        declared.extend(digest(documents, *kind).map(|digest| (*kind, digest)));
    }
    debug_assert!(policies.mutation_policy.is_some(), "every run has a mutation policy");
    Ok(CallSpec {
        call_id: Text::new(&config.run_id).ok_or_else(|| blank("runId"))?,
        model_ref: Text::new("none").ok_or_else(|| blank("modelRef"))?,
        action_mode: config.action_mode,
        execution_pattern: config.workflow.pattern,
        normalizer_id: Text::new(&config.normalizer).ok_or_else(|| blank("normalizer"))?,
        mutation_policy: mandatory(PolicyKind::Mutation)?,
        governance_policy: mandatory(PolicyKind::Governance)?,
        tool_render_protocol: mandatory(PolicyKind::ToolRenderProtocol)?,
        reminder_queue_policy: mandatory(PolicyKind::ReminderQueue)?,
        state_view_policy: mandatory(PolicyKind::StateView)?,
        decomposition_policy: mandatory(PolicyKind::Decomposition)?,
        tool_choice: None,
        observability_mode: config
            .policy
            .as_ref()
            .and_then(|policy| Token::new(policy.observability.token())),
        risk_tier: config.policy.as_ref().and_then(|policy| Token::new(policy.tier().token())),
        orchestration_role: config.spoken_role(),
        declared,
    })
}

fn digest(documents: &Value<'_>, kind: PolicyKind) -> Option<Digest> {
    let document = documents.as_object()?.get(kind.key())?;
    Some(Digest::prefixed("pol1_", document))
}
