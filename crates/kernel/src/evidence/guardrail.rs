//! Decisions of guardrails.

use alloc::vec::Vec;

use crate::canon::{Number, Object, Value};
use crate::scalar::{Count, Text};

/// When a guardrail looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardrailStage {
    /// Before anything runs.
    PreFlight,
    /// At what goes in.
    Input,
    /// At what comes out.
    Output,
}

impl GuardrailStage {
    /// Every stage, in the order they must decide.
    pub const ALL: [Self; 3] = [Self::PreFlight, Self::Input, Self::Output];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::PreFlight => "pre_flight",
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// One decision of one guardrail.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardrailDecision {
    /// Which guardrail.
    pub id: Text,
    /// When it looked.
    pub stage: GuardrailStage,
    /// Whether it fired.
    pub triggered: bool,
    /// Its place in the order of decisions.
    pub order: Count,
    /// What it measured.
    pub score: Option<Number>,
    /// What it measured against.
    pub threshold: Option<Number>,
    /// The model it asked, if any.
    pub model_ref: Option<Text>,
}

impl GuardrailDecision {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("id", &self.id)
            .optional("modelRef", self.model_ref.as_ref())
            .field("order", self.order)
            .optional("score", self.score)
            .field("stage", self.stage.token())
            .optional("threshold", self.threshold)
            .field("triggered", self.triggered)
            .finish()
    }
}

/// The canonical rows of some decisions.
pub(crate) fn rows(decisions: &[GuardrailDecision]) -> Vec<Value<'_>> {
    decisions.iter().map(GuardrailDecision::canonical).collect()
}
