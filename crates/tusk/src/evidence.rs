//! Evidence of a turn: what came of each call, the rows the kernel checks, and the policies they are checked under.
//!
//! Everything here can be written down and read back. It must not hold a proof, and must not decide whether a turn closes.

mod outcome;
mod outcome_parts;
pub(crate) mod row;

pub use outcome::{CallOutcome, CallStatus, Failure, IntentRow, Payload, ShellRow};
pub(crate) use outcome_parts::artifact_value;
pub use row::Unreadable;
