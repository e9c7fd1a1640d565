//! Steps that fail alike, one after the other: then it is not the issues that something is wrong with.
//!
//! It must not stop anybody: it counts.

use premath_tusk::session::StepOutcome;

/// So many steps in a row that failed alike are enough.
pub(super) const MOST_ALIKE: usize = 3;

/// The steps since the last success that have a failure in common.
#[derive(Debug, Default)]
pub(super) struct Streak {
    steps: usize,
    /// What all of them failed with.
    classes: Vec<String>,
}

impl Streak {
    /// One more step.
    pub(super) fn take(&mut self, outcome: &StepOutcome, classes: &[String]) {
        match outcome {
            StepOutcome::Submitted { .. } | StepOutcome::Completed { .. } => *self = Self::default(),
            StepOutcome::Escalated { .. } => self.failed(classes),
            StepOutcome::Idle
            | StepOutcome::Lost { .. }
            | StepOutcome::Stopped { .. }
            | StepOutcome::Interrupted { .. } => {}
        }
    }

    /// One more step that failed.
    pub(super) fn failed(&mut self, classes: &[String]) {
        let shared: Vec<String> =
            self.classes.iter().filter(|class| classes.contains(class)).cloned().collect();
        if shared.is_empty() {
            *self = Self { steps: 1, classes: classes.to_vec() };
        } else {
            *self = Self { steps: self.steps + 1, classes: shared };
        }
    }

    /// What they failed with, once there are enough of them.
    pub(super) fn is_enough(&self) -> Option<Vec<String>> {
        (self.steps >= MOST_ALIKE && !self.classes.is_empty()).then(|| self.classes.clone())
    }
}

#[cfg(test)]
mod tests;
