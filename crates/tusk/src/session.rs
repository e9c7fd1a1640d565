//! Sessions of work over the issue graph: boot, step, stop, and how many workers go at once.
//!
//! Machines and pure functions only. What is claimed, run, verified, changed and waited for is somebody else's to do; here
//! it is decided, from what they say came of it. It must not reach a store, a process or a clock.

mod boot;
mod event;
mod machine;
mod refs;
mod slots;
mod standing;
mod step;

pub use boot::{Boot, BootFacts, BootMode, Handoff, boot};
pub use event::{Checked, StepEvent};
pub use machine::{StepMachine, StepTerms, Unfitting};
pub use refs::{HandoffState, context_ref, cover_ref, handoff_ref, refinement_ref};
pub use slots::{KpiStanding, SlotNext, Work, allowed_workers, slot_next};
pub use standing::{LeaseStanding, OnStanding, on_standing, standing_of};
pub use step::{Escalation, HeldIssue, StepNext, StepOutcome, StepRow};
