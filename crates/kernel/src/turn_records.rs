//! Witnesses of the parts of a turn: what the model was called with, and what became of the results.
//!
//! Each is a record under the digest of its content, beside the witness of the join check. It must not say whether the turn is
//! closed: that is the join check's to say.

use alloc::format;

use crate::canon::{Fields, Object, Value, encode};
use crate::digest::{base32hex, sha256};
use crate::evidence::ToolUse;
use crate::normalize::NormalizedTurn;

/// The kind of the witness that records a call spec.
pub const CALL_SPEC_WITNESS_KIND: &str = "premath.harness.call_spec.v1";
/// The kind of the witness that records the dispositions of a turn.
pub const TOOL_USE_WITNESS_KIND: &str = "premath.harness.tool_use.v1";

/// The record of the call spec of a turn, under its own id.
#[must_use]
pub fn call_spec_witness(turn: &NormalizedTurn) -> Value<'static> {
    let fields = || {
        Object::fields()
            .field("callSpec", turn.spec().canonical())
            .field("callSpecDigest", &turn.digests().call_spec)
            .field("schema", 1)
            .field("turnDigest", &turn.digests().turn)
            .field("witnessKind", CALL_SPEC_WITNESS_KIND)
    };
    identified(fields)
}

/// The record of what became of the results of a turn, under its own id.
#[must_use]
pub fn tool_use_witness(turn: &NormalizedTurn) -> Value<'static> {
    let fields = || {
        Object::fields()
            .field("callId", &turn.spec().call_id)
            .field("resultSetDigest", &turn.digests().result_set)
            .field("schema", 1)
            .field("toolUse", turn.uses.iter().map(ToolUse::canonical).collect::<alloc::vec::Vec<_>>())
            .field("turnDigest", &turn.digests().turn)
            .field("useSetDigest", &turn.digests().use_set)
            .field("witnessKind", TOOL_USE_WITNESS_KIND)
    };
    identified(fields)
}

/// The record with the id that its other members give it.
fn identified<'t>(fields: impl Fn() -> Fields<'t>) -> Value<'static> {
    let id = format!("w1_{}", base32hex(&sha256(&encode(&fields().finish()))));
    fields().field("witnessId", id).finish().into_owned()
}
