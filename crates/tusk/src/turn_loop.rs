//! The turn loop: a machine that decides and does nothing, and a driver that does and decides nothing.
//!
//! The driver, the simulator and replay all run the same machine. It must not reach a model, a tool, a file or a clock but
//! through what the driver is given.

mod watch;

pub use watch::{AppliedIntent, Decision, IntentOutcome, RunEvent, RunOutcome, RunReport, StopCause, Verdict};
