//! The witness of a check: which digests went in and what came out, under an id that is their digest.
//!
//! A witness is a record, never permission: nothing in the kernel reads one back.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::assess::Assessment;
use crate::canon::{Object, Value, encode};
use crate::digest::{base32hex, sha256};
use crate::failure::FailureClass;
use crate::intent::{Claims, Intent};
use crate::normalize::NormalizedTurn;
use crate::refusal::Refusal;

/// The kind of witness a join check leaves.
pub const JOIN_CHECK_WITNESS_KIND: &str = "premath.harness.join_check.v1";

/// The record of one join check.
#[derive(Debug)]
pub struct Witness<'t> {
    id: String,
    digests: Value<'t>,
    verdict: Value<'t>,
    inputs: Inputs<'t>,
}

/// What the id does not name and only the whole record shows.
#[derive(Debug)]
struct Inputs<'t> {
    turn: &'t NormalizedTurn,
    join_closed: bool,
    intent: Option<&'t Intent>,
    claims: &'t Claims,
}

impl<'t> Witness<'t> {
    /// Records what was found about a turn.
    #[must_use]
    pub fn of(
        turn: &'t NormalizedTurn,
        assessment: &Assessment,
        intent: Option<&'t Intent>,
        claims: &'t Claims,
    ) -> Self {
        let verdict = verdict(turn, assessment);
        let inputs = Inputs { turn, join_closed: assessment.join_closed(), intent, claims };
        let mutation_digest = intent.map(|_| crate::digest::Digest::of(&mutation_input(&inputs)));
        let digests = turn
            .digests()
            .all(Object::fields())
            .optional("mutationInputDigest", mutation_digest.map(|digest| String::from(digest.as_str())))
            .finish();
        let core = Object::fields()
            .field("digests", digests.borrowed())
            .field("schema", 1)
            .field("verdict", verdict.borrowed())
            .field("witnessKind", JOIN_CHECK_WITNESS_KIND)
            .finish();
        let id = format!("w1_{}", base32hex(&sha256(&encode(&core))));
        Self { id, digests, verdict, inputs }
    }

    /// The content address.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The record as it is shown and stored.
    #[must_use]
    pub fn into_value(self) -> Value<'t> {
        Object::fields()
            .field("digests", self.digests)
            .field("joinInput", join_input(&self.inputs))
            .field("mutationInput", mutation_input(&self.inputs))
            .field("schema", 1)
            .field("verdict", self.verdict)
            .field("witnessId", self.id)
            .field("witnessKind", JOIN_CHECK_WITNESS_KIND)
            .finish()
    }
}

fn verdict<'t>(turn: &NormalizedTurn, assessment: &Assessment) -> Value<'t> {
    let classes = assessment.refusal().map(Refusal::classes).unwrap_or_default();
    Object::fields()
        .field("failureClasses", Value::text_list(classes.iter().copied().map(FailureClass::code)))
        .field("joinClosed", assessment.join_closed())
        .field("mutationReady", assessment.mutation_ready().map_or(Value::Null, Value::from))
        .field("result", assessment.outcome().token())
        .field("strict", turn.strictness().is_strict())
        .finish()
}

fn join_input<'t>(inputs: &Inputs<'t>) -> Value<'t> {
    let turn = inputs.turn;
    let fields = turn.digests().without_call_spec(Object::fields());
    let joined = turn.join_state().fields(turn, inputs.join_closed, fields);
    turn.context_state().fields(turn, joined).finish()
}

fn mutation_input<'t>(inputs: &Inputs<'t>) -> Value<'t> {
    let Inputs { turn, join_closed, intent, claims } = *inputs;
    let claims: Vec<Value<'t>> = claims.as_set().canonical();
    Object::fields()
        .field("callSpecDigest", &turn.digests().call_spec)
        .non_empty("capabilityClaims", claims)
        .field("continuationAllowed", turn.protocol.continuation_allowed)
        .field("continuationContextReady", turn.context_state().continuation_context_ready)
        .optional("intent", intent.map(Intent::canonical))
        .optional("intentDigest", intent.map(|intent| String::from(intent.digest().as_str())))
        .field("joinClosed", join_closed)
        .field("mutationPolicyDigest", &turn.spec.mutation_policy)
        .non_empty("sessionRefs", turn.session_refs.canonical())
        .non_empty("trajectoryRefs", turn.trajectory_refs.canonical())
        .finish()
}
