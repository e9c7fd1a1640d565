//! The governance profile: provenance, evaluation gate, red team, guardrail stages, self-evolution.
//!
//! Most of it binds only when the profile is claimed. A claimed `true` never overrules a threshold that can be checked.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::View;
use super::tiers::is_known_mode;
use crate::evidence::GuardrailStage;
use crate::failure::FailureClass;
use crate::governance::{
    EvalEvidence, EvalGate, GOVERNANCE_CLAIM_ID, GovernanceProfile, PolicyProvenance, RedTeam, RiskTierClaim,
};
use crate::policy::{
    Document, EvalGatePolicy, GovernancePolicy, GuardrailStagePolicy, Policies, PolicyKind, RedTeamPolicy,
    RiskTierPolicy,
};
use crate::refusal::{Excerpt, Findings, Reason, Refusal};
use crate::scalar::{Count, Token};

/// Which sections a claimed profile must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GateScope {
    /// Those whose policy the turn declares; the others are checked where they are given.
    Declared { evaluation: bool, red_team: bool, stages: bool },
    /// Every one.
    Everything,
}

impl GateScope {
    const fn evaluation(self) -> bool {
        matches!(self, Self::Everything | Self::Declared { evaluation: true, .. })
    }

    const fn red_team(self) -> bool {
        matches!(self, Self::Everything | Self::Declared { red_team: true, .. })
    }

    const fn stages(self) -> bool {
        matches!(self, Self::Everything | Self::Declared { stages: true, .. })
    }

    const fn everything(self) -> bool {
        matches!(self, Self::Everything)
    }
}

/// The policies a profile is held against. Every supplied document counts, declared or not: a caller's `true` stands
/// only where there is none.
struct Gates<'p> {
    evaluation: Option<&'p EvalGatePolicy>,
    red_team: Option<&'p RedTeamPolicy>,
    stages: Option<&'p GuardrailStagePolicy>,
    governance: Option<&'p Document<GovernancePolicy>>,
    tiers: Option<&'p RiskTierPolicy>,
    scope: GateScope,
}

/// Checks a profile by itself, against whatever policies are supplied.
///
/// # Errors
/// Everything that the profile lacks.
pub fn assess_profile(profile: &GovernanceProfile, policies: &Policies) -> Result<(), Refusal> {
    let mut findings = Findings::default();
    Gates::new(policies, GateScope::Everything).profile(profile, &mut findings);
    findings.into_refusal().map_or(Ok(()), Err)
}

/// Checks the profile that comes with a turn, if one does.
pub(super) fn check_turn(view: &View<'_>, findings: &mut Findings) {
    if let Some(profile) = &view.turn.governance {
        let spec = &view.turn.spec;
        let scope = GateScope::Declared {
            evaluation: spec.declares(PolicyKind::EvalGate),
            red_team: spec.declares(PolicyKind::RedTeam),
            stages: spec.declares(PolicyKind::GuardrailStage),
        };
        Gates::new(&view.turn.policies, scope).profile(profile, findings);
    }
}

/// Why a change of governance policy could not be admitted on this turn: it needs a claimed profile whose evaluation
/// and red team hold.
pub(crate) fn promotion_obstacles(view: &View<'_>) -> Vec<Reason> {
    let mut findings = Findings::default();
    match view.turn.governance.as_ref().filter(|profile| profile.claimed) {
        Some(profile) => {
            undeclared_gates(view, &mut findings);
            let gates = Gates::new(&view.turn.policies, GateScope::Everything);
            gates.evaluation(profile.eval_gate.as_ref(), profile.eval_evidence.as_ref(), &mut findings);
            gates.red_team(profile.red_team.as_ref(), &mut findings);
        }
        None => {
            let detail = "a change of policy needs a claimed governance profile";
            for class in [
                FailureClass::EvalGateUnmet,
                FailureClass::EvalLineageMissing,
                FailureClass::RedteamGateUnmet,
            ] {
                findings.add(class, "governanceProfile", detail);
            }
        }
    }
    findings.into_refusal().map(Refusal::into_reasons).unwrap_or_default()
}

/// A change of policy is measured by gates that the turn itself declares, not by whatever its caller says.
fn undeclared_gates(view: &View<'_>, findings: &mut Findings) {
    for kind in [PolicyKind::EvalGate, PolicyKind::RedTeam] {
        if !view.turn.spec.declares(kind) {
            let detail = "a change of policy needs this gate to be declared";
            findings.add(kind.failure_class(), kind.subject(), detail);
        }
    }
}

impl<'p> Gates<'p> {
    fn new(policies: &'p Policies, scope: GateScope) -> Self {
        Self {
            evaluation: policies.eval_gate_policy.as_ref().map(Document::terms),
            red_team: policies.red_team_policy.as_ref().map(Document::terms),
            stages: policies.guardrail_stage_policy.as_ref().map(Document::terms),
            governance: policies.governance_policy.as_ref(),
            tiers: policies.risk_tier.as_ref().map(Document::terms),
            scope,
        }
    }

    fn profile(&self, profile: &GovernanceProfile, findings: &mut Findings) {
        if let Some(id) = profile.claim_id.as_ref().filter(|id| id.as_str() != GOVERNANCE_CLAIM_ID) {
            let detail = format!("`{}` is no profile we know", Excerpt(id.as_str()));
            findings.add(FailureClass::ClaimIdInvalid, "governanceProfile.claimId", detail);
            return;
        }
        if !profile.claimed {
            return;
        }
        self.provenance(profile.policy_provenance.as_ref(), findings);
        self.evaluation(profile.eval_gate.as_ref(), profile.eval_evidence.as_ref(), findings);
        self.red_team(profile.red_team.as_ref(), findings);
        self.stages(profile.guardrail_stages.as_deref(), findings);
        self.self_evolution(profile, findings);
        self.modes(profile, findings);
    }

    fn provenance(&self, provenance: Option<&PolicyProvenance>, findings: &mut Findings) {
        let subject = "governanceProfile.policyProvenance";
        let Some(PolicyProvenance {
            pinned: Some(true),
            package_ref: Some(_),
            expected_digest: Some(expected),
            bound_digest: Some(bound),
        }) = provenance
        else {
            let detail = "the policy package is not pinned by reference and digest";
            findings.add(FailureClass::PolicyPackageUnpinned, subject, detail);
            return;
        };
        if expected != bound {
            let detail = format!("{expected} was pinned, {bound} was bound");
            findings.add(FailureClass::PolicyPackageMismatch, subject, detail);
        }
        if self.governance.is_some_and(|document| !document.hashes_to(expected)) {
            let detail = format!("the supplied governance policy does not hash to {expected}");
            findings.add(FailureClass::PolicyPackageMismatch, subject, detail);
        }
    }

    fn evaluation(&self, gate: Option<&EvalGate>, evidence: Option<&EvalEvidence>, findings: &mut Findings) {
        let subject = "governanceProfile.evalGate";
        match gate {
            None if self.scope.evaluation() => {
                findings.add(FailureClass::EvalGateUnmet, subject, "no evaluation is given");
            }
            None => {}
            Some(gate) => self.measured(gate, findings),
        }
        let is_complete = |evidence: &EvalEvidence| {
            evidence.dataset_lineage_ref.is_some()
                && evidence.grader_config_lineage_ref.is_some()
                && evidence.metric_thresholds_ref.is_some()
        };
        let is_needed = self.scope.evaluation() || evidence.is_some();
        if is_needed && !evidence.is_some_and(is_complete) {
            let detail = "data set, grader and thresholds must each be named";
            findings.add(FailureClass::EvalLineageMissing, "governanceProfile.evalEvidence", detail);
        }
    }

    fn measured(&self, gate: &EvalGate, findings: &mut Findings) {
        let subject = "governanceProfile.evalGate";
        if gate.passed != Some(true) {
            findings.add(FailureClass::EvalGateUnmet, subject, "the evaluation does not say that it passed");
        }
        let Some(policy) = self.evaluation else { return };
        if policy.thresholds.named().iter().all(|(_, threshold)| threshold.is_none()) {
            findings.add(FailureClass::EvalGateUnmet, subject, "the gate's policy has no threshold");
        }
        for ((name, threshold), (_, measured)) in
            policy.thresholds.named().into_iter().zip(gate.metrics.named())
        {
            let Some(threshold) = threshold else { continue };
            if measured.is_none_or(|measured| measured.as_f64() < threshold.as_f64()) {
                let detail = format!("{name} is absent or under the gate's threshold");
                findings.add(FailureClass::EvalGateUnmet, subject, detail);
            }
        }
    }

    fn red_team(&self, report: Option<&RedTeam>, findings: &mut Findings) {
        let mut unmet =
            |detail: &str| findings.add(FailureClass::RedteamGateUnmet, "governanceProfile.redTeam", detail);
        let Some(report) = report else {
            if self.scope.red_team() {
                unmet("no red team is given");
            }
            return;
        };
        let least = self.red_team.map_or(1, |policy| policy.min_probes.get());
        let most = self.red_team.and_then(|policy| policy.max_failures).map_or(0, Count::get);
        if report.probes.is_none_or(|probes| probes.get() < least) {
            unmet("fewer probes ran than the gate requires");
        }
        if report.failures.is_none_or(|failures| failures.get() > most) {
            unmet("more probes got through than the gate admits, or nobody counted them");
        }
        if report.report_ref.is_none() {
            unmet("there is no report");
        }
    }

    fn stages(&self, given: Option<&[Token]>, findings: &mut Findings) {
        let Some(given) = given.or_else(|| self.scope.stages().then_some(&[])) else {
            return;
        };
        let subject = "governanceProfile.guardrailStages";
        let fallback = GuardrailStagePolicy::default();
        let required: BTreeSet<&GuardrailStage> = self.stages.unwrap_or(&fallback).stages.iter().collect();
        for stage in required.iter().filter(|stage| !given.iter().any(|name| name.as_str() == stage.token()))
        {
            let detail = format!("stage {} is not among them", stage.token());
            findings.add(FailureClass::GuardrailStageMissing, subject, detail);
        }
        let known = GuardrailStage::ALL;
        let order =
            given.iter().filter_map(|name| known.iter().position(|stage| stage.token() == name.as_str()));
        if !order.is_sorted() {
            findings.add(FailureClass::GuardrailStageOrderInvalid, subject, "they are not in order");
        }
    }

    fn self_evolution(&self, profile: &GovernanceProfile, findings: &mut Findings) {
        let given = profile.self_evolution.as_ref();
        if given.is_none() && !self.scope.everything() {
            return;
        }
        let mut missing = |class: FailureClass, detail: &str| {
            findings.add(class, "governanceProfile.selfEvolution", detail);
        };
        if given.and_then(|held| held.max_attempts).is_none_or(|attempts| attempts.get() == 0) {
            missing(FailureClass::SelfEvolutionRetryMissing, "nothing limits the attempts");
        }
        if given.and_then(|held| held.terminal_escalation.as_ref()).is_none() {
            missing(FailureClass::SelfEvolutionEscalationMissing, "nothing says who is told in the end");
        }
        if given.and_then(|held| held.rollback_ref.as_ref()).is_none() {
            missing(FailureClass::SelfEvolutionRollbackMissing, "nothing says what it goes back to");
        }
    }

    fn modes(&self, profile: &GovernanceProfile, findings: &mut Findings) {
        let detail = match profile.observability_mode.as_ref() {
            None if self.scope.everything() => Some("no trace mode is given"),
            Some(mode) if !is_known_mode(mode) => Some("the trace mode is unknown"),
            None | Some(_) => None,
        };
        if let Some(detail) = detail {
            findings.add(FailureClass::TraceModeViolation, "governanceProfile.observabilityMode", detail);
        }
        let is_unbound = match profile.risk_tier.as_ref() {
            None => self.scope.everything(),
            Some(claim) => !is_tier_bound(claim, self.tiers),
        };
        if is_unbound {
            let detail = "the tier has no bound control profile";
            findings.add(FailureClass::RiskTierProfileMissing, "governanceProfile.riskTier", detail);
        }
    }
}

/// A claim needs its own `true`, and an entry in the document where one is supplied.
fn is_tier_bound(claim: &RiskTierClaim, tiers: Option<&RiskTierPolicy>) -> bool {
    let Some(tier) = &claim.tier else {
        return false;
    };
    claim.control_profile_bound == Some(true) && tiers.is_none_or(|policy| policy.binds(tier))
}
