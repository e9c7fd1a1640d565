//! How the model call ended and how much of the budget is spent.

use crate::canon::{Object, Value};
use crate::scalar::{Count, Text, Token};

/// The end of one model call.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolState {
    /// The provider's reason, mapped. Open: an unknown one is refused, not unreadable.
    pub stop_reason: Token,
    /// Whether the loop means to go on.
    pub continuation_allowed: bool,
    /// What the run has used so far.
    pub counters: Option<Counters>,
    /// The human checkpoint that was passed.
    pub checkpoint_ref: Option<Text>,
}

impl ProtocolState {
    /// The normal form that is hashed and shown. `continuationAllowed` is always there: absent means false.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("checkpointRef", self.checkpoint_ref.as_ref())
            .field("continuationAllowed", self.continuation_allowed)
            .optional("counters", self.counters.as_ref().map(Counters::canonical))
            .field("stopReason", &self.stop_reason)
            .finish()
    }
}

/// What a run has used, this turn included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counters {
    /// Model turns.
    pub turns: Option<Count>,
    /// Steps.
    pub steps: Option<Count>,
    /// Tool calls.
    pub tool_calls: Option<Count>,
    /// Tokens.
    pub tokens: Option<Count>,
    /// Cost, in millionths of the currency unit.
    pub cost_micros: Option<Count>,
    /// Wall time, in milliseconds.
    pub wall_millis: Option<Count>,
    /// The longest run of identical calls.
    pub identical_calls: Option<Count>,
}

impl Counters {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("costMicros", self.cost_micros)
            .optional("identicalCalls", self.identical_calls)
            .optional("steps", self.steps)
            .optional("tokens", self.tokens)
            .optional("toolCalls", self.tool_calls)
            .optional("turns", self.turns)
            .optional("wallMillis", self.wall_millis)
            .finish()
    }
}
