//! What a caller asserts, on the wire.

use premath_kernel as kernel;

use super::row::{Wire as _, row};
use super::scalar::{DigestText, ExecutionPatternToken, Refs};

row! {
    /// What is asserted about the transport.
    ProtocolConstraints = kernel::ProtocolConstraints
    {}
    {
        /// False: results did not follow the order of requests.
        parallel_transport_order_valid: Option<bool>,
    }
}

row! {
    /// What is asserted about truncation.
    TruncationConstraints = kernel::TruncationConstraints
    {}
    {
        /// True: somebody must have vouched for it.
        required: Option<bool>,
        /// False: it broke its policy.
        valid: Option<bool>,
    }
}

row! {
    /// What is asserted about decomposition.
    DecompositionConstraints = kernel::DecompositionConstraints
    {}
    {
        /// False: the split was not admissible.
        admissible: Option<bool>,
        /// The pattern that was expected.
        expected_execution_pattern: Option<ExecutionPatternToken>,
        /// The policy that was expected.
        expected_policy_digest: Option<DigestText>,
    }
}

row! {
    /// What is asserted about a handoff.
    HandoffConstraints = kernel::HandoffConstraints
    {}
    {
        /// Artifacts the packet must require.
        required_artifact_refs: Refs,
        /// Whom it may go to.
        allowed_targets: Refs,
        /// Whether it must name a return path.
        require_return_path: Option<bool>,
    }
}

impl ProtocolConstraints {
    /// Whether anything is asserted.
    pub(crate) const fn is_asserted(&self) -> bool {
        self.parallel_transport_order_valid.is_some()
    }
}

impl TruncationConstraints {
    /// Whether anything is asserted.
    pub(crate) const fn is_asserted(&self) -> bool {
        self.required.is_some() || self.valid.is_some()
    }
}

impl DecompositionConstraints {
    /// Whether anything is asserted.
    pub(crate) const fn is_asserted(&self) -> bool {
        self.admissible.is_some()
            || self.expected_execution_pattern.is_some()
            || self.expected_policy_digest.is_some()
    }
}

impl HandoffConstraints {
    /// Whether anything is asserted.
    pub(crate) fn is_asserted(&self) -> bool {
        !self.required_artifact_refs.is_absent()
            || !self.allowed_targets.is_absent()
            || self.require_return_path.is_some()
    }
}
