//! Admitting a mutation: the only place where a [`MutationReady`] is made.

use crate::checks::mutation;
use crate::close::JoinClosed;
use crate::digest::Digest;
use crate::intent::{Claims, Intent};
use crate::policy::{Document, MutationPolicy};
use crate::refusal::{Findings, Refusal};

/// The mutation policy in force where the mutation would happen.
#[derive(Debug)]
pub enum ActivePolicy<'p> {
    /// Only digests are at hand: the intent's must be that of the turn. For judging evidence from elsewhere; whoever
    /// applies a mutation has the policy in force and supplies it.
    NotSupplied,
    /// The document is at hand: it must hash to the turn's digest and grant the capability.
    Supplied(&'p Document<MutationPolicy>),
}

/// Permission to apply one mutation. Spent by value; never stored, copied or read back.
#[derive(Debug)]
pub struct MutationReady {
    join: JoinClosed,
    intent: Digest,
    policy: Digest,
}

impl MutationReady {
    /// The digest of the turn that asked for it.
    #[must_use]
    pub const fn turn_digest(&self) -> &Digest {
        self.join.turn_digest()
    }

    /// The digest of the one intent it admits.
    #[must_use]
    pub const fn intent_digest(&self) -> &Digest {
        &self.intent
    }

    /// The mutation policy it was admitted under.
    #[must_use]
    pub const fn policy_digest(&self) -> &Digest {
        &self.policy
    }
}

/// Admits one intent on the strength of a closed turn.
///
/// # Errors
/// Everything that speaks against it. The proof of closure is spent either way: it is earned again from the evidence.
pub fn admit(
    join: JoinClosed,
    intent: &Intent,
    policy: &ActivePolicy<'_>,
    claims: &Claims,
) -> Result<MutationReady, Refusal> {
    let mut findings = Findings::default();
    mutation::check(join.backing(), intent, policy, claims, &mut findings);
    match findings.into_refusal() {
        Some(refusal) => Err(refusal),
        None => Ok(MutationReady { join, intent: intent.digest(), policy: intent.policy_digest.clone() }),
    }
}
