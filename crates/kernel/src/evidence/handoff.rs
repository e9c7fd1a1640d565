//! The transfer of work to another role.

use alloc::vec::Vec;

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, TextSet};

/// The packet handed to another role.
#[derive(Debug, Clone, PartialEq)]
pub struct Handoff {
    /// Who receives it.
    pub target: Text,
    /// What the receiver needs.
    pub required_artifact_refs: TextSet,
    /// What the packet carries.
    pub artifacts: Vec<HandoffArtifact>,
    /// Where the answer goes.
    pub return_path_ref: Option<Text>,
    /// Who hands over.
    pub from_role: Option<Text>,
    /// What the receiver is to do.
    pub intent: Option<Text>,
    /// What the receiver must respect.
    pub constraints: TextSet,
}

impl Handoff {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .non_empty("artifacts", self.artifacts.iter().map(HandoffArtifact::canonical).collect())
            .non_empty("constraints", self.constraints.canonical())
            .optional("fromRole", self.from_role.as_ref())
            .optional("intent", self.intent.as_ref())
            .non_empty("requiredArtifactRefs", self.required_artifact_refs.canonical())
            .optional("returnPathRef", self.return_path_ref.as_ref())
            .field("target", &self.target)
            .finish()
    }
}

/// One artifact of a packet.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoffArtifact {
    /// What it is called.
    pub reference: Text,
    /// What it must hash to.
    pub digest: Digest,
}

impl HandoffArtifact {
    fn canonical(&self) -> Value<'_> {
        Object::fields().field("digest", &self.digest).field("ref", &self.reference).finish()
    }
}

/// The part of the handoff contract that a role was shown.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoffProjection {
    /// What the role must have received.
    pub incoming_artifact_refs: TextSet,
    /// Whom it may hand over to.
    pub allowed_targets: TextSet,
}

impl HandoffProjection {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("allowedTargets", self.allowed_targets.canonical())
            .field("incomingArtifactRefs", self.incoming_artifact_refs.canonical())
            .finish()
    }
}
