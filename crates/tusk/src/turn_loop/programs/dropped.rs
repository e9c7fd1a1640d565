//! The changes that a program asked for and that are not made: it failed, or a person put an end to it.
//!
//! Who asks for two changes and fails between them has asked for neither. It must not touch what has happened already.

use crate::evidence::{CallOutcome, CallStatus, Failure};
use crate::turn_loop::state::Open;
use crate::turn_loop::step::PlannedCall;
use crate::turn_loop::watch::{RunOutcome, StopCause};

/// What becomes of the changes that a program asked for which failed.
const PROGRAM_FAILED: &str = "program_failed";

/// Whether a person put an end to the run inside the turn.
pub(super) const fn is_declined(open: &Open) -> bool {
    matches!(open.stop, Some(RunOutcome::Stopped(StopCause::Declined)))
}

/// Drops the changes that a program asked for; says how many there were.
pub(super) fn drop_intents(nested: &mut [(PlannedCall, CallOutcome)], parent: &str) -> u64 {
    let mut dropped = 0;
    for (call, outcome) in nested {
        let is_of_it = call.caller.as_ref().is_some_and(|caller| caller.parent == parent);
        if is_of_it && outcome.intent.is_some() && outcome.failure().is_none() {
            dropped += 1;
            outcome.status = CallStatus::Failed(Failure {
                error_code: PROGRAM_FAILED.to_owned(),
                retryable: false,
                message: "it was not applied: the program that asked for it did not end well".to_owned(),
                pointers: Vec::new(),
                closest_matches: Vec::new(),
            });
        }
    }
    dropped
}
