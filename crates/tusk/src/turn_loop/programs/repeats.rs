//! Programs that go in a circle: turn after turn they call the same, however they are written.
//!
//! What one program calls again and again counts once, since it may wait for something. A turn that calls one thing more or
//! less than the last is none of the circle: programs keep nothing, and have to look again at what they work on.

use std::collections::BTreeSet;

use premath_kernel::{Digest, Value};

use crate::evidence::CallOutcome;
use crate::turn_loop::plan::signature;
use crate::turn_loop::step::PlannedCall;

/// What the programs of a turn called, and in how many turns after one another; none when they called nothing.
pub(super) fn called(
    before: Option<(Digest, u64)>,
    nested: &[(PlannedCall, CallOutcome)],
) -> Option<(Digest, u64)> {
    let signatures: BTreeSet<String> = nested.iter().map(|(call, _)| signature(&call.call)).collect();
    if signatures.is_empty() {
        return None;
    }
    let now = Digest::of(&Value::text_list(signatures.iter().map(String::as_str)));
    let times = before.filter(|(digest, _)| *digest == now).map_or(0, |(_, times)| times);
    Some((now, times + 1))
}
