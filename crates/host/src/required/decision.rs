//! The decision about a range: yes when its witness comes out again and says yes. Anybody can decide it again.

use premath_kernel::Digest;
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    CheckStatus, REQUIRED_DECISION_KIND, RequiredDecision, RequiredReason, RequiredVerdict, RequiredVerified,
};
use premath_wire::{UnknownFields, decode};

use super::LATEST_DECISION;
use super::stop::RequiredClass;
use super::verification::{Expected, Verified, verify_witness};
use crate::artifacts::{pretty, read_artifact, write_artifact};
use crate::checking::CHECK_FAILED;
use crate::table::{ActionError, Host};

/// A decision and where it is.
#[derive(Debug)]
pub(crate) struct DecisionAt {
    pub(crate) path: String,
    pub(crate) decision: RequiredDecision,
}

/// Decides about a witness, and writes the decision down.
pub(crate) fn decide(
    host: &Host<'_>,
    witness_path: &str,
    expected: Expected<'_>,
) -> Result<DecisionAt, ActionError> {
    let verified = verify_witness(host, witness_path, expected)?;
    let at = format_time(to_millis(host.workspace.clock.now()));
    let decision = decided(witness_path, verified, at);
    let workspace = host.workspace;
    write_artifact(workspace, &workspace.root.join(LATEST_DECISION), &pretty(&decision)?)?;
    Ok(DecisionAt { path: LATEST_DECISION.to_owned(), decision })
}

/// What follows from a witness that was looked at.
fn decided(witness_path: &str, verified: Verified, decided_at: String) -> RequiredDecision {
    let mut reasons = verified.reasons;
    if let Some(witness) = &verified.witness {
        let failed = witness.results.iter().filter(|row| row.status == CheckStatus::Failed);
        reasons.extend(failed.map(|row| RequiredReason {
            class: row.failure_class.clone().unwrap_or_else(|| CHECK_FAILED.to_owned()),
            subject: row.check_id.clone(),
            detail: format!("the check did not pass; {} says more", row.gate_ref),
        }));
        let changed = RequiredClass::WorktreeChanged;
        if witness.failure_classes.iter().any(|class| class == changed.code()) {
            reasons.push(changed.about("worktree", "the checks changed the files that they looked at"));
        }
    }
    reasons.sort();
    reasons.dedup();
    let decision = if reasons.is_empty() { RequiredVerdict::Accept } else { RequiredVerdict::Reject };
    RequiredDecision {
        schema: 1,
        decision_kind: REQUIRED_DECISION_KIND.to_owned(),
        decision,
        reasons,
        witness_ref: witness_path.to_owned(),
        witness_digest: verified.digest.map(|digest| digest.as_str().to_owned()),
        to_commit: verified.witness.as_ref().map(|witness| witness.to.commit.clone()),
        required_checks: verified.witness.map(|witness| witness.required_checks).unwrap_or_default(),
        decided_at,
    }
}

/// Decides again and compares.
pub(crate) fn verify_decision(
    host: &Host<'_>,
    path: &str,
    witness_path: &str,
    expected: Expected<'_>,
) -> Result<RequiredVerified, ActionError> {
    let workspace = host.workspace;
    let bytes = read_artifact(workspace, &workspace.root.join(path))?;
    let mut reasons = Vec::new();
    let mut decision = None;
    let said = match bytes.as_deref().map(read) {
        None => {
            reasons.push(RequiredClass::DecisionMissing.about(path, "there is no decision"));
            None
        }
        Some(Err(why)) => {
            reasons.push(RequiredClass::DecisionInvalid.about(path, why));
            None
        }
        Some(Ok(said)) => Some(said),
    };
    if let Some(said) = said {
        decision = Some(said.decision);
        let again = verify_witness(host, witness_path, expected)?;
        let digest = again.digest.as_ref().map(Digest::as_str);
        if said.witness_ref != witness_path || said.witness_digest.as_deref() != digest {
            let detail = format!("it is about another witness than `{witness_path}`");
            reasons.push(RequiredClass::DecisionWitnessMismatch.about(path, detail));
        }
        // A witness that no longer stands is said in its own words, not only as a difference.
        reasons.extend(again.reasons.iter().filter(|reason| !said.reasons.contains(reason)).cloned());
        if decided(witness_path, again, said.decided_at.clone()) != said {
            let detail = "deciding again comes to something else";
            reasons.push(RequiredClass::DecisionMismatch.about(path, detail));
        }
    }
    reasons.sort();
    reasons.dedup();
    Ok(RequiredVerified {
        action: "required.decision.verify".to_owned(),
        path: path.to_owned(),
        digest: bytes.as_deref().map(|bytes| Digest::of_bytes(bytes).as_str().to_owned()),
        ok: reasons.is_empty(),
        decision,
        reasons,
    })
}

fn read(bytes: &[u8]) -> Result<RequiredDecision, String> {
    let value = parse(bytes, Limits::default()).map_err(|error| error.to_string())?;
    let decision: RequiredDecision =
        decode(&value, UnknownFields::Refuse).map_err(|error| error.to_string())?;
    if decision.schema == 1 && decision.decision_kind == REQUIRED_DECISION_KIND {
        Ok(decision)
    } else {
        Err(format!("expected schema 1 and decisionKind `{REQUIRED_DECISION_KIND}`"))
    }
}
