//! The governance profile on the wire.

use std::borrow::Cow;

use premath_kernel as kernel;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::row::{Wire, row};
use super::scalar::{AnyJson, Decimal, DigestText, Name, Whole, Word};

row! {
    /// What is claimed about the governance of a run.
    GovernanceProfile = kernel::GovernanceProfile
    {
        /// Whether the profile is claimed at all.
        claimed: bool,
    }
    {
        /// Which profile.
        claim_id: Option<Name>,
        /// Where the policy package came from.
        policy_provenance: Option<PolicyProvenance>,
        /// The guardrail stages that ran, in order.
        guardrail_stages: Option<Vec<Word>>,
        /// What the evaluation measured.
        eval_gate: Option<EvalGate>,
        /// What the evaluation was made of.
        eval_evidence: Option<EvalEvidence>,
        /// What the red team found.
        red_team: Option<RedTeam>,
        /// Where traces go.
        observability_mode: Option<Word>,
        /// The tier and whether its controls are bound.
        risk_tier: Option<RiskTierClaim>,
        /// How a self-changing loop is held.
        self_evolution: Option<SelfEvolution>,
    }
}

row! {
    /// Where a policy package came from.
    PolicyProvenance = kernel::PolicyProvenance
    {}
    {
        /// Whether it is pinned.
        pinned: Option<bool>,
        /// Which package.
        package_ref: Option<Name>,
        /// The digest that was pinned.
        expected_digest: Option<DigestText>,
        /// The digest that was bound.
        bound_digest: Option<DigestText>,
    }
}

row! {
    /// What an evaluation measured.
    EvalGate = kernel::EvalGate
    {}
    {
        /// What the caller says.
        passed: Option<bool>,
        /// The numbers.
        metrics: Metrics,
    }
}

row! {
    /// Precision, recall and F1.
    #[derive(Default)]
    Metrics = kernel::Metrics
    {}
    {
        /// Precision.
        precision: Option<Decimal>,
        /// Recall.
        recall: Option<Decimal>,
        /// F1.
        f1: Option<Decimal>,
    }
}

row! {
    /// What an evaluation was made of.
    EvalEvidence = kernel::EvalEvidence
    {}
    {
        /// The data set.
        dataset_lineage_ref: Option<Name>,
        /// The grader.
        grader_config_lineage_ref: Option<Name>,
        /// The thresholds.
        metric_thresholds_ref: Option<Name>,
    }
}

row! {
    /// What a red team found.
    RedTeam = kernel::RedTeam
    {}
    {
        /// How many probes ran.
        probes: Option<Whole>,
        /// How many got through.
        failures: Option<Whole>,
        /// The report.
        report_ref: Option<Name>,
    }
}

row! {
    /// A risk tier and whether its controls are said to be bound.
    RiskTierClaim = kernel::RiskTierClaim
    {}
    {
        /// Which tier.
        tier: Option<Word>,
        /// What the caller says.
        control_profile_bound: Option<bool>,
    }
}

row! {
    /// How a self-changing loop is held.
    SelfEvolution = kernel::SelfEvolution
    {}
    {
        /// How often it may try.
        max_attempts: Option<Whole>,
        /// Who is told when it gives up; older data say `true`.
        terminal_escalation: Escalation,
        /// What it goes back to.
        rollback_ref: Option<Name>,
    }
}

/// A name, or a boolean in older data: `true` names nobody in particular, `false` is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Escalation(Option<kernel::Text>);

impl Wire for Escalation {
    type Kernel = Option<kernel::Text>;

    fn into_kernel(self) -> Self::Kernel {
        self.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(kernel)
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<'de> Deserialize<'de> for Escalation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = AnyJson::deserialize(deserializer)?.into_kernel();
        match value {
            kernel::Value::Null | kernel::Value::Bool(false) => Ok(Self(None)),
            kernel::Value::Bool(true) => Ok(Self(kernel::Text::new("true"))),
            kernel::Value::Text(text) => Ok(Self(kernel::Text::new(&text))),
            kernel::Value::Number(_) | kernel::Value::Array(_) | kernel::Value::Object(_) => {
                Err(serde::de::Error::custom("expected text or a boolean"))
            }
        }
    }
}

impl Serialize for Escalation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().map(kernel::Text::as_str).serialize(serializer)
    }
}

impl JsonSchema for Escalation {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Escalation")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "boolean", "null"] })
    }
}
