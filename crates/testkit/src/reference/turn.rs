//! Rules about the turn as a whole: groups, its end, its context, its workers.

#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value reads as null")]

use std::collections::BTreeSet;

use serde_json::Value;

use super::calls::is_terminal;
use super::reading::{count, present, text, texts, token};
use super::{Bound, Pairs, add, bind, flag, needs_context, rows};

/// How many calls may be made side by side.
pub(super) fn parallel(document: &Value, pairs: &mut Pairs) {
    let class = "tool.parallel_policy_violation";
    let evidence = &document["evidence"];
    let spec = &evidence["callSpec"];
    let bound = bind(document, "parallelPolicy", "parallelPolicy", class, pairs);
    let mut ids: Vec<&str> = Vec::new();
    let mut groups: Vec<(Option<&str>, usize)> = Vec::new();
    for request in rows(evidence, "toolRequests") {
        let id = text(request, "toolCallId").unwrap_or_default();
        if ids.contains(&id) {
            continue;
        }
        ids.push(id);
        let group = text(request, "callGroup");
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, size)) => *size += 1,
            None => groups.push((group, 1)),
        }
    }
    if let Bound::Terms(policy) = &bound {
        let most = count(Some(policy), "maxBranches");
        for (group, size) in &groups {
            let forbidden = *size > 1 && flag(Some(policy), "allowed") == Some(false);
            let too_many = most.is_some_and(|most| u64::try_from(*size).is_ok_and(|size| size > most));
            if forbidden || too_many {
                add(pairs, class, &format!("callGroup:{}", group.unwrap_or("-")));
            }
        }
    }
    let one_at_a_time = matches!(token(spec, "actionMode").as_deref(), Some("json" | "text"));
    let admitted = match &bound {
        Bound::Silent => false,
        // Told once, with the policy as subject.
        Bound::Broken => true,
        Bound::Terms(policy) => flag(Some(policy), "allowed") == Some(true),
    };
    if one_at_a_time && ids.len() > 1 && !admitted {
        add(pairs, class, "callSpec.actionMode");
    }
    if token(spec, "executionPattern").as_deref() == Some("single") && groups.len() > 1 {
        add(pairs, class, "callSpec.executionPattern");
    }
}

/// How the model call ended.
pub(super) fn stop_reason(document: &Value, pairs: &mut Pairs) {
    let class = "protocol.stop_reason_unhandled";
    let state = &document["evidence"]["protocolState"];
    let reason = token(state, "stopReason").unwrap_or_default();
    let named = |policy: &Value, list: &str| {
        texts(policy, list).iter().any(|word| word.eq_ignore_ascii_case(&reason))
    };
    match bind(document, "protocolStatePolicy", "protocolStatePolicy", class, pairs) {
        // A policy that cannot be trusted admits nothing beyond what is admitted without it.
        Bound::Silent | Bound::Broken => {
            if !["tool_use", "pause_turn", "max_tokens", "end_turn"].contains(&reason.as_str()) {
                add(pairs, class, "protocolState.stopReason");
            }
        }
        Bound::Terms(policy) => {
            if !named(policy, "stopReasons") {
                add(pairs, class, "protocolState.stopReason");
            }
            if named(policy, "requestsRequired") && rows(&document["evidence"], "toolRequests").is_empty() {
                add(pairs, class, "protocolState.stopReason");
            }
            let goes_on = flag(Some(state), "continuationAllowed") == Some(true);
            if goes_on && present(policy, "continuation").is_some() && !named(policy, "continuation") {
                add(pairs, class, "protocolState.continuationAllowed");
            }
        }
    }
}

/// How much the run has used.
pub(super) fn limits(document: &Value, pairs: &mut Pairs) {
    let class = "protocol.stop_reason_unhandled";
    let Bound::Terms(policy) = bind(document, "stopPolicy", "stopPolicy", class, pairs) else {
        return;
    };
    let state = &document["evidence"]["protocolState"];
    let limits = [
        ("maxTurns", "turns"),
        ("maxSteps", "steps"),
        ("maxToolCalls", "toolCalls"),
        ("maxTokens", "tokens"),
        ("maxCostMicros", "costMicros"),
        ("maxWallMillis", "wallMillis"),
        ("maxIdenticalCalls", "identicalCalls"),
    ];
    for (limit, counter) in limits {
        if let Some(most) = count(Some(policy), limit)
            && count(state.get("counters"), counter).is_none_or(|used| used > most)
        {
            add(pairs, class, &format!("protocolState.counters.{counter}"));
        }
    }
    // A counter covers at least the turn's own calls.
    let own: BTreeSet<&str> = rows(&document["evidence"], "toolRequests")
        .iter()
        .filter_map(|row| text(row, "toolCallId"))
        .collect();
    if count(state.get("counters"), "toolCalls").is_some_and(|counted| counted < own.len() as u64) {
        add(pairs, class, "protocolState.counters.toolCalls");
    }
    if let Some(every) = count(Some(policy), "checkpointEveryTurns")
        // Uncounted turns may be a multiple of anything; every zero turns is always.
        && count(state.get("counters"), "turns").is_none_or(|turns| turns.checked_rem(every).unwrap_or(0) == 0)
        && text(state, "checkpointRef").is_none()
    {
        add(pairs, class, "protocolState.checkpointRef");
    }
}

/// Whether the next context can be built, where it is needed.
pub(super) fn context(document: &Value, pairs: &mut Pairs) {
    let (missing, queues) = ("context.injection_point_missing", "context.queue_policy_violation");
    let evidence = &document["evidence"];
    for (list, key, field) in [
        ("toolRender", "toolCallId", "toolRenderProtocolDigest"),
        ("reminderQueue", "queueId", "reminderQueuePolicyDigest"),
        ("stateViews", "viewId", "stateViewPolicyDigest"),
    ] {
        for row in rows(evidence, list) {
            if text(row, "policyDigest") != text(&evidence["callSpec"], field) {
                add(pairs, queues, text(row, key).unwrap_or_default());
            }
        }
    }
    let protocol = bind(document, "toolRenderProtocolDigest", "toolRenderProtocol", queues, pairs);
    if let Bound::Terms(protocol) = protocol
        && present(protocol, "injectionPoints").is_some()
    {
        for row in rows(evidence, "toolRender") {
            let point = token(row, "injectionPoint").unwrap_or_default();
            if !texts(protocol, "injectionPoints").iter().any(|known| known.eq_ignore_ascii_case(&point)) {
                add(pairs, queues, text(row, "toolCallId").unwrap_or_default());
            }
        }
    }
    let queue_policy = bind(document, "reminderQueuePolicyDigest", "reminderQueuePolicy", queues, pairs);
    let view_policy = bind(document, "stateViewPolicyDigest", "stateViewPolicy", queues, pairs);
    if !needs_context(evidence) {
        return;
    }
    for result in rows(evidence, "toolResults") {
        let id = text(result, "toolCallId").unwrap_or_default();
        let rendered = rows(evidence, "toolRender").iter().any(|row| text(row, "toolCallId") == Some(id));
        if is_terminal(result) && !rendered {
            add(pairs, missing, id);
        }
    }
    for (list, key, bound, required, class) in [
        ("reminderQueue", "queueId", queue_policy, "requiredQueues", queues),
        ("stateViews", "viewId", view_policy, "requiredViews", missing),
    ] {
        if rows(evidence, list).is_empty() {
            add(pairs, class, list);
        }
        if let Bound::Terms(policy) = bound {
            for wanted in texts(policy, required) {
                if !rows(evidence, list).iter().any(|row| text(row, key) == Some(wanted)) {
                    add(pairs, class, wanted);
                }
            }
        }
    }
}

/// Every worker hangs below its parent.
pub(super) fn workers(document: &Value, pairs: &mut Pairs) {
    let workers = rows(&document["evidence"], "workers");
    for worker in workers {
        let depth = count(Some(worker), "depth").unwrap_or_default();
        let fits = match text(worker, "parentId") {
            None => depth == 1,
            Some(parent) => workers.iter().any(|other| {
                text(other, "id") == Some(parent)
                    && count(Some(other), "depth").map(|above| above + 1) == Some(depth)
            }),
        };
        if !fits {
            let id = text(worker, "id").unwrap_or_default();
            add(pairs, "coordination.decomposition_policy_violation", id);
        }
    }
}

/// How work may be split: the policy, and what the caller expects.
pub(super) fn decomposition(document: &Value, pairs: &mut Pairs) {
    let class = "coordination.decomposition_policy_violation";
    let evidence = &document["evidence"];
    let spec = &evidence["callSpec"];
    let pattern = token(spec, "executionPattern").unwrap_or_default();
    if let Bound::Terms(policy) =
        bind(document, "decompositionPolicyDigest", "decompositionPolicy", class, pairs)
    {
        let known = texts(policy, "patterns");
        if present(policy, "patterns").is_some()
            && !known.iter().any(|known| known.eq_ignore_ascii_case(&pattern))
        {
            add(pairs, class, "callSpec.executionPattern");
        }
        let mut ids: Vec<Option<&str>> =
            rows(evidence, "workers").iter().map(|row| text(row, "id")).collect();
        ids.sort_unstable();
        ids.dedup();
        let workers = u64::try_from(ids.len()).unwrap_or(u64::MAX);
        if count(Some(policy), "maxWorkers").is_some_and(|most| workers > most) {
            add(pairs, class, "workers");
        }
        for worker in rows(evidence, "workers") {
            let depth = count(Some(worker), "depth").unwrap_or_default();
            if count(Some(policy), "maxDepth").is_some_and(|most| depth > most) {
                add(pairs, class, text(worker, "id").unwrap_or_default());
            }
        }
        let turns = count(evidence["protocolState"].get("counters"), "turns");
        if let Some(limit) = count(Some(policy), "workflowTurnLimit")
            && turns.is_none_or(|turns| turns > limit)
            && text(policy, "autonomyTrigger").is_none()
        {
            add(pairs, class, "protocolState.counters.turns");
        }
    }
    let expected = document.get("decompositionConstraints").unwrap_or(&Value::Null);
    if flag(Some(expected), "admissible") == Some(false) {
        add(pairs, class, "decompositionConstraints.admissible");
    }
    if token(expected, "expectedExecutionPattern").is_some_and(|expected| expected != pattern) {
        add(pairs, class, "decompositionConstraints.expectedExecutionPattern");
    }
    let policy = text(spec, "decompositionPolicyDigest");
    if text(expected, "expectedPolicyDigest").is_some_and(|expected| policy != Some(expected)) {
        add(pairs, class, "decompositionConstraints.expectedPolicyDigest");
    }
}
