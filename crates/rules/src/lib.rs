//! The rules of the governor: Cedar policies that allow a call, ask a person about it, or deny it.
//!
//! A pack is checked whole before it decides anything: against the definitions of the tools, and against the examples that
//! every rule brings along. It must not read a file, a clock or the environment, and it must never fail open: whatever goes
//! wrong while deciding is a denial (I9).

mod annotations;
mod batch;
mod check;
mod context;
mod decide;
mod default_pack;
mod deny_all;
mod error;
mod examples;
mod fields;
mod mentions;
mod names;
mod needles;
mod pack;
mod rule;
mod schema;
mod source;
mod tool_pack;
mod words;

pub use deny_all::DenyAll;
pub use error::{LoadError, LoadErrors};
pub use pack::RulePack;
pub use source::RuleSource;
