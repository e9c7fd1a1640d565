//! What the call spec itself binds about governance: risk tier, trace mode, filtering, evaluation profile.
//!
//! These are checked from evidence, whether or not a governance profile is claimed.

use alloc::collections::BTreeSet;
use alloc::format;

use super::{View, governance};
use crate::evidence::Sink;
use crate::failure::FailureClass;
use crate::refusal::{Excerpt, Findings};
use crate::scalar::Token;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    risk_tier(view, findings);
    trace_mode(view, findings);
    lineage(view, findings);
    governance::check_turn(view, findings);
}

fn risk_tier(view: &View<'_>, findings: &mut Findings) {
    let Some(tier) = &view.turn.spec.risk_tier else {
        return;
    };
    let claim = view.turn.governance.as_ref().and_then(|profile| profile.risk_tier.as_ref());
    let is_claimed =
        claim.map(|claim| claim.tier.as_ref() == Some(tier) && claim.control_profile_bound == Some(true));
    let is_bound = match &view.turn.policies.risk_tier {
        // A profile that says otherwise contradicts the document.
        Some(document) => document.terms().binds(tier) && is_claimed != Some(false),
        None => is_claimed == Some(true),
    };
    if !is_bound {
        let detail = format!("tier `{}` has no bound control profile", Excerpt(tier.as_str()));
        findings.add(FailureClass::RiskTierProfileMissing, "callSpec.riskTier", detail);
    }
}

/// Where traces may go, from the least exposed to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exposure {
    Disabled,
    InternalProcessor,
    Dashboard,
}

/// How much a mode exposes. None: nobody knows.
fn exposure(mode: &Token) -> Option<Exposure> {
    match mode.as_str() {
        "disabled" => Some(Exposure::Disabled),
        "internal_processor" => Some(Exposure::InternalProcessor),
        "dashboard" => Some(Exposure::Dashboard),
        _ => None,
    }
}

/// Whether a trace mode is one we know.
pub(super) fn is_known_mode(mode: &Token) -> bool {
    exposure(mode).is_some()
}

fn trace_mode(view: &View<'_>, findings: &mut Findings) {
    let class = FailureClass::TraceModeViolation;
    let Some(mode) = &view.turn.spec.observability_mode else {
        return;
    };
    let policy = view.turn.policies.observability.as_ref();
    let allowed: Option<BTreeSet<&Token>> = policy.map(|document| document.terms().allowed.iter().collect());
    let is_allowed = |mode: &Token| allowed.as_ref().is_none_or(|allowed| allowed.contains(mode));
    let claimed = view.turn.governance.as_ref().and_then(|profile| profile.observability_mode.as_ref());
    if claimed.is_some_and(|claimed| claimed != mode) {
        let detail = "the governance profile names another trace mode";
        findings.add(class, "callSpec.observabilityMode", detail);
    }
    let Some(ceiling) = exposure(mode).filter(|_| is_allowed(mode)) else {
        let detail = format!("trace mode `{}` is unknown or not allowed", Excerpt(mode.as_str()));
        findings.add(class, "callSpec.observabilityMode", detail);
        return;
    };
    let sinks = view.turn.observations.as_ref().and_then(|observations| observations.sinks.as_deref());
    if !is_observed(ceiling, sinks) {
        let detail = format!("under mode `{mode}` nothing shows where traces went");
        findings.add(class, "observations.sinks", detail);
    }
    for sink in sinks.unwrap_or_default() {
        if exposure(&sink.mode).is_none_or(|exposed| exposed > ceiling) || !is_allowed(&sink.mode) {
            let detail =
                format!("traces went to a `{}` sink under mode `{mode}`", Excerpt(sink.mode.as_str()));
            findings.add(class, "observations.sinks", detail);
        }
    }
}

/// A mode that limits traces needs somebody who looked; the internal processor must be among what was found.
fn is_observed(mode: Exposure, sinks: Option<&[Sink]>) -> bool {
    match mode {
        Exposure::Dashboard => true,
        Exposure::Disabled => sinks.is_some(),
        Exposure::InternalProcessor => {
            sinks.is_some_and(|sinks| sinks.iter().any(|sink| exposure(&sink.mode) == Some(mode)))
        }
    }
}

fn lineage(view: &View<'_>, findings: &mut Findings) {
    let class = FailureClass::EvalLineageMissing;
    if let Some(policy) = view.bound.pre_context_filter {
        for call in &view.calls {
            let filters = call
                .request
                .is_some_and(|request| policy.filtering_tools.contains(request.tool_name.as_str()));
            if filters && call.terminal().is_some_and(|row| row.tokens.is_none()) {
                findings.add(
                    class,
                    call.id.as_str(),
                    "the result was filtered, and its token cost was not recorded",
                );
            }
        }
    }
    let is_complete = |profile: &crate::policy::EvalProfile| {
        profile.profile_id.is_some()
            && profile.dataset_lineage_ref.is_some()
            && profile.grader_config_lineage_ref.is_some()
    };
    if view.bound.eval_profile.is_some_and(|profile| !is_complete(profile)) {
        findings.add(class, "policies.evalProfile", "the profile does not say where its numbers come from");
    }
}
