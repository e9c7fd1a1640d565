//! A person's yes or no to a plan, signed over the digest of what was shown.

use premath_kernel::{Object, Value};
use rusqlite::params;

use super::super::answer::{DeskAnswer, DeskRefusalClass, Stop};
use super::super::credential::PersonCredential;
use super::super::database::{Desk, to_stored};
use super::{Proposal, ProposalState, existing, expired, tell, wrong_state};

/// What is signed, so that no signature over something else can be taken for it.
const SIGNED: &str = "premath.proposal.v1";

impl Desk {
    /// A person agrees to the plan that they were shown.
    ///
    /// # Errors
    /// A database that failed. Refuses another plan than the one that was shown, one that expired, and any state but
    /// pending.
    pub fn approve_proposal(
        &self,
        credential: &PersonCredential,
        id: &str,
        shown_digest: &str,
        message: Option<&str>,
    ) -> DeskAnswer<Proposal> {
        self.decide(credential, id, Some(shown_digest), ProposalState::Approved, message)
    }

    /// A person does not agree.
    ///
    /// # Errors
    /// A database that failed. Refuses what expired, and any state but pending.
    pub fn reject_proposal(
        &self,
        credential: &PersonCredential,
        id: &str,
        message: Option<&str>,
    ) -> DeskAnswer<Proposal> {
        self.decide(credential, id, None, ProposalState::Rejected, message)
    }

    fn decide(
        &self,
        credential: &PersonCredential,
        id: &str,
        shown: Option<&str>,
        becomes: ProposalState,
        message: Option<&str>,
    ) -> DeskAnswer<Proposal> {
        self.write(|writing| {
            let mut proposal = existing(writing, id)?;
            match proposal.state {
                ProposalState::Pending => {}
                ProposalState::Expired => return expired(writing, &proposal),
                ProposalState::Approved
                | ProposalState::Executing
                | ProposalState::Executed
                | ProposalState::Failed
                | ProposalState::Rejected => return Err(wrong_state(&proposal)),
            }
            if let Some(shown) = shown {
                check_digest(&proposal, shown)?;
            }
            proposal.state = becomes;
            proposal.decided_by = Some(credential.name().to_owned());
            let signature = credential.sign(&signed(&proposal));
            let update = "UPDATE proposals SET state = ?2, decided_by = ?3, decided_at = ?4, message = ?5,
                   signature = ?6 WHERE id = ?1 AND state = 'pending' AND expires_at > ?4";
            let row = params![id, becomes.token(), credential.name(), writing.now, message, signature];
            if writing.transaction.execute(update, row)? == 0 {
                return Err(super::changed(id, "somebody decided meanwhile"));
            }
            let proposal = existing(writing, id)?;
            tell(writing, &proposal, credential.name(), becomes.token(), None)?;
            Ok(Ok(proposal))
        })
    }
}

/// Refuses a plan that is not the one that was shown, and one that is not what its digest says.
pub(super) fn check_digest(proposal: &Proposal, shown: &str) -> Result<(), Stop> {
    let digest = proposal.draft.digest();
    if digest.as_str() == shown && digest.as_str() == proposal.plan_digest {
        return Ok(());
    }
    let detail = format!("{} is {digest}, and {} was shown", proposal.id, shown.escape_debug());
    Err(Stop::refused(DeskRefusalClass::ProposalDigestMismatch, detail))
}

/// Refuses a yes that nobody signed.
pub(super) fn check_signature(proposal: &Proposal, credential: &PersonCredential) -> Result<(), Stop> {
    let approved = Proposal { state: ProposalState::Approved, ..proposal.clone() };
    let signature = proposal.signature.as_deref().unwrap_or_default();
    if proposal.decided_by.as_deref() == Some(credential.name())
        && credential.has_signed(&signed(&approved), signature)
    {
        return Ok(());
    }
    let detail = format!("{} does not carry the signature of `{}`", proposal.id, credential.name());
    Err(Stop::refused(DeskRefusalClass::ProposalUnsigned, detail))
}

/// What a signature is over. The digest stands for the plan.
fn signed(proposal: &Proposal) -> Value<'_> {
    Object::fields()
        .optional("decidedBy", proposal.decided_by.as_deref())
        .field("expiresAt", to_stored(proposal.expires_at).to_string())
        .field("id", proposal.id.as_str())
        .field("planDigest", proposal.plan_digest.as_str())
        .field("runId", proposal.draft.run_id.as_str())
        .field("signed", SIGNED)
        .field("state", proposal.state.token())
        .finish()
}
