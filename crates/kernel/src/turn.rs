//! One turn as it is handed to the checks: evidence, the policies that bind it, and what others assert about it.

use alloc::sync::Arc;

use crate::call_spec::CallSpec;
use crate::constraints::Constraints;
use crate::evidence::TurnEvidence;
use crate::governance::GovernanceProfile;
use crate::policy::Policies;

/// How much an evidence row may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Rows of other tools: a use row may omit what it went into, a search may omit what it found.
    Lenient,
    /// Our own runtime: it may not.
    Strict,
}

impl Strictness {
    /// Whether nothing may be left out.
    #[must_use]
    pub const fn is_strict(self) -> bool {
        matches!(self, Self::Strict)
    }
}

/// One turn, before it is normalised.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What the model was called with.
    pub spec: CallSpec,
    /// What was observed.
    pub evidence: TurnEvidence,
    /// The documents behind the call spec's digests.
    pub policies: Arc<Policies>,
    /// What is claimed about governance.
    pub governance: Option<GovernanceProfile>,
    /// What the caller asserts. Can only add failures.
    pub constraints: Constraints,
    /// How much a row may leave out.
    pub strictness: Strictness,
}
