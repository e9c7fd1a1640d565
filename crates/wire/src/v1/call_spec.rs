//! The call spec on the wire.

use std::borrow::Cow;
use std::collections::BTreeMap;

use premath_kernel as kernel;
use premath_kernel::PolicyKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::row::Wire;
use super::scalar::{ActionModeToken, DigestText, ExecutionPatternToken, Name, OrchestrationRoleToken, Word};

/// What one model turn was called with. Every policy field is a digest; naming an optional one declares it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallSpec {
    /// The turn's identity.
    call_id: Name,
    /// Model and version.
    model_ref: Name,
    /// How the model expresses actions.
    action_mode: ActionModeToken,
    /// The shape of the work.
    execution_pattern: ExecutionPatternToken,
    /// The output normaliser.
    normalizer_id: Name,
    /// The mutation policy.
    mutation_policy_digest: DigestText,
    /// The governance package.
    governance_policy_digest: DigestText,
    /// The rendering protocol.
    tool_render_protocol_digest: DigestText,
    /// The reminder queue policy.
    reminder_queue_policy_digest: DigestText,
    /// The state view policy.
    state_view_policy_digest: DigestText,
    /// The decomposition policy.
    decomposition_policy_digest: DigestText,
    /// Which tools the provider was told it may call.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tool_choice: Option<ToolChoice>,
    /// `dashboard`, `internal_processor` or `disabled`.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    observability_mode: Option<Word>,
    /// `low`, `moderate` or `high`.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    risk_tier: Option<Word>,
    /// The role this turn speaks in.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    orchestration_role: Option<OrchestrationRoleToken>,
    /// Allow-list and schemas.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tool_policy: Option<DigestText>,
    /// Every discoverable tool.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tool_catalog_digest: Option<DigestText>,
    /// Tools that load on demand.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    defer_policy_digest: Option<DigestText>,
    /// Usage examples shown.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tool_example_digest: Option<DigestText>,
    /// Who may call which tool.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    allowed_callers_digest: Option<DigestText>,
    /// Tools that filter before context.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    pre_context_filter_policy: Option<DigestText>,
    /// The benchmark behind the defaults.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    eval_profile_ref: Option<DigestText>,
    /// Whether calls may run together.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    parallel_policy: Option<DigestText>,
    /// How calls and results travel.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tool_transport_policy: Option<DigestText>,
    /// How results are cut.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tool_response_truncation_policy: Option<DigestText>,
    /// Where commands run, what edits files.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    execution_boundary_policy: Option<DigestText>,
    /// The sandbox profile.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    runtime_sandbox_ref: Option<DigestText>,
    /// What compaction must keep.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    compaction_policy_digest: Option<DigestText>,
    /// Which guardrail stages must decide.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    guardrail_stage_policy_digest: Option<DigestText>,
    /// What an evaluation must reach.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    eval_gate_policy_digest: Option<DigestText>,
    /// What a red team must have tried.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    red_team_policy_digest: Option<DigestText>,
    /// What each role may read and write.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    context_scope_digest: Option<DigestText>,
    /// Who may hand work to whom.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    handoff_contract_digest: Option<DigestText>,
    /// How much a run may use.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    stop_policy: Option<DigestText>,
    /// Which stop reasons are handled.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    protocol_state_policy: Option<DigestText>,
}

impl Wire for CallSpec {
    type Kernel = kernel::CallSpec;

    fn into_kernel(self) -> Self::Kernel {
        let declared = [
            (PolicyKind::Tool, self.tool_policy),
            (PolicyKind::ToolCatalog, self.tool_catalog_digest),
            (PolicyKind::Defer, self.defer_policy_digest),
            (PolicyKind::ToolExample, self.tool_example_digest),
            (PolicyKind::AllowedCallers, self.allowed_callers_digest),
            (PolicyKind::PreContextFilter, self.pre_context_filter_policy),
            (PolicyKind::EvalProfile, self.eval_profile_ref),
            (PolicyKind::Parallel, self.parallel_policy),
            (PolicyKind::Transport, self.tool_transport_policy),
            (PolicyKind::Truncation, self.tool_response_truncation_policy),
            (PolicyKind::ExecutionBoundary, self.execution_boundary_policy),
            (PolicyKind::RuntimeSandbox, self.runtime_sandbox_ref),
            (PolicyKind::Compaction, self.compaction_policy_digest),
            (PolicyKind::GuardrailStage, self.guardrail_stage_policy_digest),
            (PolicyKind::EvalGate, self.eval_gate_policy_digest),
            (PolicyKind::RedTeam, self.red_team_policy_digest),
            (PolicyKind::ContextScope, self.context_scope_digest),
            (PolicyKind::HandoffContract, self.handoff_contract_digest),
            (PolicyKind::Stop, self.stop_policy),
            (PolicyKind::ProtocolState, self.protocol_state_policy),
        ];
        kernel::CallSpec {
            call_id: self.call_id.into_kernel(),
            model_ref: self.model_ref.into_kernel(),
            action_mode: self.action_mode.into_kernel(),
            execution_pattern: self.execution_pattern.into_kernel(),
            normalizer_id: self.normalizer_id.into_kernel(),
            mutation_policy: self.mutation_policy_digest.into_kernel(),
            governance_policy: self.governance_policy_digest.into_kernel(),
            tool_render_protocol: self.tool_render_protocol_digest.into_kernel(),
            reminder_queue_policy: self.reminder_queue_policy_digest.into_kernel(),
            state_view_policy: self.state_view_policy_digest.into_kernel(),
            decomposition_policy: self.decomposition_policy_digest.into_kernel(),
            tool_choice: self.tool_choice.into_kernel(),
            observability_mode: self.observability_mode.into_kernel(),
            risk_tier: self.risk_tier.into_kernel(),
            orchestration_role: self.orchestration_role.into_kernel(),
            declared: declared.into_iter().filter_map(|(kind, digest)| Some((kind, digest?.0))).collect(),
        }
    }

    fn from_kernel(spec: Self::Kernel) -> Self {
        let mut declared = spec.declared;
        Self {
            call_id: Wire::from_kernel(spec.call_id),
            model_ref: Wire::from_kernel(spec.model_ref),
            action_mode: Wire::from_kernel(spec.action_mode),
            execution_pattern: Wire::from_kernel(spec.execution_pattern),
            normalizer_id: Wire::from_kernel(spec.normalizer_id),
            mutation_policy_digest: Wire::from_kernel(spec.mutation_policy),
            governance_policy_digest: Wire::from_kernel(spec.governance_policy),
            tool_render_protocol_digest: Wire::from_kernel(spec.tool_render_protocol),
            reminder_queue_policy_digest: Wire::from_kernel(spec.reminder_queue_policy),
            state_view_policy_digest: Wire::from_kernel(spec.state_view_policy),
            decomposition_policy_digest: Wire::from_kernel(spec.decomposition_policy),
            tool_choice: Wire::from_kernel(spec.tool_choice),
            observability_mode: Wire::from_kernel(spec.observability_mode),
            risk_tier: Wire::from_kernel(spec.risk_tier),
            orchestration_role: Wire::from_kernel(spec.orchestration_role),
            tool_policy: take(&mut declared, PolicyKind::Tool),
            tool_catalog_digest: take(&mut declared, PolicyKind::ToolCatalog),
            defer_policy_digest: take(&mut declared, PolicyKind::Defer),
            tool_example_digest: take(&mut declared, PolicyKind::ToolExample),
            allowed_callers_digest: take(&mut declared, PolicyKind::AllowedCallers),
            pre_context_filter_policy: take(&mut declared, PolicyKind::PreContextFilter),
            eval_profile_ref: take(&mut declared, PolicyKind::EvalProfile),
            parallel_policy: take(&mut declared, PolicyKind::Parallel),
            tool_transport_policy: take(&mut declared, PolicyKind::Transport),
            tool_response_truncation_policy: take(&mut declared, PolicyKind::Truncation),
            execution_boundary_policy: take(&mut declared, PolicyKind::ExecutionBoundary),
            runtime_sandbox_ref: take(&mut declared, PolicyKind::RuntimeSandbox),
            compaction_policy_digest: take(&mut declared, PolicyKind::Compaction),
            guardrail_stage_policy_digest: take(&mut declared, PolicyKind::GuardrailStage),
            eval_gate_policy_digest: take(&mut declared, PolicyKind::EvalGate),
            red_team_policy_digest: take(&mut declared, PolicyKind::RedTeam),
            context_scope_digest: take(&mut declared, PolicyKind::ContextScope),
            handoff_contract_digest: take(&mut declared, PolicyKind::HandoffContract),
            stop_policy: take(&mut declared, PolicyKind::Stop),
            protocol_state_policy: take(&mut declared, PolicyKind::ProtocolState),
        }
    }
}

fn take(declared: &mut BTreeMap<PolicyKind, kernel::Digest>, kind: PolicyKind) -> Option<DigestText> {
    declared.remove(&kind).map(DigestText)
}

/// `auto`, `any`, `specific`, or `specific:<tool>`.
#[derive(Debug, Clone)]
pub(crate) struct ToolChoice(kernel::ToolChoice);

impl Wire for ToolChoice {
    type Kernel = kernel::ToolChoice;

    fn into_kernel(self) -> Self::Kernel {
        self.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(kernel)
    }

    fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Name::read_optional(deserializer)?.map(|name| Self::from_name(&name)).transpose()
    }
}

impl ToolChoice {
    fn from_name<E: serde::de::Error>(name: &Name) -> Result<Self, E> {
        let text = name.0.as_str();
        let (word, tool) = text.split_once(':').map_or((text, None), |(word, tool)| (word, Some(tool)));
        match (word.trim().to_ascii_lowercase().as_str(), tool.and_then(kernel::Text::new)) {
            ("auto", None) => Ok(Self(kernel::ToolChoice::Auto)),
            ("any", None) => Ok(Self(kernel::ToolChoice::Any)),
            ("specific", tool) => Ok(Self(kernel::ToolChoice::Specific(tool))),
            _ => Err(E::unknown_variant(text, &["auto", "any", "specific", "specific:<tool>"])),
        }
    }
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Name::deserialize(deserializer).and_then(|name| Self::from_name(&name))
    }
}

impl Serialize for ToolChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.token())
    }
}

impl JsonSchema for ToolChoice {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ToolChoice")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^\\s*([Aa][Uu][Tt][Oo]|[Aa][Nn][Yy]|[Ss][Pp][Ee][Cc][Ii][Ff][Ii][Cc](\\s*:.+)?)\\s*$" })
    }
}
