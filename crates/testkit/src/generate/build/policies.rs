//! The call spec, the documents behind its digests, and the governance profile.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON object adds the member")]

use serde_json::{Value, json};

use super::calls::group;
use super::{Facts, NORMALIZER, Row, depths};
use crate::generate::plan::{Declared, Supplied, TOOLS, TurnPlan};
use crate::reference::{digest, policy_digest};

const OPTIONAL: [(Declared, &str, &str); 20] = [
    (Declared::Tool, "toolPolicy", "toolPolicy"),
    (Declared::Catalog, "toolCatalogDigest", "toolCatalog"),
    (Declared::Defer, "deferPolicyDigest", "deferPolicy"),
    (Declared::Example, "toolExampleDigest", "toolExample"),
    (Declared::Callers, "allowedCallersDigest", "allowedCallers"),
    (Declared::Filter, "preContextFilterPolicy", "preContextFilterPolicy"),
    (Declared::EvalProfile, "evalProfileRef", "evalProfile"),
    (Declared::Parallel, "parallelPolicy", "parallelPolicy"),
    (Declared::Transport, "toolTransportPolicy", "toolTransportPolicy"),
    (Declared::Truncation, "toolResponseTruncationPolicy", "toolResponseTruncationPolicy"),
    (Declared::Boundary, "executionBoundaryPolicy", "executionBoundaryPolicy"),
    (Declared::Sandbox, "runtimeSandboxRef", "runtimeSandbox"),
    (Declared::Compaction, "compactionPolicyDigest", "compactionPolicy"),
    (Declared::Guardrails, "guardrailStagePolicyDigest", "guardrailStagePolicy"),
    (Declared::EvalGate, "evalGatePolicyDigest", "evalGatePolicy"),
    (Declared::RedTeam, "redTeamPolicyDigest", "redTeamPolicy"),
    (Declared::Scope, "contextScopeDigest", "contextScope"),
    (Declared::Contract, "handoffContractDigest", "handoffContract"),
    (Declared::Stop, "stopPolicy", "stopPolicy"),
    (Declared::Protocol, "protocolStatePolicy", "protocolStatePolicy"),
];

const MANDATORY: [(Supplied, &str, &str); 6] = [
    (Supplied::Mutation, "mutationPolicyDigest", "mutationPolicy"),
    (Supplied::Governance, "governancePolicyDigest", "governancePolicy"),
    (Supplied::Render, "toolRenderProtocolDigest", "toolRenderProtocol"),
    (Supplied::Queue, "reminderQueuePolicyDigest", "reminderQueuePolicy"),
    (Supplied::View, "stateViewPolicyDigest", "stateViewPolicy"),
    (Supplied::Decomposition, "decompositionPolicyDigest", "decompositionPolicy"),
];

/// Several calls in one of the modes for one call need a policy that admits them, a change of policy needs its gates.
fn declares(plan: &TurnPlan, policy: Declared) -> bool {
    let changes_policy = plan.intent.as_ref().is_some_and(|intent| intent.action == "policy.update");
    let makes_several = plan.mode != "code" && plan.calls.len() > 1;
    let is_gate = matches!(policy, Declared::EvalGate | Declared::RedTeam);
    (matches!(policy, Declared::Parallel) && makes_several)
        || (is_gate && changes_policy)
        || plan.declares(policy)
}

pub(super) fn search_schema() -> String {
    digest(&json!({"type": "object"}))
}

pub(super) fn declared_digest(plan: &TurnPlan, policy: Declared) -> String {
    policy_digest(plan.prefix, &optional_document(plan, policy))
}

pub(super) fn mandatory_digest(plan: &TurnPlan, policy: Supplied) -> String {
    if plan.supplies(policy) {
        policy_digest(plan.prefix, &mandatory_document(plan, policy))
    } else {
        format!("pol1_nobody_has_{}", policy as usize)
    }
}

pub(super) fn call_spec(facts: &Facts<'_>) -> Value {
    let plan = facts.plan;
    let mut row = Row::default()
        .with("callId", "turn-1")
        .with("modelRef", "model/a@2025-01")
        .with("actionMode", plan.mode)
        .with("executionPattern", plan.pattern)
        .with("normalizerId", NORMALIZER)
        .maybe("toolChoice", tool_choice(plan))
        .maybe("observabilityMode", plan.declares(Declared::Observability).then_some("internal_processor"))
        .maybe("riskTier", plan.declares(Declared::RiskTier).then_some("moderate"))
        .maybe("orchestrationRole", facts.role);
    for (policy, field, _) in MANDATORY {
        row = row.with(field, mandatory_digest(plan, policy));
    }
    for (policy, field, _) in OPTIONAL {
        row = row.maybe(field, declares(plan, policy).then(|| declared_digest(plan, policy)));
    }
    row.done()
}

/// A named tool is possible where every call asks for it.
fn tool_choice(plan: &TurnPlan) -> Option<String> {
    let choice = plan.around.choice?;
    if choice != "specific:" {
        return Some(choice.to_owned());
    }
    let first = plan.calls.first()?.tool;
    plan.calls.iter().all(|call| call.tool == first).then(|| format!("specific:{first}"))
}

pub(super) fn documents(facts: &Facts<'_>) -> Value {
    let plan = facts.plan;
    let named = |mut document: Value| {
        if plan.prefix == "pol1_" {
            document["policyDigest"] = Value::from(policy_digest(plan.prefix, &document));
        }
        document
    };
    let mut row = Row::default();
    for (policy, _, key) in MANDATORY {
        row = row.maybe(key, plan.supplies(policy).then(|| named(mandatory_document(plan, policy))));
    }
    for (policy, _, key) in OPTIONAL {
        row = row.maybe(key, declares(plan, policy).then(|| named(optional_document(plan, policy))));
    }
    row.maybe(
        "riskTier",
        plan.declares(Declared::RiskTier).then(|| json!({"tiers": [{"tier": "moderate", "profile": "c"}]})),
    )
    .maybe(
        "observabilityMode",
        plan.declares(Declared::Observability)
            .then(|| json!({"allowed": ["internal_processor", "disabled"]})),
    )
    .done()
}

fn mandatory_document(plan: &TurnPlan, policy: Supplied) -> Value {
    match policy {
        Supplied::Mutation => {
            let actions = ["issue_update", "policy_update", "handoff_transfer", "policies_sync", "a_b_c"];
            let granted: Vec<String> =
                actions.iter().map(|action| format!("capabilities.change_morphisms.{action}")).collect();
            json!({ "capabilities": granted })
        }
        Supplied::Governance => json!({"package": "baseline", "version": 3}),
        Supplied::Render => json!({"injectionPoints": ["after_tool_result", "before_user"]}),
        Supplied::Queue => json!({"requiredQueues": ["reminders"]}),
        Supplied::View => json!({"requiredViews": ["conversation"], "title": "views"}),
        Supplied::Decomposition => {
            let depths = depths(plan);
            let deepest = depths.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
            json!({
                "patterns": [plan.pattern, "chain"], "maxWorkers": depths.len(), "maxDepth": deepest,
                "workflowTurnLimit": 8
            })
        }
    }
}

fn optional_document(plan: &TurnPlan, policy: Declared) -> Value {
    let examples = json!([{"path": "a.rs"}]);
    match policy {
        Declared::Tool => json!({"tools": [
            {"name": "edit"}, {"name": "read_file", "note": "not read"}, {"name": "run_command", "shell": true},
            {"name": "search", "schemaDigest": search_schema()}
        ]}),
        Declared::Catalog => json!({"tools": [
            {"name": "edit", "exampleDigest": digest(&examples)}, {"name": "read_file"}, {"name": "run_command"},
            {"name": "search"}
        ]}),
        Declared::Defer => json!({"deferred": ["search"]}),
        Declared::Example => json!({"tools": [{"name": "edit", "examples": examples}]}),
        Declared::Callers => {
            let entry = |name: &str| json!({"name": name, "callers": ["agent.main", "code_execution"]});
            json!({ "tools": TOOLS.map(entry) })
        }
        Declared::Filter => json!({"filteringTools": ["search"]}),
        Declared::EvalProfile => {
            json!({"profileId": "bench", "datasetLineageRef": "data:1", "graderConfigLineageRef": "grader:1"})
        }
        Declared::Parallel => {
            let size =
                |name: Option<&str>| plan.calls.iter().filter(|call| group(plan, call) == name).count();
            let largest = plan.calls.iter().map(|call| size(group(plan, call))).max().unwrap_or(1);
            let row = Row::default().with("allowed", true);
            row.maybe("maxBranches", plan.strict.then_some(largest)).done()
        }
        Declared::Transport => {
            let ordering = if plan.strict { "strict" } else { "any" };
            json!({"ordering": ordering, "parallelToolCalls": true})
        }
        Declared::Truncation => json!({"maxBytes": 4096, "marker": "[cut]"}),
        Declared::Boundary => json!({"workdirRoots": ["work"], "editSurfaces": TOOLS}),
        Declared::Sandbox => json!({"profile": "tight"}),
        Declared::Compaction => json!({"mustKeep": ["rule:1"]}),
        Declared::Guardrails => json!({"stages": ["pre_flight", "input", "output"]}),
        Declared::EvalGate => json!({"precision": 1, "f1": 0}),
        Declared::RedTeam => json!({"minProbes": 3}),
        Declared::Scope => json!({"roles": [
            {"role": "orchestrator", "read": ["work"], "write": ["work"]},
            {"role": "specialist", "read": ["."], "write": ["work"]}
        ]}),
        Declared::Contract => json!({
            "roles": ["orchestrator", "specialist"], "targets": ["reviewer"], "requiredArtifactRefs": ["plan"],
            "requireReturnPath": true
        }),
        Declared::Stop => json!({
            "maxTurns": 8, "maxSteps": 41, "maxToolCalls": 30, "maxTokens": 9000, "maxCostMicros": 2500,
            "maxWallMillis": 6000, "maxIdenticalCalls": 0, "checkpointEveryTurns": 4
        }),
        Declared::Protocol => {
            json!({"stopReasons": [plan.context.stop_reason], "continuation": [plan.context.stop_reason]})
        }
        Declared::RiskTier | Declared::Observability => Value::Null,
    }
}

/// A claimed profile has every section.
pub(super) fn profile(facts: &Facts<'_>) -> Option<Value> {
    if !facts.claimed? {
        return Some(json!({"claimed": false}));
    }
    let package = mandatory_digest(facts.plan, Supplied::Governance);
    Some(json!({
        "claimId": "profile.doctrine_inf_governance.v0",
        "claimed": true,
        "policyProvenance": {
            "pinned": true, "packageRef": "registry/baseline@3", "expectedDigest": package, "boundDigest": package
        },
        "guardrailStages": ["pre_flight", "input", "output"],
        "evalGate": {"passed": true, "metrics": {"precision": 1, "recall": 1, "f1": 1}},
        "evalEvidence": {
            "datasetLineageRef": "data:1", "graderConfigLineageRef": "grader:1", "metricThresholdsRef": "t:1"
        },
        "redTeam": {"probes": 5, "failures": 0, "reportRef": "report:1"},
        "observabilityMode": "internal_processor",
        "riskTier": {"tier": "moderate", "controlProfileBound": true},
        "selfEvolution": {"maxAttempts": 2, "terminalEscalation": "owner", "rollbackRef": "commit:1"}
    }))
}
