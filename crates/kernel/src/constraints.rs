//! What a caller asserts about a turn, kept readable for data written by other tools.
//!
//! An assertion can add a failure and never remove one, so none of these may be read as permission.

use crate::call_spec::ExecutionPattern;
use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::TextSet;

/// Everything a caller asserts.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    /// `protocolConstraints`
    pub protocol: ProtocolConstraints,
    /// `truncationConstraints`
    pub truncation: TruncationConstraints,
    /// `decompositionConstraints`
    pub decomposition: DecompositionConstraints,
    /// `handoffConstraints`
    pub handoff: HandoffConstraints,
}

impl Constraints {
    /// None when nothing is asserted.
    pub(crate) fn canonical(&self) -> Option<Value<'_>> {
        let parts = Object::fields()
            .optional("decomposition", self.decomposition.canonical())
            .optional("handoff", self.handoff.canonical())
            .optional("protocol", self.protocol.canonical())
            .optional("truncation", self.truncation.canonical())
            .finish();
        present(parts)
    }
}

fn present(value: Value<'_>) -> Option<Value<'_>> {
    value.as_object().is_some_and(|object| !object.is_empty()).then_some(value)
}

/// What is asserted about the transport.
#[derive(Debug, Clone, Default)]
pub struct ProtocolConstraints {
    /// False: results did not follow the order of requests.
    pub parallel_transport_order_valid: Option<bool>,
}

impl ProtocolConstraints {
    fn canonical(&self) -> Option<Value<'_>> {
        present(
            Object::fields()
                .optional("parallelTransportOrderValid", self.parallel_transport_order_valid)
                .finish(),
        )
    }
}

/// What is asserted about truncation.
#[derive(Debug, Clone, Default)]
pub struct TruncationConstraints {
    /// True: somebody must have vouched for it.
    pub required: Option<bool>,
    /// False: it broke its policy.
    pub valid: Option<bool>,
}

impl TruncationConstraints {
    fn canonical(&self) -> Option<Value<'_>> {
        present(Object::fields().optional("required", self.required).optional("valid", self.valid).finish())
    }
}

/// What is asserted about decomposition.
#[derive(Debug, Clone, Default)]
pub struct DecompositionConstraints {
    /// False: the split was not admissible.
    pub admissible: Option<bool>,
    /// The pattern that was expected.
    pub expected_execution_pattern: Option<ExecutionPattern>,
    /// The policy that was expected.
    pub expected_policy_digest: Option<Digest>,
}

impl DecompositionConstraints {
    fn canonical(&self) -> Option<Value<'_>> {
        present(
            Object::fields()
                .optional("admissible", self.admissible)
                .optional(
                    "expectedExecutionPattern",
                    self.expected_execution_pattern.map(ExecutionPattern::token),
                )
                .optional("expectedPolicyDigest", self.expected_policy_digest.as_ref())
                .finish(),
        )
    }
}

/// What is asserted about a handoff.
#[derive(Debug, Clone, Default)]
pub struct HandoffConstraints {
    /// Artifacts the packet must require.
    pub required_artifact_refs: TextSet,
    /// Whom it may go to.
    pub allowed_targets: TextSet,
    /// Whether it must name a return path.
    pub require_return_path: Option<bool>,
}

impl HandoffConstraints {
    fn canonical(&self) -> Option<Value<'_>> {
        present(
            Object::fields()
                .non_empty("allowedTargets", self.allowed_targets.canonical())
                .optional("requireReturnPath", self.require_return_path)
                .non_empty("requiredArtifactRefs", self.required_artifact_refs.canonical())
                .finish(),
        )
    }
}
