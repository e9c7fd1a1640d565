//! A turn's evidence on the wire.

use premath_kernel as kernel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_spec::CallSpec;
use super::context::{
    CodeExecution, Compaction, GuardrailDecision, PriorUse, ProtocolState, ReminderQueue, StateView,
    ToolRender, ToolUse, Worker,
};
use super::handoff::{Handoff, HandoffProjection, Observations};
use super::request::ToolRequest;
use super::result::ToolResult;
use super::row::Wire;
use super::scalar::Refs;

/// Everything that was observed in one turn. Row order means nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEvidence {
    /// What the model was called with.
    pub(crate) call_spec: CallSpec,
    /// What the model asked for.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) tool_requests: Vec<ToolRequest>,
    /// What came back.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) tool_results: Vec<ToolResult>,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) tool_use: Vec<ToolUse>,
    /// Results of earlier turns that something of this turn rests on.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) prior_use: Vec<PriorUse>,
    /// How results were rendered.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) tool_render: Vec<ToolRender>,
    /// Reductions of the reminder queues.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) reminder_queue: Vec<ReminderQueue>,
    /// Views of the conversation state.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) state_views: Vec<StateView>,
    /// How the model call ended.
    pub(crate) protocol_state: ProtocolState,
    /// A transfer to another role.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) handoff: Option<Handoff>,
    /// Guardrail decisions about the turn as a whole.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) guardrails: Vec<GuardrailDecision>,
    /// Programs the model ran.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) code_executions: Vec<CodeExecution>,
    /// A compaction that happened before the turn.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) compaction: Option<Compaction>,
    /// Workers spawned by the turn.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) workers: Vec<Worker>,
    /// The part of the handoff contract shown to this role.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) handoff_projection: Option<HandoffProjection>,
    /// What the runtime looked up.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) observations: Option<Observations>,
    /// Session records that cite this turn.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) session_refs: Refs,
    /// Trajectory rows that cite this turn.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    pub(crate) trajectory_refs: Refs,
}

impl TurnEvidence {
    /// The call spec and the rows, as the kernel has them.
    #[must_use]
    pub fn into_kernel(self) -> (kernel::CallSpec, kernel::TurnEvidence) {
        let evidence = kernel::TurnEvidence {
            requests: self.tool_requests.into_kernel(),
            results: self.tool_results.into_kernel(),
            uses: self.tool_use.into_kernel(),
            prior_uses: self.prior_use.into_kernel(),
            renders: self.tool_render.into_kernel(),
            queues: self.reminder_queue.into_kernel(),
            views: self.state_views.into_kernel(),
            protocol: self.protocol_state.into_kernel(),
            handoff: self.handoff.into_kernel(),
            guardrails: self.guardrails.into_kernel(),
            code_executions: self.code_executions.into_kernel(),
            compaction: self.compaction.into_kernel(),
            workers: self.workers.into_kernel(),
            handoff_projection: self.handoff_projection.into_kernel(),
            observations: self.observations.into_kernel(),
            session_refs: self.session_refs.into_kernel(),
            trajectory_refs: self.trajectory_refs.into_kernel(),
        };
        (self.call_spec.into_kernel(), evidence)
    }

    /// The wire form of a turn that the kernel's types hold.
    #[must_use]
    pub fn from_kernel(spec: kernel::CallSpec, evidence: kernel::TurnEvidence) -> Self {
        Self {
            call_spec: Wire::from_kernel(spec),
            tool_requests: Wire::from_kernel(evidence.requests),
            tool_results: Wire::from_kernel(evidence.results),
            tool_use: Wire::from_kernel(evidence.uses),
            prior_use: Wire::from_kernel(evidence.prior_uses),
            tool_render: Wire::from_kernel(evidence.renders),
            reminder_queue: Wire::from_kernel(evidence.queues),
            state_views: Wire::from_kernel(evidence.views),
            protocol_state: Wire::from_kernel(evidence.protocol),
            handoff: Wire::from_kernel(evidence.handoff),
            guardrails: Wire::from_kernel(evidence.guardrails),
            code_executions: Wire::from_kernel(evidence.code_executions),
            compaction: Wire::from_kernel(evidence.compaction),
            workers: Wire::from_kernel(evidence.workers),
            handoff_projection: Wire::from_kernel(evidence.handoff_projection),
            observations: Wire::from_kernel(evidence.observations),
            session_refs: Wire::from_kernel(evidence.session_refs),
            trajectory_refs: Wire::from_kernel(evidence.trajectory_refs),
        }
    }
}
