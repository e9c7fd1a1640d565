//! Numbers over a repository: what `metrics` prints and a scraper reads.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `metrics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricsAnswer {
    /// `metrics.read`
    pub action: String,
    /// The families, in their order.
    pub families: Vec<MetricFamily>,
}

/// Numbers of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricFamily {
    /// Its name, without the suffix that a counter has.
    pub name: String,
    /// What it counts.
    pub help: String,
    /// Whether it only grows.
    pub kind: MetricKind,
    /// The numbers, by their labels.
    pub samples: Vec<MetricSample>,
}

/// Whether a number only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// It only grows.
    Counter,
    /// It is what it is now.
    Gauge,
}

/// One number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricSample {
    /// What it is about.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The number.
    pub value: u64,
}
