//! Guardrails: every required stage decided, and about each call, and about the turn, they decided in order.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

use super::View;
use crate::evidence::{GuardrailDecision, GuardrailStage};
use crate::failure::FailureClass;
use crate::normalize::Call;
use crate::refusal::Findings;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let Some(policy) = view.bound.guardrail_stage_policy else {
        return;
    };
    let turn_level = spans(&view.turn.guardrails);
    let by_call: Vec<(&str, Spans)> =
        view.calls.iter().map(|call| (call.id.as_str(), spans(decisions(call)))).collect();
    let required: BTreeSet<&GuardrailStage> = policy.stages.iter().collect();
    for stage in required {
        if !turn_level.contains_key(stage) && !by_call.iter().any(|(_, spans)| spans.contains_key(stage)) {
            let detail = "the policy requires a decision at this stage";
            findings.add(FailureClass::GuardrailStageMissing, stage.token(), detail);
        }
    }
    order(&turn_level, "turn", findings);
    for (id, spans) in &by_call {
        order(spans, id, findings);
    }
}

/// The decisions that were made about one call.
fn decisions<'t>(call: &Call<'t>) -> impl Iterator<Item = &'t GuardrailDecision> {
    let of_request = call.request.into_iter().flat_map(|row| &row.guardrails);
    of_request.chain(call.result.into_iter().flat_map(|row| &row.guardrails))
}

/// The first and last place of each stage among all decisions.
type Spans = BTreeMap<GuardrailStage, (u64, u64)>;

fn spans<'d>(decisions: impl IntoIterator<Item = &'d GuardrailDecision>) -> Spans {
    let mut spans = Spans::new();
    for decision in decisions {
        let place = decision.order.get();
        let span = spans.entry(decision.stage).or_insert((place, place));
        *span = (span.0.min(place), span.1.max(place));
    }
    spans
}

fn order(spans: &Spans, about: &str, findings: &mut Findings) {
    let mut latest: Option<(GuardrailStage, u64)> = None;
    for (stage, (first, last)) in spans {
        if let Some((before, end)) = latest.filter(|(_, end)| first <= end) {
            let detail =
                format!("about {about} it decided at {first}, before {} was done at {end}", before.token());
            findings.add(FailureClass::GuardrailStageOrderInvalid, stage.token(), detail);
        }
        latest = Some((*stage, latest.map_or(*last, |(_, end)| end.max(*last))));
    }
}
