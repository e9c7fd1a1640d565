//! The JSON Schemas of everything on the wire, generated from the types themselves.

mod checks;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Value, json};

use super::{
    ApprovalAnswer, ApprovalPage, AskAnswer, AuditPage, AuditRow, AuditVerified, AuditWhy, BackendStatus,
    BlockedRow, BootAnswer, BootstrapAnswer, ClaimNextAnswer, CompactAnswer, ConfigAnswer, ConformanceReport,
    ConversationCard, ConversationChanged, ConversationListing, ConversationLog, CoordinatorAnswer,
    DependencyDiagnostics, DependencyProjection, DeskChanged, DeskDocument, DeskHistory, DeskListing,
    DeskMatches, DeskTree, DoctorAnswer, Expectation, Explanation, ExportAnswer, FeatureAnswer,
    FeatureCheckAnswer, FeatureLedger, FeatureNextAnswer, FeatureRow, FeatureWriteAnswer, ForeignToolsAnswer,
    GcAnswer, GovernanceInput, GovernanceReport, GuardrailsResult, HistoryAnswer, HostEffect, ImportAnswer,
    InitAnswer, InstructionCheckAnswer, InstructionRunAnswer, InstructionWitnessAnswer, IssueAnswer,
    IssueCard, IssueCheckAnswer, IssueGraph, IssueListing, IssueShape, JoinCheckReport, KpiAnswer,
    LandAnswer, LeaseProjection, MeasureAnswer, MetricsAnswer, ModelCircuits, ModelListing, Outcome,
    PermitPage, PolicyAnswer, PolicyDiffAnswer, PolicyDraftAnswer, PolicyExplained, PolicyExport,
    PromotionAnswer, PromotionListing, ProposalAnswer, ProposalPage, RedTeamResult, RemediateAnswer,
    ReplayAnswer, RunAnswer, RunCard, RunEventRow, RunEvents, RunExport, RunForgotten, RunListing,
    SandboxCheckAnswer, SandboxOutcome, SchemeEvalAnswer, SchemeTrace, SessionAnswer, SessionDocument,
    StepAnswer, StepRow, StepShowAnswer, StopAnswer, ToolListing, ToolsResult, TrajectoryProjection,
    TrustAnswer, TurnCard, TurnInput, UiChunk, VerifyAnswer, WorkEventRow, WorkStepAnswer, WorkerAnswer,
};

/// The names `premath schema` knows.
pub const SCHEMA_NAMES: [&str; 119] = [
    "approval",
    "approval-page",
    "ask",
    "audit-page",
    "audit-row",
    "audit-verify",
    "audit-why",
    "check-outcome",
    "ci-required",
    "coherence-check",
    "config",
    "conformance-expectation",
    "conformance-report",
    "conversation",
    "conversation-changed",
    "conversation-listing",
    "conversation-log",
    "coordinator",
    "dep-diagnostics",
    "dep-projection",
    "desk-changed",
    "desk-document",
    "desk-history",
    "desk-listing",
    "desk-matches",
    "desk-tree",
    "doctor",
    "eval-guardrails",
    "eval-tools",
    "explanation",
    "foreign-tools",
    "gc",
    "governance-check-input",
    "governance-check-report",
    "guard-decision",
    "guard-install",
    "harness-boot",
    "harness-bootstrap",
    "harness-feature-check",
    "harness-feature-ledger",
    "harness-feature-next",
    "harness-feature-write",
    "harness-kpi",
    "harness-remediation",
    "harness-session",
    "harness-step",
    "harness-stop",
    "harness-trajectory",
    "harness-work-step",
    "host-effect",
    "init",
    "instruction-check",
    "instruction-run",
    "instruction-witness",
    "issue-answer",
    "issue-backend-status",
    "issue-blocked",
    "issue-card",
    "issue-check",
    "issue-claim-next",
    "issue-compact",
    "issue-export",
    "issue-graph",
    "issue-history",
    "issue-import",
    "issue-listing",
    "join-check-input",
    "join-check-report",
    "land",
    "lease-projection",
    "metrics",
    "model-circuits",
    "models",
    "observation",
    "observation-answer",
    "observe-attention",
    "observe-instruction",
    "observe-projection",
    "permit-page",
    "policy",
    "policy-diff",
    "policy-draft",
    "policy-explanation",
    "policy-export",
    "promotion",
    "promotion-listing",
    "proposal",
    "proposal-page",
    "redteam",
    "replay",
    "required-decision",
    "required-decision-answer",
    "required-delta",
    "required-gate-ref",
    "required-policy",
    "required-projection",
    "required-verify",
    "required-witness",
    "required-witness-answer",
    "run",
    "run-card",
    "run-event",
    "run-events",
    "run-export",
    "run-forgotten",
    "run-listing",
    "sandbox-check",
    "sandbox-run",
    "scheme-eval",
    "scheme-trace",
    "step-show",
    "tool-listing",
    "trust",
    "turn-card",
    "turn-case",
    "ui-chunk",
    "verify",
    "work-event",
    "worker",
];

/// The schema of that name, if there is one; its members are sorted, whatever the libraries around us keep.
#[must_use]
pub fn schema(name: &str) -> Option<Schema> {
    Schema::try_from(sorted(generated(name)?.to_value())).ok()
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(left, _), (right, _)| left.cmp(right));
            Value::Object(members.into_iter().map(|(name, value)| (name, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}

#[expect(clippy::too_many_lines, reason = "one line for every schema")]
fn generated(name: &str) -> Option<Schema> {
    let reading = SchemaSettings::draft2020_12()
        .for_deserialize()
        .with_transform(RecursiveTransform(admit_absence))
        .into_generator();
    let writing = SchemaSettings::draft2020_12().for_serialize().into_generator();
    Some(match name {
        "approval" => writing.into_root_schema_for::<Outcome<ApprovalAnswer>>(),
        "approval-page" => writing.into_root_schema_for::<ApprovalPage>(),
        "policy" => writing.into_root_schema_for::<PolicyAnswer>(),
        "policy-diff" => writing.into_root_schema_for::<PolicyDiffAnswer>(),
        "policy-draft" => writing.into_root_schema_for::<PolicyDraftAnswer>(),
        "policy-explanation" => writing.into_root_schema_for::<PolicyExplained>(),
        "policy-export" => writing.into_root_schema_for::<PolicyExport>(),
        "proposal" => writing.into_root_schema_for::<Outcome<ProposalAnswer>>(),
        "proposal-page" => writing.into_root_schema_for::<ProposalPage>(),
        "audit-page" => writing.into_root_schema_for::<AuditPage<AuditRow>>(),
        "audit-row" => writing.into_root_schema_for::<AuditRow>(),
        "audit-verify" => writing.into_root_schema_for::<Outcome<AuditVerified>>(),
        "audit-why" => writing.into_root_schema_for::<AuditWhy>(),
        "config" => writing.into_root_schema_for::<ConfigAnswer>(),
        "conformance-expectation" => reading.into_root_schema_for::<Expectation>(),
        "conformance-report" => writing.into_root_schema_for::<ConformanceReport>(),
        "dep-diagnostics" => writing.into_root_schema_for::<DependencyDiagnostics>(),
        "dep-projection" => writing.into_root_schema_for::<Outcome<DependencyProjection>>(),
        "ask" => writing.into_root_schema_for::<AskAnswer>(),
        "metrics" => writing.into_root_schema_for::<MetricsAnswer>(),
        "model-circuits" => writing.into_root_schema_for::<ModelCircuits>(),
        "models" => writing.into_root_schema_for::<ModelListing>(),
        "sandbox-check" => writing.into_root_schema_for::<SandboxCheckAnswer>(),
        "sandbox-run" => writing.into_root_schema_for::<SandboxOutcome>(),
        "scheme-eval" => writing.into_root_schema_for::<Outcome<SchemeEvalAnswer>>(),
        "scheme-trace" => reading.into_root_schema_for::<SchemeTrace>(),
        "doctor" => writing.into_root_schema_for::<Outcome<DoctorAnswer>>(),
        "explanation" => writing.into_root_schema_for::<Explanation>(),
        "foreign-tools" => writing.into_root_schema_for::<Outcome<ForeignToolsAnswer>>(),
        "gc" => writing.into_root_schema_for::<Outcome<GcAnswer>>(),
        "governance-check-input" => reading.into_root_schema_for::<GovernanceInput>(),
        "governance-check-report" => writing.into_root_schema_for::<GovernanceReport>(),
        "host-effect" => writing.into_root_schema_for::<HostEffect<crate::Json>>(),
        "init" => writing.into_root_schema_for::<Outcome<InitAnswer>>(),
        "instruction-check" => writing.into_root_schema_for::<InstructionCheckAnswer>(),
        "instruction-run" => writing.into_root_schema_for::<Outcome<InstructionRunAnswer>>(),
        "instruction-witness" => writing.into_root_schema_for::<InstructionWitnessAnswer>(),
        "issue-answer" => writing.into_root_schema_for::<Outcome<IssueAnswer<IssueShape>>>(),
        "issue-backend-status" => writing.into_root_schema_for::<BackendStatus>(),
        "issue-blocked" => writing.into_root_schema_for::<IssueListing<Vec<BlockedRow<IssueShape>>>>(),
        "issue-card" => writing.into_root_schema_for::<Outcome<IssueCard<IssueShape>>>(),
        "issue-check" => writing.into_root_schema_for::<IssueCheckAnswer>(),
        "issue-claim-next" => writing.into_root_schema_for::<Outcome<ClaimNextAnswer<IssueShape>>>(),
        "issue-compact" => writing.into_root_schema_for::<Outcome<CompactAnswer>>(),
        "issue-export" => writing.into_root_schema_for::<ExportAnswer<Vec<crate::Json>>>(),
        "issue-history" => writing.into_root_schema_for::<Outcome<HistoryAnswer>>(),
        "issue-import" => writing.into_root_schema_for::<Outcome<ImportAnswer>>(),
        "issue-listing" => writing.into_root_schema_for::<IssueListing<Vec<IssueShape>>>(),
        "join-check-input" => reading.into_root_schema_for::<TurnInput>(),
        "join-check-report" => writing.into_root_schema_for::<JoinCheckReport<'_>>(),
        "lease-projection" => writing.into_root_schema_for::<LeaseProjection>(),
        "eval-guardrails" => writing.into_root_schema_for::<MeasureAnswer<GuardrailsResult>>(),
        "eval-tools" => writing.into_root_schema_for::<MeasureAnswer<ToolsResult>>(),
        "redteam" => writing.into_root_schema_for::<MeasureAnswer<RedTeamResult>>(),
        "permit-page" => writing.into_root_schema_for::<PermitPage>(),
        "promotion" => writing.into_root_schema_for::<Outcome<PromotionAnswer>>(),
        "promotion-listing" => writing.into_root_schema_for::<PromotionListing>(),
        "replay" => writing.into_root_schema_for::<ReplayAnswer>(),
        "run" => writing.into_root_schema_for::<RunAnswer>(),
        "run-card" => writing.into_root_schema_for::<RunCard>(),
        "run-event" => writing.into_root_schema_for::<RunEventRow>(),
        "issue-graph" => writing.into_root_schema_for::<IssueGraph>(),
        "tool-listing" => writing.into_root_schema_for::<ToolListing>(),
        "run-events" => writing.into_root_schema_for::<RunEvents<crate::Json>>(),
        "run-export" => writing.into_root_schema_for::<RunExport<Vec<crate::Json>>>(),
        "run-forgotten" => writing.into_root_schema_for::<RunForgotten>(),
        "run-listing" => writing.into_root_schema_for::<RunListing>(),
        "trust" => writing.into_root_schema_for::<Outcome<TrustAnswer>>(),
        "turn-card" => writing.into_root_schema_for::<TurnCard>(),
        "turn-case" => writing.into_root_schema_for::<TurnInput>(),
        "verify" => writing.into_root_schema_for::<VerifyAnswer>(),
        _ => {
            return of_harness(name)
                .or_else(|| of_desk(name))
                .or_else(|| checks::generated(name, reading, writing));
        }
    })
}

/// The schemas of the desk: its files, and what is said about them.
fn of_desk(name: &str) -> Option<Schema> {
    let writing = SchemaSettings::draft2020_12().for_serialize().into_generator();
    Some(match name {
        "conversation" => writing.into_root_schema_for::<Outcome<ConversationCard>>(),
        "conversation-changed" => writing.into_root_schema_for::<Outcome<ConversationChanged>>(),
        "conversation-listing" => writing.into_root_schema_for::<ConversationListing>(),
        "conversation-log" => writing.into_root_schema_for::<Outcome<ConversationLog>>(),
        "ui-chunk" => writing.into_root_schema_for::<UiChunk>(),
        "desk-changed" => writing.into_root_schema_for::<Outcome<DeskChanged>>(),
        "desk-document" => writing.into_root_schema_for::<Outcome<DeskDocument>>(),
        "desk-history" => writing.into_root_schema_for::<Outcome<DeskHistory>>(),
        "desk-listing" => writing.into_root_schema_for::<Outcome<DeskListing>>(),
        "desk-matches" => writing.into_root_schema_for::<DeskMatches>(),
        "desk-tree" => writing.into_root_schema_for::<DeskTree>(),
        _ => return None,
    })
}

/// The schemas of the harness: its lanes, its sessions and its workers.
fn of_harness(name: &str) -> Option<Schema> {
    let writing = SchemaSettings::draft2020_12().for_serialize().into_generator();
    Some(match name {
        "coordinator" => writing.into_root_schema_for::<CoordinatorAnswer>(),
        "step-show" => writing.into_root_schema_for::<Outcome<StepShowAnswer>>(),
        "land" => writing.into_root_schema_for::<Outcome<LandAnswer>>(),
        "harness-boot" => writing.into_root_schema_for::<Outcome<BootAnswer>>(),
        "harness-bootstrap" => writing.into_root_schema_for::<BootstrapAnswer>(),
        "harness-feature-check" => writing.into_root_schema_for::<FeatureCheckAnswer>(),
        "harness-feature-ledger" => writing.into_root_schema_for::<FeatureAnswer<FeatureLedger>>(),
        "harness-feature-next" => writing.into_root_schema_for::<FeatureNextAnswer<FeatureRow>>(),
        "harness-feature-write" => writing.into_root_schema_for::<FeatureWriteAnswer<FeatureRow>>(),
        "harness-kpi" => writing.into_root_schema_for::<KpiAnswer>(),
        "harness-remediation" => writing.into_root_schema_for::<RemediateAnswer>(),
        "harness-session" => writing.into_root_schema_for::<SessionAnswer<SessionDocument>>(),
        "harness-step" => writing.into_root_schema_for::<StepAnswer<StepRow>>(),
        "harness-stop" => writing.into_root_schema_for::<Outcome<StopAnswer>>(),
        "harness-trajectory" => writing.into_root_schema_for::<TrajectoryProjection<StepRow>>(),
        "harness-work-step" => writing.into_root_schema_for::<Outcome<WorkStepAnswer>>(),
        "work-event" => writing.into_root_schema_for::<WorkEventRow>(),
        "worker" => writing.into_root_schema_for::<Outcome<WorkerAnswer>>(),
        _ => return None,
    })
}

/// Where a field may be absent, `null` is absence too, and so is blank text where text is expected.
fn admit_absence(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if required.iter().any(|known| known == name) {
            continue;
        }
        let given = property.take();
        let mut admitted = vec![json!({ "type": "null" })];
        if expects_text(&given) {
            admitted.push(json!({ "type": "string", "pattern": "^\\s*$" }));
        }
        admitted.insert(0, given);
        *property = json!({ "anyOf": admitted });
    }
}

fn expects_text(schema: &Value) -> bool {
    let is_text = |kind: &Value| {
        kind == "string" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "string"))
    };
    let choices = schema.get("anyOf").and_then(Value::as_array);
    schema.get("type").is_some_and(is_text) || choices.is_some_and(|choices| choices.iter().any(expects_text))
}
