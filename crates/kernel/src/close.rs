//! Closing a turn: the only place where a [`JoinClosed`] is made.

use crate::checks::mutation::Backing;
use crate::checks::{CLOSING, View};
use crate::digest::Digest;
use crate::normalize::NormalizedTurn;
use crate::refusal::{Findings, Refusal};

/// Proof that one turn is closed: every rule held. Earned by [`close`], never stored, copied or read back.
#[derive(Debug)]
pub struct JoinClosed {
    turn: Digest,
    backing: Backing,
}

impl JoinClosed {
    /// The digest of the turn that is closed.
    #[must_use]
    pub const fn turn_digest(&self) -> &Digest {
        &self.turn
    }

    pub(crate) const fn backing(&self) -> &Backing {
        &self.backing
    }
}

/// Checks every rule and closes the turn if all hold.
///
/// # Errors
/// Everything that keeps the turn open.
pub fn close(turn: &NormalizedTurn) -> Result<JoinClosed, Refusal> {
    let mut findings = Findings::default();
    findings.extend(turn.defects.iter().cloned());
    let view = View::new(turn, &mut findings);
    for check in CLOSING {
        check(&view, &mut findings);
    }
    match findings.into_refusal() {
        Some(refusal) => Err(refusal),
        None => Ok(JoinClosed { turn: turn.digests().turn.clone(), backing: Backing::of(&view) }),
    }
}
