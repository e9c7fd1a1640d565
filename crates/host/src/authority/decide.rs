//! Whether an instruction is carried out: what it is, which policy decides, what of its claims is granted, and everything
//! that speaks against it.
//!
//! It must not run anything.

use premath_kernel::{ActionName, Value};
use premath_wire::v1::{InstructionClassification, ReasonRow};

use super::client_grants::InstructionAuthor;
use super::envelope::Envelope;
use super::policy::{EVERYTHING, Found, InstructionPolicy, Policies};
use crate::table::ACTIONS;

const CLAIM_PREFIX: &str = "capabilities.change_morphisms.";
/// The kind of an instruction that names none and asks for checks that its policy has.
const GATE_CHECK: &str = "ci.gate.check";

/// The kinds that are known everywhere, beside the names of actions; a policy may know more.
const KINDS: [&str; 2] = [GATE_CHECK, "harness.issue"];

/// What was decided.
#[derive(Debug)]
pub(crate) struct Decision<'p> {
    pub(crate) classification: InstructionClassification,
    pub(crate) policy: Option<&'p InstructionPolicy>,
    /// What it may change: claimed, granted, and not narrowed away.
    pub(crate) granted: Vec<String>,
    /// What speaks against it, sorted; nothing when it is carried out.
    pub(crate) reasons: Vec<ReasonRow>,
}

impl Decision<'_> {
    /// The classes, sorted, each once.
    pub(crate) fn classes(&self) -> Vec<String> {
        let mut classes: Vec<String> = self.reasons.iter().map(|reason| reason.class.clone()).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }
}

/// Decides about an instruction that `author` runs.
pub(crate) fn decide<'p>(
    envelope: &Envelope,
    policies: &'p Policies,
    author: InstructionAuthor,
) -> Decision<'p> {
    let mut reasons = Vec::new();
    let mut against = |class: &str, subject: &str, detail: String| {
        reasons.push(ReasonRow { class: class.to_owned(), subject: subject.to_owned(), detail });
    };
    let policy = match policies.find(&envelope.policy_digest) {
        Found::Policy(policy) => Some(policy),
        Found::Changed(policy) => {
            let detail = format!("policy `{}` has the digest {}", policy.id, policy.digest);
            against("instruction_policy_digest_mismatch", "policyDigest", detail);
            None
        }
        Found::Unknown => {
            let detail = format!("no policy has the digest {}", envelope.policy_digest);
            against("instruction_unknown_policy", "policyDigest", detail);
            None
        }
    };
    let classification = classify(envelope, policy);
    if let Some(policy) = policy {
        for check in envelope.requested_checks.iter().filter(|check| !policy.allowed_checks.contains(check)) {
            let detail = format!("policy `{}` does not allow the check `{check}`", policy.id);
            against("instruction_check_not_allowed", "requestedChecks", detail);
        }
        if !policy.allowed_normalizers.contains(&envelope.normalizer_id) {
            let detail = format!("policy `{}` does not allow `{}`", policy.id, envelope.normalizer_id);
            against("instruction_normalizer_not_allowed", "normalizerId", detail);
        }
        // Routing what nobody knows is the policy's to grant; an envelope can only do without.
        let may = policy.allow_unknown && envelope.allows_unknown != Some(false);
        if let InstructionClassification::Unknown { reason } = &classification
            && !may
        {
            against("instruction_unknown_unroutable", "instructionType", reason.clone());
        }
    }
    reasons.sort_by(|one, other| {
        (&one.class, &one.subject, &one.detail).cmp(&(&other.class, &other.subject, &other.detail))
    });
    let mut granted = policy.map(|policy| granted(envelope, policy)).unwrap_or_default();
    if let (InstructionAuthor::Client, Some(policy)) = (author, policy) {
        granted = policy.clients.narrow(granted, &envelope.requested_checks);
    }
    Decision { classification, policy, granted, reasons }
}

fn classify(envelope: &Envelope, policy: Option<&InstructionPolicy>) -> InstructionClassification {
    let typed = |kind: &str| InstructionClassification::Typed { kind: kind.to_owned() };
    let unknown = |reason: &str| InstructionClassification::Unknown { reason: reason.to_owned() };
    if let Some(stated) = &envelope.instruction_type {
        let is_known = KINDS.contains(&stated.as_str())
            || ACTIONS.iter().any(|action| action.name == stated)
            || policy.is_some_and(|policy| policy.instruction_types.contains(stated));
        return if is_known { typed(stated) } else { unknown("unrecognized_instruction_type") };
    }
    let knows = |check: &String| policy.is_some_and(|policy| policy.checks.contains_key(check));
    if envelope.requested_checks.iter().all(knows) {
        return typed(GATE_CHECK);
    }
    match envelope.intent.as_text().and_then(ActionName::new) {
        Some(action) if action.as_str().contains('.') => typed(action.as_str()),
        Some(_) | None => unknown("unrecognized_requested_checks"),
    }
}

/// What an envelope claims, its policy grants, and its typing policy leaves.
fn granted(envelope: &Envelope, policy: &InstructionPolicy) -> Vec<String> {
    let mut granted: Vec<String> = Vec::new();
    for claim in &envelope.capability_claims {
        if policy.grants(claim) {
            granted.push(claim.clone());
        } else if claim == EVERYTHING {
            granted.extend(policy.capabilities.iter().cloned());
        }
    }
    if let Some(actions) = &envelope.narrowed_to {
        let left: Vec<String> = actions.iter().map(|action| claim_of(action)).collect();
        let is_all = granted.iter().any(|claim| claim == EVERYTHING);
        granted =
            if is_all { left } else { granted.into_iter().filter(|claim| left.contains(claim)).collect() };
    }
    // An intent that is the name of one action is about that action alone.
    if let Some(action) = one_action(&envelope.intent) {
        let only = claim_of(&action);
        let covers = |claim: &String| *claim == only || claim == EVERYTHING;
        granted = if granted.iter().any(covers) { vec![only] } else { Vec::new() };
    }
    granted.sort_unstable();
    granted.dedup();
    granted
}

/// The action that an intent is, when it is nothing but the name of one: `issue.update`.
fn one_action(intent: &Value<'_>) -> Option<String> {
    let text = match intent.as_object() {
        Some(object) => object.get("action").and_then(Value::as_text)?,
        None => intent.as_text()?,
    };
    let name = ActionName::new(text)?;
    name.as_str().contains('.').then(|| name.as_str().to_owned())
}

/// The claim that an action needs.
pub(crate) fn claim_of(action: &str) -> String {
    format!("{CLAIM_PREFIX}{}", action.trim().replace('.', "_"))
}

#[cfg(test)]
mod tests;
