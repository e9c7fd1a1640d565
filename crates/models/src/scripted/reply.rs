//! What a script answers, before any protocol has words for it.

use crate::scenario::{Call, FaultKind, Stop};

/// An answer of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedReply {
    /// Which turn it is, counted from one; none where no turn answers.
    pub turn: Option<u64>,
    /// The fault that happens to it.
    pub fault: Option<FaultKind>,
    /// What its ids are made of: the same for the same scenario, turn and attempt.
    pub identity: String,
    /// What is said.
    pub outcome: ReplyOutcome,
}

/// What is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyOutcome {
    /// An answer of the model.
    Spoken(Spoken),
    /// An error of the provider.
    Failed(Failure),
}

/// An answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// What it thinks.
    pub reasoning: Option<String>,
    /// What it says.
    pub text: Option<String>,
    /// Why it does not answer.
    pub refusal: Option<String>,
    /// The tools it calls.
    pub calls: Vec<Call>,
    /// Why it ends.
    pub stop: Stop,
    /// What it used.
    pub usage: SpokenUsage,
    /// Characters per delta.
    pub chunk: usize,
}

/// What an answer used; the three kinds of input do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpokenUsage {
    /// Input outside the cache.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
}

/// An error of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which.
    pub kind: FailureKind,
    /// What it says.
    pub message: String,
}

impl Failure {
    /// A request that is none of the protocol.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::BadRequest, message: message.into() }
    }
}

/// Which error of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Too many requests.
    RateLimit {
        /// Seconds to wait, if it says.
        retry_after: Option<u64>,
    },
    /// Something broke.
    ServerError {
        /// The status.
        status: u16,
    },
    /// Too much to do.
    Overloaded,
    /// The key is not good.
    Authentication,
    /// The conversation is too long.
    ContextLength,
    /// The request is not the one the scenario expects.
    Mismatch,
    /// The request is none of the protocol.
    BadRequest,
    /// The request is too long to be read.
    TooLarge,
    /// Nothing is at this path.
    NotFound,
    /// Something is at this path, but not for this method.
    MethodNotAllowed,
}

/// How an error looks in one protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FailureForm {
    pub(crate) status: u16,
    pub(crate) error_type: &'static str,
    pub(crate) code: Option<&'static str>,
}

impl FailureForm {
    pub(crate) const fn new(status: u16, error_type: &'static str, code: Option<&'static str>) -> Self {
        Self { status, error_type, code }
    }
}
