//! The schemas of required checks, observation, coherence and the hooks of other agents.

use schemars::{Schema, SchemaGenerator};

use crate::v1::{
    AttentionAnswer, CheckOutcome, CoherenceAnswer, GuardDecision, GuardInstalled, Observation,
    ObservationAnswer, ObservedInstructionAnswer, ObservedProjectionAnswer, Outcome, RequiredDecision,
    RequiredDecisionAnswer, RequiredDeltaAnswer, RequiredGateAnswer, RequiredPolicy,
    RequiredProjectionAnswer, RequiredRunAnswer, RequiredVerified, RequiredWitness, RequiredWitnessAnswer,
};

/// The schema of that name, as a document of ours is read or written.
pub(super) fn generated(name: &str, reading: SchemaGenerator, writing: SchemaGenerator) -> Option<Schema> {
    Some(match name {
        "check-outcome" => writing.into_root_schema_for::<CheckOutcome>(),
        "ci-required" => writing.into_root_schema_for::<Outcome<RequiredRunAnswer>>(),
        "coherence-check" => writing.into_root_schema_for::<CoherenceAnswer>(),
        "guard-decision" => writing.into_root_schema_for::<GuardDecision>(),
        "guard-install" => writing.into_root_schema_for::<Outcome<GuardInstalled>>(),
        "observation" => writing.into_root_schema_for::<Observation>(),
        "observation-answer" => writing.into_root_schema_for::<ObservationAnswer>(),
        "observe-attention" => writing.into_root_schema_for::<AttentionAnswer>(),
        "observe-instruction" => writing.into_root_schema_for::<Outcome<ObservedInstructionAnswer>>(),
        "observe-projection" => writing.into_root_schema_for::<ObservedProjectionAnswer>(),
        "required-decision" => reading.into_root_schema_for::<RequiredDecision>(),
        "required-decision-answer" => writing.into_root_schema_for::<RequiredDecisionAnswer>(),
        "required-delta" => writing.into_root_schema_for::<Outcome<RequiredDeltaAnswer>>(),
        "required-gate-ref" => writing.into_root_schema_for::<Outcome<RequiredGateAnswer>>(),
        "required-policy" => reading.into_root_schema_for::<RequiredPolicy>(),
        "required-projection" => writing.into_root_schema_for::<Outcome<RequiredProjectionAnswer>>(),
        "required-verify" => writing.into_root_schema_for::<RequiredVerified>(),
        "required-witness" => reading.into_root_schema_for::<RequiredWitness>(),
        "required-witness-answer" => writing.into_root_schema_for::<Outcome<RequiredWitnessAnswer>>(),
        _ => return None,
    })
}
