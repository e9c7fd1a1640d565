//! The call spec: what a model turn was called with, and which policies bound it.
//!
//! Plain evidence. Must not hold a policy's text, only the digest that names it.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::policy::PolicyKind;
use crate::scalar::{Text, Token};

/// How the model expresses what it wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionMode {
    /// A program that may call many tools.
    Code,
    /// One structured call per action.
    Json,
    /// Text that a named adapter turns into structured calls.
    Text,
}

impl ActionMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Code, Self::Json, Self::Text];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Json => "json",
            Self::Text => "text",
        }
    }
}

/// The shape of the work the turn is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExecutionPattern {
    /// One call.
    Single,
    /// Calls after one another.
    Chain,
    /// One call chosen among several routes.
    Route,
    /// Branches at the same time.
    Parallel,
    /// An orchestrator that spawns workers.
    OrchestratorWorkers,
    /// One produces, another judges.
    EvaluatorOptimizer,
}

impl ExecutionPattern {
    /// Every pattern.
    pub const ALL: [Self; 6] = [
        Self::Single,
        Self::Chain,
        Self::Route,
        Self::Parallel,
        Self::OrchestratorWorkers,
        Self::EvaluatorOptimizer,
    ];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Chain => "chain",
            Self::Route => "route",
            Self::Parallel => "parallel",
            Self::OrchestratorWorkers => "orchestrator_workers",
            Self::EvaluatorOptimizer => "evaluator_optimizer",
        }
    }
}

/// Which tools the provider was told it may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// Some tool, whichever.
    Any,
    /// One tool: named here, or by the tool policy when `None`.
    Specific(Option<Text>),
}

impl ToolChoice {
    /// The token on the wire.
    #[must_use]
    pub fn token(&self) -> Cow<'static, str> {
        match self {
            Self::Auto => Cow::Borrowed("auto"),
            Self::Any => Cow::Borrowed("any"),
            Self::Specific(None) => Cow::Borrowed("specific"),
            Self::Specific(Some(tool)) => Cow::Owned(format!("specific:{tool}")),
        }
    }
}

/// Who speaks in an orchestrated run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrchestrationRole {
    /// Splits and hands out work.
    Orchestrator,
    /// Does one part of it.
    Specialist,
}

impl OrchestrationRole {
    /// Every role.
    pub const ALL: [Self; 2] = [Self::Orchestrator, Self::Specialist];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Orchestrator => "orchestrator",
            Self::Specialist => "specialist",
        }
    }
}

/// What one model turn was called with.
#[derive(Debug, Clone, PartialEq)]
pub struct CallSpec {
    /// The turn's identity.
    pub call_id: Text,
    /// Model and version.
    pub model_ref: Text,
    /// How the model expresses actions.
    pub action_mode: ActionMode,
    /// The shape of the work.
    pub execution_pattern: ExecutionPattern,
    /// The output normaliser (and, in text mode, the adapter profile).
    pub normalizer_id: Text,
    /// Digest of the mutation policy.
    pub mutation_policy: Digest,
    /// Digest of the governance policy package.
    pub governance_policy: Digest,
    /// Digest of the dual rendering protocol.
    pub tool_render_protocol: Digest,
    /// Digest of the reminder queue policy.
    pub reminder_queue_policy: Digest,
    /// Digest of the state view policy.
    pub state_view_policy: Digest,
    /// Digest of the decomposition policy.
    pub decomposition_policy: Digest,
    /// Which tools the provider was told it may call.
    pub tool_choice: Option<ToolChoice>,
    /// Where traces may go. Not an enum: an unknown mode is refused, not unreadable.
    pub observability_mode: Option<Token>,
    /// The risk tier. Not an enum: a tier nobody bound is refused, not unreadable.
    pub risk_tier: Option<Token>,
    /// The role this turn speaks in.
    pub orchestration_role: Option<OrchestrationRole>,
    /// The optional policies that this turn declares. Mandatory kinds in here are not looked at.
    pub declared: BTreeMap<PolicyKind, Digest>,
}

impl CallSpec {
    /// The digest this turn binds a policy to, if it does.
    #[must_use]
    pub fn binding(&self, kind: PolicyKind) -> Option<&Digest> {
        let mandatory = [
            (PolicyKind::Mutation, &self.mutation_policy),
            (PolicyKind::Governance, &self.governance_policy),
            (PolicyKind::ToolRenderProtocol, &self.tool_render_protocol),
            (PolicyKind::ReminderQueue, &self.reminder_queue_policy),
            (PolicyKind::StateView, &self.state_view_policy),
            (PolicyKind::Decomposition, &self.decomposition_policy),
        ];
        let found = mandatory.into_iter().find(|(mandatory, _)| *mandatory == kind);
        found.map(|(_, digest)| digest).or_else(|| self.declared.get(&kind))
    }

    pub(crate) fn declares(&self, kind: PolicyKind) -> bool {
        self.binding(kind).is_some()
    }

    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        let mut fields = Object::fields()
            .field("actionMode", self.action_mode.token())
            .field("callId", &self.call_id)
            .field("executionPattern", self.execution_pattern.token())
            .field("modelRef", &self.model_ref)
            .field("normalizerId", &self.normalizer_id)
            .optional("observabilityMode", self.observability_mode.as_ref())
            .optional("orchestrationRole", self.orchestration_role.map(OrchestrationRole::token))
            .optional("riskTier", self.risk_tier.as_ref())
            .optional("toolChoice", self.tool_choice.as_ref().map(ToolChoice::token));
        for kind in PolicyKind::ALL {
            fields = fields.optional(kind.field(), self.binding(*kind));
        }
        fields.finish()
    }
}
