//! Handoff: the packet goes where it may, with everything it needs, and back again.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::View;
use crate::call_spec::OrchestrationRole;
use crate::digest::Digest;
use crate::evidence::Handoff;
use crate::failure::FailureClass;
use crate::policy::HandoffContract;
use crate::refusal::Findings;
use crate::scalar::{Text, TextSet};

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let handoff = view.turn.handoff.as_ref();
    asserted(view, handoff, findings);
    projection(view, handoff, findings);
    if let Some(handoff) = handoff {
        if let Some(contract) = view.bound.handoff_contract {
            contracted(view, handoff, contract, findings);
        }
        existence(view, handoff, findings);
    }
}

fn target_allowed(handoff: Option<&Handoff>, targets: &TextSet, detail: &str, findings: &mut Findings) {
    if !handoff.is_some_and(|handoff| targets.contains(handoff.target.as_str())) {
        let subject = handoff.map_or("handoff", |handoff| handoff.target.as_str());
        findings.add(FailureClass::TargetNotAllowed, subject, detail);
    }
}

fn artifacts_required(handoff: Option<&Handoff>, required: &TextSet, detail: &str, findings: &mut Findings) {
    let is_carried = |wanted: &&Text| {
        handoff.is_some_and(|handoff| handoff.required_artifact_refs.contains(wanted.as_str()))
    };
    for missing in required.iter().filter(|wanted| !is_carried(wanted)) {
        findings.add(FailureClass::RequiredArtifactMissing, missing.as_str(), detail);
    }
}

fn return_path(handoff: Option<&Handoff>, required: Option<bool>, detail: &str, findings: &mut Findings) {
    if required == Some(true) && handoff.and_then(|handoff| handoff.return_path_ref.as_ref()).is_none() {
        findings.add(FailureClass::ReturnPathMissing, "handoff.returnPathRef", detail);
    }
}

fn asserted(view: &View<'_>, handoff: Option<&Handoff>, findings: &mut Findings) {
    let constraints = &view.turn.constraints.handoff;
    if !constraints.allowed_targets.is_empty() {
        target_allowed(handoff, &constraints.allowed_targets, "the caller admits no such target", findings);
    }
    artifacts_required(
        handoff,
        &constraints.required_artifact_refs,
        "the caller requires this artifact",
        findings,
    );
    return_path(handoff, constraints.require_return_path, "the caller requires a return path", findings);
}

fn contracted(view: &View<'_>, handoff: &Handoff, contract: &HandoffContract, findings: &mut Findings) {
    target_allowed(Some(handoff), &contract.targets, "the contract has no such target", findings);
    let role = handoff.from_role.as_ref().map(Text::as_str);
    let own = view.turn.spec.orchestration_role.map(OrchestrationRole::token);
    let may_hand_over =
        role.is_some_and(|role| contract.roles.contains(role)) && own.is_none_or(|own| role == Some(own));
    if !may_hand_over {
        let detail = format!("role `{}` may not hand over under this contract", role.unwrap_or("none"));
        findings.add(FailureClass::TargetNotAllowed, handoff.target.as_str(), detail);
    }
    artifacts_required(
        Some(handoff),
        &contract.required_artifact_refs,
        "the contract requires this artifact",
        findings,
    );
    return_path(Some(handoff), contract.require_return_path, "the contract requires a return path", findings);
}

/// Artifacts the runtime looked for, with what they hash to. None: it did not look.
///
/// Two observations of one artifact that disagree show nothing, so it counts as not there.
fn observed<'t>(view: &View<'t>) -> Option<BTreeMap<&'t str, Option<&'t Digest>>> {
    let artifacts = view.turn.observations.as_ref()?.artifacts.as_ref()?;
    let mut seen: BTreeMap<&str, Option<&Digest>> = BTreeMap::new();
    for artifact in artifacts {
        let digest = artifact.digest.as_ref();
        let known = seen.entry(artifact.reference.as_str()).or_insert(digest);
        if *known != digest {
            *known = None;
        }
    }
    Some(seen)
}

fn existence(view: &View<'_>, handoff: &Handoff, findings: &mut Findings) {
    let carried: BTreeMap<&str, Vec<&Digest>> =
        handoff.artifacts.iter().fold(BTreeMap::new(), |mut carried, artifact| {
            carried.entry(artifact.reference.as_str()).or_insert_with(Vec::new).push(&artifact.digest);
            carried
        });
    let seen = observed(view);
    let is_strict = view.turn.strictness.is_strict();
    for wanted in handoff.required_artifact_refs.iter().map(Text::as_str) {
        let packed = carried.get(wanted).map(Vec::as_slice);
        let looked = seen.as_ref().map(|seen| seen.get(wanted).copied().flatten());
        let detail = match (packed, looked) {
            (None, _) if is_strict || !carried.is_empty() => "the packet does not carry it",
            (Some([first, rest @ ..]), _) if rest.iter().any(|other| other != first) => {
                "the packet says two things about it"
            }
            (_, None) if is_strict => "nobody looked whether it exists",
            (_, Some(None)) => "it does not exist",
            (Some(packed), Some(Some(digest))) if packed.iter().any(|packed| *packed != digest) => {
                "it does not hash to what the packet says"
            }
            _ => continue,
        };
        findings.add(FailureClass::RequiredArtifactMissing, wanted, detail);
    }
}

fn projection(view: &View<'_>, handoff: Option<&Handoff>, findings: &mut Findings) {
    let Some(projection) = &view.turn.handoff_projection else {
        if view.turn.spec.orchestration_role.is_some() {
            let detail = "an orchestrated turn must show which part of the handoff contract it was given";
            findings.add(FailureClass::TargetNotAllowed, "handoffProjection", detail);
        }
        return;
    };
    if handoff.is_some() {
        target_allowed(handoff, &projection.allowed_targets, "the projection has no such target", findings);
    }
    let Some(seen) = observed(view).or_else(|| view.turn.strictness.is_strict().then(BTreeMap::new)) else {
        return;
    };
    for wanted in projection.incoming_artifact_refs.iter().map(Text::as_str) {
        if seen.get(wanted).copied().flatten().is_none() {
            findings.add(
                FailureClass::RequiredArtifactMissing,
                wanted,
                "an incoming artifact is not shown to exist",
            );
        }
    }
}
