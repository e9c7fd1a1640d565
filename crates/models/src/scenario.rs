//! Scenario files: what a scripted model says, turn by turn, what it expects to have been shown, and how it fails.
//!
//! Here a file becomes data. It must not answer requests (that is `scripted`) and must not touch the file system.

mod document;
mod fault;
mod place;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use premath_tusk::model::ToolOutcome;

pub use fault::{Fault, FaultKind, Times};

/// The longest scenario file, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Characters per streamed delta where a turn does not say.
const DEFAULT_CHUNK: usize = 16;

/// A scenario that cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ScenarioError {
    /// The name of the file, as it was given.
    pub file: String,
    /// The line, counted from one.
    pub line: usize,
    /// The character within the line, counted from one.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// What a scripted model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The conversations, in the order in which they are tried.
    pub conversations: Vec<Conversation>,
}

impl Scenario {
    /// Reads a scenario. `file` is only named in errors.
    ///
    /// # Errors
    /// The first thing that is wrong with it, with its place.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        if text.len() > MAX_BYTES {
            let message = format!("{} bytes, more than the {MAX_BYTES} allowed", text.len());
            return Err(ScenarioError { file: file.to_owned(), line: 1, column: 1, message });
        }
        read::scenario(&place::Places::new(file, text))
    }

    /// The models that conversations are bound to, sorted.
    #[must_use]
    pub fn models(&self) -> Vec<&str> {
        let named = self.conversations.iter().filter_map(|conversation| conversation.when.model.as_deref());
        named.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Turns that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// Which requests it answers; the default conversation, the last one, answers all that are left.
    pub when: When,
    /// What it says: the turn with as many turns before it as the request holds messages of the assistant.
    pub turns: Vec<Turn>,
}

/// Which requests a conversation answers: those that fit everything that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// A text in the system text.
    pub system_contains: Option<String>,
    /// The model that is asked for.
    pub model: Option<String>,
    /// What was asked last. Its turns are counted from there: a model that is asked one thing after the other answers each of
    /// them from its first turn.
    pub asked: Option<Pattern>,
}

/// A regular expression, equal to another by its text.
#[derive(Debug, Clone)]
pub struct Pattern(regex::Regex);

impl Pattern {
    /// Whether it is found in a text.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What it says.
    pub speech: Speech,
    /// What it must have been shown.
    pub expect: Expectation,
    /// How it fails first, in this order.
    pub faults: Vec<Fault>,
}

/// What is said in a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Speech {
    /// What it thinks first.
    pub reasoning: Option<String>,
    /// What it answers.
    pub text: Option<String>,
    /// Why it does not answer; never beside a text.
    pub refusal: Option<String>,
    /// The tools it calls.
    pub calls: Vec<Call>,
    /// Why it ends.
    pub stop: Stop,
    /// What it claims to have used.
    pub usage: ClaimedUsage,
    /// Characters per streamed delta; at least one.
    pub chunk: usize,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Its id; unique in the conversation.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments as they are sent: JSON, unless the file gave something else on purpose.
    pub arguments: String,
}

/// Why a turn ends. What it is called on the wire is the protocol's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Everything is said.
    EndTurn,
    /// It waits for tools.
    ToolUse,
    /// It ran out of tokens.
    MaxTokens,
    /// The provider paused it.
    PauseTurn,
    /// It refuses.
    Refusal,
    /// Something else, sent as it is.
    Other(String),
}

/// Tokens a turn claims to have used; what is not given is counted from the lengths of what was shown and said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClaimedUsage {
    /// Input outside the cache.
    pub input: Option<u64>,
    /// Output.
    pub output: Option<u64>,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
}

/// What a turn must have been shown. Nothing given is nothing expected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expectation {
    /// A text in the newest text of the user.
    pub user_contains: Option<String>,
    /// A text in the system text.
    pub system_contains: Option<String>,
    /// Tools that are offered.
    pub tools_include: Vec<String>,
    /// Tools that are not.
    pub tools_exclude: Vec<String>,
    /// Results of tools since the last answer.
    pub tool_results: Vec<ExpectedResult>,
    /// How many messages there are; neighbouring messages of the user's side count as one.
    pub messages: Option<u64>,
}

/// A tool result that must have been shown: one that fits everything that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpectedResult {
    /// The call it answers.
    pub id: Option<String>,
    /// A text in its content.
    pub contains: Option<String>,
    /// Whether the tool worked; only checked where the protocol says so.
    pub outcome: Option<ToolOutcome>,
}
