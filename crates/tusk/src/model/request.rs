//! What a model is asked. Plain data, and lists that the next request shares; the order of fields is the
//! order of a cache-stable prefix: tools, system, messages.

use super::history::{History, Offers, SystemText};
use super::part::Message;
use crate::JsonText;

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The tools it may call, in the order they are shown.
    pub tools: Offers,
    /// What it is told before everything else.
    pub system: SystemText,
    /// The conversation so far.
    pub messages: History,
    /// Whether it must, may or must not call a tool.
    pub tool_choice: ToolChoice,
    /// Whether it may call several tools at once.
    pub parallel_calls: ParallelCalls,
    /// The most tokens it may answer with.
    pub max_output_tokens: u64,
    /// Texts that end its answer.
    pub stop_sequences: Vec<String>,
    /// How much it may think first, where it can.
    pub reasoning: Option<ReasoningEffort>,
    /// Whether the answer is wanted as it is made.
    pub delivery: Delivery,
}

impl ModelRequest {
    /// A request of one user text, streamed, without tools.
    #[must_use]
    pub fn of_text(text: impl Into<String>, max_output_tokens: u64) -> Self {
        Self {
            tools: Offers::default(),
            system: SystemText::default(),
            messages: History::from_iter([Message::user_text(text)]),
            tool_choice: ToolChoice::Auto,
            parallel_calls: ParallelCalls::Allowed,
            max_output_tokens,
            stop_sequences: Vec::new(),
            reasoning: None,
            delivery: Delivery::Streamed,
        }
    }
}

/// One block of the system text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemBlock {
    /// What it says.
    pub text: String,
    /// Whether the prefix up to here is worth caching.
    pub cache: CacheMarker,
}

/// One tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOffer {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: JsonText,
    /// Whether the prefix up to here is worth caching.
    pub cache: CacheMarker,
}

/// Whether the prefix that ends here is worth caching, where an API has such marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheMarker {
    /// No mark.
    None,
    /// Cache up to and including this.
    Here,
}

/// Which tool must be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model chooses.
    Auto,
    /// None.
    Forbidden,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// Whether several tools may be called in one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParallelCalls {
    /// They may.
    Allowed,
    /// One at a time.
    OneAtATime,
}

/// How much a model may think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// How an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// As it is made.
    Streamed,
    /// In one piece.
    Whole,
}
