//! What is claimed about the governance of a run: provenance, gates, self-evolution.
//!
//! Plain evidence. A `true` in here never overrules something that can be computed.

use alloc::vec::Vec;

use crate::canon::{Number, Object, Value};
use crate::digest::Digest;
use crate::scalar::{Count, Text, Token};

/// The one claim id we know.
pub const GOVERNANCE_CLAIM_ID: &str = "profile.doctrine_inf_governance.v0";

/// Everything that is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct GovernanceProfile {
    /// Which profile.
    pub claim_id: Option<Text>,
    /// Whether it is claimed at all.
    pub claimed: bool,
    /// Where the policy package came from.
    pub policy_provenance: Option<PolicyProvenance>,
    /// The guardrail stages that ran, in order.
    pub guardrail_stages: Option<Vec<Token>>,
    /// What the evaluation measured.
    pub eval_gate: Option<EvalGate>,
    /// What the evaluation was made of.
    pub eval_evidence: Option<EvalEvidence>,
    /// What the red team found.
    pub red_team: Option<RedTeam>,
    /// Where traces go.
    pub observability_mode: Option<Token>,
    /// The tier and whether its controls are bound.
    pub risk_tier: Option<RiskTierClaim>,
    /// How a self-changing loop is held.
    pub self_evolution: Option<SelfEvolution>,
}

impl GovernanceProfile {
    /// The normal form that is hashed.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        let stages = self.guardrail_stages.as_ref();
        Object::fields()
            .optional("claimId", self.claim_id.as_ref())
            .field("claimed", self.claimed)
            .optional("evalEvidence", self.eval_evidence.as_ref().map(EvalEvidence::canonical))
            .optional("evalGate", self.eval_gate.as_ref().map(EvalGate::canonical))
            .optional(
                "guardrailStages",
                stages.map(|stages| stages.iter().map(Value::from).collect::<Vec<_>>()),
            )
            .optional("observabilityMode", self.observability_mode.as_ref())
            .optional("policyProvenance", self.policy_provenance.as_ref().map(PolicyProvenance::canonical))
            .optional("redTeam", self.red_team.as_ref().map(RedTeam::canonical))
            .optional("riskTier", self.risk_tier.as_ref().map(RiskTierClaim::canonical))
            .optional("selfEvolution", self.self_evolution.as_ref().map(SelfEvolution::canonical))
            .finish()
    }
}

/// Where a policy package came from.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyProvenance {
    /// Whether it is pinned.
    pub pinned: Option<bool>,
    /// Which package.
    pub package_ref: Option<Text>,
    /// The digest that was pinned.
    pub expected_digest: Option<Digest>,
    /// The digest that was bound.
    pub bound_digest: Option<Digest>,
}

impl PolicyProvenance {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("boundDigest", self.bound_digest.as_ref())
            .optional("expectedDigest", self.expected_digest.as_ref())
            .optional("packageRef", self.package_ref.as_ref())
            .optional("pinned", self.pinned)
            .finish()
    }
}

/// What an evaluation measured.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalGate {
    /// What the caller says. True alone never overrules a threshold.
    pub passed: Option<bool>,
    /// The numbers.
    pub metrics: Metrics,
}

impl EvalGate {
    fn canonical(&self) -> Value<'_> {
        Object::fields().field("metrics", self.metrics.canonical()).optional("passed", self.passed).finish()
    }
}

/// Precision, recall and F1; also used for thresholds over them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics {
    /// Precision.
    pub precision: Option<Number>,
    /// Recall.
    pub recall: Option<Number>,
    /// F1.
    pub f1: Option<Number>,
}

impl Metrics {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("f1", self.f1)
            .optional("precision", self.precision)
            .optional("recall", self.recall)
            .finish()
    }

    /// Each metric's name beside its value, in a fixed order.
    pub(crate) fn named(&self) -> [(&'static str, Option<Number>); 3] {
        [("precision", self.precision), ("recall", self.recall), ("f1", self.f1)]
    }
}

/// What an evaluation was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalEvidence {
    /// The data set.
    pub dataset_lineage_ref: Option<Text>,
    /// The grader.
    pub grader_config_lineage_ref: Option<Text>,
    /// The thresholds.
    pub metric_thresholds_ref: Option<Text>,
}

impl EvalEvidence {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("datasetLineageRef", self.dataset_lineage_ref.as_ref())
            .optional("graderConfigLineageRef", self.grader_config_lineage_ref.as_ref())
            .optional("metricThresholdsRef", self.metric_thresholds_ref.as_ref())
            .finish()
    }
}

/// What a red team found.
#[derive(Debug, Clone, PartialEq)]
pub struct RedTeam {
    /// How many probes ran.
    pub probes: Option<Count>,
    /// How many got through.
    pub failures: Option<Count>,
    /// The report.
    pub report_ref: Option<Text>,
}

impl RedTeam {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("failures", self.failures)
            .optional("probes", self.probes)
            .optional("reportRef", self.report_ref.as_ref())
            .finish()
    }
}

/// A risk tier and whether its controls are said to be bound.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskTierClaim {
    /// Which tier.
    pub tier: Option<Token>,
    /// What the caller says.
    pub control_profile_bound: Option<bool>,
}

impl RiskTierClaim {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("controlProfileBound", self.control_profile_bound)
            .optional("tier", self.tier.as_ref())
            .finish()
    }
}

/// How a self-changing loop is held.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfEvolution {
    /// How often it may try.
    pub max_attempts: Option<Count>,
    /// Who is told when it gives up.
    pub terminal_escalation: Option<Text>,
    /// What it goes back to.
    pub rollback_ref: Option<Text>,
}

impl SelfEvolution {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("maxAttempts", self.max_attempts)
            .optional("rollbackRef", self.rollback_ref.as_ref())
            .optional("terminalEscalation", self.terminal_escalation.as_ref())
            .finish()
    }
}
