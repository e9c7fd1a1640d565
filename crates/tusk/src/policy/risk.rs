//! Risk tiers and the controls they bind: which guardrail stages must decide, what a person confirms, how commands are
//! walled in, how often a person looks.
//!
//! The tier of a run is the highest need of what it is offered. A tier without a profile is not run (I9).

use premath_kernel::{GuardrailStage, Object, Value};

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count, text_list, unreadable};
use crate::tools::{Risk, ToolSpec};

/// How much can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskTier {
    /// It only looks.
    Low,
    /// It makes and changes things.
    Moderate,
    /// It can lose things, or runs commands.
    High,
}

impl RiskTier {
    /// Every tier, lowest first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Moderate, Self::High];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::High => "high",
        }
    }

    /// The tier of a token.
    #[must_use]
    pub fn read(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.token() == token)
    }

    /// What one risk needs.
    #[must_use]
    pub const fn of_risk(risk: Risk) -> Self {
        match risk {
            Risk::Read => Self::Low,
            Risk::Create | Risk::Write => Self::Moderate,
            Risk::Destructive => Self::High,
        }
    }

    /// The highest need of the tools that are offered.
    #[must_use]
    pub fn of_tools<'t>(tools: impl IntoIterator<Item = &'t ToolSpec>) -> Self {
        tools.into_iter().map(|spec| Self::of_risk(spec.risk)).max().unwrap_or(Self::Low)
    }
}

/// The controls that a tier binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlProfile {
    /// The tier.
    pub tier: RiskTier,
    /// Its name.
    pub id: String,
    /// The stages at which guardrails must decide.
    pub stages: Vec<GuardrailStage>,
    /// Scopes whose calls a person confirms, whatever the rules allow.
    pub confirm: Vec<String>,
    /// The profile of the sandbox at most.
    pub sandbox: Option<String>,
    /// A person looks every so many turns.
    pub checkpoint_every: Option<u64>,
}

impl ControlProfile {
    /// What holds when a repository has no profiles of its own.
    #[must_use]
    pub fn standard(tier: RiskTier) -> Self {
        let confirm = match tier {
            RiskTier::Low => Vec::new(),
            RiskTier::Moderate | RiskTier::High => vec!["desk:delete".to_owned()],
        };
        Self {
            tier,
            id: format!("premath.risk.{}.v1", tier.token()),
            stages: GuardrailStage::ALL.to_vec(),
            confirm,
            sandbox: None,
            checkpoint_every: None,
        }
    }

    /// Whether a person confirms every call of a scope.
    #[must_use]
    pub fn confirms(&self, scope: &str) -> bool {
        self.confirm.iter().any(|one| one == scope)
    }

    /// The document, without its digest.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .optional("checkpointEveryTurns", self.checkpoint_every.map(count))
            .field("confirm", text_list(&self.confirm))
            .field("guardrailStages", Value::text_list(self.stages.iter().map(|stage| stage.token())))
            .field("profileId", self.id.as_str())
            .optional("sandboxProfile", self.sandbox.as_deref())
            .field("tier", self.tier.token())
            .finish()
    }

    /// Reads a document.
    ///
    /// # Errors
    /// The first member that is missing or of another kind.
    pub fn from_value(value: &Value<'_>) -> Result<Self, Unreadable> {
        let row = Row::of(value)?;
        let tier = RiskTier::read(row.text("tier")?).ok_or_else(|| unreadable("tier"))?;
        let stage = |token: &String| {
            let known = GuardrailStage::ALL.into_iter().find(|one| one.token() == token);
            known.ok_or_else(|| unreadable("guardrailStages"))
        };
        Ok(Self {
            tier,
            id: row.owned("profileId")?,
            stages: row.texts("guardrailStages")?.iter().map(stage).collect::<Result<_, _>>()?,
            confirm: row.texts("confirm")?,
            sandbox: row.optional("sandboxProfile")?,
            checkpoint_every: row.optional_count("checkpointEveryTurns")?,
        })
    }
}
