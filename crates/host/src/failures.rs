//! The pages about failure classes, built into the binary so that `explain` works anywhere.
//!
//! A page has a fixed shape (docs/failures): a title, one sentence, and sections. Must not repeat what a page says.

use premath_kernel::FailureClass;
use premath_wire::v1::Explanation;

const ACTION_HEADING: &str = "## What to do";

macro_rules! pages {
    ($($variant:ident $code:literal;)+) => {
        /// The page of a class, as Markdown.
        const fn page(class: FailureClass) -> &'static str {
            match class {
                $(FailureClass::$variant => include_str!(concat!("../../../docs/failures/", $code, ".md")),)+
            }
        }
    };
}

pages! {
    InjectionPointMissing "context.injection_point_missing";
    QueuePolicyViolation "context.queue_policy_violation";
    ScopeViolation "context.scope_violation";
    DecompositionPolicyViolation "coordination.decomposition_policy_violation";
    ClaimIdInvalid "governance.claim_id_invalid";
    EvalGateUnmet "governance.eval_gate_unmet";
    EvalLineageMissing "governance.eval_lineage_missing";
    GuardrailStageMissing "governance.guardrail_stage_missing";
    GuardrailStageOrderInvalid "governance.guardrail_stage_order_invalid";
    PolicyPackageMismatch "governance.policy_package_mismatch";
    PolicyPackageUnpinned "governance.policy_package_unpinned";
    RedteamGateUnmet "governance.redteam_gate_unmet";
    RiskTierProfileMissing "governance.risk_tier_profile_missing";
    SelfEvolutionEscalationMissing "governance.self_evolution_escalation_missing";
    SelfEvolutionRetryMissing "governance.self_evolution_retry_missing";
    SelfEvolutionRollbackMissing "governance.self_evolution_rollback_missing";
    TraceModeViolation "governance.trace_mode_violation";
    RequiredArtifactMissing "handoff.required_artifact_missing";
    ReturnPathMissing "handoff.return_path_missing";
    TargetNotAllowed "handoff.target_not_allowed";
    CapabilityClaimMissing "mutation.capability_claim_missing";
    PolicyDigestMismatch "mutation.policy_digest_mismatch";
    UseEvidenceMissing "mutation.use_evidence_missing";
    ParallelTransportOrderInvalid "protocol.parallel_transport_order_invalid";
    StopReasonUnhandled "protocol.stop_reason_unhandled";
    CompactionStateInvalid "runtime.compaction_state_invalid";
    ShellBoundaryViolation "runtime.shell_boundary_violation";
    CallerNotAllowed "tool.caller_not_allowed";
    DiscoveryMismatch "tool.discovery_mismatch";
    DiscoveryUnresolved "tool.discovery_unresolved";
    ExampleDigestMismatch "tool.example_digest_mismatch";
    JoinIncomplete "tool.join_incomplete";
    ParallelPolicyViolation "tool.parallel_policy_violation";
    ProgrammaticCallerEdgeInvalid "tool.programmatic_caller_edge_invalid";
    ResponseTruncationPolicyViolation "tool.response_truncation_policy_violation";
    ResultMissing "tool.result_missing";
    ResultOrphan "tool.result_orphan";
    SchemaInvalid "tool.schema_invalid";
    UnknownOrDisallowed "tool.unknown_or_disallowed";
    UseMissing "tool.use_missing";
    UseUnknownResult "tool.use_unknown_result";
    UseWithoutResult "tool.use_without_result";
}

/// The sentence under the title.
fn summary(page: &'static str) -> &'static str {
    page.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// The first line of what to do: one sentence that stands alone.
fn first_action(page: &'static str) -> &'static str {
    let mut lines = page.lines().skip_while(|line| *line != ACTION_HEADING).skip(1);
    lines.find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// What to do about a class, in one sentence.
#[must_use]
pub fn hint(class: FailureClass) -> &'static str {
    first_action(page(class))
}

/// Everything there is to say about a class.
#[must_use]
pub fn explain(class: FailureClass) -> Explanation {
    let page = page(class);
    Explanation {
        class: class.code(),
        family: format!("{:?}", class.family()).to_ascii_lowercase(),
        stage: class.stage().name(),
        summary: summary(page),
        hint: first_action(page),
        page,
    }
}

#[cfg(test)]
mod tests;
