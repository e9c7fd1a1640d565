//! What a closed turn gives: permits for its changes, each earned from the evidence when it is asked for, and its witness.
//!
//! Nothing here is kept: a proof that is not spent is gone.

use premath_bd::{Change, TurnGrant};
use premath_kernel::{
    ActivePolicy, Claims, Digest, NormalizedTurn, Text, Value, Witness, admit, assess, call_spec_witness,
    close, tool_use_witness,
};

use super::machine::Machine;
use super::state::{Applying, Phase};
use super::step::{Admitted, PlannedCall};
use super::toolbox::Toolbox;
use crate::context::{HandoffPacket, PacketArtifact};

impl Machine {
    /// The witnesses of the turn that was judged last: its call spec, what became of its results, the join check.
    #[must_use]
    pub fn witnesses(&self) -> Vec<Value<'static>> {
        let turn = match &self.state.phase {
            Phase::Applying(applying) => Some(&applying.turn),
            Phase::Calling(_)
            | Phase::Judging(_)
            | Phase::Asking { .. }
            | Phase::Confirming(_)
            | Phase::Planning { .. }
            | Phase::Executing(_)
            | Phase::Keeping { .. }
            | Phase::Handing { .. }
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => self.last_turn.as_ref(),
        };
        turn.map(turn_witnesses).unwrap_or_default()
    }

    /// The change that a call of the closed turn asks for, planned again.
    #[must_use]
    pub fn planned(&self, tool_call_id: &str, tools: &Toolbox) -> Option<Change> {
        self.applying(tool_call_id).and_then(|call| tools.operation(call))
    }

    /// A call of the closed turn whose changes are being made.
    pub(super) fn applying(&self, tool_call_id: &str) -> Option<&PlannedCall> {
        match &self.state.phase {
            Phase::Applying(applying) => applying.calls.iter().find(|call| call.call.id == tool_call_id),
            Phase::Calling(_)
            | Phase::Judging(_)
            | Phase::Asking { .. }
            | Phase::Confirming(_)
            | Phase::Planning { .. }
            | Phase::Executing(_)
            | Phase::Keeping { .. }
            | Phase::Handing { .. }
            | Phase::Spawning { .. }
            | Phase::Compacting { .. }
            | Phase::Ended(_) => None,
        }
    }

    /// A packet with the files that were required and are there.
    pub(super) fn carrying(
        &self,
        mut packet: HandoffPacket,
        observed: &[(String, Option<String>)],
    ) -> HandoffPacket {
        for path in &self.config.required_artifacts {
            let there = observed.iter().find(|(reference, _)| reference == path);
            let digest = there.and_then(|(_, digest)| digest.as_deref()).and_then(Digest::claimed);
            packet.artifacts.extend(digest.map(|digest| PacketArtifact { reference: path.clone(), digest }));
        }
        packet
    }

    /// The capabilities that the run claims for its changes.
    pub(super) fn claims(&self) -> Claims {
        Claims::new(self.config.capabilities.iter().filter_map(|text| Text::new(text)).collect())
    }

    /// The permits of a closed turn, each earned from its evidence.
    pub(super) fn admitted(&self, applying: &Applying) -> Vec<Admitted> {
        let claims = self.claims();
        let policy = self.terms.mutation_policy();
        let active = policy.map_or(ActivePolicy::NotSupplied, ActivePolicy::Supplied);
        let grant = |intent: &premath_kernel::Intent| {
            let refusal = |refusal: &premath_kernel::Refusal| {
                let first = refusal.reasons().first();
                let detail = first.map(|reason| reason.detail.clone()).unwrap_or_default();
                (refusal.classes().iter().map(|class| class.code()).collect::<Vec<_>>().join(", "), detail)
            };
            let join = close(&applying.turn).map_err(|refused| refusal(&refused))?;
            let ready = admit(join, intent, &active, &claims).map_err(|refused| refusal(&refused))?;
            TurnGrant::new(ready, intent.clone())
                .map_err(|refused| ("permit_mismatch".to_owned(), refused.detail))
        };
        let admitted = applying.intents.iter().map(|(tool_call_id, intent)| Admitted {
            tool_call_id: tool_call_id.clone(),
            action: intent.action.as_str().to_owned(),
            intent_digest: intent.digest().as_str().to_owned(),
            grant: grant(intent),
        });
        admitted.collect()
    }
}

/// The witnesses of one turn.
fn turn_witnesses(turn: &NormalizedTurn) -> Vec<Value<'static>> {
    let claims = Claims::default();
    let assessment = assess(turn, None, &claims);
    let join_check = Witness::of(turn, &assessment, None, &claims).into_value().into_owned();
    vec![call_spec_witness(turn), tool_use_witness(turn), join_check]
}
