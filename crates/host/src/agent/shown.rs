//! What a run and its changes come to, as answers and events name it: one wording for every door.

use premath_tusk::turn_loop::{AppliedIntent, IntentOutcome, RunOutcome, StopCause};
use premath_wire::v1::{IntentResult, IntentState, RunEnding};

/// How a run ended, as answers name it.
#[must_use]
pub const fn ending(outcome: &RunOutcome) -> RunEnding {
    match outcome {
        RunOutcome::Completed => RunEnding::Completed,
        RunOutcome::HandedOff { .. } => RunEnding::HandedOff,
        RunOutcome::FailedClosed { .. } => RunEnding::FailedClosed,
        RunOutcome::Stopped(cause) => match cause {
            StopCause::Limit(_) => RunEnding::Limit,
            StopCause::Interrupted => RunEnding::Interrupted,
            StopCause::NeedsPerson(_) => RunEnding::NeedsPerson,
            StopCause::QuestionExpired(_) => RunEnding::QuestionExpired,
            StopCause::Declined => RunEnding::Declined,
            StopCause::Model { .. } => RunEnding::ModelFailed,
        },
    }
}

/// What became of an intent.
#[must_use]
pub fn intent_result(applied: &AppliedIntent) -> IntentResult {
    let mut result = IntentResult {
        tool_call_id: applied.tool_call_id.clone(),
        action: applied.action.clone(),
        intent_digest: applied.intent_digest.clone(),
        result: IntentState::Unchanged,
        issue_id: None,
        subject_id: None,
        status: None,
        class: None,
        detail: None,
    };
    match &applied.outcome {
        IntentOutcome::Applied { issue_id, status } => {
            result.result = IntentState::Applied;
            (result.issue_id, result.status) = (Some(issue_id.clone()), Some(status.clone()));
        }
        IntentOutcome::Changed { id, status } => {
            result.result = IntentState::Applied;
            (result.subject_id, result.status) = (Some(id.clone()), Some(status.clone()));
        }
        IntentOutcome::Unchanged => {}
        IntentOutcome::Refused { class, detail } => {
            result.result = IntentState::Refused;
            (result.class, result.detail) = (Some(class.clone()), Some(detail.clone()));
        }
    }
    result
}

/// Why a run ended so, where there is more to say than how.
#[must_use]
pub fn outcome_detail(outcome: &RunOutcome) -> Option<String> {
    match outcome {
        RunOutcome::Completed => None,
        RunOutcome::HandedOff { run_id } => Some(format!("it goes on in {run_id}")),
        RunOutcome::FailedClosed { detail, .. } => Some(detail.clone()),
        RunOutcome::Stopped(cause) => match cause {
            StopCause::Limit(limit) => Some(limit.clone()),
            StopCause::NeedsPerson(what) | StopCause::QuestionExpired(what) => Some(what.clone()),
            StopCause::Model { kind, message } => Some(format!("{kind}: {message}")),
            StopCause::Interrupted | StopCause::Declined => None,
        },
    }
}
