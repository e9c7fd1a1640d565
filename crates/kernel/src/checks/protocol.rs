//! Protocol: the model call ended in a way the runtime handles, inside the limits of the stop policy.

use alloc::format;

use super::View;
use crate::evidence::Counters;
use crate::failure::FailureClass;
use crate::policy::StopPolicy;
use crate::refusal::Findings;
use crate::scalar::{Count, Token};

const CLASS: FailureClass = FailureClass::StopReasonUnhandled;

/// What is handled where no policy says otherwise.
const DEFAULT_STOP_REASONS: [&str; 4] = ["tool_use", "pause_turn", "max_tokens", "end_turn"];

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    stop_reason(view, findings);
    if let Some(policy) = view.bound.stop_policy {
        let nothing = Counters::default();
        let counters = view.turn.protocol.counters.as_ref().unwrap_or(&nothing);
        limits(policy, counters, findings);
        plausible(view, counters, findings);
        checkpoint(view, policy, counters, findings);
    }
}

fn stop_reason(view: &View<'_>, findings: &mut Findings) {
    let protocol = &view.turn.protocol;
    let reason = protocol.stop_reason.as_str();
    let names = |tokens: &[Token]| tokens.iter().any(|token| token.as_str() == reason);
    let policy = view.bound.protocol_state_policy;
    let is_handled =
        policy.map_or_else(|| DEFAULT_STOP_REASONS.contains(&reason), |policy| names(&policy.stop_reasons));
    if !is_handled {
        findings.add(CLASS, "protocolState.stopReason", format!("stop reason `{reason}` is not handled"));
    }
    let needs_call = policy.is_some_and(|policy| names(&policy.requests_required));
    if needs_call && view.turn.requests.is_empty() {
        let detail = format!("the model stopped with `{reason}`, and the turn holds no call");
        findings.add(CLASS, "protocolState.stopReason", detail);
    }
    let may_continue = policy.and_then(|policy| policy.continuation.as_deref()).is_none_or(names);
    if protocol.continuation_allowed && !may_continue {
        let detail = format!("the policy admits no continuation after `{reason}`");
        findings.add(CLASS, "protocolState.continuationAllowed", detail);
    }
}

fn limits(policy: &StopPolicy, counters: &Counters, findings: &mut Findings) {
    let limits: [(&str, Option<Count>, Option<Count>); 7] = [
        ("turns", policy.max_turns, counters.turns),
        ("steps", policy.max_steps, counters.steps),
        ("toolCalls", policy.max_tool_calls, counters.tool_calls),
        ("tokens", policy.max_tokens, counters.tokens),
        ("costMicros", policy.max_cost_micros, counters.cost_micros),
        ("wallMillis", policy.max_wall_millis, counters.wall_millis),
        ("identicalCalls", policy.max_identical_calls, counters.identical_calls),
    ];
    for (name, limit, counter) in limits {
        let Some(limit) = limit.map(Count::get) else {
            continue;
        };
        let detail = match counter.map(Count::get) {
            None => format!("the stop policy limits {name} to {limit}, and nothing counts them"),
            Some(count) if count > limit => format!("{count} {name} are over the limit of {limit}"),
            Some(_) => continue,
        };
        findings.add(CLASS, format!("protocolState.counters.{name}"), detail);
    }
}

/// A counter that says less than the turn shows is no counter.
fn plausible(view: &View<'_>, counters: &Counters, findings: &mut Findings) {
    let shown = u64::try_from(view.turn.requests.len()).unwrap_or(u64::MAX);
    if counters.tool_calls.is_some_and(|counted| counted.get() < shown) {
        let detail = format!("the turn alone has {shown} tool calls");
        findings.add(CLASS, "protocolState.counters.toolCalls", detail);
    }
}

fn checkpoint(view: &View<'_>, policy: &StopPolicy, counters: &Counters, findings: &mut Findings) {
    let Some(interval) = policy.checkpoint_every_turns.map(Count::get) else {
        return;
    };
    // Nothing counted, and an interval of zero, are always due.
    let is_due = counters.turns.is_none_or(|turns| interval == 0 || turns.get().is_multiple_of(interval));
    if is_due && view.turn.protocol.checkpoint_ref.is_none() {
        let detail = format!("a person is to be asked every {interval} turns, and nobody was");
        findings.add(CLASS, "protocolState.checkpointRef", detail);
    }
}
