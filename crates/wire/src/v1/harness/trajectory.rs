//! The trajectory: one row per step, and the projection that is asked of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a row calls itself.
pub const STEP_KIND: &str = "premath.harness.step.v1";
/// What the answer of a query calls itself.
pub const PROJECTION_KIND: &str = "premath.harness.trajectory.projection.v1";

/// One line of `.premath/harness_trajectory.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepRow {
    /// 1
    pub schema: u32,
    /// `premath.harness.step.v1`
    pub step_kind: String,
    /// `<worker>.<issue id>.<n>`, or any name of the step.
    pub step_id: String,
    /// What was done.
    pub action: String,
    /// How it ended.
    pub result_class: String,
    /// When it ended.
    pub finished_at: String,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// The issue it was done for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// Which check decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_class: Option<String>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// Why it failed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_classes: Vec<String>,
    /// Instructions it worked under, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instruction_refs: Vec<String>,
    /// Where in the site it worked, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage_refs: Vec<String>,
    /// What it changed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutation_refs: Vec<String>,
    /// Witnesses it left, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness_refs: Vec<String>,
    /// Its number in the chain; rows of other writers have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The digest of the row before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// The digest of this row without this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_digest: Option<String>,
}

/// What `harness.trajectory.append` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepAnswer<Row> {
    /// The action.
    pub action: String,
    /// Where the trajectory is.
    pub trajectory_path: String,
    /// The row as it was written.
    pub row: Row,
}

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectionMode {
    /// All.
    Latest,
    /// Those that did not succeed.
    Failed,
    /// Those of them where trying again may help.
    RetryNeeded,
}

impl ProjectionMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Latest, Self::Failed, Self::RetryNeeded];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::Failed => "failed",
            Self::RetryNeeded => "retry-needed",
        }
    }
}

/// What `harness.trajectory.query` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrajectoryProjection<Row> {
    /// The action.
    pub action: String,
    /// `premath.harness.trajectory.projection.v1`
    pub projection_kind: String,
    /// Where the trajectory is.
    pub trajectory_path: String,
    /// Which rows were asked for.
    pub mode: ProjectionMode,
    /// How many at most.
    pub limit: u64,
    /// All steps.
    pub total_count: u64,
    /// Those that did not succeed.
    pub failed_count: u64,
    /// Those of them where trying again may help.
    pub retry_needed_count: u64,
    /// How many rows follow.
    pub count: u64,
    /// The rows, descending by end, then by step, then by action.
    pub items: Vec<Row>,
    /// Failures by their class, the most frequent first; with `--group-by failure-class`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<FailureGroup>>,
    /// How many classes there are, shown or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_count: Option<u64>,
    /// How many lines were passed over, shown or not, and what else is wrong with the log.
    pub warning_count: u64,
    /// The first of them.
    pub warnings: Vec<LineWarning>,
}

/// Failures of one class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureGroup {
    /// The class; where a row names none, its result class.
    pub failure_class: String,
    /// How many rows.
    pub count: u64,
    /// When the last of them ended.
    pub latest_finished_at: String,
    /// Which step that was.
    pub latest_step_id: String,
}

/// A line that was passed over, or what is wrong with the log as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineWarning {
    /// The class, `harness_trajectory.…`.
    pub class: String,
    /// The line, counted from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub detail: String,
}
