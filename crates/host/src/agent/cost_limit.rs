//! Whether a cost limit can be held: every model of a run has a price that counts, or the person said that it need not.
//!
//! It is asked before an issue is taken or a row written. A limit that nobody set is the default one, which holds for what
//! has a price; a limit that somebody set holds for everything, or the run does not begin.

use premath_tusk::turn_loop::{Judge, Limits, Workflow};

use super::door::AgentDoor;
use super::lease::Refused;
use crate::settings::UnpricedModels;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What sets a limit on the cost of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CostLimit {
    /// Nothing but the default.
    Default,
    /// The request or the configuration of the run.
    Run,
    /// The configuration of the day.
    Day,
}

impl CostLimit {
    /// The limit of a run whose request names one, or does not.
    pub(super) fn find(workspace: &Workspace, is_named: bool) -> Self {
        let settings = &workspace.settings;
        if is_named || settings.turn_loop.max_cost_micros.is_some() {
            Self::Run
        } else if settings.policy.daily().1.is_some() {
            Self::Day
        } else {
            Self::Default
        }
    }

    /// The limit of a run that began before: one that is not the default was set.
    pub(super) fn find_resumed(workspace: &Workspace, limits: &Limits, is_named: bool) -> Self {
        let was_set = limits.cost_micros != Limits::standard().cost_micros && limits.cost_micros.is_some();
        Self::find(workspace, is_named || was_set)
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Default | Self::Run => "the cost of this run is limited",
            Self::Day => "the cost of a day is limited (`policy.max_daily_cost_usd`)",
        }
    }
}

/// Why a run with these models does not begin under its cost limit.
pub(super) fn refuse_unpriced(
    door: &dyn AgentDoor,
    limit: CostLimit,
    unpriced: UnpricedModels,
    models: &[String],
    workflow: &Workflow,
) -> Result<Option<Refused>, ActionError> {
    if limit == CostLimit::Default || unpriced == UnpricedModels::Allow {
        return Ok(None);
    }
    let mut asked: Vec<String> = models.to_vec();
    asked.extend(later_models(workflow).cloned());
    asked.dedup();
    let without = door.unpriced_models(&asked)?;
    let Some(first) = without.first() else { return Ok(None) };
    let name = first.split_once(':').map_or(first.as_str(), |(_, name)| name);
    let all = without.iter().map(|model| format!("`{model}`")).collect::<Vec<_>>().join(", ");
    Ok(Some(Refused {
        class: "model_unpriced".to_owned(),
        detail: format!("{}, and no price is known for {all}", limit.words()),
        hint: format!(
            "set its price in your own configuration file: [models.prices.\"{name}\"] input = \"3.00\", output = \"15.00\"; \
             or count it as free with `--unpriced allow`; `premath models --prices` lists the known prices"
        ),
    }))
}

/// The models that a workflow names for its workers, branches and judge.
fn later_models(workflow: &Workflow) -> impl Iterator<Item = &String> {
    let judge = workflow.evaluator.as_ref().and_then(|evaluator| match &evaluator.judge {
        Judge::Model { reference, .. } => Some(reference),
        Judge::Command(_) => None,
    });
    let branches = workflow.branches.iter().filter_map(|branch| branch.model.as_ref());
    workflow.worker.model.iter().chain(branches).chain(judge)
}
