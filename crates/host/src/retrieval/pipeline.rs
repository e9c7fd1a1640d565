//! What a retrieval does, stage by stage, for whoever watches. Data only.

use premath_kernel::{Object, Value};

/// A stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PipelineStage {
    /// Vectors are made.
    Embed,
    /// Passages are looked for.
    Search,
    /// They are put in order.
    Rank,
    /// The best are handed on.
    Context,
    /// An answer is written; not here.
    Generate,
    /// What it cites is checked.
    Verify,
}

impl PipelineStage {
    /// Every one of them, in their order.
    pub const ALL: [Self; 6] =
        [Self::Embed, Self::Search, Self::Rank, Self::Context, Self::Generate, Self::Verify];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Search => "search",
            Self::Rank => "rank",
            Self::Context => "context",
            Self::Generate => "generate",
            Self::Verify => "verify",
        }
    }
}

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageState {
    /// It has begun.
    Active,
    /// It has ended.
    Done,
    /// It failed; what comes after goes on without it.
    Error,
    /// It was not needed.
    Skipped,
}

impl StageState {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Done => "done",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// That a stage began or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineEvent {
    /// Which.
    pub stage: PipelineStage,
    /// Where it stands.
    pub state: StageState,
    /// More, on one line; may be empty.
    pub detail: String,
}

impl PipelineEvent {
    /// An event.
    #[must_use]
    pub fn new(stage: PipelineStage, state: StageState, detail: &str) -> Self {
        let detail = detail.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        Self { stage, state, detail }
    }

    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .optional("detail", (!self.detail.is_empty()).then_some(self.detail.as_str()))
            .field("stage", self.stage.token())
            .field("state", self.state.token())
            .finish()
    }
}
