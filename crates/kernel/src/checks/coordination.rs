//! Coordination: the work was split the way the decomposition policy admits.

use alloc::collections::BTreeMap;
use alloc::format;

use super::View;
use crate::failure::FailureClass;
use crate::policy::DecompositionPolicy;
use crate::refusal::Findings;
use crate::scalar::Count;

const CLASS: FailureClass = FailureClass::DecompositionPolicyViolation;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    asserted(view, findings);
    lineage(view, findings);
    if let Some(policy) = view.bound.decomposition_policy {
        pattern(view, policy, findings);
        workers(view, policy, findings);
        turn_limit(view, policy, findings);
    }
}

fn asserted(view: &View<'_>, findings: &mut Findings) {
    let (spec, constraints) = (&view.turn.spec, &view.turn.constraints.decomposition);
    let mut add =
        |key: &str, detail: &str| findings.add(CLASS, format!("decompositionConstraints.{key}"), detail);
    if constraints.admissible == Some(false) {
        add("admissible", "the caller says that the split was not admissible");
    }
    if constraints.expected_execution_pattern.is_some_and(|expected| expected != spec.execution_pattern) {
        add("expectedExecutionPattern", "the caller expected another execution pattern");
    }
    if constraints
        .expected_policy_digest
        .as_ref()
        .is_some_and(|expected| *expected != spec.decomposition_policy)
    {
        add("expectedPolicyDigest", "the caller expected another decomposition policy");
    }
}

/// Every worker hangs below another one, or below the turn itself.
fn lineage(view: &View<'_>, findings: &mut Findings) {
    let depths: BTreeMap<&str, u64> =
        view.turn.workers.iter().map(|worker| (worker.id.as_str(), worker.depth.get())).collect();
    for worker in &view.turn.workers {
        let parent_depth = match &worker.parent_id {
            None => Some(0),
            Some(parent) => depths.get(parent.as_str()).copied(),
        };
        let detail = match parent_depth {
            None => "the worker's parent is no worker of this turn",
            Some(depth) if depth.checked_add(1) != Some(worker.depth.get()) => {
                "the worker is not one level below its parent"
            }
            Some(_) => continue,
        };
        findings.add(CLASS, worker.id.as_str(), detail);
    }
}

fn pattern(view: &View<'_>, policy: &DecompositionPolicy, findings: &mut Findings) {
    let pattern = view.turn.spec.execution_pattern;
    if policy.patterns.as_ref().is_some_and(|patterns| !patterns.contains(&pattern)) {
        let detail = format!("the policy does not admit pattern `{}`", pattern.token());
        findings.add(CLASS, "callSpec.executionPattern", detail);
    }
}

fn workers(view: &View<'_>, policy: &DecompositionPolicy, findings: &mut Findings) {
    let workers = &view.turn.workers;
    let count = u64::try_from(workers.len()).unwrap_or(u64::MAX);
    if let Some(limit) = policy.max_workers.map(Count::get).filter(|limit| count > *limit) {
        findings.add(CLASS, "workers", format!("{count} workers are more than the {limit} admitted"));
    }
    let limit = policy.max_depth.map(Count::get);
    for worker in workers.iter().filter(|worker| limit.is_some_and(|limit| worker.depth.get() > limit)) {
        findings.add(CLASS, worker.id.as_str(), "the worker is deeper than the policy admits");
    }
}

fn turn_limit(view: &View<'_>, policy: &DecompositionPolicy, findings: &mut Findings) {
    let Some(limit) =
        policy.workflow_turn_limit.map(Count::get).filter(|_| policy.autonomy_trigger.is_none())
    else {
        return;
    };
    let turns = view.turn.protocol.counters.as_ref().and_then(|counters| counters.turns).map(Count::get);
    if turns.is_none_or(|turns| turns > limit) {
        let detail =
            format!("a workflow ends after {limit} turns; going on needs a measured autonomy trigger");
        findings.add(CLASS, "protocolState.counters.turns", detail);
    }
}
