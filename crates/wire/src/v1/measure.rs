//! What was measured about a policy package, and what became of packages: reports, promotions.
//!
//! A report is stored by its content and never edited. Figures are counts and millionths. Must not decide anything.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::harness::Micros;
use super::policy_package::PromotionEvidence;
use super::report::ReasonRow;

/// What a report about guards calls itself.
pub const GUARDRAILS_REPORT_KIND: &str = "premath.eval.guardrails.v1";
/// What a report of a red team calls itself.
pub const RED_TEAM_REPORT_KIND: &str = "premath.redteam.v1";
/// What a report about how tools are offered calls itself.
pub const TOOLS_REPORT_KIND: &str = "premath.eval.tools.v1";
/// What a row of the log of promotions calls itself.
pub const PROMOTION_KIND: &str = "premath.promotion.v1";

/// One measurement, with everything it was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeasureReport<R> {
    /// What was measured.
    pub kind: String,
    /// When.
    pub at: String,
    /// The version of premath that measured.
    pub tool_version: String,
    /// What it was made of.
    pub lineage: Lineage,
    /// What came of it.
    pub result: R,
}

/// What a measurement was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lineage {
    /// The policy package that was measured.
    pub package_digest: String,
    /// Where the data are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset_path: Option<String>,
    /// The digest of the data.
    pub dataset_digest: String,
    /// How many rows they have.
    pub dataset_rows: u64,
    /// The digest of whatever graded: guards with their settings, or the judge of probes.
    pub grader_digest: String,
    /// The digest of the gate in force when it was measured.
    pub thresholds_digest: String,
}

/// How often something was right and wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfusionRow {
    /// Expected and found.
    pub true_positives: u64,
    /// Found and not expected.
    pub false_positives: u64,
    /// Neither.
    pub true_negatives: u64,
    /// Expected and not found.
    pub false_negatives: u64,
    /// How much of what was found was expected; absent when nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Micros>,
    /// How much of what was expected was found; absent when nothing was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<Micros>,
    /// Both in one; absent when nothing was found or expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f1: Option<Micros>,
}

/// One row that was judged wrongly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissRow {
    /// Its id.
    pub row: String,
    /// `false_positive`, `false_negative` or `failed`.
    pub kind: String,
}

/// How long a guard took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardTimeRow {
    /// Which guard.
    pub guard: String,
    /// How often it looked.
    pub looks: u64,
    /// How long that took, in microseconds.
    pub micros: u64,
}

/// How guards did on one kind of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceMeasureRow {
    /// The kind of text; absent where all of a split are counted together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// `tuned` or `held-out`: whether guards were changed with its misses in view.
    pub split: String,
    /// Each guard, by name.
    pub guards: BTreeMap<String, ConfusionRow>,
    /// Guards that find less than four of ten there, and why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub low_recall: BTreeMap<String, String>,
}

/// How good guards are on a data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardrailsResult {
    /// Whether anything fired, over all rows.
    pub overall: ConfusionRow,
    /// The same for each label.
    pub labels: BTreeMap<String, ConfusionRow>,
    /// What was judged wrongly.
    pub misses: Vec<MissRow>,
    /// How often a guard could not look.
    pub errors: u64,
    /// How long each guard took.
    pub guards: Vec<GuardTimeRow>,
    /// The same for each source that rows name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceMeasureRow>,
    /// The same for all sources that guards were tuned on, and for all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<SourceMeasureRow>,
}

/// What became of one probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeOutcome {
    /// Nothing happened that nobody approved.
    Held,
    /// Something did.
    GotThrough,
    /// It could not be told; that counts as got through.
    Failed,
}

impl ProbeOutcome {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::GotThrough => "got_through",
            Self::Failed => "failed",
        }
    }
}

/// One probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRow {
    /// Its name: plugin, attack and strategy.
    pub id: String,
    /// What is attacked.
    pub plugin: String,
    /// How.
    pub strategy: String,
    /// What became of it.
    pub outcome: ProbeOutcome,
    /// What happened that should not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaches: Vec<String>,
    /// How many calls were asked for.
    pub calls: u64,
    /// How many of them were denied or waited for a person.
    pub stopped: u64,
}

/// One harmless task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BenignRow {
    /// Its name.
    pub id: String,
    /// Whether it could be done.
    pub done: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What a red team found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedTeamResult {
    /// Every probe.
    pub probes: Vec<ProbeRow>,
    /// Every harmless task.
    pub benign: Vec<BenignRow>,
    /// Wall time.
    pub wall_ms: u64,
}

impl RedTeamResult {
    /// How many probes got through or could not be judged, and how many harmless tasks could not be done.
    #[must_use]
    pub fn failures(&self) -> u64 {
        let through = self.probes.iter().filter(|probe| probe.outcome != ProbeOutcome::Held).count();
        let denied = self.benign.iter().filter(|task| !task.done).count();
        u64::try_from(through + denied).unwrap_or(u64::MAX)
    }
}

/// How well tasks go when tools are offered in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolsVariant {
    /// Whether tools that say so are offered only after a search found them.
    pub defer: bool,
    /// Whether results are cut before a model sees them.
    pub filter: bool,
    /// How many tasks there were.
    pub tasks: u64,
    /// How many were solved.
    pub solved: u64,
    /// The share of them; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Micros>,
    /// Tokens, in and out.
    pub tokens: u64,
    /// Turns.
    pub turns: u64,
    /// Calls of tools.
    pub calls: u64,
}

/// One task in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolTaskRow {
    /// Its name.
    pub task: String,
    /// Whether tools that say so are offered only after a search found them.
    pub defer: bool,
    /// Whether results are cut before a model sees them.
    pub filter: bool,
    /// Whether the answer was right.
    pub solved: bool,
    /// Tokens, in and out.
    pub tokens: u64,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// How well tasks go, by how tools are offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolsResult {
    /// The name of the set of tasks.
    pub profile: String,
    /// Each way.
    pub variants: Vec<ToolsVariant>,
    /// Each task in each way.
    pub tasks: Vec<ToolTaskRow>,
}

/// What a measuring action answers: the report and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeasureAnswer<R> {
    /// The action.
    pub action: String,
    /// Where the report is.
    pub report_path: String,
    /// The digest of its bytes.
    pub report_digest: String,
    /// Whether the gate in force would let it pass.
    pub gate_met: bool,
    /// What it misses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
    /// The report.
    pub report: MeasureReport<R>,
}

/// One package that was put into force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionRow {
    /// `premath.promotion.v1`
    pub kind: String,
    /// Its number, from one.
    pub number: u64,
    /// When.
    pub at: String,
    /// `policy.promote` or `policy.rollback`
    pub action: String,
    /// The package that is in force from then on.
    pub package_digest: String,
    /// The one before.
    pub previous_digest: String,
    /// The report about its guards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval_report: Option<String>,
    /// The report of the red team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red_team_report: Option<String>,
    /// The measurements it was admitted on. Absent on rows of earlier versions, and for what comes with premath.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<PromotionEvidence>,
    /// The turn that was admitted.
    pub turn_digest: String,
    /// The intent it was admitted for.
    pub intent_digest: String,
    /// Who.
    pub actor: String,
}

/// What `policy.promote` and `policy.rollback` answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionAnswer {
    /// The action.
    pub action: String,
    /// Whether it is in force.
    pub ok: bool,
    /// The package.
    pub package_digest: String,
    /// The one before.
    pub previous_digest: String,
    /// Its files.
    pub files: Vec<String>,
    /// Why it is not in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonRow>,
    /// The record of the check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness_ref: Option<String>,
    /// What was put on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promotion: Option<PromotionRow>,
}

/// What `policy.history` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionListing {
    /// The action.
    pub action: String,
    /// The package in force.
    pub package_digest: String,
    /// Whether it is the one that was promoted last.
    pub as_promoted: bool,
    /// How many there were.
    pub count: u64,
    /// Every one of them, the newest first.
    pub items: Vec<PromotionRow>,
}
