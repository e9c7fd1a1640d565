//! Context: what the next call will see was rebuilt from this turn, under the declared policies.

use alloc::collections::BTreeSet;

use super::View;
use crate::digest::Digest;
use crate::evidence::UseMeaning;
use crate::failure::FailureClass;
use crate::refusal::Findings;
use crate::scalar::Token;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    if is_needed(view) {
        injection_points(view, findings);
        reductions(view, findings);
    }
    policies(view, findings);
}

/// Context is needed when the loop goes on or a result went into something.
fn is_needed(view: &View<'_>) -> bool {
    let is_consumed = view.turn.uses.iter().any(|used| used.disposition.meaning() == UseMeaning::Consumed);
    view.turn.protocol.continuation_allowed || is_consumed
}

fn injection_points(view: &View<'_>, findings: &mut Findings) {
    let class = FailureClass::InjectionPointMissing;
    for id in &view.turn.context_state().missing_renders {
        findings.add(class, id.as_str(), "the result was never rendered for the model");
    }
    if view.turn.views.is_empty() {
        findings.add(class, "stateViews", "no state view exists");
    }
    let present: BTreeSet<&str> = view.turn.views.iter().map(|row| row.view_id.as_str()).collect();
    let required = view.bound.state_view_policy.iter().flat_map(|policy| policy.required_views.iter());
    for missing in required.filter(|id| !present.contains(id.as_str())) {
        findings.add(class, missing.as_str(), "the policy requires this state view");
    }
}

fn reductions(view: &View<'_>, findings: &mut Findings) {
    let class = FailureClass::QueuePolicyViolation;
    if view.turn.queues.is_empty() {
        findings.add(class, "reminderQueue", "no reminder queue was reduced");
    }
    let present: BTreeSet<&str> = view.turn.queues.iter().map(|row| row.queue_id.as_str()).collect();
    let required = view.bound.reminder_queue_policy.iter().flat_map(|policy| policy.required_queues.iter());
    for missing in required.filter(|id| !present.contains(id.as_str())) {
        findings.add(class, missing.as_str(), "the policy requires this queue to be reduced");
    }
}

fn policies(view: &View<'_>, findings: &mut Findings) {
    let (turn, spec) = (view.turn, &view.turn.spec);
    let mut foreign = |id: &str, given: &Digest, declared: &Digest, detail: &str| {
        if given != declared {
            findings.add(FailureClass::QueuePolicyViolation, id, detail);
        }
    };
    for row in &turn.renders {
        let detail = "rendered under another protocol than the declared one";
        foreign(row.tool_call_id.as_str(), &row.policy_digest, &spec.tool_render_protocol, detail);
    }
    for row in &turn.queues {
        let detail = "reduced under another policy than the declared one";
        foreign(row.queue_id.as_str(), &row.policy_digest, &spec.reminder_queue_policy, detail);
    }
    for row in &turn.views {
        let detail = "computed under another policy than the declared one";
        foreign(row.view_id.as_str(), &row.policy_digest, &spec.state_view_policy, detail);
    }
    let points = view.bound.tool_render_protocol.and_then(|protocol| protocol.injection_points.as_ref());
    let points: Option<BTreeSet<&Token>> = points.map(|points| points.iter().collect());
    let is_known = |point: &Token| points.as_ref().is_none_or(|points| points.contains(point));
    for row in turn.renders.iter().filter(|row| !is_known(&row.injection_point)) {
        let detail = "rendered at an injection point that the protocol does not have";
        findings.add(FailureClass::QueuePolicyViolation, row.tool_call_id.as_str(), detail);
    }
}
