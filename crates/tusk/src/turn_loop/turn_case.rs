//! A judged turn with everything that its verdict rests on, so that it can be judged again elsewhere.
//!
//! It comes from a machine that is run again over a journal. It is evidence and never permission: a permit is earned from a
//! closed turn of a run that is driven.

use premath_kernel::{
    Assessment, Claims, DuplicateRow, Intent, NormalizedTurn, Turn, Witness, assess, normalize,
};
use premath_wire::v1::TurnInput;

/// A judged turn as it was handed to the kernel.
#[derive(Debug, Clone)]
pub struct TurnCase {
    /// The turn.
    pub turn: Turn,
    /// The changes it asks for, with the call that asks for each, in order of the calls.
    pub intents: Vec<(String, Intent)>,
    /// The capabilities that the run claims for them.
    pub claims: Claims,
}

/// How a turn is judged, without intent or with one.
#[derive(Debug)]
pub struct CaseVerdict {
    /// What was found.
    pub assessment: Assessment,
    /// The id of the witness of the check.
    pub witness_id: String,
}

impl TurnCase {
    /// The document that `harness-join-check` reads, for the turn alone or with one of its intents.
    #[must_use]
    pub fn document(&self, intent: Option<&Intent>) -> TurnInput {
        // Claims are read with an intent only.
        let claims = intent.map(|_| self.claims.clone()).unwrap_or_default();
        TurnInput::from_kernel(self.turn.clone(), intent.cloned(), &claims)
    }

    /// The turn in its normal form.
    ///
    /// # Errors
    /// Two rows with one key that say different things.
    pub fn normalized(&self) -> Result<NormalizedTurn, DuplicateRow> {
        normalize(self.turn.clone())
    }

    /// How the kernel judges the turn in its normal form, for the turn alone or with one of its intents.
    #[must_use]
    pub fn judge(&self, turn: &NormalizedTurn, intent: Option<&Intent>) -> CaseVerdict {
        let assessment = assess(turn, intent, &self.claims);
        let witness_id = Witness::of(turn, &assessment, intent, &self.claims).id().to_owned();
        CaseVerdict { assessment, witness_id }
    }
}
