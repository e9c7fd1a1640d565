//! What people are asked, and what they said: the answers of `approvals`, `proposals` and `policy`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Json;

/// What something is about, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedTarget {
    /// What it is: `desk_file`, `file`, `command`.
    pub kind: String,
    /// What it is known by.
    pub id: String,
    /// What a person calls it.
    pub name: String,
}

/// One thing that a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRow {
    /// `apr_` and twelve hexadecimal digits.
    pub id: String,
    /// `confirmation`, `plan` or `checkpoint`
    pub kind: String,
    /// `pending`, `approved`, `denied`, `expired`, `consumed` or `revoked`
    pub state: String,
    /// The run that asks.
    pub run_id: String,
    /// The call it asks for.
    pub tool_call_id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, whole.
    pub arguments: Json,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// The digest of everything that is shown of it, which is what is signed.
    pub card_digest: String,
    /// What it is about.
    pub targets: Vec<NamedTarget>,
    /// What would change, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Why a person is asked.
    pub reason: String,
    /// The rule that wants it.
    pub rule: String,
    /// The tier of the run.
    pub tier: String,
    /// When it was asked.
    pub requested_at: String,
    /// Until when an answer counts; nobody answering is a no.
    pub expires_at: String,
    /// How far a yes goes: `once`, `run` or `pattern`
    pub scope: String,
    /// Which calls a yes covers, where it is for a pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Json>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// What they said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The folder that the run works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The scopes that a yes may have, while the question waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<ScopeOffer>,
    /// What the yes covers, while calls can use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<String>,
    /// Who revoked the yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

/// A scope that a yes may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeOffer {
    /// `once`, `run` or `pattern`
    pub scope: String,
    /// What a yes of that scope covers.
    pub covers: String,
}

/// The answer of `approvals list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalPage {
    /// `approval.list`
    pub action: String,
    /// How many there are here.
    pub count: u64,
    /// The newest first.
    pub items: Vec<ApprovalRow>,
}

/// The answer of `approvals show`, `approve`, `deny` and `revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    /// `approval.show`, `approval.approve`, `approval.deny` or `approval.revoke`
    pub action: String,
    /// The approval as it is now.
    pub approval: ApprovalRow,
    /// The digest of what is shown here, with the pattern and its examples where there is one: what `--digest` takes.
    pub shown_digest: String,
    /// The pattern that is looked at and not decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Json>,
    /// Calls of the past that a pattern would have covered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pattern_matches: Vec<String>,
    /// Calls of the past that it would not have covered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pattern_misses: Vec<String>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalStepRow {
    /// Which, from 1.
    pub n: u64,
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, whole.
    pub arguments: Json,
    /// Why.
    pub rationale: String,
    /// What it is about.
    pub targets: Vec<NamedTarget>,
    /// What it would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The digest of what it would do to what was there when it was proposed.
    pub shown: String,
    /// What takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensation: Option<Json>,
    /// `ok`, `failed`, `skipped` or `compensated`; absent while nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why, where it is not `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A plan and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalRow {
    /// `prp_` and twelve hexadecimal digits.
    pub id: String,
    /// `pending`, `approved`, `executing`, `executed`, `failed`, `rejected` or `expired`
    pub state: String,
    /// The run that proposed it.
    pub run_id: String,
    /// What it is for.
    pub goal: String,
    /// How it is taken back.
    pub rollback: String,
    /// Every step.
    pub steps: Vec<ProposalStepRow>,
    /// The digest of what is shown, which is what runs.
    pub plan_digest: String,
    /// When it was proposed.
    pub created_at: String,
    /// Until when it can be approved.
    pub expires_at: String,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// What they said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The answer of `proposals list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalPage {
    /// `proposal.list`
    pub action: String,
    /// How many there are here.
    pub count: u64,
    /// The newest first.
    pub items: Vec<ProposalRow>,
}

/// The answer of `proposals show`, `approve`, `reject` and `resume`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalAnswer {
    /// `proposal.show`, `proposal.approve`, `proposal.reject` or `proposal.resume`
    pub action: String,
    /// The proposal as it is now.
    pub proposal: ProposalRow,
}

/// One layer of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyLayer {
    /// What it is.
    pub layer: String,
    /// What it says.
    pub says: String,
    /// Where it comes from.
    pub source: String,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleRow {
    /// Its id.
    pub id: String,
    /// `allow`, `ask` or `deny`
    pub effect: String,
    /// Why it exists.
    pub reason: String,
    /// Where it is written.
    pub source: String,
    /// How many examples it was tried with.
    pub examples: u64,
}

/// One guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuardHealth {
    /// Its name.
    pub id: String,
    /// When it looks, and what is done about what it finds.
    pub stages: Vec<String>,
    /// Why nothing runs past it; absent when it does what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red: Option<String>,
}

/// What was used of a day's budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsedToday {
    /// Calls of tools.
    pub tool_calls: u64,
    /// Millionths of a dollar.
    pub cost_micros: u64,
}

/// One file of the policies in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyFile {
    /// Where it belongs below `policies`.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// The answer of `policy export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyExport {
    /// `policy.export`
    pub action: String,
    /// The digest of the rules among them.
    pub rules_digest: String,
    /// Every file, sorted.
    pub files: Vec<PolicyFile>,
}

/// The answer of `policy show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAnswer {
    /// `policy.show`
    pub action: String,
    /// Who runs work for.
    pub principal: String,
    /// In which role.
    pub role: String,
    /// The scopes that are left.
    pub granted: Vec<String>,
    /// The scopes that were asked for and are above the ceiling.
    pub refused: Vec<String>,
    /// The tier of a run with those scopes.
    pub tier: String,
    /// The controls that the tier binds.
    pub controls: Json,
    /// The file they are from; `default` for ours.
    pub controls_source: String,
    /// What the principal used today, in UTC.
    pub today: UsedToday,
    /// Each layer, in the order in which they hold.
    pub layers: Vec<PolicyLayer>,
    /// The digest of the policy package in force.
    pub package_digest: String,
    /// Whether it is the one that was promoted last; nobody edited it since.
    pub as_promoted: bool,
    /// The digest of the rules.
    pub rules_digest: String,
    /// The rules, sorted.
    pub rules: Vec<RuleRow>,
    /// Why the rules did not load, each with its file and line; nothing runs then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules_failed: Vec<String>,
    /// The digest of the guards.
    pub guards_digest: String,
    /// The guards.
    pub guards: Vec<GuardHealth>,
}

/// How one rule stands to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleStanding {
    /// Its id.
    pub id: String,
    /// What it would come to.
    pub effect: String,
    /// Whether it matched.
    pub matched: bool,
    /// Why it exists.
    pub reason: String,
}

/// The answer of `policy explain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyExplained {
    /// `policy.explain`
    pub action: String,
    /// The tool.
    pub tool: String,
    /// `allow`, `ask` or `deny`
    pub effect: String,
    /// The role it is explained for.
    pub role: String,
    /// The tier of the tools that a run with these scopes is offered.
    pub tier: String,
    /// The file that the controls of the tier are from; `default` for those that come with premath.
    pub controls_source: String,
    /// Which policy decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_name: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the call is about.
    pub targets: Vec<NamedTarget>,
    /// Every rule, matched or not, sorted.
    pub rules: Vec<RuleStanding>,
    /// The guards that fired.
    pub guards: Vec<String>,
    /// What a model would be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_view: Option<Json>,
    /// What a person would be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_view: Option<Json>,
    /// What the audit would be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_view: Option<Json>,
}
