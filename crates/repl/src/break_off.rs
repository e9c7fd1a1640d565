//! Who may break off a program that computes, and when that is looked for.
//!
//! The machine asks every so many steps, at no cost in fuel. It must not ask a clock: whoever is asked may. A program that was
//! broken off can be broken off at the very same step again, so that a replay needs nobody to ask.

use std::sync::Arc;

use crate::host::HostFailure;

/// So many steps lie between two looks: well under a millisecond.
const STEPS: u64 = 10_000;

/// Somebody who may want a program to end while it computes.
pub trait Interruption: std::fmt::Debug + Send + Sync {
    /// Why the program is to end now; none where it is to go on.
    fn reason(&self) -> Option<HostFailure>;
}

/// What breaks a program off before it is done.
#[derive(Debug, Clone, Default)]
pub enum BreakOff {
    /// Nothing
    #[default]
    Never,
    /// Whoever is asked
    When(Arc<dyn Interruption>),
    /// So many steps: where it was broken off before
    At {
        /// How many
        steps: u64,
        /// Why it was
        reason: HostFailure,
    },
}

impl BreakOff {
    /// Behind which step the next look is.
    pub(crate) fn next_look(&self, steps: u64) -> u64 {
        match self {
            BreakOff::Never => u64::MAX,
            BreakOff::When(_) => steps.saturating_add(STEPS),
            BreakOff::At { steps, .. } => steps.saturating_sub(1),
        }
    }

    /// Why the program is to end at this step.
    pub(crate) fn reason(&self, now: u64) -> Option<HostFailure> {
        match self {
            BreakOff::Never => None,
            BreakOff::When(somebody) => somebody.reason(),
            BreakOff::At { steps, reason } => (now >= *steps).then(|| reason.clone()),
        }
    }
}
