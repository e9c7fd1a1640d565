//! Earlier results: what a turn rests on from an earlier turn is what the runtime found there.

use alloc::collections::BTreeMap;

use super::View;
use crate::digest::Digest;
use crate::evidence::{PriorResult, PriorUse};
use crate::failure::FailureClass;
use crate::refusal::Findings;
use crate::scalar::ToolCallId;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    if view.turn.prior_uses.is_empty() {
        return;
    }
    let found = PriorResults::of(view);
    for used in &view.turn.prior_uses {
        if let Err(detail) = found.matching(used) {
            let id = used.tool_call_id.as_str();
            findings.add(FailureClass::UseUnknownResult, id, detail);
            findings.add(FailureClass::JoinIncomplete, id, detail);
        }
    }
}

/// The results of earlier turns that the runtime looked up, by turn and call.
pub(super) struct PriorResults<'t>(Option<BTreeMap<(&'t Digest, &'t ToolCallId), Found<'t>>>);

/// What was found under one key.
enum Found<'t> {
    One(&'t PriorResult),
    /// Two observations that disagree show nothing.
    Contradiction,
}

impl<'t> PriorResults<'t> {
    pub(super) fn of(view: &View<'t>) -> Self {
        let observations = view.turn.observations.as_ref();
        let rows = observations.and_then(|observations| observations.prior_results.as_deref());
        Self(rows.map(|rows| {
            let mut found = BTreeMap::new();
            for row in rows {
                // Equal observations were merged, so a second one under the same key says something else.
                let known = found.entry(row.key()).or_insert(Found::One(row));
                if !matches!(known, Found::One(one) if *one == row) {
                    *known = Found::Contradiction;
                }
            }
            found
        }))
    }

    /// The result that a use names, when it is there and is the one that was used.
    pub(super) fn matching(&self, used: &PriorUse) -> Result<&'t PriorResult, &'static str> {
        let Some(found) = &self.0 else {
            return Err("nobody looked up the earlier result that the turn rests on");
        };
        match found.get(&(&used.turn_digest, &used.tool_call_id)) {
            None => Err("the earlier result that the turn rests on was not looked up"),
            Some(Found::Contradiction) => Err("two observations of the earlier result disagree"),
            Some(Found::One(row)) => match &row.result_digest {
                None => Err("no earlier turn has the result that the turn rests on"),
                Some(digest) if *digest != used.result_digest => {
                    Err("the turn rests on another digest than that of the earlier result")
                }
                Some(_) => Ok(row),
            },
        }
    }
}
