//! The pages about failure classes, built into the binary so that `explain` works anywhere.
//!
//! A page has a fixed shape (docs/failures): a title, one sentence, and sections. Must not repeat what a page says.

use premath_kernel::FailureClass;
use premath_wire::v1::Explanation;

const ACTION_HEADING: &str = "## What to do";

/// The page of a class, as Markdown.
const fn page(class: FailureClass) -> &'static str {
    match class {
        FailureClass::InjectionPointMissing => include_str!("../../../docs/failures/context.injection_point_missing.md"),
        FailureClass::QueuePolicyViolation => include_str!("../../../docs/failures/context.queue_policy_violation.md"),
        FailureClass::ScopeViolation => include_str!("../../../docs/failures/context.scope_violation.md"),
        FailureClass::DecompositionPolicyViolation => include_str!("../../../docs/failures/coordination.decomposition_policy_violation.md"),
        FailureClass::ClaimIdInvalid => include_str!("../../../docs/failures/governance.claim_id_invalid.md"),
        FailureClass::EvalGateUnmet => include_str!("../../../docs/failures/governance.eval_gate_unmet.md"),
        FailureClass::EvalLineageMissing => include_str!("../../../docs/failures/governance.eval_lineage_missing.md"),
        FailureClass::GuardrailStageMissing => include_str!("../../../docs/failures/governance.guardrail_stage_missing.md"),
        FailureClass::GuardrailStageOrderInvalid => include_str!("../../../docs/failures/governance.guardrail_stage_order_invalid.md"),
        FailureClass::PolicyPackageMismatch => include_str!("../../../docs/failures/governance.policy_package_mismatch.md"),
        FailureClass::PolicyPackageUnpinned => include_str!("../../../docs/failures/governance.policy_package_unpinned.md"),
        FailureClass::RedteamGateUnmet => include_str!("../../../docs/failures/governance.redteam_gate_unmet.md"),
        FailureClass::RiskTierProfileMissing => include_str!("../../../docs/failures/governance.risk_tier_profile_missing.md"),
        FailureClass::SelfEvolutionEscalationMissing => include_str!("../../../docs/failures/governance.self_evolution_escalation_missing.md"),
        FailureClass::SelfEvolutionRetryMissing => include_str!("../../../docs/failures/governance.self_evolution_retry_missing.md"),
        FailureClass::SelfEvolutionRollbackMissing => include_str!("../../../docs/failures/governance.self_evolution_rollback_missing.md"),
        FailureClass::TraceModeViolation => include_str!("../../../docs/failures/governance.trace_mode_violation.md"),
        FailureClass::RequiredArtifactMissing => include_str!("../../../docs/failures/handoff.required_artifact_missing.md"),
        FailureClass::ReturnPathMissing => include_str!("../../../docs/failures/handoff.return_path_missing.md"),
        FailureClass::TargetNotAllowed => include_str!("../../../docs/failures/handoff.target_not_allowed.md"),
        FailureClass::CapabilityClaimMissing => include_str!("../../../docs/failures/mutation.capability_claim_missing.md"),
        FailureClass::PolicyDigestMismatch => include_str!("../../../docs/failures/mutation.policy_digest_mismatch.md"),
        FailureClass::UseEvidenceMissing => include_str!("../../../docs/failures/mutation.use_evidence_missing.md"),
        FailureClass::ParallelTransportOrderInvalid => include_str!("../../../docs/failures/protocol.parallel_transport_order_invalid.md"),
        FailureClass::StopReasonUnhandled => include_str!("../../../docs/failures/protocol.stop_reason_unhandled.md"),
        FailureClass::CompactionStateInvalid => include_str!("../../../docs/failures/runtime.compaction_state_invalid.md"),
        FailureClass::ShellBoundaryViolation => include_str!("../../../docs/failures/runtime.shell_boundary_violation.md"),
        FailureClass::CallerNotAllowed => include_str!("../../../docs/failures/tool.caller_not_allowed.md"),
        FailureClass::DiscoveryMismatch => include_str!("../../../docs/failures/tool.discovery_mismatch.md"),
        FailureClass::DiscoveryUnresolved => include_str!("../../../docs/failures/tool.discovery_unresolved.md"),
        FailureClass::ExampleDigestMismatch => include_str!("../../../docs/failures/tool.example_digest_mismatch.md"),
        FailureClass::JoinIncomplete => include_str!("../../../docs/failures/tool.join_incomplete.md"),
        FailureClass::ParallelPolicyViolation => include_str!("../../../docs/failures/tool.parallel_policy_violation.md"),
        FailureClass::ProgrammaticCallerEdgeInvalid => include_str!("../../../docs/failures/tool.programmatic_caller_edge_invalid.md"),
        FailureClass::ResponseTruncationPolicyViolation => include_str!("../../../docs/failures/tool.response_truncation_policy_violation.md"),
        FailureClass::ResultMissing => include_str!("../../../docs/failures/tool.result_missing.md"),
        FailureClass::ResultOrphan => include_str!("../../../docs/failures/tool.result_orphan.md"),
        FailureClass::SchemaInvalid => include_str!("../../../docs/failures/tool.schema_invalid.md"),
        FailureClass::UnknownOrDisallowed => include_str!("../../../docs/failures/tool.unknown_or_disallowed.md"),
        FailureClass::UseMissing => include_str!("../../../docs/failures/tool.use_missing.md"),
        FailureClass::UseUnknownResult => include_str!("../../../docs/failures/tool.use_unknown_result.md"),
        FailureClass::UseWithoutResult => include_str!("../../../docs/failures/tool.use_without_result.md"),
    }
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
