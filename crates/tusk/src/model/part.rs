//! What messages are made of. Reasoning and everything we do not understand is carried back to its protocol byte for
//! byte, and to no other.

use std::fmt;

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
    /// A request to call a tool.
    ToolCall(ToolCall),
    /// What it thought.
    Reasoning(Reasoning),
    /// Why it does not answer.
    Refusal(String),
    /// Something of its protocol that we carry and do not read.
    Opaque(Verbatim),
}

/// A request to call a tool.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: a JSON object, as the model wrote it; `{}` when what it wrote is none.
    pub arguments: JsonText,
    /// What it wrote instead of a JSON object. Such a call is answered with an error and never runs.
    pub malformed: Option<MalformedArguments>,
}

impl fmt::Debug for ToolCall {
    /// What is not malformed does not say so.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("ToolCall");
        shown.field("id", &self.id).field("name", &self.name).field("arguments", &self.arguments);
        if let Some(malformed) = &self.malformed {
            shown.field("malformed", malformed);
        }
        shown.finish()
    }
}

impl ToolCall {
    /// A call whose arguments are whole.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: JsonText) -> Self {
        Self { id: id.into(), name: name.into(), arguments, malformed: None }
    }
}

/// A text that a model wrote as arguments and that the strict decoder refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedArguments {
    /// What is wrong with it, in one line.
    pub reason: String,
    /// The text.
    pub text: String,
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
