//! The feature ledger: what is to be built, how far each piece is, and what shows that it works.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a ledger calls itself.
pub const FEATURE_LEDGER_KIND: &str = "premath.harness.feature_ledger.v1";

/// `.premath/harness_feature_ledger.json`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureLedger {
    /// 1
    pub schema: u32,
    /// `premath.harness.feature_ledger.v1`
    pub ledger_kind: String,
    /// When it was last written; a check names a ledger without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// The features, in natural order of their ids.
    #[serde(default)]
    pub features: Vec<FeatureRow>,
}

/// One feature. What a check would name may be missing or blank here: reading is not checking.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureRow {
    /// Names the feature.
    #[serde(default)]
    pub feature_id: String,
    /// `pending`, `in_progress`, `blocked` or `completed`
    #[serde(default)]
    pub status: String,
    /// The issue it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// The session that works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_ref: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What it was asked for in, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instruction_refs: Vec<String>,
    /// What shows that it works, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification_refs: Vec<String>,
    /// When the row was last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// Something that is wrong with a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureReason {
    /// The class, `harness_feature_ledger.…`.
    pub class: String,
    /// The feature, its place where it has no id, or the field of the ledger.
    pub subject: String,
}

/// What `harness.feature.read` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureAnswer<Document> {
    /// The action.
    pub action: String,
    /// Where the ledger is.
    pub feature_ledger_ref: String,
    /// The feature to work on.
    pub next_feature_id: Option<String>,
    /// Whether every feature is done and verified.
    pub feature_closure_complete: bool,
    /// How many features there are.
    pub feature_count: u64,
    /// The whole document.
    pub ledger: Document,
}

/// What `harness.feature.write` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureWriteAnswer<Row> {
    /// The action.
    pub action: String,
    /// Where the ledger is.
    pub feature_ledger_ref: String,
    /// `accepted`, or `rejected` and nothing was written.
    pub result: String,
    /// Why it was rejected, sorted.
    pub failure_classes: Vec<String>,
    /// The classes and what they are about.
    pub reasons: Vec<FeatureReason>,
    /// The row as it was written, or would have been.
    pub feature: Row,
    /// The feature to work on.
    pub next_feature_id: Option<String>,
    /// Whether every feature is done and verified.
    pub feature_closure_complete: bool,
    /// How many features there are.
    pub feature_count: u64,
}

/// What `harness.feature.next` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureNextAnswer<Row> {
    /// The action.
    pub action: String,
    /// Where the ledger is.
    pub feature_ledger_ref: String,
    /// The feature to work on; null when there is none.
    pub next_feature_id: Option<String>,
    /// Its row.
    pub feature: Option<Row>,
    /// Whether every feature is done and verified.
    pub feature_closure_complete: bool,
    /// How many features there are.
    pub feature_count: u64,
}

/// What `harness.feature.check` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureCheckAnswer {
    /// The action.
    pub action: String,
    /// Where the ledger is.
    pub feature_ledger_ref: String,
    /// `accepted` or `rejected`
    pub result: String,
    /// Whether features that are not done were counted as a problem.
    pub require_closure: bool,
    /// What is wrong, sorted.
    pub failure_classes: Vec<String>,
    /// The classes and what they are about.
    pub reasons: Vec<FeatureReason>,
    /// The feature to work on.
    pub next_feature_id: Option<String>,
    /// Whether every feature is done and verified.
    pub feature_closure_complete: bool,
    /// How many features there are.
    pub feature_count: u64,
}
