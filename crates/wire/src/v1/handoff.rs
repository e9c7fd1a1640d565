//! Handoffs and observations on the wire.

use premath_kernel as kernel;

use super::result::Shell;
use super::row::row;
use super::scalar::{CallId, DigestText, Name, Refs, ResultStatusToken, Word};

row! {
    /// The packet handed to another role.
    Handoff = kernel::Handoff
    {
        /// Who receives it.
        target: Name,
    }
    {
        /// What the receiver needs.
        required_artifact_refs: Refs,
        /// What the packet carries.
        artifacts: Vec<HandoffArtifact>,
        /// Where the answer goes.
        return_path_ref: Option<Name>,
        /// Who hands over.
        from_role: Option<Name>,
        /// What the receiver is to do.
        intent: Option<Name>,
        /// What the receiver must respect.
        constraints: Refs,
    }
}

row! {
    /// One artifact of a packet.
    HandoffArtifact = kernel::HandoffArtifact
    {
        /// What it is called.
        #[serde(rename = "ref")]
        reference: Name,
        /// What it must hash to.
        digest: DigestText,
    }
    {}
}

row! {
    /// The part of the handoff contract that a role was shown.
    HandoffProjection = kernel::HandoffProjection
    {}
    {
        /// What the role must have received.
        incoming_artifact_refs: Refs,
        /// Whom it may hand over to.
        allowed_targets: Refs,
    }
}

row! {
    /// What the runtime looked up. An absent list was not looked up; an empty one was, and nothing was there.
    Observations = kernel::Observations
    {}
    {
        /// Artifacts that were looked for.
        artifacts: Option<Vec<ObservedArtifact>>,
        /// Files that changed during the turn.
        files: Option<Vec<ObservedFile>>,
        /// Trace sinks that were written to.
        sinks: Option<Vec<Sink>>,
        /// Arguments that failed their schema.
        schema_errors: Vec<SchemaError>,
        /// Results of earlier turns that were looked up.
        prior_results: Option<Vec<PriorResult>>,
    }
}

row! {
    /// A result of an earlier turn as the runtime found it; without `resultDigest` there is none.
    PriorResult = kernel::PriorResult
    {
        /// The turn that was looked up.
        turn_digest: DigestText,
        /// The call that was looked up.
        tool_call_id: CallId,
    }
    {
        /// The tool that was called.
        tool_name: Option<Name>,
        /// How the call ended.
        status: Option<ResultStatusToken>,
        /// The digest of the result.
        result_digest: Option<DigestText>,
        /// What a shell command ran in, and how it ended.
        shell: Option<Shell>,
        /// What a judge said.
        verdict: Option<Word>,
    }
}

row! {
    /// An artifact that was looked for; `digest` is null when it is not there.
    ObservedArtifact = kernel::ObservedArtifact
    {
        /// What was looked for.
        #[serde(rename = "ref")]
        reference: Name,
    }
    {
        /// What it hashes to.
        digest: Option<DigestText>,
    }
}

row! {
    /// A file that changed during the turn.
    ObservedFile = kernel::ObservedFile
    {
        /// Where.
        path: Name,
        /// What it holds now.
        digest: DigestText,
    }
    {}
}

row! {
    /// A trace sink that was written to.
    Sink = kernel::Sink
    {
        /// The mode it belongs to.
        mode: Word,
    }
    {}
}

row! {
    /// Arguments that failed their schema.
    SchemaError = kernel::SchemaError
    {
        /// The call.
        tool_call_id: Name,
        /// Where in the arguments, as a JSON pointer.
        pointer: String,
    }
    {}
}
