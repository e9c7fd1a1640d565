//! The pure meaning of a tool-calling turn.
//!
//! Takes evidence, returns a proof or a refusal with all its reasons. It must not do I/O, read a clock, draw random
//! numbers, run async code or know a wire name; `no_std` makes most of that a build error.

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod admit;
mod assess;
mod call_spec;
mod canon;
mod checks;
mod close;
mod constraints;
mod digest;
mod evidence;
mod failure;
mod governance;
mod intent;
mod normalize;
mod path;
mod policy;
mod refusal;
mod scalar;
mod turn;
mod witness;
mod work;

pub use admit::{ActivePolicy, MutationReady, admit};
pub use assess::{Assessment, Outcome, assess};
pub use call_spec::{ActionMode, CallSpec, ExecutionPattern, OrchestrationRole, ToolChoice};
pub use canon::{DuplicateKey, Fields, Number, Object, Value, encode, encode_into};
pub use checks::governance::assess_profile;
pub use close::{JoinClosed, close};
pub use constraints::{
    Constraints, DecompositionConstraints, HandoffConstraints, ProtocolConstraints, TruncationConstraints,
};
pub use digest::{Digest, base32hex, hex, sha256};
pub use evidence::{
    Access, Artifact, CallerEdge, CodeExecution, Compaction, Counters, Disposition, ErrorEnvelope,
    ErrorMaterial, GuardrailDecision, GuardrailStage, Handoff, HandoffArtifact, HandoffProjection,
    Observations, ObservedArtifact, ObservedFile, PriorResult, PriorUse, ProtocolState, Provenance,
    ProvenanceKind, ReminderQueue, ResultStatus, SchemaError, SearchRef, Shell, Sink, StateView, Tokens,
    ToolRender, ToolRequest, ToolResult, ToolUse, Truncation, TurnEvidence, UseMeaning, Worker,
};
pub use failure::{FailureClass, Family, Stage};
pub use governance::{
    EvalEvidence, EvalGate, GOVERNANCE_CLAIM_ID, GovernanceProfile, Metrics, PolicyProvenance, RedTeam,
    RiskTierClaim, SelfEvolution,
};
pub use intent::{ActionName, Claims, Intent};
pub use normalize::{
    ContextState, Digests, DuplicateRow, JoinState, NormalizedTurn, ResultRow, RowList, normalize,
};
pub use path::Roots;
pub use policy::{
    AllowedCallers, CompactionPolicy, ContextScope, Cut, DecompositionPolicy, DeferPolicy, Document,
    EvalGatePolicy, EvalProfile, ExecutionBoundaryPolicy, GovernancePolicy, GuardrailStagePolicy,
    HandoffContract, MutationPolicy, ObservabilityPolicy, Ordering, ParallelPolicy, Policies, PolicyKind,
    PreContextFilterPolicy, ProtocolStatePolicy, RedTeamPolicy, ReminderQueuePolicy, RiskTierPolicy,
    RoleScope, RuntimeSandbox, StateViewPolicy, StopPolicy, ToolCatalog, ToolEntry, ToolExamples, ToolPolicy,
    ToolRenderProtocol, TransportPolicy, TruncationPolicy, VerificationRule, VerifiedAction,
};
pub use refusal::{Reason, Refusal};
pub use scalar::{Count, Text, TextSet, Token, ToolCallId};
pub use turn::{Strictness, Turn};
pub use witness::{JOIN_CHECK_WITNESS_KIND, Witness};
pub use work::{
    BackoffClass, Blocker, Claim, ClassPattern, Closure, DEFAULT_TTL_SECONDS, DependencyKind, Edge,
    EscalationAction, FailureKind, Feature, FeatureStatus, GraphScope, HolderProof, Holding, IssueGraph,
    IssueProblemClass, IssueText, IssueType, Kpi, KpiDecision, KpiInput, Lease, LeaseClass, LeaseRefusal,
    LeaseState, LedgerClass, MAX_TTL_SECONDS, MIN_TTL_SECONDS, Moment, NOTES_LIMIT, Node, Override, ReadyKey,
    Released, ResultMeaning, RetryDecision, RetryNext, RetryRule, RetryTable, RetryTableFault, Status,
    TargetState, authorise_write, check_ledger, check_text, claim, closure_complete, find_path, holds_back,
    is_claimable, is_ready, lease_state, natural_cmp, next_feature, release, renew, result_meaning,
    retry_needed, verification_commands, worker_of,
};
