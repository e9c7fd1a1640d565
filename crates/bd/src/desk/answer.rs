//! Why the desk refuses: a class, and what it is about. A refusal is an answer; that the database failed is an accident,
//! and the two are never mixed.

use crate::error::StoreError;
use crate::permit::PermitRefusal;

use super::proposals::ProposalState;

/// An answer, a refusal, or a database that failed.
pub type DeskAnswer<T> = Result<Result<T, DeskRefusal>, StoreError>;

/// Why something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeskRefusalClass {
    /// No such file, folder, version, approval or proposal.
    NotFound,
    /// It is deleted.
    Deleted,
    /// It is not deleted.
    NotDeleted,
    /// Somebody changed the file since.
    VersionStale,
    /// What was handed in is not what it must be.
    Invalid,
    /// A patch that does not fit the text.
    PatchMismatch,
    /// The permit is for something else.
    PermitMismatch,
    /// The approval is for another call.
    ApprovalMismatch,
    /// Nobody has decided yet.
    ApprovalPending,
    /// Somebody decided before.
    ApprovalDecided,
    /// A person said no.
    ApprovalDenied,
    /// It was not decided, or not used, in time.
    ApprovalExpired,
    /// It was used already.
    ApprovalConsumed,
    /// No person's signature is under it.
    ApprovalUnsigned,
    /// The yes would cover more than anybody was shown.
    ApprovalUnbounded,
    /// The yes was taken back.
    ApprovalRevoked,
    /// What is asked is not what was shown.
    ApprovalDigestMismatch,
    /// The proposal is in a state that does not allow it.
    Proposal(ProposalState),
    /// Somebody executes it.
    ProposalInFlight,
    /// It changed while it was looked at: a step out of order, a lease that somebody took over.
    ProposalStateChanged,
    /// What would run is not what was shown.
    ProposalDigestMismatch,
    /// No person's signature is under it.
    ProposalUnsigned,
    /// No such conversation.
    ConversationMissing,
    /// There are as many conversations as there can be.
    ConversationLimit,
}

impl DeskRefusalClass {
    /// Its stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotFound => "desk_not_found",
            Self::Deleted => "desk_deleted",
            Self::NotDeleted => "desk_not_deleted",
            Self::VersionStale => "desk_version_stale",
            Self::Invalid => "desk_invalid",
            Self::PatchMismatch => "desk_patch_mismatch",
            Self::PermitMismatch => "permit_mismatch",
            Self::ApprovalMismatch => "approval_mismatch",
            Self::ApprovalPending => "approval_pending",
            Self::ApprovalDecided => "approval_decided",
            Self::ApprovalDenied => "approval_denied",
            Self::ApprovalExpired => "approval_expired",
            Self::ApprovalConsumed => "approval_consumed",
            Self::ApprovalUnsigned => "approval_unsigned",
            Self::ApprovalUnbounded => "approval_unbounded",
            Self::ApprovalRevoked => "approval_revoked",
            Self::ApprovalDigestMismatch => "approval_digest_mismatch",
            Self::Proposal(state) => state.refusal_code(),
            Self::ProposalInFlight => "proposal_in_flight",
            Self::ProposalStateChanged => "proposal_state_changed",
            Self::ProposalDigestMismatch => "proposal_digest_mismatch",
            Self::ProposalUnsigned => "proposal_unsigned",
            Self::ConversationMissing => "conversation_not_found",
            Self::ConversationLimit => "conversation_limit",
        }
    }
}

impl DeskRefusalClass {
    /// What a person does next.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::NotFound => {
                "`premath desk tree` shows what there is, `premath desk list --deleted` what was deleted"
            }
            Self::Deleted => "`premath desk restore` brings it back",
            Self::NotDeleted => "nothing to do; name a version to go back to it",
            Self::VersionStale => "read it again, and change what is there now",
            Self::Invalid => "see docs/reference/desk.md for what is possible",
            Self::PatchMismatch => "read the text again, and quote a passage that is there once",
            Self::PermitMismatch => "ask for a permit for this very change",
            Self::ApprovalMismatch => "ask about this very call",
            Self::ApprovalPending => "`premath approvals show` says what is asked",
            Self::ApprovalUnbounded => {
                "approve it once, or name its arguments: `[mcp.servers.SERVER.tools.TOOL] target = [\"ARGUMENT\"]`"
            }
            Self::ApprovalRevoked => "`premath approvals list --active` shows what is still approved",
            Self::ApprovalDecided | Self::ApprovalDenied | Self::ApprovalConsumed => {
                "nothing to do; the call has to be asked about again"
            }
            Self::ApprovalExpired => "the question expired; `premath resume RUN` asks it again",
            Self::ApprovalUnsigned => "decide it with your own credential",
            Self::ApprovalDigestMismatch => "look at the question again; it is not the one that was shown",
            Self::Proposal(_) => "`premath proposals show` says what became of it",
            Self::ProposalInFlight => "wait until it is carried out, or until its lease runs out",
            Self::ProposalStateChanged => "look at it again; somebody else has it now",
            Self::ProposalDigestMismatch => "look at the plan again; it is not the one that was shown",
            Self::ProposalUnsigned => "approve it with your own credential",
            Self::ConversationMissing => "`premath conversations list` says which there are",
            Self::ConversationLimit => "`premath conversations delete` makes room",
        }
    }
}

/// Something that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", class.code())]
pub struct DeskRefusal {
    /// Why.
    pub class: DeskRefusalClass,
    /// What it is about.
    pub detail: String,
}

impl DeskRefusal {
    pub(super) fn new(class: DeskRefusalClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }
}

impl From<PermitRefusal> for DeskRefusal {
    fn from(refusal: PermitRefusal) -> Self {
        Self::new(DeskRefusalClass::PermitMismatch, refusal.detail)
    }
}

/// Why work inside a transaction stopped. Whatever it was, the transaction is undone.
#[derive(Debug)]
pub(super) enum Stop {
    /// It was refused.
    Refused(DeskRefusal),
    /// The database failed.
    Database(rusqlite::Error),
    /// What is in it contradicts itself.
    Damaged(String),
}

impl Stop {
    pub(super) fn refused(class: DeskRefusalClass, detail: impl Into<String>) -> Self {
        Self::Refused(DeskRefusal::new(class, detail))
    }
}

impl From<DeskRefusal> for Stop {
    fn from(refusal: DeskRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}
