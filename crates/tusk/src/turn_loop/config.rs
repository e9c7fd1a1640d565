//! Everything about a run that is fixed when it begins: what a machine is made from, and what replay makes it from again.
//!
//! It must not hold anything that another machine or another folder would have otherwise: no absolute path, no key.

use premath_kernel::{ActionMode, Digest, Object, OrchestrationRole, Value};

use super::code::CodeLimits;
use super::evidence_rules::EvidenceRules;
use super::limits::{ContextLimits, Limits};
use super::verification::Verification;
use super::workflow::Workflow;
use crate::JsonText;
use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count, text_list, unreadable};
use crate::policy::RunPolicy;
use crate::tools::ToolSpec;

/// The normaliser of structured calls.
pub const STRUCTURED: &str = "premath.structured.v1";

/// Everything about a run that is fixed when it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunConfig {
    /// The run.
    pub run_id: String,
    /// What it is to do.
    pub task: String,
    /// The issue it works on.
    pub issue_id: Option<String>,
    /// The instruction that its changes are linked to. Without one it can change nothing.
    pub instruction_ref: Option<String>,
    /// The models that may be asked, in order.
    pub models: Vec<String>,
    /// What a model is told before everything else, in blocks.
    pub system: Vec<String>,
    /// The first message.
    pub opening: String,
    /// How a model expresses actions.
    pub action_mode: ActionMode,
    /// Who brings answers into structured form: [`STRUCTURED`], or the adapter of text mode.
    pub normalizer: String,
    /// The shape of the work.
    pub workflow: Workflow,
    /// The role it speaks in.
    pub role: Option<OrchestrationRole>,
    /// What it may read and write, when it has a role.
    pub scope: Option<Scope>,
    /// Issues it may change, with everything that descends from them; empty for any.
    pub issue_scope: Vec<String>,
    /// Tools that may change files; none for runs that began before commands were observed.
    pub edit_surfaces: Option<Vec<String>>,
    /// The tools it was granted.
    pub tools: Vec<ToolSpec>,
    /// The profile of the sandbox.
    pub profile: String,
    /// How much it may use.
    pub limits: Limits,
    /// How much a model is shown.
    pub context: ContextLimits,
    /// How much a program may use, where the model writes programs; what is usual when absent.
    pub code: Option<CodeLimits>,
    /// The capabilities that its mutation policy grants and that it claims.
    pub capabilities: Vec<String>,
    /// The measured reason to go on past the turns of a workflow.
    pub autonomy: Option<String>,
    /// Who spawned it, or whom it goes on from.
    pub parent: Option<ParentRun>,
    /// Files that must be there when it is done.
    pub required_artifacts: Vec<String>,
    /// Artifacts it was given, as references into the object store.
    pub incoming: Vec<String>,
    /// Tools of other servers that it was not given, and why: a line each.
    pub blocked: Vec<String>,
    /// The policy it is under. Without one nothing is asked and nothing is looked at: runs of people always have one.
    pub policy: Option<RunPolicy>,
    /// How much its turns say about themselves.
    pub evidence: EvidenceRules,
    /// Which of its changes need a verification result; none does when absent.
    pub verification: Option<Verification>,
    /// Members that the repository's turn policies set in the policy documents of its turns, by policy key.
    pub turn_policies: Vec<(String, JsonText)>,
    /// The modes of the trace sinks that were open when it began; not looked up when absent.
    pub sinks: Option<Vec<String>>,
}

/// Folders and files of a role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// What it may read.
    pub read: Vec<String>,
    /// What it may write.
    pub write: Vec<String>,
}

impl Scope {
    /// Everything below the workdir.
    #[must_use]
    pub fn whole() -> Self {
        let all = || vec![".".to_owned()];
        Self { read: all(), write: all() }
    }
}

/// The run before or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentRun {
    /// Which.
    pub run_id: String,
    /// Its turn.
    pub call_id: String,
    /// How deep this one is below the first.
    pub depth: u64,
    /// What this one is to it.
    pub relation: Relation,
}

/// What a run is to the one before or above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// A worker, whose result returns.
    Worker,
    /// The next session of the same work.
    Successor,
}

impl Relation {
    const ALL: [Self; 2] = [Self::Worker, Self::Successor];

    const fn token(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Successor => "successor",
        }
    }
}

impl RunConfig {
    /// The role it speaks in. Whoever nobody spawned is an orchestrator.
    #[must_use]
    pub fn spoken_role(&self) -> Option<OrchestrationRole> {
        match self.evidence {
            EvidenceRules::Formal => self.role,
            EvidenceRules::Computed => Some(self.role.unwrap_or(OrchestrationRole::Orchestrator)),
        }
    }

    /// How deep it is below the first run.
    #[must_use]
    pub fn depth(&self) -> u64 {
        self.parent.as_ref().map_or(0, |parent| parent.depth)
    }

    /// Whether its result returns to whoever spawned it.
    #[must_use]
    pub fn is_worker(&self) -> bool {
        self.parent.as_ref().is_some_and(|parent| parent.relation == Relation::Worker)
    }

    /// The run that goes on when this one's context is full: `run`, `run.s2`, `run.s3`.
    #[must_use]
    pub fn successor_id(&self) -> String {
        let (base, number) = match self.run_id.rsplit_once(".s") {
            Some((base, number)) => (base, number.parse::<u64>().ok()),
            None => (self.run_id.as_str(), None),
        };
        match number {
            Some(number) => format!("{base}.s{}", number.saturating_add(1)),
            None => format!("{}.s2", self.run_id),
        }
    }

    /// The row that the journal begins with.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("actionMode", self.action_mode.token())
            .optional("autonomy", self.autonomy.as_deref())
            .non_empty("blockedTools", text_list(&self.blocked))
            .non_empty("capabilities", text_list(&self.capabilities))
            .optional("code", self.code.map(CodeLimits::to_value))
            .field("context", self.context.to_value())
            .optional("editSurfaces", self.edit_surfaces.as_deref().map(text_list))
            .optional("evidence", self.evidence.token())
            .non_empty("incomingRefs", text_list(&self.incoming))
            .optional("instructionRef", self.instruction_ref.as_deref())
            .optional("issueId", self.issue_id.as_deref())
            .non_empty("issueScope", text_list(&self.issue_scope))
            .field("limits", self.limits.to_value())
            .field("models", text_list(&self.models))
            .field("normalizer", self.normalizer.as_str())
            .field("opening", self.opening.as_str())
            .optional("parent", self.parent.as_ref().map(parent_value))
            .optional("policy", self.policy.as_ref().map(RunPolicy::to_value))
            .field("profile", self.profile.as_str())
            .non_empty("requiredArtifacts", text_list(&self.required_artifacts))
            .optional("role", self.role.map(OrchestrationRole::token))
            .field("runId", self.run_id.as_str())
            .optional("scope", self.scope.as_ref().map(scope_value))
            .optional("sinks", self.sinks.as_ref().map(|sinks| text_list(sinks)))
            .field("system", text_list(&self.system))
            .field("task", self.task.as_str())
            .field("tools", self.tools.iter().map(ToolSpec::to_value).collect::<Vec<_>>())
            .optional("turnPolicies", turn_policies_value(&self.turn_policies))
            .optional("verification", self.verification.as_ref().map(Verification::to_value))
            .field("workflow", self.workflow.to_value())
            .finish()
    }

    /// Reads what a journal begins with.
    ///
    /// # Errors
    /// The first member that is missing or of another kind.
    pub fn from_value(value: &Value<'_>) -> Result<Self, Unreadable> {
        let row = Row::of(value)?;
        let mode = row.text("actionMode")?;
        let role = row.optional("role")?;
        Ok(Self {
            run_id: row.owned("runId")?,
            task: row.owned("task")?,
            issue_id: row.optional("issueId")?,
            instruction_ref: row.optional("instructionRef")?,
            models: row.texts("models")?,
            system: row.texts("system")?,
            opening: row.owned("opening")?,
            action_mode: find(&ActionMode::ALL, ActionMode::token, mode, "actionMode")?,
            normalizer: row.owned("normalizer")?,
            workflow: Workflow::from_row(row.row("workflow")?)?,
            role: role
                .map(|role| find(&OrchestrationRole::ALL, OrchestrationRole::token, &role, "role"))
                .transpose()?,
            scope: row.optional_row("scope")?.map(read_scope).transpose()?,
            issue_scope: row.texts("issueScope")?,
            edit_surfaces: row.value("editSurfaces").map(|_| row.texts("editSurfaces")).transpose()?,
            tools: row.list("tools")?.iter().map(ToolSpec::from_value).collect::<Result<_, _>>()?,
            profile: row.owned("profile")?,
            limits: Limits::from_row(row.row("limits")?)?,
            context: ContextLimits::from_row(row.row("context")?)?,
            code: row.optional_row("code")?.map(CodeLimits::from_row).transpose()?,
            capabilities: row.texts("capabilities")?,
            autonomy: row.optional("autonomy")?,
            parent: row.optional_row("parent")?.map(read_parent).transpose()?,
            required_artifacts: row.texts("requiredArtifacts")?,
            incoming: row.texts("incomingRefs")?,
            blocked: row.texts("blockedTools")?,
            policy: row.optional_row("policy")?.map(RunPolicy::from_row).transpose()?,
            evidence: EvidenceRules::read(row.optional("evidence")?.as_deref())?,
            verification: row.optional_row("verification")?.map(Verification::from_row).transpose()?,
            turn_policies: read_turn_policies(row.value("turnPolicies"))?,
            sinks: row.value("sinks").map(|_| row.texts("sinks")).transpose()?,
        })
    }

    /// The digest of it all.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_value())
    }
}

fn find<T: Copy>(
    all: &[T],
    token: impl Fn(T) -> &'static str,
    wanted: &str,
    member: &str,
) -> Result<T, Unreadable> {
    all.iter().copied().find(|one| token(*one) == wanted).ok_or_else(|| unreadable(member))
}

fn turn_policies_value(policies: &[(String, JsonText)]) -> Option<Value<'_>> {
    let row = |(key, document): &'_ (String, JsonText)| {
        Object::fields().field("document", document.as_str().to_owned()).field("key", key.clone()).finish()
    };
    (!policies.is_empty()).then(|| Value::Array(policies.iter().map(row).collect()))
}

fn read_turn_policies(value: Option<&Value<'_>>) -> Result<Vec<(String, JsonText)>, Unreadable> {
    let rows = value.and_then(Value::as_array).unwrap_or_default();
    let read = |value: &Value<'_>| {
        let row = Row::of(value)?;
        let document = JsonText::new(row.text("document")?).map_err(|_| unreadable("document"))?;
        Ok((row.owned("key")?, document))
    };
    rows.iter().map(read).collect()
}

fn scope_value(scope: &Scope) -> Value<'_> {
    Object::fields().field("read", text_list(&scope.read)).field("write", text_list(&scope.write)).finish()
}

fn read_scope(row: Row<'_>) -> Result<Scope, Unreadable> {
    Ok(Scope { read: row.texts("read")?, write: row.texts("write")? })
}

fn parent_value(parent: &ParentRun) -> Value<'_> {
    Object::fields()
        .field("callId", parent.call_id.as_str())
        .field("depth", count(parent.depth))
        .field("relation", parent.relation.token())
        .field("runId", parent.run_id.as_str())
        .finish()
}

fn read_parent(row: Row<'_>) -> Result<ParentRun, Unreadable> {
    let relation = row.text("relation")?;
    Ok(ParentRun {
        run_id: row.owned("runId")?,
        call_id: row.owned("callId")?,
        depth: row.count("depth")?,
        relation: find(&Relation::ALL, Relation::token, relation, "relation")?,
    })
}
