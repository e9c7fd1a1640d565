//! Why an answer ended and what it used.

use std::fmt;

/// Why an answer ended, in the words evidence uses. What we do not know stays as it came and is handled by nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It said what it had to say.
    EndTurn,
    /// It waits for tools.
    ToolUse,
    /// It ran out of tokens.
    MaxTokens,
    /// The provider paused it; sending the conversation again goes on.
    PauseTurn,
    /// It refuses.
    Refusal,
    /// Something else, verbatim.
    Other(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::Other(reason) => reason,
        })
    }
}

/// Tokens of one answer. The three kinds of input do not overlap; reasoning is a part of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input that was neither read from nor written to a cache.
    pub input_tokens: u64,
    /// Input read from a cache.
    pub cache_read_tokens: u64,
    /// Input written to a cache.
    pub cache_write_tokens: u64,
    /// Output, reasoning included.
    pub output_tokens: u64,
    /// The part of the output that was reasoning, where the provider says so.
    pub reasoning_tokens: u64,
}
