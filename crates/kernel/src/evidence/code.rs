//! Programs the model ran, and the calls they made.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, TextSet};

/// One program run in `code` mode.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeExecution {
    /// What caller edges name as parent.
    pub id: Text,
    /// The program.
    pub program_digest: Digest,
    /// The calls it made.
    pub tool_call_ids: TextSet,
    /// What it wrote to standard output.
    pub stdout_digest: Option<Digest>,
    /// What it wrote to standard error.
    pub stderr_digest: Option<Digest>,
    /// How it failed, if it did.
    pub traceback: Option<Text>,
}

impl CodeExecution {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("id", &self.id)
            .field("programDigest", &self.program_digest)
            .optional("stderrDigest", self.stderr_digest.as_ref())
            .optional("stdoutDigest", self.stdout_digest.as_ref())
            .field("toolCallIds", self.tool_call_ids.canonical())
            .optional("traceback", self.traceback.as_ref())
            .finish()
    }
}
