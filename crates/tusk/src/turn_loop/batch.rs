//! What only a whole turn shows: how many things it would destroy, and that a plan stands alone in it.
//!
//! Decided once, where decisions are put on record, and held again by the machine, which trusts nobody with it. It must not
//! decide about a call for what the call itself is.

use std::collections::BTreeSet;

use super::config::RunConfig;
use super::progress::PROPOSE_PLAN;
use crate::policy::{CallJudgement, Effect, GovernedCall, Judged, PolicyCode, PolicyError};
use crate::tools::{Risk, ToolKind, ToolSpec};

/// Whether a turn may destroy more than one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchRule {
    /// It may: it carries out what a person agreed to as a whole.
    Agreed,
    /// It may not, and can propose a plan.
    PlanFirst,
    /// It may not, and there is no tool for plans.
    OneByOne,
}

impl BatchRule {
    /// The rule of a run.
    #[must_use]
    pub fn of(config: &RunConfig) -> Self {
        let is_plan = |spec: &ToolSpec| spec.name == PROPOSE_PLAN;
        if config.policy.as_ref().is_some_and(|policy| policy.plan.is_some()) {
            Self::Agreed
        } else if config.tools.iter().any(is_plan) {
            Self::PlanFirst
        } else {
            Self::OneByOne
        }
    }

    /// Denies what does not run because of what else is in its turn. Both lists are about the same calls, in one order.
    pub fn hold(self, calls: &[GovernedCall<'_>], judged: &mut Judged) {
        if self == Self::Agreed {
            return;
        }
        let specs: Vec<&ToolSpec> = calls.iter().map(|call| call.spec).collect();
        let destroys = |spec: &ToolSpec| spec.risk == Risk::Destructive;
        let things: BTreeSet<(&str, &str)> = running(&specs, &judged.calls)
            .filter(|(spec, _)| destroys(spec))
            .flat_map(|(_, said)| {
                said.targets.iter().map(|target| (target.kind.as_str(), target.id.as_str()))
            })
            .collect();
        let things = things.len();
        if things > 1 {
            deny(&specs, &mut judged.calls, &self.too_many(things), destroys);
        }
        if running(&specs, &judged.calls).any(|(spec, _)| spec.name == PROPOSE_PLAN) {
            deny(&specs, &mut judged.calls, &beside_a_plan(), |spec| {
                spec.name != PROPOSE_PLAN && spec.kind != ToolKind::Read
            });
        }
    }

    /// What destroys does not, for there is more of it in the turn.
    pub(super) fn too_many(self, things: usize) -> PolicyError {
        let reason = format!("one turn would destroy {things} things");
        let mut error = PolicyError::new(PolicyCode::RequiresApproval, "plan-first", reason);
        error.hint = match self {
            Self::Agreed | Self::PlanFirst => format!(
                "nothing was done; propose all of it as one plan with {PROPOSE_PLAN}, so that a person sees it whole"
            ),
            Self::OneByOne => "nothing was done; one of them at a time, each in a turn of its own".to_owned(),
        };
        error
    }
}

/// What would change something does not, for a plan is to be decided first.
pub(super) fn beside_a_plan() -> PolicyError {
    let reason = "a plan was proposed in the same turn";
    let mut error = PolicyError::new(PolicyCode::RequiresApproval, "plan-first", reason);
    error.retryable = true;
    error.hint = format!("it was not run: {reason}, and nothing else changes until it is decided");
    error
}

fn running<'j>(
    specs: &'j [&'j ToolSpec],
    said: &'j [CallJudgement],
) -> impl Iterator<Item = (&'j ToolSpec, &'j CallJudgement)> {
    let both = specs.iter().copied().zip(said);
    both.filter(|(_, said)| said.effect != Effect::Deny)
}

fn deny(
    specs: &[&ToolSpec],
    said: &mut [CallJudgement],
    error: &PolicyError,
    is_meant: impl Fn(&ToolSpec) -> bool,
) {
    for (_, said) in
        specs.iter().zip(said).filter(|(spec, said)| said.effect != Effect::Deny && is_meant(spec))
    {
        said.effect = Effect::Deny;
        said.error = Some(error.clone());
    }
}
