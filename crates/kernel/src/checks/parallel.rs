//! Groups of calls: how many may run at the same time, and in which order their results travel.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::View;
use crate::call_spec::{ActionMode, ExecutionPattern};
use crate::failure::FailureClass;
use crate::normalize::Call;
use crate::policy::{Ordering, PolicyKind, TransportPolicy};
use crate::refusal::Findings;
use crate::scalar::{Count, Text};

type Groups<'t> = BTreeMap<Option<&'t Text>, Vec<&'t Call<'t>>>;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let mut groups: Groups<'_> = BTreeMap::new();
    for call in &view.calls {
        if let Some(request) = call.request {
            groups.entry(request.call_group.as_ref()).or_default().push(call);
        }
    }
    cardinality(view, &groups, findings);
    branches(view, &groups, findings);
    if let Some(policy) = view.bound.transport_policy {
        for (name, group) in groups.iter().filter(|(_, group)| group.len() > 1) {
            transport(policy, *name, group, findings);
        }
    }
    if view.turn.constraints.protocol.parallel_transport_order_valid == Some(false) {
        findings.add(
            FailureClass::ParallelTransportOrderInvalid,
            "protocolConstraints.parallelTransportOrderValid",
            "the caller says that results did not follow the order of their requests",
        );
    }
}

fn subject(group: Option<&Text>) -> String {
    format!("callGroup:{}", group.map_or("-", Text::as_str))
}

fn cardinality(view: &View<'_>, groups: &Groups<'_>, findings: &mut Findings) {
    let spec = &view.turn.spec;
    let count = view.turn.requests.len();
    let is_many = count > 1
        && match spec.action_mode {
            ActionMode::Json | ActionMode::Text => true,
            ActionMode::Code => false,
        };
    if is_many && !admits_many(view) {
        let detail =
            format!("{count} requests in one {} turn, and no policy admits them", spec.action_mode.token());
        findings.add(FailureClass::ParallelPolicyViolation, "callSpec.actionMode", detail);
    }
    if spec.execution_pattern == ExecutionPattern::Single && groups.len() > 1 {
        let detail = format!("{} call groups under pattern single", groups.len());
        findings.add(FailureClass::ParallelPolicyViolation, "callSpec.executionPattern", detail);
    }
}

/// Whether a policy admits several calls. One that cannot be trusted has a reason of its own already.
fn admits_many(view: &View<'_>) -> bool {
    view.bound
        .parallel_policy
        .map_or_else(|| view.turn.spec.declares(PolicyKind::Parallel), |policy| policy.allowed)
}

fn branches(view: &View<'_>, groups: &Groups<'_>, findings: &mut Findings) {
    let Some(policy) = view.bound.parallel_policy else {
        return;
    };
    let most = policy.max_branches.map_or(u64::MAX, Count::get);
    for (name, group) in groups {
        let size = u64::try_from(group.len()).unwrap_or(u64::MAX);
        let detail = if size > 1 && !policy.allowed {
            format!("{size} calls at the same time, which the policy forbids")
        } else if size > most {
            format!("{size} calls at the same time, and the policy admits {most}")
        } else {
            continue;
        };
        findings.add(FailureClass::ParallelPolicyViolation, subject(*name), detail);
    }
}

fn transport(policy: &TransportPolicy, name: Option<&Text>, group: &[&Call<'_>], findings: &mut Findings) {
    if policy.parallel_tool_calls == Some(false) {
        findings.add(
            FailureClass::ParallelTransportOrderInvalid,
            subject(name),
            "the transport policy admits one call per message",
        );
    }
    if policy.ordering == Ordering::Strict && !in_request_order(group) {
        findings.add(
            FailureClass::ParallelTransportOrderInvalid,
            subject(name),
            "the results do not provably follow the order of their requests",
        );
    }
}

/// Whether every row of the group says its place, no place is taken twice, and both orders agree.
fn in_request_order(group: &[&Call<'_>]) -> bool {
    let place = |call: &&Call<'_>| {
        let request = call.request?.order?.get();
        let result = call.result?.order?.get();
        Some((request, result))
    };
    let Some(mut places) = group.iter().map(place).collect::<Option<Vec<(u64, u64)>>>() else {
        return false;
    };
    places.sort_unstable();
    places.windows(2).all(|pair| match pair {
        [before, after] => before.0 < after.0 && before.1 < after.1,
        _ => true,
    })
}
