//! `premath harness-trajectory`

use premath_host::Host;
use premath_kernel::Object;

use super::dep::number;
use super::harness_session::refs;
use super::{answer, lane_path};
use crate::args::harness::{
    HarnessTrajectoryArgs, TrajectoryAppendArgs, TrajectoryCommand, TrajectoryQueryArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::harness;
use crate::system;

pub(crate) fn run(args: &HarnessTrajectoryArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        TrajectoryCommand::Append(args) => append(host, args),
        TrajectoryCommand::Query(args) => query(host, args),
    }
}

fn append(host: &Host<'_>, args: &TrajectoryAppendArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", lane_path(host, "harness.trajectory.append", args.path.as_deref())?)
        .field("stepId", args.step_id.as_str())
        .field("action", args.action.as_str())
        .field("resultClass", args.result_class.as_str())
        .optional("finishedAt", args.finished_at.as_deref())
        .optional("startedAt", args.started_at.as_deref())
        .optional("issueId", args.issue_id.as_deref())
        .optional("verificationClass", args.verification_class.as_deref())
        .optional("nextStep", args.next_step.as_deref())
        .optional("failureClasses", refs(&args.failure_class))
        .optional("instructionRefs", refs(&args.instruction_ref))
        .optional("lineageRefs", refs(&args.lineage_ref))
        .optional("mutationRefs", refs(&args.mutation_ref))
        .optional("witnessRefs", refs(&args.witness_ref))
        .finish();
    answer(host, "harness.trajectory.append", &arguments, &args.format, harness::appended)
}

fn query(host: &Host<'_>, args: &TrajectoryQueryArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", args.path.as_deref())
        .field("mode", args.mode.as_str())
        .field("limit", number(args.limit))
        .optional("groupBy", args.group_by.as_deref())
        .finish();
    let now = host.workspace.clock.now();
    answer(host, "harness.trajectory.query", &arguments, &args.format, |payload| {
        harness::projection(payload, now, system::terminal_width())
    })
}
