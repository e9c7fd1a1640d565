//! Mutation: the one intent is backed by a closed turn, the declared policy and a granted capability.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::prior::PriorResults;
use super::{View, governance};
use crate::admit::ActivePolicy;
use crate::digest::Digest;
use crate::evidence::UseMeaning;
use crate::failure::FailureClass;
use crate::intent::{Claims, Intent, covers};
use crate::policy::{PolicyKind, RestedOn};
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
    /// Every result that something rests on, beside what rests on it.
    rested_on: Vec<(String, RestedOn)>,
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
            rested_on: own_results(view).into_iter().chain(earlier_results(view)).collect(),
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
    verification(backing, intent, policy, findings);
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

/// A mutation that the policy names rests on a result that verifies the work.
fn verification(backing: &Backing, intent: &Intent, policy: &ActivePolicy<'_>, findings: &mut Findings) {
    let ActivePolicy::Supplied(document) = policy else { return };
    let Some(rule) = document.terms().verification.as_ref().filter(|rule| rule.covers(intent)) else {
        return;
    };
    let wanted = intent.digest();
    let mut own = backing.rested_on.iter().filter(|(reference, _)| reference == wanted.as_str());
    if !own.any(|(_, result)| rule.is_met_by(result)) {
        let detail = format!("{} needs a verification result, and it rests on none", intent.action.as_str());
        findings.add(FailureClass::UseEvidenceMissing, "policies.mutationPolicy.verification", detail);
    }
}

/// Consumed results of the turn itself, by what rests on them.
fn own_results(view: &View<'_>) -> Vec<(String, RestedOn)> {
    let consumed = view.calls.iter().filter_map(|call| {
        let used = call.used.filter(|used| used.disposition.meaning() == UseMeaning::Consumed)?;
        let reference = String::from(used.mutation_input_ref.as_ref()?.as_str());
        let row = call.terminal()?;
        let result = RestedOn {
            tool_name: call.request.map(|request| request.tool_name.clone()),
            status: Some(row.status),
            shell: row.shell.clone(),
            verdict: row.verdict.clone(),
            is_approved: call.request.is_some_and(|request| request.approval_ref.is_some()),
        };
        Some((reference, result))
    });
    consumed.collect()
}

/// Results of earlier turns, by what rests on them. One that was not found backs nothing.
fn earlier_results(view: &View<'_>) -> Vec<(String, RestedOn)> {
    let found = PriorResults::of(view);
    let rested = view.turn.prior_uses.iter().filter_map(|used| {
        let row = found.matching(used).ok()?;
        let result = RestedOn {
            tool_name: row.tool_name.clone(),
            status: row.status,
            shell: row.shell.clone(),
            verdict: row.verdict.clone(),
            is_approved: false,
        };
        Some((String::from(used.reference.as_str()), result))
    });
    rested.collect()
}
