//! Action mode `code`: the one tool that a model is offered, what its programs can call, and what goes in and out of them.
//!
//! A program is pure; what it calls is planned, judged and run by the loop like the calls of an answer. Nothing here may run a
//! tool or decide whether one runs.

mod bindings;
mod calling;
mod cut;
mod ended;
mod examples;
mod limits;
mod program;
mod refused;
mod tool;
mod values;

pub use limits::CodeLimits;
pub use tool::{CODE_EXECUTION, CodeExecution};

pub(crate) use bindings::Bindings;
pub(crate) use calling::functions;
pub(super) use cut::cut;
pub(super) use ended::{Ended, ended};
pub(super) use program::Program;
pub(super) use refused::RefusedCall;
pub(super) use tool::signatures;
pub(super) use values::{condition, value_of};
