//! Which of the supplied documents count: those that the call spec names and that hash to what it says.

use alloc::format;

use super::{
    AllowedCallers, CompactionPolicy, ContextScope, DecompositionPolicy, DeferPolicy, Document, EvalProfile,
    ExecutionBoundaryPolicy, GuardrailStagePolicy, HandoffContract, ParallelPolicy, Policies, PolicyKind,
    PreContextFilterPolicy, ProtocolStatePolicy, ReminderQueuePolicy, RuntimeSandbox, StateViewPolicy,
    StopPolicy, ToolCatalog, ToolExamples, ToolPolicy, ToolRenderProtocol, TransportPolicy, TruncationPolicy,
};
use crate::call_spec::CallSpec;
use crate::refusal::Findings;

/// The terms of the policies that count for one turn. Absent: not declared, or not trustworthy (and already noted).
/// The mutation policy is bound where a mutation is asked for.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    pub(crate) tool_policy: Option<&'a ToolPolicy>,
    pub(crate) tool_catalog: Option<&'a ToolCatalog>,
    pub(crate) defer_policy: Option<&'a DeferPolicy>,
    pub(crate) tool_example: Option<&'a ToolExamples>,
    pub(crate) allowed_callers: Option<&'a AllowedCallers>,
    pub(crate) pre_context_filter: Option<&'a PreContextFilterPolicy>,
    pub(crate) eval_profile: Option<&'a EvalProfile>,
    pub(crate) parallel_policy: Option<&'a ParallelPolicy>,
    pub(crate) transport_policy: Option<&'a TransportPolicy>,
    pub(crate) truncation_policy: Option<&'a TruncationPolicy>,
    pub(crate) tool_render_protocol: Option<&'a ToolRenderProtocol>,
    pub(crate) execution_boundary: Option<&'a ExecutionBoundaryPolicy>,
    pub(crate) runtime_sandbox: Option<&'a RuntimeSandbox>,
    pub(crate) compaction_policy: Option<&'a CompactionPolicy>,
    pub(crate) reminder_queue_policy: Option<&'a ReminderQueuePolicy>,
    pub(crate) state_view_policy: Option<&'a StateViewPolicy>,
    pub(crate) decomposition_policy: Option<&'a DecompositionPolicy>,
    pub(crate) guardrail_stage_policy: Option<&'a GuardrailStagePolicy>,
    pub(crate) context_scope: Option<&'a ContextScope>,
    pub(crate) handoff_contract: Option<&'a HandoffContract>,
    pub(crate) stop_policy: Option<&'a StopPolicy>,
    pub(crate) protocol_state_policy: Option<&'a ProtocolStatePolicy>,
}

impl<'a> Bound<'a> {
    /// Binds every document, noting each declared policy that cannot be trusted.
    pub(crate) fn new(spec: &CallSpec, policies: &'a Policies, findings: &mut Findings) -> Self {
        let binder = &mut Binder { spec, findings };
        // The rules of governance read every supplied document of these, so here only their identity matters.
        binder.bind(PolicyKind::Governance, policies.governance_policy.as_ref());
        binder.bind(PolicyKind::EvalGate, policies.eval_gate_policy.as_ref());
        binder.bind(PolicyKind::RedTeam, policies.red_team_policy.as_ref());
        Self {
            tool_policy: binder.bind(PolicyKind::Tool, policies.tool_policy.as_ref()),
            tool_catalog: binder.bind(PolicyKind::ToolCatalog, policies.tool_catalog.as_ref()),
            defer_policy: binder.bind(PolicyKind::Defer, policies.defer_policy.as_ref()),
            tool_example: binder.bind(PolicyKind::ToolExample, policies.tool_example.as_ref()),
            allowed_callers: binder.bind(PolicyKind::AllowedCallers, policies.allowed_callers.as_ref()),
            pre_context_filter: binder
                .bind(PolicyKind::PreContextFilter, policies.pre_context_filter.as_ref()),
            eval_profile: binder.bind(PolicyKind::EvalProfile, policies.eval_profile.as_ref()),
            parallel_policy: binder.bind(PolicyKind::Parallel, policies.parallel_policy.as_ref()),
            transport_policy: binder.bind(PolicyKind::Transport, policies.transport_policy.as_ref()),
            truncation_policy: binder.bind(PolicyKind::Truncation, policies.truncation_policy.as_ref()),
            tool_render_protocol: binder
                .bind(PolicyKind::ToolRenderProtocol, policies.tool_render_protocol.as_ref()),
            execution_boundary: binder
                .bind(PolicyKind::ExecutionBoundary, policies.execution_boundary.as_ref()),
            runtime_sandbox: binder.bind(PolicyKind::RuntimeSandbox, policies.runtime_sandbox.as_ref()),
            compaction_policy: binder.bind(PolicyKind::Compaction, policies.compaction_policy.as_ref()),
            reminder_queue_policy: binder
                .bind(PolicyKind::ReminderQueue, policies.reminder_queue_policy.as_ref()),
            state_view_policy: binder.bind(PolicyKind::StateView, policies.state_view_policy.as_ref()),
            decomposition_policy: binder
                .bind(PolicyKind::Decomposition, policies.decomposition_policy.as_ref()),
            guardrail_stage_policy: binder
                .bind(PolicyKind::GuardrailStage, policies.guardrail_stage_policy.as_ref()),
            context_scope: binder.bind(PolicyKind::ContextScope, policies.context_scope.as_ref()),
            handoff_contract: binder.bind(PolicyKind::HandoffContract, policies.handoff_contract.as_ref()),
            stop_policy: binder.bind(PolicyKind::Stop, policies.stop_policy.as_ref()),
            protocol_state_policy: binder
                .bind(PolicyKind::ProtocolState, policies.protocol_state_policy.as_ref()),
        }
    }
}

struct Binder<'b> {
    spec: &'b CallSpec,
    findings: &'b mut Findings,
}

impl Binder<'_> {
    fn bind<'a, Terms>(
        &mut self,
        kind: PolicyKind,
        document: Option<&'a Document<Terms>>,
    ) -> Option<&'a Terms> {
        let declared = self.spec.binding(kind)?;
        let Some(document) = document else {
            if !kind.is_mandatory() {
                let detail = format!("declared as {declared}, but its document was not supplied");
                self.findings.add(kind.failure_class(), kind.subject(), detail);
            }
            return None;
        };
        let computed = document.digest_like(declared);
        if computed == declared {
            return Some(&document.terms);
        }
        let detail = format!("declared as {declared}, but the supplied document hashes to {computed}");
        self.findings.add(kind.failure_class(), kind.subject(), detail);
        None
    }
}
