//! The witnesses that a journal relies on: a turn whose changes were applied has its record among the witnesses.
//!
//! Turns that changed nothing leave no record, so a closed turn alone cites nothing. It must not judge a verdict.

use premath_kernel::{Object, Value};

use super::references::Reference;

/// What was applied, not refused.
const DONE: [&str; 2] = ["applied", "changed"];

/// Follows the rows of one journal.
#[derive(Debug, Default)]
pub(super) struct TurnWitnesses {
    /// The record of the turn that was closed last.
    closed: Option<String>,
}

impl TurnWitnesses {
    /// The witness that a row relies on.
    pub(super) fn cited_by(&mut self, row: &Object<'_>) -> Option<Reference> {
        let event = row.get("event")?.as_object()?;
        match event.get("kind")?.as_text()? {
            "turn.closed" => {
                self.closed = event.get("witnessId").and_then(Value::as_text).map(str::to_owned);
                None
            }
            "turn.applied" => {
                let outcomes = event.get("outcomes").and_then(Value::as_array).unwrap_or_default();
                let is_done = |outcome: &Value<'_>| {
                    let outcome = outcome.as_object().and_then(|one| one.get("outcome"));
                    outcome.and_then(Value::as_text).is_some_and(|outcome| DONE.contains(&outcome))
                };
                outcomes.iter().any(is_done).then(|| self.closed.take()).flatten().map(Reference::Witness)
            }
            _other => None,
        }
    }
}
