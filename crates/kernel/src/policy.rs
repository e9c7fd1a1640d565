//! Policy documents: their kinds, their terms, and how one is bound to the digest that names it.
//!
//! A document counts only while it hashes to what the call spec declares. Must not hold a rule; rules are in `checks`.

mod bind;
mod coordination;
mod governance;
mod kind;
mod runtime;
mod tools;
mod verification;

pub(crate) use bind::Bound;
pub use coordination::{
    CompactionPolicy, ContextScope, DecompositionPolicy, HandoffContract, ProtocolStatePolicy,
    ReminderQueuePolicy, RoleScope, StateViewPolicy, StopPolicy, ToolRenderProtocol,
};
pub use governance::{
    EvalGatePolicy, EvalProfile, GovernancePolicy, GuardrailStagePolicy, MutationPolicy, ObservabilityPolicy,
    PreContextFilterPolicy, RedTeamPolicy, RiskTierPolicy,
};
pub use kind::PolicyKind;
pub use runtime::{Cut, ExecutionBoundaryPolicy, RuntimeSandbox, TruncationPolicy};
pub use tools::{
    AllowedCallers, DeferPolicy, Ordering, ParallelPolicy, ToolCatalog, ToolEntry, ToolExamples, ToolPolicy,
    TransportPolicy,
};
pub(crate) use verification::RestedOn;
pub use verification::{VerificationRule, VerifiedAction};

use alloc::vec::Vec;

use crate::canon::{Object, Value};
use crate::digest::Digest;

const SELF_DIGEST_MEMBER: &str = "policyDigest";

/// A policy document as it was supplied: its bytes' meaning for hashing, and its terms for checking. It is hashed when it
/// is read, not each time it is bound: a run checks every turn against the same documents.
#[derive(Debug, Clone)]
pub struct Document<Terms> {
    source: Object<'static>,
    terms: Terms,
    policy_digest: Digest,
    plain_digest: Digest,
}

impl<Terms> Document<Terms> {
    /// Reads the terms from the very document that is hashed, so that nobody can pair a pinned document with other terms.
    ///
    /// # Errors
    /// Whatever `read` cannot read.
    pub fn read<Error>(
        source: Object<'static>,
        read: impl FnOnce(&Object<'static>) -> Result<Terms, Error>,
    ) -> Result<Self, Error> {
        let terms = read(&source)?;
        // Its own `policyDigest` member is left out.
        let bare = Value::Object(source.without(SELF_DIGEST_MEMBER));
        let (policy_digest, plain_digest) = (Digest::prefixed("pol1_", &bare), Digest::of(&bare));
        drop(bare);
        Ok(Self { source, terms, policy_digest, plain_digest })
    }

    /// What the rules read.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The document itself, as it was supplied.
    #[must_use]
    pub const fn source(&self) -> &Object<'static> {
        &self.source
    }

    /// The digest of the document under the prefix that `like` uses.
    #[must_use]
    pub fn digest_like(&self, like: &Digest) -> &Digest {
        if like.as_str().starts_with("pol1_") { &self.policy_digest } else { &self.plain_digest }
    }

    /// The digest of the document under the prefix of policies.
    #[must_use]
    pub const fn policy_digest(&self) -> &Digest {
        &self.policy_digest
    }

    /// Whether `digest` names this document.
    #[must_use]
    pub fn hashes_to(&self, digest: &Digest) -> bool {
        self.digest_like(digest) == digest
    }
}

/// The documents supplied with a turn. Which of them count is decided by the call spec.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    /// `toolPolicy`
    pub tool_policy: Option<Document<ToolPolicy>>,
    /// `toolCatalog`
    pub tool_catalog: Option<Document<ToolCatalog>>,
    /// `deferPolicy`
    pub defer_policy: Option<Document<DeferPolicy>>,
    /// `toolExample`
    pub tool_example: Option<Document<ToolExamples>>,
    /// `allowedCallers`
    pub allowed_callers: Option<Document<AllowedCallers>>,
    /// `preContextFilterPolicy`
    pub pre_context_filter: Option<Document<PreContextFilterPolicy>>,
    /// `evalProfile`
    pub eval_profile: Option<Document<EvalProfile>>,
    /// `parallelPolicy`
    pub parallel_policy: Option<Document<ParallelPolicy>>,
    /// `toolTransportPolicy`
    pub transport_policy: Option<Document<TransportPolicy>>,
    /// `toolResponseTruncationPolicy`
    pub truncation_policy: Option<Document<TruncationPolicy>>,
    /// `toolRenderProtocol`
    pub tool_render_protocol: Option<Document<ToolRenderProtocol>>,
    /// `executionBoundaryPolicy`
    pub execution_boundary: Option<Document<ExecutionBoundaryPolicy>>,
    /// `runtimeSandbox`
    pub runtime_sandbox: Option<Document<RuntimeSandbox>>,
    /// `compactionPolicy`
    pub compaction_policy: Option<Document<CompactionPolicy>>,
    /// `reminderQueuePolicy`
    pub reminder_queue_policy: Option<Document<ReminderQueuePolicy>>,
    /// `stateViewPolicy`
    pub state_view_policy: Option<Document<StateViewPolicy>>,
    /// `decompositionPolicy`
    pub decomposition_policy: Option<Document<DecompositionPolicy>>,
    /// `governancePolicy`
    pub governance_policy: Option<Document<GovernancePolicy>>,
    /// `guardrailStagePolicy`
    pub guardrail_stage_policy: Option<Document<GuardrailStagePolicy>>,
    /// `evalGatePolicy`
    pub eval_gate_policy: Option<Document<EvalGatePolicy>>,
    /// `redTeamPolicy`
    pub red_team_policy: Option<Document<RedTeamPolicy>>,
    /// `contextScope`
    pub context_scope: Option<Document<ContextScope>>,
    /// `handoffContract`
    pub handoff_contract: Option<Document<HandoffContract>>,
    /// `mutationPolicy`
    pub mutation_policy: Option<Document<MutationPolicy>>,
    /// `stopPolicy`
    pub stop_policy: Option<Document<StopPolicy>>,
    /// `protocolStatePolicy`
    pub protocol_state_policy: Option<Document<ProtocolStatePolicy>>,
    /// `riskTier`: bound by no digest, the call spec names a tier.
    pub risk_tier: Option<Document<RiskTierPolicy>>,
    /// `observabilityMode`: bound by no digest, the call spec names a mode.
    pub observability: Option<Document<ObservabilityPolicy>>,
}

impl Policies {
    /// The two documents that no digest of the call spec covers, for the digest of the other input.
    pub(crate) fn undigested(&self) -> Vec<(&'static str, Value<'_>)> {
        let risk_tier = self.risk_tier.as_ref().map(|document| ("riskTier", &document.source));
        let observability =
            self.observability.as_ref().map(|document| ("observabilityMode", &document.source));
        let documents = risk_tier.into_iter().chain(observability);
        documents.map(|(key, source)| (key, Value::Object(source.borrowed()))).collect()
    }
}
