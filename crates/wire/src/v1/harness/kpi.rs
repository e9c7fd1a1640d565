//! The throughput figure, as it is printed: decimals with exactly six digits, as JSON numbers.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::trajectory::LineWarning;

/// What the answer calls itself.
pub const KPI_KIND: &str = "premath.multithread.throughput.v1";
/// What a remediation record calls itself.
pub const REMEDIATION_KIND: &str = "premath.harness.kpi_remediation.v1";

const PER_ONE: u64 = 1_000_000;

/// Millionths, written as a number with six decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Micros(pub u64);

impl Micros {
    /// Reads `0.8`: digits, and at most six decimals.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(decimals) || decimals.len() > 6 {
            return None;
        }
        let decimals: u64 = format!("{decimals:0<6}").parse().ok()?;
        whole.parse::<u64>().ok()?.checked_mul(PER_ONE)?.checked_add(decimals).map(Self)
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:06}", self.0 / PER_ONE, self.0 % PER_ONE)
    }
}

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.to_string()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let scaled = (number * 1e6).round();
        let is_held = number.is_finite() && (0.0..=9_007_199_254_740_991.0).contains(&scaled);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was looked at"
        )]
        let micros = if is_held { Some(Self(scaled as u64)) } else { None };
        micros.ok_or_else(|| serde::de::Error::custom("expected a number of at least 0"))
    }
}

impl JsonSchema for Micros {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Micros")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0 })
    }
}

/// What `harness.kpi.report` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiAnswer {
    /// The action.
    pub action: String,
    /// `premath.multithread.throughput.v1`
    pub kpi_kind: String,
    /// Where the trajectory is.
    pub trajectory_path: String,
    /// What was looked at.
    pub window: KpiWindow,
    /// What was counted.
    pub counts: KpiCounts,
    /// What follows from the counts.
    pub ratios: KpiRatios,
    /// What they are held against.
    pub thresholds: KpiThresholds,
    /// What follows.
    pub decision: KpiDecisionRow,
    /// Where remediations are recorded.
    pub remediations_path: String,
    /// The last one that was.
    pub latest_remediation: Option<RemediationRow>,
    /// Whether it is later than everything that failed in the window.
    #[serde(default)]
    pub remedied: bool,
    /// When the newest row of the window ended that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_failed_at: Option<String>,
    /// The figures of earlier windows of the same length, the oldest first; only where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<KpiPoint>,
    /// How many lines were passed over, shown or not.
    pub warning_count: u64,
    /// The first of them.
    pub warnings: Vec<LineWarning>,
}

/// The figure of an earlier window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiPoint {
    /// When that window ended.
    pub end: String,
    /// Rows that ended in it.
    pub window_rows: u64,
    /// Those of them that succeeded at an issue.
    pub completed_rows: u64,
    /// The figure.
    pub kpi: Micros,
    /// What followed from it.
    pub state: String,
}

/// From when to when rows count, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiWindow {
    /// Its length.
    pub hours: u64,
    /// Its start.
    pub start: String,
    /// Its end, which is when it was asked for.
    pub end: String,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiCounts {
    /// Rows of the trajectory.
    pub total_rows: u64,
    /// Those that ended in the window.
    pub window_rows: u64,
    /// Those of them that succeeded at an issue.
    pub completed_rows: u64,
    /// Workers with a row in the window.
    pub active_workers: u64,
    /// Rows that end after the window, which a wrong clock makes.
    pub future_rows: u64,
}

/// Ratios, six decimals each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiRatios {
    /// Completed rows per row of the window.
    pub gate_pass_rate: Micros,
    /// Completed rows per day.
    pub completed_rows_per_day: Micros,
    /// The same per worker.
    pub throughput_per_worker_per_day: Micros,
    /// The figure: the last times the first.
    pub kpi: Micros,
}

/// What the figure is held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiThresholds {
    /// From here on it passes.
    pub target: Micros,
    /// Below this, expansion stops.
    pub rollback: Micros,
    /// Fewer rows decide nothing.
    pub min_rows: u64,
}

/// What follows from the figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KpiDecisionRow {
    /// `pass`, `watch`, `rollback` or `insufficient_data`
    pub state: String,
    /// Why.
    pub reason: String,
}

/// One line of `.premath/harness_kpi_remediations.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemediationRow {
    /// 1
    pub schema: u32,
    /// `premath.harness.kpi_remediation.v1`
    pub remediation_kind: String,
    /// What was done about it.
    pub note: String,
    /// When it was recorded.
    pub recorded_at: String,
    /// Its number in the chain.
    pub seq: u64,
    /// The digest of the row before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// The digest of this row without this field.
    pub row_digest: String,
}

/// What `harness.kpi.remediate` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemediateAnswer {
    /// The action.
    pub action: String,
    /// Where remediations are recorded.
    pub remediations_path: String,
    /// What was recorded.
    pub remediation: RemediationRow,
}
