//! Assessing a turn for a report: the same proofs are earned, and what stands in their way is told.
//!
//! An assessment is a description. It gives no permission: whoever wants to mutate calls `close` and `admit`.

use crate::admit::{ActivePolicy, admit};
use crate::checks::View;
use crate::checks::mutation::{self, Backing};
use crate::close::close;
use crate::failure::Family;
use crate::intent::{Claims, Intent};
use crate::normalize::NormalizedTurn;
use crate::refusal::{Findings, Refusal};

/// Whether anything speaks against the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing does.
    Accepted,
    /// Something does.
    Rejected,
}

impl Outcome {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

/// What was found about one turn.
#[derive(Debug)]
pub struct Assessment {
    refusal: Option<Refusal>,
    join_closed: bool,
    mutation_ready: Option<bool>,
}

impl Assessment {
    /// Whether anything speaks against the turn.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        if self.refusal.is_none() { Outcome::Accepted } else { Outcome::Rejected }
    }

    /// What speaks against it.
    #[must_use]
    pub const fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// Whether the turn is closed. Never true of a turn rejected for anything but its mutation.
    #[must_use]
    pub const fn join_closed(&self) -> bool {
        self.join_closed
    }

    /// Whether the mutation would be admitted; none when there is no intent.
    #[must_use]
    pub const fn mutation_ready(&self) -> Option<bool> {
        self.mutation_ready
    }
}

/// Tries to close the turn and, when there is an intent, to admit it.
#[must_use]
pub fn assess(turn: &NormalizedTurn, intent: Option<&Intent>, claims: &Claims) -> Assessment {
    let active =
        turn.policies.mutation_policy.as_ref().map_or(ActivePolicy::NotSupplied, ActivePolicy::Supplied);
    let refusal = match (close(turn), intent) {
        (Ok(_), None) => None,
        (Ok(join), Some(intent)) => admit(join, intent, &active, claims).err().map(keeping_the_join_honest),
        (Err(refusal), None) => Some(refusal),
        (Err(refusal), Some(intent)) => Some(with_mutation(turn, refusal, intent, &active, claims)),
    };
    Assessment {
        join_closed: refusal.as_ref().is_none_or(is_about_mutation_only),
        mutation_ready: intent.map(|_| refusal.is_none()),
        refusal,
    }
}

fn is_about_mutation_only(refusal: &Refusal) -> bool {
    refusal.reasons().iter().all(|reason| reason.class.family() == Family::Mutation)
}

/// An open turn backs nothing; whatever else speaks against the mutation is told too.
fn with_mutation(
    turn: &NormalizedTurn,
    refusal: Refusal,
    intent: &Intent,
    active: &ActivePolicy<'_>,
    claims: &Claims,
) -> Refusal {
    let mut findings = Findings::default();
    // Policies that cannot be trusted are in the refusal already.
    let view = View::new(turn, &mut Findings::default());
    mutation::not_closed(&mut findings);
    mutation::check(&Backing::of(&view), intent, active, claims, &mut findings);
    findings.extend(refusal.reasons().iter().cloned());
    findings.into_refusal().unwrap_or(refusal)
}

/// A mutation refused for a reason outside its family leaves the turn reported as open, so it says so.
fn keeping_the_join_honest(refusal: Refusal) -> Refusal {
    if is_about_mutation_only(&refusal) {
        return refusal;
    }
    let mut findings = Findings::default();
    mutation::not_closed(&mut findings);
    findings.extend(refusal.reasons().iter().cloned());
    findings.into_refusal().unwrap_or(refusal)
}
