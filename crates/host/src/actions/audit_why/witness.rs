//! From a witness to the turn it records, whatever its kind: of a call spec, of dispositions, of a join check.

use premath_bd::{StoreError, is_witness_id, witness_of_reference};
use premath_kernel::Value;
use premath_wire::v1::WhyKind;

use super::{Trail, text};
use crate::agent::traces::MadeTurn;
use crate::table::ActionError;

/// The id of the witness that a subject names, bare or as `witness://…`.
pub(super) fn witness_name(subject: &str) -> Option<&str> {
    witness_of_reference(subject).or_else(|| is_witness_id(subject).then_some(subject))
}

impl Trail<'_> {
    /// A witness and the turn behind it; how many of them there are.
    pub(super) fn witness_subject(&mut self, id: &str) -> Result<usize, ActionError> {
        let record = match self.witnesses.get(id) {
            Ok(record) => record,
            Err(StoreError::Missing { .. }) => return self.journaled_witness(id),
            Err(error) => {
                self.unknown(0, format!("witness {id}: {error}"));
                return Ok(0);
            }
        };
        let kind = text(&record, "witnessKind").unwrap_or("of no kind");
        self.step(0, WhyKind::Witness, kind).evidence = Some(format!("witness://{id}"));
        let Some(digest) = turn_digest(&record) else {
            self.unknown(1, "the witness names no turn");
            return Ok(1);
        };
        match self.turn_of(digest, None)? {
            Some(found) => self.turn_steps(1, &found, None, None)?,
            None => self.unknown(1, format!("no journal here has the turn {digest}")),
        }
        Ok(1)
    }

    /// A join check that no file records: the row that closed its turn is the record.
    fn journaled_witness(&mut self, id: &str) -> Result<usize, ActionError> {
        let fits = |turn: &MadeTurn| turn.witness_id.as_deref() == Some(id);
        for name in self.names()? {
            if let Some(found) = self.turns_of(&name, &fits)?.pop() {
                self.turn_steps(0, &found, None, None)?;
                return Ok(1);
            }
        }
        self.unknown(0, format!("witness {id} is not in the store, and no journal here has it"));
        Ok(0)
    }
}

/// The turn that a witness records: its own member, or among the digests of a join check.
fn turn_digest<'r>(record: &'r Value<'_>) -> Option<&'r str> {
    let digests = record.as_object().and_then(|members| members.get("digests"));
    text(record, "turnDigest").or_else(|| text(digests?, "turnDigest"))
}
