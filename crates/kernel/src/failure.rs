//! The failure classes: stable names of every way a turn can be refused.
//!
//! A class may be added, never renamed or reused. What a class means to a person is written in docs/failures; this
//! file must not explain.

use core::fmt;

/// The part of the contract a class belongs to: what stands before the dot of its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `tool.*`
    Tool,
    /// `protocol.*`
    Protocol,
    /// `runtime.*`
    Runtime,
    /// `context.*`
    Context,
    /// `coordination.*`
    Coordination,
    /// `handoff.*`
    Handoff,
    /// `governance.*`
    Governance,
    /// `mutation.*`
    Mutation,
}

/// The six stages of a turn, in order. A class breaks the chain at one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// What the model was called with.
    CallSpec,
    /// What the model asked for.
    ToolRequests,
    /// What came back.
    ToolResults,
    /// What became of it.
    ToolUse,
    /// The turn as a whole is closed.
    JoinClosed,
    /// One mutation is admitted.
    MutationReady,
}

impl Stage {
    /// All stages in the order of the chain.
    pub const ALL: [Self; 6] = [
        Self::CallSpec,
        Self::ToolRequests,
        Self::ToolResults,
        Self::ToolUse,
        Self::JoinClosed,
        Self::MutationReady,
    ];

    /// The stage's name as the chain is written everywhere.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CallSpec => "CallSpec",
            Self::ToolRequests => "ToolRequests",
            Self::ToolResults => "ToolResults",
            Self::ToolUse => "ToolUse",
            Self::JoinClosed => "JoinClosed",
            Self::MutationReady => "MutationReady",
        }
    }
}

macro_rules! failure_classes {
    ($($variant:ident $code:literal $family:ident $stage:ident;)+) => {
        /// Why a turn was refused. Ordered by code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FailureClass {
            $(#[doc = concat!("`", $code, "`")] $variant,)+
        }

        impl FailureClass {
            /// Every class, sorted by code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable string.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The family its code starts with.
            #[must_use]
            pub const fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family,)+ }
            }

            /// The stage of the chain that it breaks.
            #[must_use]
            pub const fn stage(self) -> Stage {
                match self { $(Self::$variant => Stage::$stage,)+ }
            }
        }
    };
}

failure_classes! {
    InjectionPointMissing "context.injection_point_missing" Context JoinClosed;
    QueuePolicyViolation "context.queue_policy_violation" Context JoinClosed;
    ScopeViolation "context.scope_violation" Context ToolResults;
    DecompositionPolicyViolation "coordination.decomposition_policy_violation" Coordination JoinClosed;
    ClaimIdInvalid "governance.claim_id_invalid" Governance CallSpec;
    EvalGateUnmet "governance.eval_gate_unmet" Governance CallSpec;
    EvalLineageMissing "governance.eval_lineage_missing" Governance CallSpec;
    GuardrailStageMissing "governance.guardrail_stage_missing" Governance JoinClosed;
    GuardrailStageOrderInvalid "governance.guardrail_stage_order_invalid" Governance JoinClosed;
    PolicyPackageMismatch "governance.policy_package_mismatch" Governance CallSpec;
    PolicyPackageUnpinned "governance.policy_package_unpinned" Governance CallSpec;
    RedteamGateUnmet "governance.redteam_gate_unmet" Governance CallSpec;
    RiskTierProfileMissing "governance.risk_tier_profile_missing" Governance CallSpec;
    SelfEvolutionEscalationMissing "governance.self_evolution_escalation_missing" Governance CallSpec;
    SelfEvolutionRetryMissing "governance.self_evolution_retry_missing" Governance CallSpec;
    SelfEvolutionRollbackMissing "governance.self_evolution_rollback_missing" Governance CallSpec;
    TraceModeViolation "governance.trace_mode_violation" Governance CallSpec;
    RequiredArtifactMissing "handoff.required_artifact_missing" Handoff JoinClosed;
    ReturnPathMissing "handoff.return_path_missing" Handoff JoinClosed;
    TargetNotAllowed "handoff.target_not_allowed" Handoff JoinClosed;
    CapabilityClaimMissing "mutation.capability_claim_missing" Mutation MutationReady;
    PolicyDigestMismatch "mutation.policy_digest_mismatch" Mutation MutationReady;
    UseEvidenceMissing "mutation.use_evidence_missing" Mutation MutationReady;
    ParallelTransportOrderInvalid "protocol.parallel_transport_order_invalid" Protocol ToolResults;
    StopReasonUnhandled "protocol.stop_reason_unhandled" Protocol JoinClosed;
    CompactionStateInvalid "runtime.compaction_state_invalid" Runtime JoinClosed;
    ShellBoundaryViolation "runtime.shell_boundary_violation" Runtime ToolResults;
    CallerNotAllowed "tool.caller_not_allowed" Tool ToolRequests;
    DiscoveryMismatch "tool.discovery_mismatch" Tool ToolRequests;
    DiscoveryUnresolved "tool.discovery_unresolved" Tool ToolRequests;
    ExampleDigestMismatch "tool.example_digest_mismatch" Tool ToolRequests;
    JoinIncomplete "tool.join_incomplete" Tool JoinClosed;
    ParallelPolicyViolation "tool.parallel_policy_violation" Tool ToolRequests;
    ProgrammaticCallerEdgeInvalid "tool.programmatic_caller_edge_invalid" Tool ToolResults;
    ResponseTruncationPolicyViolation "tool.response_truncation_policy_violation" Tool ToolResults;
    ResultMissing "tool.result_missing" Tool ToolResults;
    ResultOrphan "tool.result_orphan" Tool ToolResults;
    SchemaInvalid "tool.schema_invalid" Tool ToolRequests;
    UnknownOrDisallowed "tool.unknown_or_disallowed" Tool ToolRequests;
    UseMissing "tool.use_missing" Tool ToolUse;
    UseUnknownResult "tool.use_unknown_result" Tool ToolUse;
    UseWithoutResult "tool.use_without_result" Tool ToolUse;
}

impl FailureClass {
    /// The class with this code.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| class.code() == code)
    }
}

impl Ord for FailureClass {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.code().cmp(other.code())
    }
}

impl PartialOrd for FailureClass {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

#[cfg(test)]
mod tests;
