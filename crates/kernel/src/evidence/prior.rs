//! What a turn rests on from earlier turns of its run, and what the runtime found when it looked those results up.
//!
//! A use is a claim, a result an observation: the two are compared in `checks`. Must not decide whether they agree.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, Token, ToolCallId};

use super::result::{ResultStatus, Shell};

/// A result of an earlier turn that something of this turn rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriorUse {
    /// The turn that has the result.
    pub turn_digest: Digest,
    /// The call whose result it is.
    pub tool_call_id: ToolCallId,
    /// The result that was used.
    pub result_digest: Digest,
    /// What rests on it: the digest of an intent, of the arguments of a patch, of a summary or of a handoff.
    pub reference: Text,
}

impl PriorUse {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("ref", &self.reference)
            .field("resultDigest", &self.result_digest)
            .field("toolCallId", &self.tool_call_id)
            .field("turnDigest", &self.turn_digest)
            .finish()
    }
}

/// A result of an earlier turn as the runtime found it.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorResult {
    /// The turn that was looked up.
    pub turn_digest: Digest,
    /// The call that was looked up.
    pub tool_call_id: ToolCallId,
    /// The tool that was called; none when there is no such result.
    pub tool_name: Option<Text>,
    /// How the call ended; none when there is no such result.
    pub status: Option<ResultStatus>,
    /// The digest of the result; none when there is no such result.
    pub result_digest: Option<Digest>,
    /// What a shell command ran in, and how it ended.
    pub shell: Option<Shell>,
    /// What a judge said.
    pub verdict: Option<Token>,
}

impl PriorResult {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("resultDigest", self.result_digest.as_ref())
            .optional("shell", self.shell.as_ref().map(Shell::canonical))
            .optional("status", self.status.map(ResultStatus::token))
            .field("toolCallId", &self.tool_call_id)
            .optional("toolName", self.tool_name.as_ref())
            .field("turnDigest", &self.turn_digest)
            .optional("verdict", self.verdict.as_ref())
            .finish()
    }

    /// What it is found by.
    pub(crate) const fn key(&self) -> (&Digest, &ToolCallId) {
        (&self.turn_digest, &self.tool_call_id)
    }
}
