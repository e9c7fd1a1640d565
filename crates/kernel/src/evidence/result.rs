//! What came back from a tool.

use alloc::string::String;
use alloc::vec::Vec;

use super::artifact::{Artifact, ObservedChanges};
use super::guardrail::GuardrailDecision;
use super::issue_target::IssueTarget;
use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Count, Text, Token, ToolCallId};

/// Whether a call ended, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultStatus {
    /// It ended well.
    Ok,
    /// It ended with a typed error.
    Error,
    /// It has not ended.
    Pending,
}

impl ResultStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Error, Self::Pending];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Pending => "pending",
        }
    }
}

/// One result row as it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The call it answers.
    pub tool_call_id: ToolCallId,
    /// Absent: `error` if there is any error material, else `ok`.
    pub status: Option<ResultStatus>,
    /// Digest of the payload.
    pub result_digest: Option<Digest>,
    /// The payload; only its digest and size stay in the normal form.
    pub payload: Option<Value<'static>>,
    /// What is known about a failure.
    pub error: ErrorMaterial,
    /// Where the result came from.
    pub provenance: Option<Provenance>,
    /// The program that made the call, if one did.
    pub caller_edge: Option<CallerEdge>,
    /// What a shell command ran in.
    pub shell: Option<Shell>,
    /// What was cut from the payload.
    pub truncation: Option<Truncation>,
    /// What a judge said: `pass` or `fail`.
    pub verdict: Option<Token>,
    /// Token cost with and without filtering.
    pub tokens: Option<Tokens>,
    /// Files the call read or wrote.
    pub artifacts: Vec<Artifact>,
    /// Issues that the change it asks for is about.
    pub issue_targets: Vec<IssueTarget>,
    /// Guardrail decisions about this result.
    pub guardrails: Vec<GuardrailDecision>,
    /// Position within the call group.
    pub order: Option<Count>,
}

/// What is known about a failure, before it is normalised. Loosely typed on purpose: a badly typed envelope is a
/// refusal, not unreadable input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorMaterial {
    /// `errorCode`
    pub code: Option<Value<'static>>,
    /// `retryable`
    pub retryable: Option<Value<'static>>,
    /// `errorMessage`
    pub message: Option<Value<'static>>,
    /// Digest of the message, where the message itself is gone.
    pub message_digest: Option<Digest>,
    /// The provider's own error, whatever its shape.
    pub raw: Option<Value<'static>>,
}

impl ErrorMaterial {
    /// Whether there is anything at all. Blank text says nothing; a `rawError` of any kind says something.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let fields = [&self.code, &self.retryable, &self.message];
        let says_nothing = fields.into_iter().flatten().all(|value| !is_said(value));
        let is_raw = self.raw.as_ref().is_some_and(|raw| *raw != Value::Null);
        says_nothing && self.message_digest.is_none() && !is_raw
    }
}

/// Whether a value says anything: null and blank text do not.
pub(crate) fn is_said(value: &Value<'_>) -> bool {
    match value {
        Value::Null => false,
        Value::Text(text) => !text.trim().is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// The typed error every failed row ends up with.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorEnvelope {
    /// Machine-readable code.
    pub code: Text,
    /// Whether trying again may help.
    pub retryable: bool,
    /// Digest of the trimmed message.
    pub message_digest: Option<Digest>,
}

impl ErrorEnvelope {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("errorCode", &self.code)
            .optional("errorMessageDigest", self.message_digest.as_ref())
            .field("retryable", self.retryable)
            .finish()
    }
}

/// The kind of thing that produced a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvenanceKind {
    /// A process.
    Command,
    /// A remote interface.
    Api,
    /// A route inside the runtime.
    Route,
}

impl ProvenanceKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Command, Self::Api, Self::Route];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Api => "api",
            Self::Route => "route",
        }
    }
}

/// Where a result came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// The kind of source.
    pub kind: ProvenanceKind,
    /// Which one.
    pub reference: Option<Text>,
}

impl Provenance {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields().field("kind", self.kind.token()).optional("ref", self.reference.as_ref()).finish()
    }
}

/// The edge from a program to the call it made.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerEdge {
    /// The code execution that called.
    pub parent_tool_call_id: Text,
}

impl CallerEdge {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields().field("parentToolCallId", &self.parent_tool_call_id).finish()
    }
}

/// What a shell command ran in. Each absence is a finding, so each is optional here.
#[derive(Debug, Clone, PartialEq)]
pub struct Shell {
    /// Where it ran.
    pub workdir: Option<Text>,
    /// The sandbox profile it ran under.
    pub sandbox_profile: Option<Text>,
    /// Digest of the command.
    pub command_digest: Option<Digest>,
    /// How the files were compared before and after it; none when they were not.
    pub observed: Option<ObservedChanges>,
    /// `sha256:` over the trimmed text of the command alone, whatever its folder and limits are.
    pub script_digest: Option<Digest>,
    /// The code it ended with; none when it did not end by itself.
    pub exit_code: Option<Count>,
}

impl Shell {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("commandDigest", self.command_digest.as_ref())
            .optional("exitCode", self.exit_code)
            .optional("observed", self.observed.as_ref().map(ObservedChanges::canonical))
            .optional("sandboxProfile", self.sandbox_profile.as_ref())
            .optional("scriptDigest", self.script_digest.as_ref())
            .optional("workdir", self.workdir.as_ref())
            .finish()
    }
}

/// What was cut from a payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncation {
    /// The policy it was cut under.
    pub policy_digest: Option<Digest>,
    /// Size before.
    pub original_bytes: Count,
    /// Size after, marker included.
    pub kept_bytes: Count,
    /// What stands where bytes were cut, byte for byte.
    pub marker: Option<String>,
    /// Bytes kept before the marker.
    pub head_bytes: Option<Count>,
    /// Bytes kept after the marker.
    pub tail_bytes: Option<Count>,
}

impl Truncation {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("headBytes", self.head_bytes)
            .field("keptBytes", self.kept_bytes)
            .optional("marker", self.marker.as_deref())
            .field("originalBytes", self.original_bytes)
            .optional("policyDigest", self.policy_digest.as_ref())
            .optional("tailBytes", self.tail_bytes)
            .finish()
    }
}

/// Token cost of a result with and without filtering.
#[derive(Debug, Clone, PartialEq)]
pub struct Tokens {
    /// As it entered the context.
    pub filtered: Count,
    /// As it would have entered it.
    pub unfiltered: Count,
}

impl Tokens {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields().field("filtered", self.filtered).field("unfiltered", self.unfiltered).finish()
    }
}
