//! The observation `artifacts/observation/latest.json`: one surface over issues, leases, witnesses, sessions and steps.
//!
//! Everything in it follows from those lanes and can be built again. Plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LeaseRow;

/// What an observation calls itself.
pub const OBSERVATION_KIND: &str = "premath.observation.v1";

/// Everything at one glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// `1`
    pub schema: u32,
    /// `premath.observation.v1`
    pub observation_kind: String,
    /// When it was built. Not part of the digest.
    pub generated_at: String,
    /// `sha256:` over the canonical document without `generatedAt` and this member.
    pub observation_digest: String,
    /// What issue memory held; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues_snapshot_ref: Option<String>,
    /// How many issues there are.
    pub issues: ObservedCounts,
    /// Issues that are in progress, blocked or escalated, in natural order.
    pub active_issues: Vec<ObservedIssue>,
    /// Every lease.
    pub leases: Vec<LeaseRow>,
    /// The latest witness of required checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<ObservedRequired>,
    /// Every witness of an instruction, by id.
    pub instructions: Vec<ObservedInstruction>,
    /// Every session, by file.
    pub sessions: Vec<ObservedSession>,
    /// The steps.
    pub trajectory: ObservedTrajectory,
    /// What the throughput figure asks for: `pass`, `watch`, `rollback` or `insufficient_data`.
    pub kpi_state: String,
    /// What a person should look at, sorted.
    pub needs_attention: Vec<AttentionRow>,
}

/// How many issues there are, by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedCounts {
    /// All of them.
    pub total: u64,
    /// Open, ready or not.
    pub open: u64,
    /// Somebody works on them.
    pub in_progress: u64,
    /// They wait.
    pub blocked: u64,
    /// They are done.
    pub closed: u64,
    /// They could be begun.
    pub ready: u64,
}

/// One issue that is not at rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedIssue {
    /// The issue.
    pub issue_id: String,
    /// What it is about.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Whether it is labelled `escalation`.
    pub escalated: bool,
    /// Its latest step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_step: Option<ObservedStep>,
}

/// The latest witness of required checks and the decision about it, as they say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedRequired {
    /// The commit that the range ends with.
    pub to_commit: String,
    /// `accepted` or `rejected`.
    pub verdict_class: String,
    /// Why.
    pub failure_classes: Vec<String>,
    /// `accept` or `reject`; absent while nobody decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

/// One witness of an instruction, as it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedInstruction {
    /// The instruction.
    pub instruction_id: String,
    /// The file of the witness.
    pub witness_path: String,
    /// `sha256:` over its bytes.
    pub witness_digest: String,
    /// What refers to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_ref: Option<String>,
    /// The digest of what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_digest: Option<String>,
    /// The policy it was run under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_digest: Option<String>,
    /// The checks it asked for.
    pub required_checks: Vec<String>,
    /// The checks that were run.
    pub executed_checks: Vec<String>,
    /// `accepted` or `rejected`.
    pub verdict_class: String,
    /// Why.
    pub failure_classes: Vec<String>,
    /// When its checks ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Until when it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedSession {
    /// Its file.
    pub session_ref: String,
    /// Its name.
    pub session_id: String,
    /// `active` or `stopped`.
    pub state: String,
    /// The issue that is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// What comes next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// Instructions it works under.
    pub instruction_refs: Vec<String>,
    /// When it was last written.
    pub updated_at: String,
}

/// The steps, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedTrajectory {
    /// All of them.
    pub total_count: u64,
    /// Those that did not succeed.
    pub failed_count: u64,
    /// Those of them where trying again may help.
    pub retry_needed_count: u64,
    /// The latest few, the latest first.
    pub latest: Vec<ObservedStep>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedStep {
    /// The step.
    pub step_id: String,
    /// What was done.
    pub action: String,
    /// How it ended.
    pub result_class: String,
    /// When.
    pub finished_at: String,
    /// The issue it was done for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_classes: Vec<String>,
    /// Instructions it worked under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instruction_refs: Vec<String>,
}

/// One thing that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttentionRow {
    /// The stable reason, such as `lease_expired`.
    pub reason: String,
    /// The issue, the file or the instruction it is about.
    pub subject: String,
    /// What is the matter.
    pub detail: String,
}

/// The answer of `observe-build` and `observe latest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservationAnswer {
    /// The host action.
    pub action: String,
    /// The file.
    pub observation_path: String,
    /// Whether building it now would come to something else.
    pub stale: bool,
    /// What it says.
    pub observation: Observation,
}

/// The answer of `observe needs_attention`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttentionAnswer {
    /// `observe.needs_attention`
    pub action: String,
    /// The file.
    pub observation_path: String,
    /// When it was built.
    pub generated_at: String,
    /// Whether anything needs a person.
    pub needs_attention: bool,
    /// How many things.
    pub count: u64,
    /// Each of them, sorted.
    pub items: Vec<AttentionRow>,
}

/// The answer of `observe instruction`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedInstructionAnswer {
    /// `observe.instruction`
    pub action: String,
    /// The file.
    pub observation_path: String,
    /// Whether building it now would come to something else.
    pub stale: bool,
    /// The instruction's witness.
    pub instruction: ObservedInstruction,
    /// Sessions that work under it.
    pub sessions: Vec<ObservedSession>,
    /// Steps that worked under it, of those that are observed.
    pub steps: Vec<ObservedStep>,
}

/// The answer of `observe projection`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedProjectionAnswer {
    /// `observe.projection`
    pub action: String,
    /// The file.
    pub observation_path: String,
    /// Whether building it now would come to something else.
    pub stale: bool,
    /// How many issues are not at rest.
    pub count: u64,
    /// Each of them, with who holds it, who works on it and what is the matter.
    pub items: Vec<ObservedWork>,
}

/// One issue that is not at rest, with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedWork {
    /// The issue.
    pub issue: ObservedIssue,
    /// Who holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseRow>,
    /// Who works on it.
    pub sessions: Vec<ObservedSession>,
    /// What is the matter with it.
    pub needs_attention: Vec<AttentionRow>,
}
