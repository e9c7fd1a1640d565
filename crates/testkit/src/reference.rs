//! A slow, obvious checker for the core of a turn, written from docs/reference/join-check.md on plain JSON.
//!
//! It exists to disagree: it must not call a check, a normaliser or a decoder of the product, and must stay too simple
//! to hide a mistake. It reads documents that can be read; what makes one unreadable is not its concern.

mod calls;
mod mutation;
mod prior;
mod reading;
mod turn;

use std::collections::BTreeSet;

use serde_json::Value;

pub(crate) use reading::{canonical, message_digest};
pub use reading::{digest, policy_digest};

use reading::{Bound, bind, flag, rows, text};

/// Every class this checker decides completely. Others are not looked at.
pub const COVERED: &[&str] = &[
    "context.injection_point_missing",
    "context.queue_policy_violation",
    "coordination.decomposition_policy_violation",
    "mutation.capability_claim_missing",
    "mutation.policy_digest_mismatch",
    "mutation.use_evidence_missing",
    "protocol.stop_reason_unhandled",
    "tool.join_incomplete",
    "tool.parallel_policy_violation",
    "tool.result_missing",
    "tool.result_orphan",
    "tool.schema_invalid",
    "tool.unknown_or_disallowed",
    "tool.use_missing",
    "tool.use_unknown_result",
    "tool.use_without_result",
];

/// What speaks against a turn: class and subject.
pub type Pairs = BTreeSet<(String, String)>;

/// What this checker cannot know by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elsewhere {
    /// No class outside [`COVERED`] speaks against the turn.
    Nothing,
    /// One does, so that the turn is open whatever is found here.
    Open,
}

/// Everything that speaks against the turn in `document`, of the classes in [`COVERED`].
#[must_use]
pub fn check(document: &Value, strict: bool, elsewhere: Elsewhere) -> Pairs {
    let mut pairs = Pairs::new();
    calls::join(document, strict, &mut pairs);
    prior::uses(document, &mut pairs);
    calls::envelopes(document, &mut pairs);
    calls::contradictions(document, &mut pairs);
    calls::schema_errors(document, &mut pairs);
    calls::sources(document, &mut pairs);
    calls::tools(document, &mut pairs);
    turn::parallel(document, &mut pairs);
    turn::stop_reason(document, &mut pairs);
    turn::limits(document, &mut pairs);
    turn::context(document, &mut pairs);
    turn::workers(document, &mut pairs);
    turn::decomposition(document, &mut pairs);
    let open = elsewhere == Elsewhere::Open || !pairs.is_empty();
    mutation::check(document, open, &mut pairs);
    pairs
}

fn add(pairs: &mut Pairs, class: &str, subject: &str) {
    pairs.insert((class.to_owned(), subject.to_owned()));
}

/// Whether the turn asks for the next context to be built.
fn needs_context(evidence: &Value) -> bool {
    let mut needed = flag(evidence.get("protocolState"), "continuationAllowed") == Some(true);
    for used in rows(evidence, "toolUse") {
        if text(used, "disposition").is_some_and(|word| word.eq_ignore_ascii_case("consumed")) {
            needed = true;
        }
    }
    needed
}
