//! A plan as it is carried out: every step is held against what was shown of it, before anything changes and again when its
//! turn has come. One step that is not what was shown, or cannot be done, keeps all of them from being done.
//!
//! It must not do a step.

use crate::evidence::CallOutcome;
use crate::policy::{ApprovedPlan, PlannedStep};
use crate::tools::{Shown, ToolFailure};
use crate::turn_loop::machine::Machine;
use crate::turn_loop::plan::{NOTHING_DONE, PLAN_STOPPED};
use crate::turn_loop::step::PlannedCall;
use crate::turn_loop::toolbox::{Ran, Toolbox};
use crate::turn_loop::watch::IntentOutcome;

/// The class of a step that is not what was shown any more.
const STALE: &str = "plan_stale";

/// The plan that a run carries out.
pub(super) fn plan(machine: &Machine) -> Option<&ApprovedPlan> {
    machine.config().policy.as_ref()?.plan.as_ref()
}

/// Holds the calls of a plan against what was shown of them. Nothing of the plan has happened yet.
pub(super) fn hold_to_plan(plan: &ApprovedPlan, calls: &[PlannedCall], tools: &Toolbox, ran: &mut [Ran]) {
    for (call, ran) in calls.iter().zip(ran).filter(|(_, ran)| ran.outcome.failure().is_none()) {
        let step = plan.steps.iter().find(|step| step.id == call.call.id);
        if let Err((class, why)) = as_shown(step, tools.shown(call)) {
            (ran.outcome, ran.operation) = (CallOutcome::failed(&call.call.id, class, false, why), None);
        }
    }
}

/// If any step cannot be done, none will be.
pub(super) fn all_or_none(calls: &[PlannedCall], ran: &mut [Ran]) {
    if ran.iter().all(|ran| ran.outcome.failure().is_none()) {
        return;
    }
    for (call, ran) in calls.iter().zip(ran).filter(|(_, ran)| ran.outcome.failure().is_none()) {
        let guards = std::mem::take(&mut ran.outcome.guards);
        let stopped = CallOutcome::failed(&call.call.id, PLAN_STOPPED, false, NOTHING_DONE);
        (ran.outcome, ran.operation) = (CallOutcome { guards, ..stopped }, None);
    }
}

/// The step that is about to be done, if it still does what was shown.
pub(super) fn next_step(
    plan: &ApprovedPlan,
    tool_call_id: &str,
    machine: &Machine,
    tools: &Toolbox,
) -> Result<premath_bd::Change, IntentOutcome> {
    let step = plan.steps.iter().find(|step| step.id == tool_call_id);
    let now = machine.applying(tool_call_id).and_then(|call| tools.shown(call));
    as_shown(step, now)
        .map(|shown| shown.change)
        .map_err(|(class, detail)| IntentOutcome::Refused { class: class.to_owned(), detail })
}

fn as_shown(
    step: Option<&PlannedStep>,
    now: Option<Result<Shown, ToolFailure>>,
) -> Result<Shown, (&'static str, String)> {
    let (Some(step), Some(now)) = (step, now) else {
        return Err((STALE, "it was not done: nobody was shown it".to_owned()));
    };
    let now = now.map_err(|failure| (failure.error_code, failure.message))?;
    if now.digest().as_str() == step.shown {
        return Ok(now);
    }
    let about = now.about();
    let why = if about != step.about {
        format!("what was shown as `{}` is `{about}` by now", step.about)
    } else if about.is_empty() {
        "it would not do what was shown of it any more".to_owned()
    } else {
        format!("`{about}` is not what it was when the plan was shown")
    };
    Err((STALE, format!("it was not done: {why}")))
}
