//! What a model is shown, whichever protocol it came in. It keeps what scenarios can ask about, and nothing else.

use premath_tusk::model::ToolOutcome;

use crate::provider::Protocol;
use crate::scenario::Pattern;

/// A request as a script sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRequest {
    /// The protocol it came in.
    pub protocol: Protocol,
    /// The model it asks for.
    pub model: String,
    /// How the answer is wanted.
    pub form: AnswerForm,
    /// The system text.
    pub system: String,
    /// The tools that are offered; one of a namespace as `<namespace>__<tool>`.
    pub tools: Vec<String>,
    /// The namespaces that tools are offered in, where the protocol has such.
    pub namespaces: Vec<String>,
    /// The conversation. Neighbouring messages of the user's side are one, as the protocols do not agree on how tool
    /// results are cut into messages.
    pub messages: Vec<ShownMessage>,
}

/// How an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// In one piece.
    Whole,
    /// As a stream.
    Streamed,
    /// As a stream that says at its end what was used; what Chat Completions only does when asked.
    StreamedWithUsage,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownMessage {
    /// From the user, or results of tools.
    User(Vec<ShownPart>),
    /// From the model.
    Assistant(Vec<ShownCall>),
}

/// A part of what the user's side says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownPart {
    /// Text.
    Text(String),
    /// What came of a tool call.
    Result {
        /// The call.
        id: String,
        /// What is shown of it.
        content: String,
        /// Whether it worked, where the protocol says so.
        outcome: Option<ToolOutcome>,
    },
}

/// A tool call that the model made earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCall {
    /// Its id.
    pub id: String,
}

impl ShownRequest {
    /// Adds to the user's side.
    pub(super) fn user(&mut self, part: ShownPart) {
        match self.messages.last_mut() {
            Some(ShownMessage::User(parts)) => parts.push(part),
            Some(ShownMessage::Assistant(_)) | None => self.messages.push(ShownMessage::User(vec![part])),
        }
    }

    /// Adds to the system text.
    pub(super) fn add_system(&mut self, text: &str) {
        if !self.system.is_empty() && !text.is_empty() {
            self.system.push('\n');
        }
        self.system.push_str(text);
    }

    /// How many answers the model gave already.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.messages.iter().filter(|message| matches!(message, ShownMessage::Assistant(_))).count()
    }

    /// Whether a pattern is found in what was asked last.
    #[must_use]
    pub fn asked(&self, pattern: &Pattern) -> bool {
        let is_said = |part: &ShownPart| match part {
            ShownPart::Text(said) => pattern.is_in(said),
            ShownPart::Result { .. } => false,
        };
        match self.messages.get(self.asked_at()) {
            Some(ShownMessage::User(parts)) => parts.iter().any(is_said),
            Some(ShownMessage::Assistant(_)) | None => false,
        }
    }

    /// How many answers the model gave to what was asked last.
    #[must_use]
    pub fn answers_since_asked(&self) -> usize {
        let since = self.messages.iter().skip(self.asked_at());
        since.filter(|message| matches!(message, ShownMessage::Assistant(_))).count()
    }

    /// Where something was asked last: the newest message of the user's side without results of tools. Reminders come
    /// with results, and are no question.
    fn asked_at(&self) -> usize {
        let is_question = |message: &ShownMessage| match message {
            ShownMessage::User(parts) => parts.iter().all(|part| matches!(part, ShownPart::Text(_))),
            ShownMessage::Assistant(_) => false,
        };
        self.messages.iter().rposition(is_question).unwrap_or_default()
    }

    /// The newest text of the user.
    #[must_use]
    pub fn newest_user_text(&self) -> &str {
        let parts = self.messages.iter().rev().flat_map(|message| match message {
            ShownMessage::User(parts) => parts.iter().rev(),
            ShownMessage::Assistant(_) => [].iter().rev(),
        });
        let mut texts = parts.filter_map(|part| match part {
            ShownPart::Text(text) => Some(text.as_str()),
            ShownPart::Result { .. } => None,
        });
        texts.next().unwrap_or_default()
    }

    /// What came since the last answer.
    #[must_use]
    pub fn newest_parts(&self) -> &[ShownPart] {
        match self.messages.last() {
            Some(ShownMessage::User(parts)) => parts,
            Some(ShownMessage::Assistant(_)) | None => &[],
        }
    }

    /// The id of the first call that the conversation holds.
    #[must_use]
    pub fn first_call_id(&self) -> Option<&str> {
        self.messages.iter().find_map(|message| match message {
            ShownMessage::User(_) => None,
            ShownMessage::Assistant(calls) => calls.first().map(|call| call.id.as_str()),
        })
    }

    /// How many characters the system text, the names of the tools and the user's side have.
    #[must_use]
    pub fn characters(&self) -> usize {
        let tools: usize = self.tools.iter().map(|tool| tool.chars().count()).sum();
        let parts = self.messages.iter().flat_map(|message| match message {
            ShownMessage::User(parts) => parts.as_slice(),
            ShownMessage::Assistant(_) => &[],
        });
        let said: usize = parts
            .map(|part| match part {
                ShownPart::Text(text) => text.chars().count(),
                ShownPart::Result { content, .. } => content.chars().count(),
            })
            .sum();
        self.system.chars().count() + tools + said
    }
}
