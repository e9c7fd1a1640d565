//! Generated turns: documents for `harness-join-check`, as a runtime would write them and as it would not.
//!
//! A turn is planned first and built from its plan, so that a failing case shrinks to the choices that matter. Nothing
//! here may ask the product what it thinks of a turn.

mod build;
mod mess;
mod plan;
mod scramble;

use std::fmt;

use proptest::prelude::*;
use serde_json::Value;

pub use mess::{Fault, faults};
pub use scramble::scramble;

/// One generated turn.
#[derive(Clone)]
pub struct GeneratedTurn {
    /// What `harness-join-check` would be given.
    pub document: Value,
    /// Whether it would be given `--strict`.
    pub strict: bool,
}

impl fmt::Debug for GeneratedTurn {
    /// A case that can be saved and checked as it is.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = if self.strict { "--strict" } else { "(not strict)" };
        write!(formatter, "{flag} {}", self.document)
    }
}

impl GeneratedTurn {
    /// The bytes of the document.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.document.to_string().into_bytes()
    }
}

/// A turn that is accepted by construction: 0 to 12 calls, with or without an intent.
pub fn accepted_turn() -> impl Strategy<Value = GeneratedTurn> {
    plan::turn(0..=12).prop_map(|plan| build::turn(&plan))
}

/// The same with an intent, which is admitted.
pub fn admitted_turn() -> impl Strategy<Value = GeneratedTurn> {
    plan::turn(1..=6).prop_map(|mut plan| {
        plan.intent.get_or_insert_default();
        build::turn(&plan)
    })
}

/// Any turn that can be read but for rows that contradict each other: missing, orphan, doubled and pending rows, wrong
/// digests, wrong policies, wrong numbers.
pub fn messy_turn() -> impl Strategy<Value = GeneratedTurn> {
    (plan::turn(0..=6), mess::messes()).prop_map(|(plan, messes)| {
        let mut turn = build::turn(&plan);
        mess::make(&mut turn, &messes);
        turn
    })
}
