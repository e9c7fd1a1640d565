//! What a closed turn may change: one of the stores, by one operation.
//!
//! Data only; a store makes the change, against a permit that names it.

use premath_kernel::Digest;

use crate::desk::{self, ProposalDraft};
use crate::issues::Operation;

/// One change of one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Issue memory.
    Issues(Operation),
    /// The files of the desk.
    Desk(desk::Operation),
    /// A plan that a person is to decide about.
    Propose(ProposalDraft),
}

impl Change {
    /// The host action it is.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        match self {
            Self::Issues(operation) => operation.action(),
            Self::Desk(operation) => operation.action(),
            Self::Propose(_) => ProposalDraft::ACTION,
        }
    }

    /// The status that it brings an issue to; none where no issue can have another status by it.
    #[must_use]
    pub fn target_status(&self) -> Option<&str> {
        match self {
            Self::Issues(operation) => operation.target_status(),
            Self::Desk(_) | Self::Propose(_) => None,
        }
    }

    /// The digest of its arguments, as an intent names it.
    #[must_use]
    pub fn args_digest(&self) -> Digest {
        match self {
            Self::Issues(operation) => operation.args_digest(),
            Self::Desk(operation) => operation.args_digest(),
            Self::Propose(draft) => draft.args_digest(),
        }
    }
}
