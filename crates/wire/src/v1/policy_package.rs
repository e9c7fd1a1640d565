//! Policy packages on the wire: what a promotion was measured by, a draft of a package, and how two packages differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::harness::Micros;
use crate::Json;

/// The measurements that a promotion was admitted on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionEvidence {
    /// The evaluation of its guards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<PromotionEvaluation>,
    /// The red team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red_team: Option<PromotionRedTeam>,
}

/// The evaluation that a promotion was admitted on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionEvaluation {
    /// Precision over all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Micros>,
    /// Recall over all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<Micros>,
    /// F1 over all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f1: Option<Micros>,
    /// The thresholds the figures were held against.
    pub gate: Json,
    /// The report, by digest.
    pub report_ref: String,
    /// The data set, by digest.
    pub dataset_lineage_ref: String,
    /// The guards and their settings, by digest.
    pub grader_config_lineage_ref: String,
    /// The whole gate, by digest.
    pub metric_thresholds_ref: String,
}

/// The red team that a promotion was admitted on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionRedTeam {
    /// How many probes ran.
    pub probes: u64,
    /// How many probes got through, or harmless tasks were denied.
    pub failures: u64,
    /// The gate the counts were held against.
    pub gate: Json,
    /// The report, by digest.
    pub report_ref: String,
}

/// What `policy.draft` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyDraftAnswer {
    /// The action.
    pub action: String,
    /// The name of the draft.
    pub name: String,
    /// Its folder, from the root of the repository.
    pub path: String,
    /// The package it is a copy of.
    pub base_ref: String,
    /// The digest of the copy.
    pub package_digest: String,
    /// Its files.
    pub files: Vec<String>,
}

/// What `policy.diff` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyDiffAnswer {
    /// The action.
    pub action: String,
    /// The package in force.
    pub base_ref: String,
    /// The digest of the package in force.
    pub base_digest: String,
    /// What is compared with it: the folder of a draft, or `policies`.
    pub path: String,
    /// The digest of what is compared.
    pub package_digest: String,
    /// Whether nothing differs.
    pub same: bool,
    /// Every file that differs, sorted by name.
    pub files: Vec<PolicyFileDiff>,
}

/// How one file of a policy package differs from the package in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyFileDiff {
    /// Its name in the package.
    pub path: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// The first line that differs, counted from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The unified diff; its beginning where it is long.
    pub diff: String,
}
