//! Authority: instructions, the policies they are decided under, the witnesses that running them leaves, and the changes
//! that may be linked to them.
//!
//! Nothing that is not a person changes anything without an accepted instruction: its witness is recomputed, held against
//! what was recorded when it was issued, looked at for its end and its scope, and a permit is spent for each single change.
//! It must not take anybody's word for any of this.

mod bearer_token;
mod builtin_checks;
mod client_door;
mod client_grants;
mod decide;
mod door;
mod envelope;
mod link;
mod linked_call;
mod linked_record;
mod named_instruction;
mod policy;
mod refusal;
mod run;
mod spent_turns;
mod turn;
mod verifying;
mod witness;

pub use bearer_token::Token;
pub use client_door::ClientDoor;
pub(crate) use client_grants::InstructionAuthor;
pub(crate) use decide::decide;
pub(crate) use door::{Changed, HarnessDoor};
pub use envelope::EnvelopeFault;
pub(crate) use envelope::{Envelope, checked_id, instruction_id_of};
pub(crate) use link::{Linked, link};
pub(crate) use linked_call::linked_change;
pub(crate) use linked_record::linked_record;
pub(crate) use named_instruction::named_instruction;
pub(crate) use policy::{Policies, has_policies, policies_folder, read as read_file, written_default};
pub(crate) use refusal::{Denied, denied, evidence_missing};
pub(crate) use run::{
    InstructionScope, NewInstruction, issue_as, issue_instruction, run_envelope, standing_witness,
};
pub(crate) use turn::VerifiedCommand;
pub(crate) use verifying::{approval_problems, permit_problems};
pub(crate) use witness::{read_witness, witness_path};
