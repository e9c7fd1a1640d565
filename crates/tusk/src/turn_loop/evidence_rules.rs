//! How much the turns of a run say about themselves. A run keeps the rules it began under, so that its journal comes out
//! the same again.

use crate::evidence::Unreadable;
use crate::evidence::row::unreadable;

/// Which rules the evidence of a run follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvidenceRules {
    /// Dispositions by the kind of the call alone: what journals follow that do not say otherwise.
    #[default]
    Formal,
    /// Dispositions computed from what rests on a result; uses of earlier results; a role and a scope in every turn.
    Computed,
}

impl EvidenceRules {
    /// Its name in the journal; none for what journals are that do not name one.
    pub(super) const fn token(self) -> Option<&'static str> {
        match self {
            Self::Formal => None,
            Self::Computed => Some("computed"),
        }
    }

    pub(super) fn read(token: Option<&str>) -> Result<Self, Unreadable> {
        match token {
            None => Ok(Self::Formal),
            Some("computed") => Ok(Self::Computed),
            Some(_) => Err(unreadable("evidence")),
        }
    }

    /// Whether dispositions are computed.
    pub(crate) const fn is_computed(self) -> bool {
        matches!(self, Self::Computed)
    }
}
