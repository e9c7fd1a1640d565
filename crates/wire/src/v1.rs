//! Version 1 of every shape on the wire. Fields may be added as optional; anything else is a new version.

mod approval;
mod audit;
mod call_spec;
mod chat;
mod check_outcome;
mod coherence;
mod constraints;
mod context;
mod desk;
mod effect;
mod evidence;
mod explanation;
mod foreign_tools;
mod governance;
mod guard;
mod handoff;
mod harness;
mod input;
mod instruction;
mod issue;
mod measure;
mod merge;
mod metrics;
mod model;
mod observation;
mod policy;
mod policy_package;
mod report;
mod request;
mod required;
mod result;
mod row;
mod run;
mod sandbox;
mod scalar;
mod schemas;
mod scheme;
mod tool;
mod upkeep;
mod vector;
mod work;

pub use approval::{
    ApprovalAnswer, ApprovalPage, ApprovalRow, GuardHealth, NamedTarget, PolicyAnswer, PolicyExplained,
    PolicyExport, PolicyFile, PolicyLayer, ProposalAnswer, ProposalPage, ProposalRow, ProposalStepRow,
    RuleRow, RuleStanding, ScopeOffer, UsedToday,
};
pub use audit::{
    AUDIT_KIND, AuditKind, AuditPage, AuditRow, AuditVerified, AuditWhy, UnrecordedChange, WhyKind, WhyStep,
    WhySubject,
};
pub use chat::{
    CallLogRow, ConversationCard, ConversationChanged, ConversationListing, ConversationLog, ConversationRow,
    UiChunk, UiData, UiDataKind, UiMessage, UiMetadata, UiPart, UndoRow,
};
pub use check_outcome::{CHECK_OUTCOME_KIND, CheckOutcome, CheckOutput, CheckStatus};
pub use coherence::{CoherenceAnswer, CoherenceCount, CoherenceProblem};
pub use desk::{
    DeskChanged, DeskDocument, DeskFileRow, DeskHistory, DeskListing, DeskMatch, DeskMatches, DeskTree,
    DeskTreeRow, DeskVersion,
};
pub use effect::{HOST_EFFECT_SCHEMA, HostEffect};
pub use explanation::Explanation;
pub use foreign_tools::{ForeignServerRow, ForeignToolRow, ForeignToolsAnswer};
pub use guard::{GuardDecision, GuardFinding, GuardInstalled};
pub use harness::{
    BOOTSTRAP_KIND, BootstrapAnswer, BootstrapMode, FEATURE_LEDGER_KIND, FailureGroup, FeatureAnswer,
    FeatureCheckAnswer, FeatureLedger, FeatureNextAnswer, FeatureReason, FeatureRow, FeatureWriteAnswer,
    KPI_KIND, KpiAnswer, KpiCounts, KpiDecisionRow, KpiPoint, KpiRatios, KpiThresholds, KpiWindow,
    LineWarning, Micros, PROJECTION_KIND, ProjectionMode, REMEDIATION_KIND, RemediateAnswer, RemediationRow,
    SESSION_KIND, STEP_KIND, SessionAnswer, SessionDocument, SessionState, StepAnswer, StepRow,
    TrajectoryProjection,
};
pub use input::{GovernanceInput, JoinCheck, TurnInput};
pub use instruction::{
    INSTRUCTION_POLICY_KIND, INSTRUCTION_WITNESS_KIND, InstructionCheckAnswer, InstructionCheckResult,
    InstructionClassification, InstructionRunAnswer, InstructionWitness, InstructionWitnessAnswer,
    PermitPage, PermitRow,
};
pub use issue::{
    BackendStatus, BlockedRow, BlockerRow, CheckProblem, ClaimNextAnswer, CompactAnswer, ConfigAnswer,
    ConfigRow, DependencyCounts, DependencyDiagnostics, DependencyProjection, ExportAnswer, HistoryAnswer,
    HistoryStep, ImportAnswer, InitAnswer, InitStep, IssueAnswer, IssueCard, IssueCheckAnswer, IssueGraph,
    IssueGraphEdge, IssueGraphNode, IssueListing, IssueShape, LeaseProjection, LeaseRow, LineNote,
    MemberChange, Neighbour, Outcome, ProjectedEdge, ProjectedNode, RefusedAnswer, RefusedBecause, Severity,
    StatusCounts, UnknownDependency,
};
pub use measure::{
    BenignRow, ConfusionRow, GUARDRAILS_REPORT_KIND, GuardTimeRow, GuardrailsResult, Lineage, MeasureAnswer,
    MeasureReport, MissRow, PROMOTION_KIND, ProbeOutcome, ProbeRow, PromotionAnswer, PromotionListing,
    PromotionRow, RED_TEAM_REPORT_KIND, RedTeamResult, SourceMeasureRow, TOOLS_REPORT_KIND, ToolTaskRow,
    ToolsResult, ToolsVariant,
};
pub use merge::{MergeAnswer, MergeRenamed};
pub use metrics::{MetricFamily, MetricKind, MetricSample, MetricsAnswer};
pub use model::{
    AskAnswer, AttemptError, AttemptRow, CircuitRow, KeyState, MODEL_CIRCUITS_KIND, ModelCircuits,
    ModelListing, PriceRow, ProviderCheck, ProviderRow, ProviderState, UsageRow,
};
pub use observation::{
    AttentionAnswer, AttentionRow, OBSERVATION_KIND, Observation, ObservationAnswer, ObservedCounts,
    ObservedInstruction, ObservedInstructionAnswer, ObservedIssue, ObservedProjectionAnswer,
    ObservedRequired, ObservedSession, ObservedStep, ObservedTrajectory, ObservedWork,
};
pub use policy::PolicyDocuments;
pub use policy_package::{
    PolicyDiffAnswer, PolicyDraftAnswer, PolicyFileDiff, PromotionEvaluation, PromotionEvidence,
    PromotionRedTeam,
};
pub use report::{GovernanceReport, JoinCheckReport, NormalizedTurn, ReasonRow, WitnessRecord};
pub use required::{
    DeltaEntry, DeltaStatus, GateRow, REQUIRED_DECISION_KIND, REQUIRED_DELTA_KIND, REQUIRED_POLICY_KIND,
    REQUIRED_PROJECTION_KIND, REQUIRED_WITNESS_KIND, RangeEnd, RequiredCheck, RequiredDecision,
    RequiredDecisionAnswer, RequiredDelta, RequiredDeltaAnswer, RequiredGateAnswer, RequiredPolicy,
    RequiredProjection, RequiredProjectionAnswer, RequiredReason, RequiredRule, RequiredRunAnswer,
    RequiredVerdict, RequiredVerified, RequiredWitness, RequiredWitnessAnswer, SelectedCheck, VerdictClass,
};
pub use run::{
    AskedCallRow, CallArtifact, CallEnd, CallJudged, CallRow, CallTruncation, ChangedFile, ConfirmationRow,
    EarlierFile, FilteredTokens, IntentResult, IntentState, JudgedIntent, MessageRow, ModelTextKind,
    ObservedCommand, PlanStepRow, ReplayAnswer, ReplayDifference, RunAnswer, RunCard, RunEnding,
    RunEventKind, RunEventRow, RunEvents, RunExport, RunForgotten, RunListing, RunRow, SentMessage,
    SentRequest, SentTool, TurnCard, TurnDigests, TurnRow, TurnVerdict, WorkerRow,
};
pub use sandbox::{
    LayerRow, OutputRow, SandboxCheckAnswer, SandboxEvidenceRow, SandboxOutcome, SandboxRefusal,
    SandboxRunAnswer,
};
pub use schemas::{SCHEMA_NAMES, schema};
pub use scheme::{
    SCHEME_TRACE_KIND, SchemeCallCount, SchemeError, SchemeEvalAnswer, SchemeFailure, SchemeLimits,
    SchemePosition, SchemeResult, SchemeTrace, SchemeTraceCall, SchemeTraceEntry, SchemeUsage,
};
pub use tool::{ToolListing, ToolPin, ToolRow};
pub use upkeep::{
    CheckedCounts, DoctorAnswer, DoctorFailure, DoctorFinding, DoctorRepair, FindingState, GcAnswer,
    StoreProblem, StoreState, TakenOver, TrustAnswer, TrustedLogRow, UntrustedLog, VerifyAnswer,
};
pub use vector::{
    ConformanceReport, Expectation, ExpectedError, ExpectedReason, VectorCommand, VectorOutcome,
};

pub use work::{
    BootAnswer, BootHandoff, CoordinatorAnswer, KeptWorktree, LandAnswer, LandRow, MemoryRoot, SlotRow,
    StepCommandRow, StepOutputRow, StepShowAnswer, StopAnswer, StuckIssue, WORK_EVENT_KIND, WorkCheck,
    WorkEventRow, WorkStepAnswer, WorkerAnswer,
};

pub use call_spec::CallSpec;
pub use evidence::TurnEvidence;
