//! Why a run does not begin, or go on: what the configuration says and what today has cost already.
//!
//! It is asked before an issue is taken or a row written. It must not look at what the run would do.

use premath_kernel::FailureClass;
use premath_tusk::policy::{Observability, PolicyCode};

use super::door::AgentDoor;
use super::effective::principal;
use super::lease::Refused;
use crate::desk_store::existing_desk;
use crate::governance::beginning_refusal;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The first reason why no run begins here now.
pub(super) fn refused(workspace: &Workspace, door: &dyn AgentDoor) -> Result<Option<Refused>, ActionError> {
    if let Some(refused) = too_broad(door)? {
        return Ok(Some(refused));
    }
    if let Some(refused) = observed_nowhere(workspace).or_else(|| unobserved(workspace, door)) {
        return Ok(Some(refused));
    }
    if let Some(refused) = crate::measured::unmeasured_tools(workspace)? {
        return Ok(Some(refused));
    }
    // A run begins under the policy package that was promoted, or under the one that comes with premath.
    if let Some(refused) = beginning_refusal(workspace)? {
        return Ok(Some(refused));
    }
    spent(workspace)
}

/// No agent works in a whole home directory or file system by accident.
fn too_broad(door: &dyn AgentDoor) -> Result<Option<Refused>, ActionError> {
    let Some(what) = door.broad_workdir()? else { return Ok(None) };
    let workdir = door.workdir()?;
    Ok(Some(Refused {
        class: "workdir_too_broad".to_owned(),
        detail: format!("the agent would work in `{}`, which is {what}", workdir.display()),
        hint: "change to the directory of a project, or name this one with `--root`".to_owned(),
    }))
}

/// Payloads that only one processor may see need that processor.
fn observed_nowhere(workspace: &Workspace) -> Option<Refused> {
    let settings = &workspace.settings;
    let is_lacking = settings.policy.observability() == Observability::InternalProcessor
        && settings.telemetry.processor.is_none();
    is_lacking.then(|| Refused {
        class: FailureClass::TraceModeViolation.code().to_owned(),
        detail: "`policy.observability` is `internal_processor`, and no processor is configured".to_owned(),
        hint: "name one on this machine: `[telemetry] processor = \"http://127.0.0.1:4318\"`".to_owned(),
    })
}

/// A front end that exports no traces cannot show that they went to the processor.
fn unobserved(workspace: &Workspace, door: &dyn AgentDoor) -> Option<Refused> {
    let mode = workspace.settings.policy.observability();
    let is_lacking = mode == Observability::InternalProcessor && !door.trace_sinks().contains(&mode);
    is_lacking.then(|| Refused {
        class: FailureClass::TraceModeViolation.code().to_owned(),
        detail: "`policy.observability` is `internal_processor`, and its processor is not told of this run"
            .to_owned(),
        hint: "start the run with `premath run`, and see that `telemetry.processor` names a usable address"
            .to_owned(),
    })
}

/// A day that has cost what a day may cost has no more runs.
fn spent(workspace: &Workspace) -> Result<Option<Refused>, ActionError> {
    let (_, Some(most)) = workspace.settings.policy.daily() else { return Ok(None) };
    let Some(desk) = existing_desk(workspace)? else { return Ok(None) };
    let used = desk.usage(&principal(workspace).id)?.cost_micros;
    Ok((used >= most).then(|| Refused {
        class: PolicyCode::QuotaExceeded.code().to_owned(),
        detail: format!(
            "models have cost ${} today, and a day may cost ${}",
            dollars_of(used),
            dollars_of(most)
        ),
        hint: "go on tomorrow, or raise `policy.max_daily_cost_usd` in your own file".to_owned(),
    }))
}

/// Millionths of a dollar as dollars.
pub(super) fn dollars_of(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}
