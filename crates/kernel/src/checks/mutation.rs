//! Mutation: the one intent is backed by a closed turn, the declared policy and a granted capability.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{View, governance};
use crate::admit::ActivePolicy;
use crate::digest::Digest;
use crate::evidence::UseMeaning;
use crate::failure::FailureClass;
use crate::intent::{Claims, Intent, covers};
use crate::policy::PolicyKind;
use crate::refusal::{Findings, Reason};

/// The action that hands work over, as capabilities spell it: `handoff.transfer` and `handoff_transfer` are one.
const TRANSFER: &str = "handoff_transfer";
/// The resource whose actions change policy.
const POLICY: &str = "policy";

/// What admitting a mutation needs to know about its turn.
#[derive(Debug)]
pub(crate) struct Backing {
    mutation_policy: Digest,
    mutation_inputs: BTreeSet<String>,
    has_linkage: bool,
    may_continue_unready: bool,
    promotion_obstacles: Vec<Reason>,
    has_contracted_handoff: bool,
}

impl Backing {
    /// Gathers it from the turn.
    pub(crate) fn of(view: &View<'_>) -> Self {
        let turn = view.turn;
        let consumed = turn.uses.iter().filter(|used| used.disposition.meaning() == UseMeaning::Consumed);
        let inputs = consumed.filter_map(|used| used.mutation_input_ref.as_ref());
        let is_ready = turn.context_state().continuation_context_ready;
        Self {
            mutation_policy: turn.spec.mutation_policy.clone(),
            mutation_inputs: inputs.map(|input| String::from(input.as_str())).collect(),
            has_linkage: !turn.session_refs.is_empty() || !turn.trajectory_refs.is_empty(),
            may_continue_unready: turn.protocol.continuation_allowed && !is_ready,
            promotion_obstacles: governance::promotion_obstacles(view),
            has_contracted_handoff: turn.handoff.is_some() && turn.spec.declares(PolicyKind::HandoffContract),
        }
    }
}

/// Everything that speaks against the mutation, given that its turn is closed.
pub(crate) fn check(
    backing: &Backing,
    intent: &Intent,
    policy: &ActivePolicy<'_>,
    claims: &Claims,
    findings: &mut Findings,
) {
    policy_digest(backing, intent, policy, findings);
    capability(intent, policy, claims, findings);
    use_evidence(backing, intent, findings);
    let action = intent.action.underscored();
    if action.strip_prefix(POLICY).is_some_and(|verb| verb.is_empty() || verb.starts_with('_')) {
        findings.extend(backing.promotion_obstacles.iter().cloned());
    }
    if action == TRANSFER && !backing.has_contracted_handoff {
        let detail = "a transfer needs a handoff packet and a declared contract";
        findings.add(FailureClass::TargetNotAllowed, "handoff", detail);
    }
}

/// The turn itself is not closed, so nothing backs the mutation.
pub(crate) fn not_closed(findings: &mut Findings) {
    findings.add(FailureClass::UseEvidenceMissing, "intent", "the turn that asks for it is not closed");
}

fn policy_digest(backing: &Backing, intent: &Intent, policy: &ActivePolicy<'_>, findings: &mut Findings) {
    let class = FailureClass::PolicyDigestMismatch;
    if intent.policy_digest != backing.mutation_policy {
        let detail = format!(
            "the intent was formed under {}, the turn under {}",
            intent.policy_digest, backing.mutation_policy
        );
        findings.add(class, "intent.policyDigest", detail);
    }
    if let ActivePolicy::Supplied(document) = policy
        && !document.hashes_to(&backing.mutation_policy)
    {
        let detail = format!("the active policy does not hash to {}", backing.mutation_policy);
        findings.add(class, PolicyKind::Mutation.subject(), detail);
    }
}

fn capability(intent: &Intent, policy: &ActivePolicy<'_>, claims: &Claims, findings: &mut Findings) {
    let class = FailureClass::CapabilityClaimMissing;
    if !claims.cover(intent) {
        findings.add(class, "intent.action", format!("{} was not claimed", intent.capability()));
    }
    if let ActivePolicy::Supplied(document) = policy
        && !covers(&document.terms().capabilities, intent)
    {
        let detail = format!("the mutation policy does not grant {}", intent.capability());
        findings.add(class, "intent.action", detail);
    }
}

fn use_evidence(backing: &Backing, intent: &Intent, findings: &mut Findings) {
    let class = FailureClass::UseEvidenceMissing;
    if !backing.mutation_inputs.contains(intent.digest().as_str()) {
        findings.add(class, "intent", "no consumed result names this intent as its mutation input");
    }
    if !backing.has_linkage {
        findings.add(class, "evidence.sessionRefs", "neither session nor trajectory cites the turn");
    }
    if backing.may_continue_unready {
        findings.add(class, "protocolState", "the loop would go on without a ready context");
    }
}
