//! What the check commands print.
//!
//! Everything that was hashed is written from the kernel's own canonical value, so that a reader who hashes what is
//! printed gets the digests beside it.

use premath_kernel as kernel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::TurnEvidence;
use crate::decode::Canonical;

/// One reason of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReasonRow {
    /// The failure class.
    pub class: String,
    /// The row, policy or field it is about.
    pub subject: String,
    /// What was found, for a person.
    pub detail: String,
}

/// The reasons of a refusal, and their classes.
pub(crate) fn reasons(refusal: Option<&kernel::Refusal>) -> (Vec<&'static str>, Vec<ReasonRow>) {
    let classes = refusal.map(kernel::Refusal::classes).unwrap_or_default();
    let rows = refusal.map(kernel::Refusal::reasons).unwrap_or_default().iter().map(|reason| ReasonRow {
        class: reason.class.code().to_owned(),
        subject: reason.subject.clone(),
        detail: reason.detail.clone(),
    });
    (classes.into_iter().map(kernel::FailureClass::code).collect(), rows.collect())
}

/// What `harness-join-check` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JoinCheckReport<'t> {
    /// `harness-join-check`
    action: &'static str,
    /// `accepted` or `rejected`
    result: &'static str,
    /// Sorted, unique.
    failure_classes: Vec<&'static str>,
    /// Every reason.
    reasons: Vec<ReasonRow>,
    /// Whether the turn is closed.
    join_closed: bool,
    /// Whether the intent is admitted; null without one.
    mutation_ready: Option<bool>,
    /// The record of this check.
    #[schemars(with = "WitnessRecord")]
    witness: Canonical<'t>,
    /// The turn in its normal form.
    #[schemars(with = "NormalizedTurn")]
    normalized: Canonical<'t>,
}

impl<'t> JoinCheckReport<'t> {
    /// The report on one assessment.
    #[must_use]
    pub fn new(
        turn: &'t kernel::NormalizedTurn,
        assessment: &kernel::Assessment,
        witness: kernel::Witness<'t>,
    ) -> Self {
        let (failure_classes, reasons) = reasons(assessment.refusal());
        Self {
            action: "harness-join-check",
            result: assessment.outcome().token(),
            failure_classes,
            reasons,
            join_closed: assessment.join_closed(),
            mutation_ready: assessment.mutation_ready(),
            witness: Canonical(witness.into_value()),
            normalized: Canonical(turn.canonical(assessment.join_closed())),
        }
    }
}

/// What `governance-check` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GovernanceReport {
    /// `governance-check`
    action: &'static str,
    /// `accepted` or `rejected`
    result: &'static str,
    /// Sorted, unique.
    failure_classes: Vec<&'static str>,
    /// Every reason.
    reasons: Vec<ReasonRow>,
    /// Whether the profile is claimed at all.
    claimed: bool,
    /// Digest of the profile that was checked.
    governance_profile_digest: String,
}

impl GovernanceReport {
    /// The report on one profile.
    #[must_use]
    pub fn new(profile: &kernel::GovernanceProfile, refusal: Option<&kernel::Refusal>) -> Self {
        let (failure_classes, reasons) = reasons(refusal);
        Self {
            action: "governance-check",
            result: if refusal.is_none() { "accepted" } else { "rejected" },
            failure_classes,
            reasons,
            claimed: profile.claimed,
            governance_profile_digest: kernel::Digest::of(&profile.canonical()).as_str().to_owned(),
        }
    }
}

/// The record of a join check, as readers see it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WitnessRecord {
    /// 1
    schema: u32,
    /// `premath.harness.join_check.v1`
    witness_kind: String,
    /// `w1_` and the base32hex SHA-256 of schema, witnessKind, digests and verdict.
    pub witness_id: String,
    /// The digests that went in.
    pub digests: DigestRecord,
    /// What the join was computed from.
    join_input: crate::Json,
    /// What admission was computed from.
    mutation_input: crate::Json,
    /// What came out.
    verdict: VerdictRecord,
}

/// The digests of a turn.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DigestRecord {
    /// Of the call spec.
    call_spec_digest: String,
    /// Of the sorted requests.
    request_set_digest: String,
    /// Of the sorted results.
    result_set_digest: String,
    /// Of the sorted uses.
    use_set_digest: String,
    /// Of the sorted renderings.
    tool_render_set_digest: String,
    /// Of the sorted reminder queues.
    reminder_queue_set_digest: String,
    /// Of the sorted state views.
    state_view_set_digest: String,
    /// Of the protocol state.
    protocol_state_digest: String,
    /// Of the handoff packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handoff_digest: Option<String>,
    /// Of the sets and what their join found.
    join_set_digest: String,
    /// Of call spec and join set.
    pub turn_digest: String,
    /// Of all other input of the verdict, where there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    supplement_digest: Option<String>,
    /// Of what admission was computed from, where there is an intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mutation_input_digest: Option<String>,
}

/// What came out of a join check.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VerdictRecord {
    /// `accepted` or `rejected`
    result: String,
    /// Sorted, unique.
    failure_classes: Vec<String>,
    /// Whether the turn is closed.
    join_closed: bool,
    /// Whether the intent is admitted; null without one.
    mutation_ready: Option<bool>,
    /// Whether the check was strict.
    strict: bool,
}

/// A turn in its normal form, as readers see it. Its rows can be read as evidence again.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NormalizedTurn {
    /// 1
    schema: u32,
    /// `premath.harness.typestate_normalized.v1`
    kind: String,
    /// The digests of its parts.
    pub digests: DigestRecord,
    /// Which ids belong to what.
    join_state: crate::Json,
    /// Whether the next context can be built.
    context_state: crate::Json,
    /// The rows.
    #[serde(flatten)]
    pub evidence: TurnEvidence,
}
