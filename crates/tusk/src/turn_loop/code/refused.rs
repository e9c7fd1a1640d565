//! A call that a program wanted to make and that was none, as the journal keeps it.
//!
//! What it was called with is a digest: nobody has looked at it, and it may hold anything.

use premath_kernel::{Digest, Value};
use premath_repl::HostCall;

use crate::turn_loop::plan::arguments_digest;
use crate::turn_loop::step::PlannedCall;

/// A call that was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedCall {
    /// The function, or its tool.
    pub(crate) name: String,
    /// Why not.
    pub(crate) class: String,
    pub(crate) arguments: Digest,
}

impl RefusedCall {
    /// A call as the program made it.
    pub(crate) fn of(call: &HostCall, class: &str) -> Self {
        let arguments = Digest::of(&Value::Array(call.arguments.clone()));
        Self { name: call.name.clone(), class: class.to_owned(), arguments }
    }

    /// A call that was looked at, but not begun.
    pub(crate) fn of_planned(call: &PlannedCall, class: &str) -> Self {
        let arguments = arguments_digest(&call.call);
        Self { name: call.call.name.clone(), class: class.to_owned(), arguments }
    }
}
