//! The set of documents that comes with a turn.

use premath_kernel as kernel;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Terms;
use crate::decode::{Json, UnknownFields, decode};
use crate::input_error::{InputClass, InputError, JsonPath, Segment};

/// Policy documents by key: the call spec's field names without `Digest` and `Ref`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyDocuments {
    /// `toolPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ToolPolicy>")]
    tool_policy: Option<Json>,
    /// `toolCatalog`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ToolCatalog>")]
    tool_catalog: Option<Json>,
    /// `deferPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::DeferPolicy>")]
    defer_policy: Option<Json>,
    /// `toolExample`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ToolExamples>")]
    tool_example: Option<Json>,
    /// `allowedCallers`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::AllowedCallers>")]
    allowed_callers: Option<Json>,
    /// `preContextFilterPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::PreContextFilterPolicy>")]
    pre_context_filter_policy: Option<Json>,
    /// `evalProfile`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::EvalProfile>")]
    eval_profile: Option<Json>,
    /// `parallelPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ParallelPolicy>")]
    parallel_policy: Option<Json>,
    /// `toolTransportPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::TransportPolicy>")]
    tool_transport_policy: Option<Json>,
    /// `toolResponseTruncationPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::TruncationPolicy>")]
    tool_response_truncation_policy: Option<Json>,
    /// `toolRenderProtocol`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ToolRenderProtocol>")]
    tool_render_protocol: Option<Json>,
    /// `executionBoundaryPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ExecutionBoundaryPolicy>")]
    execution_boundary_policy: Option<Json>,
    /// `runtimeSandbox`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::RuntimeSandbox>")]
    runtime_sandbox: Option<Json>,
    /// `compactionPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::CompactionPolicy>")]
    compaction_policy: Option<Json>,
    /// `reminderQueuePolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ReminderQueuePolicy>")]
    reminder_queue_policy: Option<Json>,
    /// `stateViewPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::StateViewPolicy>")]
    state_view_policy: Option<Json>,
    /// `decompositionPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::DecompositionPolicy>")]
    decomposition_policy: Option<Json>,
    /// `governancePolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::GovernancePolicy>")]
    governance_policy: Option<Json>,
    /// `guardrailStagePolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::GuardrailStagePolicy>")]
    guardrail_stage_policy: Option<Json>,
    /// `evalGatePolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::EvalGatePolicy>")]
    eval_gate_policy: Option<Json>,
    /// `redTeamPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::RedTeamPolicy>")]
    red_team_policy: Option<Json>,
    /// `contextScope`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ContextScope>")]
    context_scope: Option<Json>,
    /// `handoffContract`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::HandoffContract>")]
    handoff_contract: Option<Json>,
    /// `mutationPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::MutationPolicy>")]
    mutation_policy: Option<Json>,
    /// `stopPolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::StopPolicy>")]
    stop_policy: Option<Json>,
    /// `protocolStatePolicy`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ProtocolStatePolicy>")]
    protocol_state_policy: Option<Json>,
    /// `riskTier`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::RiskTierPolicy>")]
    risk_tier: Option<Json>,
    /// `observabilityMode`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::ObservabilityPolicy>")]
    observability_mode: Option<Json>,
}

impl PolicyDocuments {
    /// Every document with its terms.
    ///
    /// # Errors
    /// A document that is no object, or whose terms cannot be read.
    pub fn into_kernel(self) -> Result<kernel::Policies, InputError> {
        Ok(kernel::Policies {
            tool_policy: document::<super::ToolPolicy>("toolPolicy", self.tool_policy)?,
            tool_catalog: document::<super::ToolCatalog>("toolCatalog", self.tool_catalog)?,
            defer_policy: document::<super::DeferPolicy>("deferPolicy", self.defer_policy)?,
            tool_example: document::<super::ToolExamples>("toolExample", self.tool_example)?,
            allowed_callers: document::<super::AllowedCallers>("allowedCallers", self.allowed_callers)?,
            pre_context_filter: document::<super::PreContextFilterPolicy>(
                "preContextFilterPolicy",
                self.pre_context_filter_policy,
            )?,
            eval_profile: document::<super::EvalProfile>("evalProfile", self.eval_profile)?,
            parallel_policy: document::<super::ParallelPolicy>("parallelPolicy", self.parallel_policy)?,
            transport_policy: document::<super::TransportPolicy>(
                "toolTransportPolicy",
                self.tool_transport_policy,
            )?,
            truncation_policy: document::<super::TruncationPolicy>(
                "toolResponseTruncationPolicy",
                self.tool_response_truncation_policy,
            )?,
            tool_render_protocol: document::<super::ToolRenderProtocol>(
                "toolRenderProtocol",
                self.tool_render_protocol,
            )?,
            execution_boundary: document::<super::ExecutionBoundaryPolicy>(
                "executionBoundaryPolicy",
                self.execution_boundary_policy,
            )?,
            runtime_sandbox: document::<super::RuntimeSandbox>("runtimeSandbox", self.runtime_sandbox)?,
            compaction_policy: document::<super::CompactionPolicy>(
                "compactionPolicy",
                self.compaction_policy,
            )?,
            reminder_queue_policy: document::<super::ReminderQueuePolicy>(
                "reminderQueuePolicy",
                self.reminder_queue_policy,
            )?,
            state_view_policy: document::<super::StateViewPolicy>("stateViewPolicy", self.state_view_policy)?,
            decomposition_policy: document::<super::DecompositionPolicy>(
                "decompositionPolicy",
                self.decomposition_policy,
            )?,
            governance_policy: document::<super::GovernancePolicy>(
                "governancePolicy",
                self.governance_policy,
            )?,
            guardrail_stage_policy: document::<super::GuardrailStagePolicy>(
                "guardrailStagePolicy",
                self.guardrail_stage_policy,
            )?,
            eval_gate_policy: document::<super::EvalGatePolicy>("evalGatePolicy", self.eval_gate_policy)?,
            red_team_policy: document::<super::RedTeamPolicy>("redTeamPolicy", self.red_team_policy)?,
            context_scope: document::<super::ContextScope>("contextScope", self.context_scope)?,
            handoff_contract: document::<super::HandoffContract>("handoffContract", self.handoff_contract)?,
            mutation_policy: document::<super::MutationPolicy>("mutationPolicy", self.mutation_policy)?,
            stop_policy: document::<super::StopPolicy>("stopPolicy", self.stop_policy)?,
            protocol_state_policy: document::<super::ProtocolStatePolicy>(
                "protocolStatePolicy",
                self.protocol_state_policy,
            )?,
            risk_tier: document::<super::RiskTierPolicy>("riskTier", self.risk_tier)?,
            observability: document::<super::ObservabilityPolicy>(
                "observabilityMode",
                self.observability_mode,
            )?,
        })
    }
}

impl PolicyDocuments {
    /// The documents as they were supplied.
    #[must_use]
    pub fn from_kernel(policies: &kernel::Policies) -> Self {
        Self {
            tool_policy: document_source(policies.tool_policy.as_ref()),
            tool_catalog: document_source(policies.tool_catalog.as_ref()),
            defer_policy: document_source(policies.defer_policy.as_ref()),
            tool_example: document_source(policies.tool_example.as_ref()),
            allowed_callers: document_source(policies.allowed_callers.as_ref()),
            pre_context_filter_policy: document_source(policies.pre_context_filter.as_ref()),
            eval_profile: document_source(policies.eval_profile.as_ref()),
            parallel_policy: document_source(policies.parallel_policy.as_ref()),
            tool_transport_policy: document_source(policies.transport_policy.as_ref()),
            tool_response_truncation_policy: document_source(policies.truncation_policy.as_ref()),
            tool_render_protocol: document_source(policies.tool_render_protocol.as_ref()),
            execution_boundary_policy: document_source(policies.execution_boundary.as_ref()),
            runtime_sandbox: document_source(policies.runtime_sandbox.as_ref()),
            compaction_policy: document_source(policies.compaction_policy.as_ref()),
            reminder_queue_policy: document_source(policies.reminder_queue_policy.as_ref()),
            state_view_policy: document_source(policies.state_view_policy.as_ref()),
            decomposition_policy: document_source(policies.decomposition_policy.as_ref()),
            governance_policy: document_source(policies.governance_policy.as_ref()),
            guardrail_stage_policy: document_source(policies.guardrail_stage_policy.as_ref()),
            eval_gate_policy: document_source(policies.eval_gate_policy.as_ref()),
            red_team_policy: document_source(policies.red_team_policy.as_ref()),
            context_scope: document_source(policies.context_scope.as_ref()),
            handoff_contract: document_source(policies.handoff_contract.as_ref()),
            mutation_policy: document_source(policies.mutation_policy.as_ref()),
            stop_policy: document_source(policies.stop_policy.as_ref()),
            protocol_state_policy: document_source(policies.protocol_state_policy.as_ref()),
            risk_tier: document_source(policies.risk_tier.as_ref()),
            observability_mode: document_source(policies.observability.as_ref()),
        }
    }
}

fn document_source<Terms>(document: Option<&kernel::Document<Terms>>) -> Option<Json> {
    document.map(|document| Json(kernel::Value::Object(document.source().clone())))
}

fn document<Policy: Terms + DeserializeOwned>(
    key: &str,
    source: Option<Json>,
) -> Result<Option<kernel::Document<Policy::Kernel>>, InputError> {
    let Some(Json(source)) = source else {
        return Ok(None);
    };
    let kernel::Value::Object(source) = source else {
        let path = JsonPath::root().key("policies").key(key);
        return Err(InputError::new(InputClass::FieldInvalid, "expected an object", path));
    };
    // Members that no rule reads are part of the document; `--strict` is about evidence.
    let read = |source: &kernel::Object<'static>| {
        let policy: Policy = decode(&kernel::Value::Object(source.clone()), UnknownFields::Ignore)?;
        policy.terms()
    };
    kernel::Document::read(source, read).map(Some).map_err(|error| inside(error, key))
}

fn inside(mut error: InputError, key: &str) -> InputError {
    error.path.push_outer(Segment::Key(key.to_owned()));
    error.path.push_outer(Segment::Key("policies".to_owned()));
    error
}
