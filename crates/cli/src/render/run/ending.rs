//! How a run ended: in words of the wire, as an exit code, and which commands to look with next.

use premath_tusk::turn_loop::{RunOutcome, RunReport, StopCause};
use premath_wire::v1::RunEnding;

pub(super) use premath_host::outcome_detail as detail;

use crate::exit::Exit;

/// What the process ends with.
pub(crate) const fn exit(ending: RunEnding) -> Exit {
    match ending {
        RunEnding::Completed | RunEnding::HandedOff => Exit::Accepted,
        RunEnding::FailedClosed | RunEnding::Limit | RunEnding::Declined | RunEnding::ModelFailed => {
            Exit::Rejected
        }
        RunEnding::NeedsPerson | RunEnding::QuestionExpired => Exit::Busy,
        RunEnding::Interrupted => Exit::Interrupted,
    }
}

/// Commands to look with next, most useful first, and what each is for.
pub(super) fn next(report: &RunReport) -> Vec<(String, &'static str)> {
    let run = &report.run_id;
    let mut commands = Vec::new();
    match &report.outcome {
        RunOutcome::Completed => {}
        RunOutcome::HandedOff { run_id } => {
            commands.push((format!("premath runs show {run_id}"), "where it goes on"));
        }
        RunOutcome::FailedClosed { classes, .. } => {
            if let Some(class) = classes.first() {
                commands.push((format!("premath explain {class}"), "what that means, and what to do"));
            }
        }
        RunOutcome::Stopped(cause) => {
            let why = match cause {
                StopCause::Limit(_) => "goes on; give it more with --max-turns and the like",
                StopCause::NeedsPerson(_) => "asks again, from a terminal",
                StopCause::QuestionExpired(_) => "asks the question again",
                StopCause::Interrupted | StopCause::Declined | StopCause::Model { .. } => "goes on from here",
            };
            commands.push((format!("premath resume {run}"), why));
            if matches!(cause, StopCause::Model { .. }) {
                commands.push(("premath models".to_owned(), "which can be asked now"));
            }
        }
    }
    commands.push((format!("premath runs show {run}"), "every turn of it"));
    if report.can_be_replayed() {
        commands.push((format!("premath replay {run}"), "the same again, without a model, row for row"));
    }
    if !report.is_kept && report.outcome.is_resumable() {
        commands.push((format!("premath runs forget {run}"), "deletes what it said; nobody goes on with it"));
    }
    commands.push(("premath verify".to_owned(), "is everything on the disk as it was written?"));
    commands
}
