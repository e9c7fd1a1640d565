//! The kinds of policy a call spec can name, and what their absence means.

use alloc::format;
use alloc::string::String;

use crate::failure::FailureClass;

macro_rules! policy_kinds {
    ($($variant:ident $field:literal $key:literal $class:ident;)+) => {
        /// A policy that the call spec binds by digest.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum PolicyKind {
            $(#[doc = concat!("`", $field, "`")] $variant,)+
        }

        impl PolicyKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its field in the call spec.
            #[must_use]
            pub const fn field(self) -> &'static str {
                match self { $(Self::$variant => $field,)+ }
            }

            /// Its key among the policy documents.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)+ }
            }

            /// The class of a declared policy whose document is absent or hashes differently.
            #[must_use]
            pub const fn failure_class(self) -> FailureClass {
                match self { $(Self::$variant => FailureClass::$class,)+ }
            }
        }
    };
}

policy_kinds! {
    AllowedCallers "allowedCallersDigest" "allowedCallers" CallerNotAllowed;
    Compaction "compactionPolicyDigest" "compactionPolicy" CompactionStateInvalid;
    ContextScope "contextScopeDigest" "contextScope" ScopeViolation;
    Decomposition "decompositionPolicyDigest" "decompositionPolicy" DecompositionPolicyViolation;
    Defer "deferPolicyDigest" "deferPolicy" DiscoveryUnresolved;
    EvalGate "evalGatePolicyDigest" "evalGatePolicy" EvalGateUnmet;
    EvalProfile "evalProfileRef" "evalProfile" EvalLineageMissing;
    ExecutionBoundary "executionBoundaryPolicy" "executionBoundaryPolicy" ShellBoundaryViolation;
    Governance "governancePolicyDigest" "governancePolicy" PolicyPackageMismatch;
    GuardrailStage "guardrailStagePolicyDigest" "guardrailStagePolicy" GuardrailStageMissing;
    HandoffContract "handoffContractDigest" "handoffContract" TargetNotAllowed;
    Mutation "mutationPolicyDigest" "mutationPolicy" PolicyDigestMismatch;
    Parallel "parallelPolicy" "parallelPolicy" ParallelPolicyViolation;
    PreContextFilter "preContextFilterPolicy" "preContextFilterPolicy" EvalLineageMissing;
    ProtocolState "protocolStatePolicy" "protocolStatePolicy" StopReasonUnhandled;
    RedTeam "redTeamPolicyDigest" "redTeamPolicy" RedteamGateUnmet;
    ReminderQueue "reminderQueuePolicyDigest" "reminderQueuePolicy" QueuePolicyViolation;
    RuntimeSandbox "runtimeSandboxRef" "runtimeSandbox" ShellBoundaryViolation;
    StateView "stateViewPolicyDigest" "stateViewPolicy" QueuePolicyViolation;
    Stop "stopPolicy" "stopPolicy" StopReasonUnhandled;
    ToolCatalog "toolCatalogDigest" "toolCatalog" DiscoveryMismatch;
    ToolExample "toolExampleDigest" "toolExample" ExampleDigestMismatch;
    Tool "toolPolicy" "toolPolicy" UnknownOrDisallowed;
    ToolRenderProtocol "toolRenderProtocolDigest" "toolRenderProtocol" QueuePolicyViolation;
    Truncation "toolResponseTruncationPolicy" "toolResponseTruncationPolicy" ResponseTruncationPolicyViolation;
    Transport "toolTransportPolicy" "toolTransportPolicy" ParallelTransportOrderInvalid;
}

impl PolicyKind {
    /// Whether every call spec names it, so that its document may be absent.
    #[must_use]
    pub const fn is_mandatory(self) -> bool {
        matches!(
            self,
            Self::Mutation
                | Self::Governance
                | Self::ToolRenderProtocol
                | Self::ReminderQueue
                | Self::StateView
                | Self::Decomposition
        )
    }

    /// How a reason names it.
    pub(crate) fn subject(self) -> String {
        format!("policies.{}", self.key())
    }
}
