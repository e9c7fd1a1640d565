//! What a run may do at most: what was asked for, held against what its role may have. Worked out here, never by whoever
//! asks.

use std::collections::BTreeSet;

use premath_kernel::{Object, Value};

use super::error::{PolicyCode, PolicyError};
use super::pin::GovernancePin;
use super::risk::{ControlProfile, RiskTier};
use super::subject::Principal;
use crate::evidence::Unreadable;
use crate::evidence::row::{Row, text_list};
use crate::model::ToolCall;

/// Where what is observed of a run may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Observability {
    /// Anybody who may see the repository.
    #[default]
    Dashboard,
    /// One processor on this machine.
    InternalProcessor,
    /// Nobody: nothing of what was said stays.
    Disabled,
}

impl Observability {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Dashboard, Self::InternalProcessor, Self::Disabled];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::InternalProcessor => "internal_processor",
            Self::Disabled => "disabled",
        }
    }

    /// The mode of a token.
    #[must_use]
    pub fn read(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.token() == token)
    }
}

/// The policy of a run, fixed when it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPolicy {
    /// On whose behalf.
    pub principal: Principal,
    /// The scopes it has.
    pub granted: Vec<String>,
    /// The scopes it asked for and does not have.
    pub refused: Vec<String>,
    /// The controls that its tier binds.
    pub controls: ControlProfile,
    /// The digest of the governor's rules.
    pub rules: String,
    /// The digest of the guards and how they are set.
    pub guards: String,
    /// The policy package it is bound to; none in journals of earlier versions.
    pub governance: Option<GovernancePin>,
    /// Where what is observed may go.
    pub observability: Observability,
    /// The approved plan that the run carries out.
    pub plan: Option<ApprovedPlan>,
}

/// A plan that a person approved, to be carried out as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedPlan {
    /// The proposal.
    pub proposal_id: String,
    /// The digest of what was shown.
    pub digest: String,
    /// The steps.
    pub steps: Vec<PlannedStep>,
}

/// One step of a plan: a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStep {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as JSON.
    pub arguments: String,
    /// What it was about when it was shown, by name.
    pub about: String,
    /// The digest of what it would have done when it was shown, as [`crate::tools::Shown`] has it.
    pub shown: String,
}

impl ApprovedPlan {
    /// Whether a call is a step of it exactly as the person saw it.
    #[must_use]
    pub fn covers(&self, call: &ToolCall) -> bool {
        let is_shown = |step: &PlannedStep| {
            step.id == call.id && step.tool == call.name && step.arguments == call.arguments.as_str()
        };
        call.malformed.is_none() && self.steps.iter().any(is_shown)
    }
}

impl RunPolicy {
    /// The tier.
    #[must_use]
    pub const fn tier(&self) -> RiskTier {
        self.controls.tier
    }

    /// Whether what is said in a run is kept when it is over.
    #[must_use]
    pub const fn keeps_payloads(&self) -> bool {
        match self.observability {
            Observability::Dashboard | Observability::InternalProcessor => true,
            Observability::Disabled => false,
        }
    }

    /// What it asked for and does not have, as errors.
    #[must_use]
    pub fn denied(&self) -> Vec<PolicyError> {
        self.refused.iter().map(|scope| EffectiveScopes::missing(&self.principal, scope)).collect()
    }

    /// What the journal keeps.
    #[must_use]
    pub(crate) fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("controls", self.controls.to_value())
            .optional("governance", self.governance.as_ref().map(GovernancePin::to_value))
            .field("granted", text_list(&self.granted))
            .field("guards", self.guards.as_str())
            .field("observability", self.observability.token())
            .optional("plan", self.plan.as_ref().map(plan_value))
            .field("principal", self.principal.id.as_str())
            .non_empty("refused", text_list(&self.refused))
            .field("role", self.principal.role.as_str())
            .field("rules", self.rules.as_str())
            .finish()
    }

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        let mode = row.text("observability")?;
        let controls = row.value("controls").ok_or_else(|| Unreadable { member: "controls".to_owned() })?;
        Ok(Self {
            principal: Principal { id: row.owned("principal")?, role: row.owned("role")? },
            granted: row.texts("granted")?,
            refused: row.texts("refused")?,
            controls: ControlProfile::from_value(controls)?,
            rules: row.owned("rules")?,
            guards: row.owned("guards")?,
            governance: row.optional_row("governance")?.map(GovernancePin::from_row).transpose()?,
            observability: Observability::read(mode)
                .ok_or_else(|| Unreadable { member: "observability".to_owned() })?,
            plan: row.optional_row("plan")?.map(read_plan).transpose()?,
        })
    }
}

fn plan_value(plan: &ApprovedPlan) -> Value<'_> {
    let step = |step: &PlannedStep| {
        Object::fields()
            .field("about", step.about.as_str().to_owned())
            .field("arguments", step.arguments.as_str().to_owned())
            .field("shown", step.shown.as_str().to_owned())
            .field("stepId", step.id.as_str().to_owned())
            .field("tool", step.tool.as_str().to_owned())
            .finish()
    };
    Object::fields()
        .field("digest", plan.digest.as_str())
        .field("proposalId", plan.proposal_id.as_str())
        .field("steps", plan.steps.iter().map(step).collect::<Vec<_>>())
        .finish()
}

fn read_plan(row: Row<'_>) -> Result<ApprovedPlan, Unreadable> {
    let step = |row: Row<'_>| {
        Ok(PlannedStep {
            id: row.owned("stepId")?,
            tool: row.owned("tool")?,
            arguments: row.owned("arguments")?,
            // A plan from before that does not say what was shown is not carried out.
            about: row.optional("about")?.unwrap_or_default(),
            shown: row.optional("shown")?.unwrap_or_default(),
        })
    };
    Ok(ApprovedPlan {
        proposal_id: row.owned("proposalId")?,
        digest: row.owned("digest")?,
        steps: row.rows("steps", step)?,
    })
}

/// What was asked for, held against a ceiling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveScopes {
    /// What is left.
    pub granted: BTreeSet<String>,
    /// What was asked for by name and is above the ceiling.
    pub refused: BTreeSet<String>,
}

impl EffectiveScopes {
    /// Requested scopes held against a ceiling; who asks for nothing by name gets what the ceiling admits.
    #[must_use]
    pub fn resolve(
        requested: Option<&[String]>,
        ceiling: Option<&[String]>,
        known: &BTreeSet<String>,
    ) -> Self {
        let is_below =
            |scope: &str| ceiling.is_none_or(|ceiling| ceiling.iter().any(|pattern| covers(pattern, scope)));
        match requested {
            None => {
                let granted = known.iter().filter(|scope| is_below(scope)).cloned().collect();
                Self { granted, refused: BTreeSet::new() }
            }
            Some(requested) => {
                let mut wanted: BTreeSet<String> = requested.iter().cloned().collect();
                // Whoever may change a desk may look at it.
                if wanted.iter().any(|scope| scope.starts_with("desk:")) {
                    wanted.insert("desk:read".to_owned());
                }
                let (granted, refused) = wanted.into_iter().partition(|scope| is_below(scope));
                Self { granted, refused }
            }
        }
    }

    /// The error of a scope that is above the ceiling.
    #[must_use]
    pub fn missing(principal: &Principal, scope: &str) -> PolicyError {
        let reason = format!("`{scope}` is above the ceiling of role `{}`", principal.role);
        let mut error =
            PolicyError::new(PolicyCode::ScopeMissing, format!("role {}", principal.role), reason);
        error.human_message = format!(
            "`{scope}` was asked for, and the role `{}` of {} does not have it",
            principal.role, principal.id
        );
        error.evidence = vec![format!("requested {scope}")];
        error
    }
}

/// Whether a pattern of a ceiling covers a scope: the scope itself, `desk:*`, or `*`.
fn covers(pattern: &str, scope: &str) -> bool {
    pattern == "*"
        || pattern == scope
        || pattern.strip_suffix('*').is_some_and(|start| start.ends_with(':') && scope.starts_with(start))
}
