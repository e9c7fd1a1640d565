//! The limits of a run: named values of its stop policy, and how full its context may get.

use premath_kernel::{Object, Value};

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count, text_list, unreadable};

/// How much a run and everything below it may use. What is absent is not limited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// Model turns.
    pub turns: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// Cost, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// Wall time.
    pub wall_millis: Option<u64>,
    /// Calls with equal arguments in turns after one another; the last of them asks a person.
    pub identical_calls: Option<u64>,
    /// Workers.
    pub workers: Option<u64>,
    /// How deep workers may spawn workers.
    pub depth: Option<u64>,
    /// A person is asked every so many turns.
    pub checkpoint_every: Option<u64>,
    /// A person is asked before these tools run.
    pub checkpoint_before: Vec<String>,
    /// Calls that run at the same time.
    pub parallel: u64,
    /// Calls that one answer may ask for; as many as ever when absent.
    pub answer_calls: Option<u64>,
    /// Turns of a workflow before it needs a measured reason to go on by itself.
    pub workflow_turns: Option<u64>,
}

/// What happens when the context is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFull {
    /// The session ends with a handoff, and a fresh one goes on from it.
    Descend,
    /// Old turns are replaced by what is known of them.
    Compact,
    /// Old turns are no longer shown.
    Window,
}

impl OnFull {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Descend, Self::Compact, Self::Window];

    /// The token of configuration and journal.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Descend => "descend",
            Self::Compact => "compact",
            Self::Window => "window",
        }
    }
}

/// How much a model is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextLimits {
    /// The most tokens of a request.
    pub max_tokens: u64,
    /// What happens beyond that.
    pub on_full: OnFull,
    /// The most bytes of one result.
    pub result_bytes: u64,
    /// The most tokens of an answer.
    pub output_tokens: u64,
}

impl Limits {
    /// What holds when nobody says otherwise: enough for a task of an afternoon, too little for a runaway.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            turns: Some(60),
            tool_calls: Some(400),
            tokens: Some(4_000_000),
            cost_micros: Some(10_000_000),
            wall_millis: Some(60 * 60 * 1000),
            identical_calls: Some(3),
            workers: Some(16),
            depth: Some(2),
            checkpoint_every: None,
            checkpoint_before: Vec::new(),
            parallel: 8,
            answer_calls: None,
            workflow_turns: Some(60),
        }
    }

    pub(super) fn to_value(&self) -> Value<'_> {
        Object::fields()
            .optional("answerCalls", self.answer_calls.map(count))
            .non_empty("checkpointBefore", text_list(&self.checkpoint_before))
            .optional("checkpointEvery", self.checkpoint_every.map(count))
            .optional("costMicros", self.cost_micros.map(count))
            .optional("depth", self.depth.map(count))
            .optional("identicalCalls", self.identical_calls.map(count))
            .field("parallel", count(self.parallel))
            .optional("tokens", self.tokens.map(count))
            .optional("toolCalls", self.tool_calls.map(count))
            .optional("turns", self.turns.map(count))
            .optional("wallMillis", self.wall_millis.map(count))
            .optional("workers", self.workers.map(count))
            .optional("workflowTurns", self.workflow_turns.map(count))
            .finish()
    }

    pub(super) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            turns: row.optional_count("turns")?,
            tool_calls: row.optional_count("toolCalls")?,
            tokens: row.optional_count("tokens")?,
            cost_micros: row.optional_count("costMicros")?,
            wall_millis: row.optional_count("wallMillis")?,
            identical_calls: row.optional_count("identicalCalls")?,
            workers: row.optional_count("workers")?,
            depth: row.optional_count("depth")?,
            checkpoint_every: row.optional_count("checkpointEvery")?,
            checkpoint_before: row.texts("checkpointBefore")?,
            parallel: row.count("parallel")?,
            answer_calls: row.optional_count("answerCalls")?,
            workflow_turns: row.optional_count("workflowTurns")?,
        })
    }
}

impl ContextLimits {
    /// What holds when nobody says otherwise.
    #[must_use]
    pub const fn standard() -> Self {
        Self { max_tokens: 160_000, on_full: OnFull::Descend, result_bytes: 16 * 1024, output_tokens: 8_192 }
    }

    pub(super) fn to_value(&self) -> Value<'static> {
        Object::fields()
            .field("maxTokens", count(self.max_tokens))
            .field("onFull", self.on_full.token())
            .field("outputTokens", count(self.output_tokens))
            .field("resultBytes", count(self.result_bytes))
            .finish()
    }

    pub(super) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        let on_full = row.text("onFull")?;
        Ok(Self {
            max_tokens: row.count("maxTokens")?,
            on_full: OnFull::ALL
                .into_iter()
                .find(|one| one.token() == on_full)
                .ok_or_else(|| unreadable("onFull"))?,
            result_bytes: row.count("resultBytes")?,
            output_tokens: row.count("outputTokens")?,
        })
    }
}
