//! What a compaction carried forward.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::TextSet;

/// One compaction of the context. Each absence is a finding, so the digests are optional here.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// The policy it ran under.
    pub policy_digest: Option<Digest>,
    /// The state it started from.
    pub prior_state_digest: Option<Digest>,
    /// The state it left.
    pub state_digest: Option<Digest>,
    /// What was carried forward.
    pub kept: TextSet,
    /// What was let go.
    pub dropped: TextSet,
    /// Calls that had no result yet.
    pub open_call_ids: TextSet,
    /// What was still owed.
    pub obligations: TextSet,
    /// What had to be respected.
    pub constraints: TextSet,
}

impl Compaction {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .non_empty("constraints", self.constraints.canonical())
            .non_empty("dropped", self.dropped.canonical())
            .non_empty("kept", self.kept.canonical())
            .non_empty("obligations", self.obligations.canonical())
            .non_empty("openCallIds", self.open_call_ids.canonical())
            .optional("policyDigest", self.policy_digest.as_ref())
            .optional("priorStateDigest", self.prior_state_digest.as_ref())
            .optional("stateDigest", self.state_digest.as_ref())
            .finish()
    }
}
