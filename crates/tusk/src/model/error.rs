//! Why a model gave no answer. The kind comes from status and codes, never from words in a message.

use std::time::Duration;

/// What went wrong, as fallback and retry see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelErrorKind {
    /// The key is missing, wrong or not allowed to.
    Authentication,
    /// Too many requests or tokens; see `retry_after`.
    RateLimit,
    /// The model does not exist, or the request is not one it takes.
    Model,
    /// The conversation is longer than the model's context.
    ContextLength,
    /// Nothing came in time.
    Timeout,
    /// The provider cannot be reached, or the connection broke.
    Unavailable,
    /// The provider has too much to do.
    Overloaded,
    /// The answer is none that the protocol knows.
    Unknown,
}

impl ModelErrorKind {
    /// Every kind, sorted.
    pub const ALL: [Self; 8] = [
        Self::Authentication,
        Self::RateLimit,
        Self::Model,
        Self::ContextLength,
        Self::Timeout,
        Self::Unavailable,
        Self::Overloaded,
        Self::Unknown,
    ];

    /// The name that documents use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::RateLimit => "rate_limit",
            Self::Model => "model",
            Self::ContextLength => "context_length",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Overloaded => "overloaded",
            Self::Unknown => "unknown",
        }
    }
}

/// How far an attempt came. Only one that showed nothing yet may be made again elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureStage {
    /// Before the first event.
    BeforeAnswer,
    /// After it.
    MidAnswer,
}

/// Why a model gave no answer, or not a whole one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", kind.as_str())]
pub struct ModelError {
    /// What went wrong.
    pub kind: ModelErrorKind,
    /// How far it came.
    pub stage: FailureStage,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// The code: the provider's own, or one of ours (`stream_cut`, `stream_malformed`,
    /// `arguments_invalid`, `too_large`, `connect`, `first_byte_timeout`, `idle_timeout`, `key_missing`, `cooling_down` …).
    pub code: Option<String>,
    /// One line for a person, without secrets.
    pub message: String,
    /// When to try again, if the provider said.
    pub retry_after: Option<Duration>,
    /// The id of the request.
    pub request_id: Option<String>,
}

impl ModelError {
    /// An error before the answer began, with one of our codes.
    #[must_use]
    pub fn new(kind: ModelErrorKind, code: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            stage: FailureStage::BeforeAnswer,
            status: None,
            code: Some(code.to_owned()),
            message: message.into(),
            retry_after: None,
            request_id: None,
        }
    }

    /// The same error after the answer had begun.
    #[must_use]
    pub fn mid_answer(self) -> Self {
        Self { stage: FailureStage::MidAnswer, ..self }
    }
}
