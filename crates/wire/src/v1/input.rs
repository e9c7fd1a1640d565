//! What the check commands read.

use premath_kernel as kernel;
use premath_kernel::Strictness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::constraints::{
    DecompositionConstraints, HandoffConstraints, ProtocolConstraints, TruncationConstraints,
};
use super::evidence::TurnEvidence;
use super::governance::GovernanceProfile;
use super::policy::PolicyDocuments;
use super::row::{Wire, row};
use super::scalar::{ActionText, DigestText, Name, Refs, Word};
use crate::decode::{UnknownFields, decode};
use crate::input_error::{InputClass, InputError, JsonPath};
use crate::strict::{Limits, parse};

/// One turn, as `harness-join-check` reads it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInput {
    /// What was observed.
    evidence: TurnEvidence,
    /// The documents behind the call spec's digests.
    #[serde(default)]
    policies: PolicyDocuments,
    /// What is claimed about governance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    governance_profile: Option<GovernanceProfile>,
    /// What the caller asserts about the transport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    protocol_constraints: Option<ProtocolConstraints>,
    /// What the caller asserts about a handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handoff_constraints: Option<HandoffConstraints>,
    /// What the caller asserts about truncation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    truncation_constraints: Option<TruncationConstraints>,
    /// What the caller asserts about decomposition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decomposition_constraints: Option<DecompositionConstraints>,
    /// The mutation that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intent: Option<Intent>,
    /// Capabilities claimed for it.
    #[serde(default, skip_serializing_if = "Wire::is_absent")]
    capability_claims: Refs,
    /// True: the turn is checked as under `--strict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

row! {
    /// One mutation that is asked for.
    Intent = kernel::Intent
    {
        /// The host action.
        action: ActionText,
        /// Digest of its arguments.
        args_digest: DigestText,
        /// The mutation policy it was formed under.
        policy_digest: DigestText,
    }
    {
        /// The instruction behind it.
        instruction_ref: Option<Name>,
        /// The status that it brings an issue to; `unchanged` when it sets none.
        target_status: Option<Word>,
    }
}

/// A turn and its intent, as the kernel reads them.
#[derive(Debug)]
pub struct JoinCheck {
    /// The turn.
    pub turn: kernel::Turn,
    /// The mutation that is asked for.
    pub intent: Option<kernel::Intent>,
    /// Capabilities claimed for it.
    pub claims: kernel::Claims,
}

const fn unknown_fields(strictness: Strictness) -> UnknownFields {
    match strictness {
        Strictness::Lenient => UnknownFields::Ignore,
        Strictness::Strict => UnknownFields::Refuse,
    }
}

/// What the caller asks for, or what the document asks for itself. A document cannot make a check more lenient.
fn stricter(strictness: Strictness, document: &kernel::Value<'_>) -> Strictness {
    let member = document.as_object().and_then(|members| members.get("strict"));
    if member == Some(&kernel::Value::Bool(true)) { Strictness::Strict } else { strictness }
}

impl JoinCheck {
    /// Reads the document that `harness-join-check` is given.
    ///
    /// # Errors
    /// The first thing in it that cannot be read, and where.
    pub fn read(bytes: &[u8], strictness: Strictness) -> Result<Self, InputError> {
        let value = parse(bytes, Limits::default())?;
        Self::from_value(&value, strictness)
    }

    /// The same for a document that is parsed already.
    ///
    /// # Errors
    /// The first thing in it that cannot be read, and where.
    pub fn from_value(value: &kernel::Value<'_>, strictness: Strictness) -> Result<Self, InputError> {
        let strictness = stricter(strictness, value);
        let input: TurnInput = decode(value, unknown_fields(strictness))?;
        input.into_kernel(strictness)
    }

    /// The normalised turn.
    ///
    /// # Errors
    /// Two rows with one key that say different things.
    pub fn normalize(turn: kernel::Turn) -> Result<kernel::NormalizedTurn, InputError> {
        kernel::normalize(turn).map_err(|duplicate| {
            let path = JsonPath::root().key("evidence").key(duplicate.list.name()).index(duplicate.index);
            InputError::new(InputClass::DuplicateRow, "contradicts an earlier row with the same key", path)
        })
    }
}

impl TurnInput {
    /// The turn as the kernel reads it.
    ///
    /// # Errors
    /// A policy document whose terms cannot be read.
    pub fn into_kernel(self, strictness: Strictness) -> Result<JoinCheck, InputError> {
        let (spec, evidence) = self.evidence.into_kernel();
        let turn = kernel::Turn {
            spec,
            evidence,
            policies: std::sync::Arc::new(self.policies.into_kernel()?),
            governance: self.governance_profile.into_kernel(),
            constraints: kernel::Constraints {
                protocol: self.protocol_constraints.into_kernel().unwrap_or_default(),
                truncation: self.truncation_constraints.into_kernel().unwrap_or_default(),
                decomposition: self.decomposition_constraints.into_kernel().unwrap_or_default(),
                handoff: self.handoff_constraints.into_kernel().unwrap_or_default(),
            },
            strictness,
        };
        let claims = kernel::Claims::new(self.capability_claims.into_kernel());
        Ok(JoinCheck { turn, intent: self.intent.into_kernel(), claims })
    }

    /// What was observed.
    #[must_use]
    pub const fn evidence(&self) -> &TurnEvidence {
        &self.evidence
    }

    /// The document of a turn that the kernel's types hold, so that anyone can check it again.
    #[must_use]
    pub fn from_kernel(turn: kernel::Turn, intent: Option<kernel::Intent>, claims: &kernel::Claims) -> Self {
        let kernel::Constraints { protocol, truncation, decomposition, handoff } = turn.constraints;
        let protocol_constraints = ProtocolConstraints::from_kernel(protocol);
        let truncation_constraints = TruncationConstraints::from_kernel(truncation);
        let decomposition_constraints = DecompositionConstraints::from_kernel(decomposition);
        let handoff_constraints = HandoffConstraints::from_kernel(handoff);
        Self {
            policies: PolicyDocuments::from_kernel(&turn.policies),
            evidence: TurnEvidence::from_kernel(turn.spec, turn.evidence),
            governance_profile: Wire::from_kernel(turn.governance),
            protocol_constraints: protocol_constraints.is_asserted().then_some(protocol_constraints),
            handoff_constraints: handoff_constraints.is_asserted().then_some(handoff_constraints),
            truncation_constraints: truncation_constraints.is_asserted().then_some(truncation_constraints),
            decomposition_constraints: decomposition_constraints
                .is_asserted()
                .then_some(decomposition_constraints),
            intent: Wire::from_kernel(intent),
            capability_claims: Refs::from_kernel(claims.as_set().clone()),
            strict: turn.strictness.is_strict().then_some(true),
        }
    }
}

/// A profile, as `governance-check` reads it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GovernanceInput {
    /// What is claimed.
    governance_profile: GovernanceProfile,
    /// The documents it is held against.
    #[serde(default)]
    policies: PolicyDocuments,
}

impl GovernanceInput {
    /// Reads the document that `governance-check` is given.
    ///
    /// # Errors
    /// The first thing in it that cannot be read, and where.
    pub fn read(
        bytes: &[u8],
        strictness: Strictness,
    ) -> Result<(kernel::GovernanceProfile, kernel::Policies), InputError> {
        Self::from_value(&parse(bytes, Limits::default())?, strictness)
    }

    /// The same for a document that is parsed already.
    ///
    /// # Errors
    /// The first thing in it that cannot be read, and where.
    pub fn from_value(
        value: &kernel::Value<'_>,
        strictness: Strictness,
    ) -> Result<(kernel::GovernanceProfile, kernel::Policies), InputError> {
        let input: Self = decode(value, unknown_fields(strictness))?;
        Ok((input.governance_profile.into_kernel(), input.policies.into_kernel()?))
    }
}
