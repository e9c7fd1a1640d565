//! What a model has said of the turn it is in: kept where somebody stops it, so that what was read does not vanish.
//!
//! It is shown and nothing else: the turn was not closed, so no check and no model ever sees it. It must not hold up a run.

use premath_tusk::model::ModelEvent;
use premath_tusk::turn_loop::RunEvent;

/// The most bytes that are kept.
const LONGEST: usize = 64 * 1024;

/// What was said of the turn that goes on.
#[derive(Debug, Default)]
pub(crate) struct Unfinished(String);

impl Unfinished {
    /// Takes what happens in a run. What workers say is not shown.
    pub(crate) fn take(&mut self, event: &RunEvent<'_>) {
        if matches!(event, RunEvent::TurnStarted { .. } | RunEvent::Answered { .. }) {
            self.0.clear();
        } else if let RunEvent::Model(ModelEvent::TextDelta { text, .. }) = event
            && self.0.len() + text.len() <= LONGEST
        {
            self.0.push_str(text);
        }
    }

    /// What is left when the run has stopped.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
