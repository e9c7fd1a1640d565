//! Terms of the policies about governance, evaluation, risk and mutation.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::verification::VerificationRule;
use crate::evidence::GuardrailStage;
use crate::governance::Metrics;
use crate::scalar::{Count, Text, TextSet, Token};

/// The governance package. Only its identity matters here.
#[derive(Debug, Clone, Default)]
pub struct GovernancePolicy;

/// Which guardrail stages must decide.
#[derive(Debug, Clone)]
pub struct GuardrailStagePolicy {
    /// The stages.
    pub stages: Vec<GuardrailStage>,
}

impl Default for GuardrailStagePolicy {
    fn default() -> Self {
        Self { stages: GuardrailStage::ALL.to_vec() }
    }
}

/// What an evaluation must reach.
#[derive(Debug, Clone, Default)]
pub struct EvalGatePolicy {
    /// The thresholds.
    pub thresholds: Metrics,
}

/// What a red team must have tried.
#[derive(Debug, Clone)]
pub struct RedTeamPolicy {
    /// The fewest probes.
    pub min_probes: Count,
    /// The most that may get through; absent: none.
    pub max_failures: Option<Count>,
}

/// Which tools filter before their results reach the context.
#[derive(Debug, Clone, Default)]
pub struct PreContextFilterPolicy {
    /// Their names.
    pub filtering_tools: TextSet,
}

/// The benchmark that default choices were measured with.
#[derive(Debug, Clone, Default)]
pub struct EvalProfile {
    /// Its name.
    pub profile_id: Option<Text>,
    /// The data set.
    pub dataset_lineage_ref: Option<Text>,
    /// The grader.
    pub grader_config_lineage_ref: Option<Text>,
}

/// Control profiles by tier.
#[derive(Debug, Clone, Default)]
pub struct RiskTierPolicy {
    /// A tier without a profile is not bound.
    pub tiers: BTreeMap<Token, Option<Text>>,
}

impl RiskTierPolicy {
    /// Whether a tier has a control profile.
    #[must_use]
    pub fn binds(&self, tier: &Token) -> bool {
        self.tiers.get(tier).is_some_and(Option::is_some)
    }
}

/// Where traces may go.
#[derive(Debug, Clone, Default)]
pub struct ObservabilityPolicy {
    /// Allowed modes.
    pub allowed: Vec<Token>,
}

/// What mutations may be made.
#[derive(Debug, Clone, Default)]
pub struct MutationPolicy {
    /// Granted capabilities.
    pub capabilities: TextSet,
    /// Which mutations need a verification result. Absent: none does.
    pub verification: Option<VerificationRule>,
}
