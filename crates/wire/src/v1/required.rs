//! Required checks: what changed between two commits, which checks that asks for, what came of them, and what follows.
//!
//! Every document names what it was made from by digest, so that whoever reads it can make it again. Plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckOutcome, CheckStatus};

/// What a policy of required checks calls itself.
pub const REQUIRED_POLICY_KIND: &str = "ci.required.policy.v1";
/// What the difference of two commits calls itself.
pub const REQUIRED_DELTA_KIND: &str = "ci.required.delta.v1";
/// What the checks that a difference asks for call themselves.
pub const REQUIRED_PROJECTION_KIND: &str = "ci.required.projection.v1";
/// What a witness of checks that were run calls itself.
pub const REQUIRED_WITNESS_KIND: &str = "ci.required.v1";
/// What a decision about such a witness calls itself.
pub const REQUIRED_DECISION_KIND: &str = "ci.required.decision.v1";

/// Which checks a change asks for: `policies/required/*.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredPolicy {
    /// `1`
    pub schema: u32,
    /// `ci.required.policy.v1`
    pub policy_kind: String,
    /// What it is called.
    pub policy_id: String,
    /// Every check there is, in the order in which they run.
    pub checks: Vec<RequiredCheck>,
    /// Which paths ask for which of them. A path that no rule knows asks for all.
    pub rules: Vec<RequiredRule>,
    /// `pol1_` over the canonical document without this member, every list of text sorted.
    pub policy_digest: String,
}

/// One check of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredCheck {
    /// What it is called.
    pub check_id: String,
    /// The shell command it stands for.
    pub command: String,
    /// How long it may take; half an hour when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// One rule of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredRule {
    /// Patterns of paths: `*` and `?` within a name, `**` for any folders.
    pub paths: Vec<String>,
    /// The checks they ask for; none for paths that are known to need none.
    pub checks: Vec<String>,
}

/// One end of a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangeEnd {
    /// As it was named.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// The tree of that commit.
    pub tree: String,
}

/// What became of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeltaStatus {
    /// It is new.
    Added,
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed,
    /// It is a copy of another.
    Copied,
    /// It is another kind of thing, such as a link.
    TypeChanged,
}

/// One path that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeltaEntry {
    /// What became of it.
    pub status: DeltaStatus,
    /// The path; one that is no UTF-8 is `bytes:` and its bytes in hexadecimal.
    pub path: String,
    /// The path it had, or was copied from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_path: Option<String>,
}

/// What differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredDelta {
    /// `1`
    pub schema: u32,
    /// `ci.required.delta.v1`
    pub delta_kind: String,
    /// Where the range begins.
    pub from: RangeEnd,
    /// Where it ends.
    pub to: RangeEnd,
    /// What became of each path, sorted.
    pub entries: Vec<DeltaEntry>,
    /// Every path that is touched, old names too, sorted.
    pub changed_paths: Vec<String>,
    /// `sha256:` over both trees and the entries; names of commits are not in it.
    pub delta_digest: String,
}

/// The checks that a difference asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredProjection {
    /// `1`
    pub schema: u32,
    /// `ci.required.projection.v1`
    pub projection_kind: String,
    /// The file of the policy.
    pub policy_ref: String,
    /// What it is called.
    pub policy_id: String,
    /// Its digest, computed.
    pub policy_digest: String,
    /// The difference.
    pub delta_digest: String,
    /// The checks, in the order of the policy.
    pub required_checks: Vec<String>,
    /// Why each is asked for.
    pub because: Vec<SelectedCheck>,
    /// Paths that ask for everything: no rule knows them, or they are policies themselves.
    pub unknown_paths: Vec<String>,
    /// `sha256:` over the policy's digest, the difference's digest and the checks.
    pub projection_digest: String,
}

/// Why a check is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectedCheck {
    /// The check.
    pub check_id: String,
    /// How many paths ask for it.
    pub path_count: u64,
    /// The first few of them.
    pub paths: Vec<String>,
}

/// Whether a witness says yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictClass {
    /// Every required check ran and passed.
    Accepted,
    /// Anything else.
    Rejected,
}

/// One check that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateRow {
    /// The check.
    pub check_id: String,
    /// `gate://sha256:…`: the outcome, kept among the objects of the repository.
    pub gate_ref: String,
    /// Whether it said yes.
    pub status: CheckStatus,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_class: Option<String>,
    /// The code it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
}

/// What came of the checks that a range asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredWitness {
    /// `1`
    pub schema: u32,
    /// `ci.required.v1`
    pub witness_kind: String,
    /// Where the range begins.
    pub from: RangeEnd,
    /// Where it ends.
    pub to: RangeEnd,
    /// The difference between the two.
    pub delta_digest: String,
    /// The file of the policy.
    pub policy_ref: String,
    /// What it is called.
    pub policy_id: String,
    /// Its digest.
    pub policy_digest: String,
    /// The checks that were asked for, by digest.
    pub projection_digest: String,
    /// The checks that were asked for.
    pub required_checks: Vec<String>,
    /// The checks that were run.
    pub executed_checks: Vec<String>,
    /// What came of each.
    pub results: Vec<GateRow>,
    /// What it all comes to.
    pub verdict_class: VerdictClass,
    /// Why it comes to that, sorted.
    pub failure_classes: Vec<String>,
    /// When the first check began.
    pub started_at: String,
    /// When the last one ended.
    pub finished_at: String,
}

/// One reason why a witness or a decision does not stand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredReason {
    /// The stable class.
    pub class: String,
    /// What it is about.
    pub subject: String,
    /// What is wrong.
    pub detail: String,
}

/// Whether a range may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequiredVerdict {
    /// It may.
    Accept,
    /// It may not.
    Reject,
}

/// What follows from a witness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredDecision {
    /// `1`
    pub schema: u32,
    /// `ci.required.decision.v1`
    pub decision_kind: String,
    /// Whether the range may pass.
    pub decision: RequiredVerdict,
    /// Why not, sorted.
    pub reasons: Vec<RequiredReason>,
    /// The file of the witness.
    pub witness_ref: String,
    /// `sha256:` over the bytes of that file; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness_digest: Option<String>,
    /// The commit the range ends at; absent where no witness can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_commit: Option<String>,
    /// The checks that were asked for.
    pub required_checks: Vec<String>,
    /// When it was decided.
    pub decided_at: String,
}

/// The answer of `required-delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredDeltaAnswer {
    /// `required.delta`
    pub action: String,
    /// The difference.
    pub delta: RequiredDelta,
}

/// The answer of `required-projection`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredProjectionAnswer {
    /// `required.projection`
    pub action: String,
    /// The checks.
    pub projection: RequiredProjection,
}

/// The answer of `required-witness`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredWitnessAnswer {
    /// `required.witness`
    pub action: String,
    /// The file.
    pub witness_path: String,
    /// `sha256:` over its bytes.
    pub witness_digest: String,
    /// What it says.
    pub witness: RequiredWitness,
}

/// The answer of `required-gate-ref`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredGateAnswer {
    /// `required.gate_ref`
    pub action: String,
    /// The reference, computed from the outcome.
    pub gate_ref: String,
    /// The outcome.
    pub outcome: CheckOutcome,
}

/// The answer of `required-witness-verify` and `required-decision-verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredVerified {
    /// The host action.
    pub action: String,
    /// The file that was looked at.
    pub path: String,
    /// `sha256:` over its bytes; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether everything it says came out again.
    pub ok: bool,
    /// What the decision says, where one was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<RequiredVerdict>,
    /// Everything that did not, sorted.
    pub reasons: Vec<RequiredReason>,
}

/// The answer of `required-witness-decide`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredDecisionAnswer {
    /// `required.witness.decide`
    pub action: String,
    /// The file.
    pub decision_path: String,
    /// What it says.
    pub decision: RequiredDecision,
}

/// The answer of `ci-required`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredRunAnswer {
    /// `required.run`
    pub action: String,
    /// How many paths the range touches.
    pub changed_path_count: u64,
    /// The checks it asks for.
    pub projection: RequiredProjection,
    /// The file of the witness.
    pub witness_path: String,
    /// What came of the checks.
    pub witness: RequiredWitness,
    /// The file of the decision.
    pub decision_path: String,
    /// What follows.
    pub decision: RequiredDecision,
}
