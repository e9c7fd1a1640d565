//! Why a program ends before it is done: somebody asked for its end, or its time is over.
//!
//! Calls fail of it, and a program that only computes is broken off. It must not decide anything else.

use std::sync::Arc;

use premath_bd::Clock;
use premath_kernel::Moment;
use premath_repl::{BreakOff, HostFailure, Interruption};
use premath_tusk::sandbox::Interrupt;
use premath_wire::v1::SchemeTrace;

use crate::checking::TIMEOUT;

/// The class of a program that somebody asked to end.
pub(super) const INTERRUPTED: &str = "interrupted";

/// What ends a program that is run now.
#[derive(Debug, Clone)]
pub(super) struct LiveEnd {
    pub(super) interrupt: Interrupt,
    pub(super) deadline: Option<Moment>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Interruption for LiveEnd {
    fn reason(&self) -> Option<HostFailure> {
        if self.interrupt.is_requested() {
            return Some(ended(INTERRUPTED, "whoever runs the program asked for its end"));
        }
        let is_late = self.deadline.is_some_and(|end| self.clock.now() >= end);
        is_late.then(|| ended(TIMEOUT, "the time of the program is over"))
    }
}

/// Where a program that is run again ends: at the step at which it was broken off, for the same reason.
pub(super) fn as_recorded(trace: &SchemeTrace) -> BreakOff {
    let broken_off =
        trace.result.error.as_ref().filter(|error| error.kind == premath_repl::ErrorKind::Interrupted.code());
    broken_off.map_or(BreakOff::Never, |error| BreakOff::At {
        steps: trace.usage.steps,
        reason: HostFailure {
            class: error.class.clone(),
            message: error.message.clone(),
            retryable: error.retryable,
        },
    })
}

fn ended(class: &str, message: &str) -> HostFailure {
    HostFailure { class: class.to_owned(), message: message.to_owned(), retryable: true }
}
