//! What messages are made of. Reasoning and everything we do not understand is carried back to its protocol byte for
//! byte, and to no other.

use super::request::CacheMarker;
use crate::JsonText;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// From the person, or results of tools.
    User(Vec<UserPart>),
    /// From the model.
    Assistant(Vec<AssistantPart>),
}

impl Message {
    /// A message of one text.
    #[must_use]
    pub fn user_text(text: impl Into<String>) -> Self {
        Self::User(vec![UserPart::Text { text: text.into(), cache: CacheMarker::None }])
    }
}

/// A part of what a model is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserPart {
    /// Text.
    Text {
        /// What it says.
        text: String,
        /// Whether the prefix up to here is worth caching.
        cache: CacheMarker,
    },
    /// What came of a tool call.
    ToolResult(ToolResult),
}

/// What came of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: String,
    /// What the model is shown of it.
    pub content: String,
    /// Whether it worked.
    pub outcome: ToolOutcome,
    /// Whether the prefix up to here is worth caching.
    pub cache: CacheMarker,
}

/// Whether a tool call worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It did.
    Ok,
    /// It did not; the content says why.
    Error,
}

/// A complete part of what a model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssistantPart {
    /// Text.
    Text(String),
    /// A request to call a tool. Its arguments are whole, or the part does not exist.
    ToolCall(ToolCall),
    /// What it thought.
    Reasoning(Reasoning),
    /// Why it does not answer.
    Refusal(String),
    /// Something of its protocol that we carry and do not read.
    Opaque(Verbatim),
}

/// A request to call a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: a JSON object, as the model wrote it.
    pub arguments: JsonText,
}

/// What a model thought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasoning {
    /// What of it may be read; empty when it is sealed.
    pub text: String,
    /// What has to be carried back; absent where the protocol takes nothing back.
    pub verbatim: Option<Verbatim>,
}

/// A block of a protocol, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verbatim {
    /// The protocol it belongs to.
    pub protocol: String,
    /// The block.
    pub block: JsonText,
}
