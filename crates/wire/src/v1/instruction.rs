//! Instructions on the wire: the witness of one that was run, what is answered about them, and the rows of the permit ledger.
//!
//! Envelopes and policies are kept as the documents they are, because their digests cover every member. It must not decide
//! anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ReasonRow;
use crate::Json;

/// What a policy of instructions calls itself.
pub const INSTRUCTION_POLICY_KIND: &str = "ci.instruction.policy.v1";
/// What the witness of an instruction calls itself.
pub const INSTRUCTION_WITNESS_KIND: &str = "ci.instruction.v1";

/// What kind of instruction it is, as far as that can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum InstructionClassification {
    /// One whose kind is known.
    Typed {
        /// The kind.
        kind: String,
    },
    /// One that nobody can route.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// The answer of `instruction-check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstructionCheckAnswer {
    /// `instruction.check`
    pub action: String,
    /// The instruction, by name.
    pub instruction_id: String,
    /// The digest of its envelope.
    pub instruction_digest: String,
    /// What it is.
    pub classification: InstructionClassification,
    /// `execute` or `reject`
    pub decision: String,
    /// The policy that decides; absent when there is none of that digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_id: Option<String>,
    /// The digest that the envelope names.
    pub policy_digest: String,
    /// The checks that must run.
    pub required_checks: Vec<String>,
    /// What it may change, of what it claims.
    pub granted_capabilities: Vec<String>,
    /// Why it is rejected, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_classes: Vec<String>,
    /// The same, with places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonRow>,
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstructionCheckResult {
    /// Which.
    pub check_id: String,
    /// What the policy says that it is.
    pub command: String,
    /// `passed` or `failed`
    pub status: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_class: Option<String>,
    /// What it ended with, when it was a process that ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The digest of the whole outcome: command, walls, output.
    pub outcome_digest: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What it said, in short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// `artifacts/ciwitness/<instructionId>.json`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstructionWitness {
    /// 1
    pub schema: u32,
    /// `ci.instruction.v1`
    pub witness_kind: String,
    /// The instruction, by name.
    pub instruction_id: String,
    /// `instruction://<instructionId>`
    pub instruction_ref: String,
    /// The envelope's file, from the root of the repository.
    pub envelope_path: String,
    /// `instr1_…`, recomputed from the envelope.
    pub instruction_digest: String,
    /// What it is.
    pub classification: InstructionClassification,
    /// What is to be done.
    pub intent: Json,
    /// Where.
    pub scope: Json,
    /// Who brought it into this form.
    pub normalizer_id: String,
    /// The policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_id: Option<String>,
    /// Its digest.
    pub policy_digest: String,
    /// What it may change: claimed and granted.
    pub capability_claims: Vec<String>,
    /// The checks that had to run.
    pub required_checks: Vec<String>,
    /// Those that ran.
    pub executed_checks: Vec<String>,
    /// What came of them.
    pub results: Vec<InstructionCheckResult>,
    /// `accepted` or `rejected`
    pub verdict_class: String,
    /// Why it was rejected, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_classes: Vec<String>,
    /// The witness of the turn in which the checks ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join_witness_ref: Option<String>,
    /// Who asked for it.
    pub authority: String,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub finished_at: String,
    /// From then on it permits nothing.
    pub expires_at: String,
}

/// The answer of `instruction-run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstructionRunAnswer {
    /// `instruction.run`
    pub action: String,
    /// Where the witness is.
    pub witness_path: String,
    /// The digest of its file.
    pub witness_digest: String,
    /// The witness.
    pub witness: InstructionWitness,
}

/// The answer of `instruction-witness`: the witness, and whether it may be linked to now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstructionWitnessAnswer {
    /// `instruction.witness`
    pub action: String,
    /// Where the witness is.
    pub witness_path: String,
    /// The digest of its file.
    pub witness_digest: String,
    /// Whether a change may be linked to it now.
    pub is_valid: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<super::RefusedBecause>,
    /// The witness.
    pub witness: InstructionWitness,
}

/// One row of a permit ledger: an instruction that was issued, or a permit that was spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermitRow {
    /// `issued` or `spent`
    pub event: String,
    /// When.
    pub at: String,
    /// Under which instruction.
    pub instruction_id: String,
    /// The permit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permit_id: Option<String>,
    /// What it permitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The issue, where it was known before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// What asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<String>,
    /// Who asked for the instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The digest of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_digest: Option<String>,
    /// The turn that earned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_digest: Option<String>,
    /// The intent it admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_digest: Option<String>,
    /// The policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_digest: Option<String>,
    /// The digest of the envelope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_digest: Option<String>,
    /// The digest of the witness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness_digest: Option<String>,
    /// When the witness ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The answer of `permits list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermitPage {
    /// `permit.list`
    pub action: String,
    /// How many rows are listed.
    pub count: u64,
    /// How many there are, when more than are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The rows, the newest first.
    pub items: Vec<PermitRow>,
}
