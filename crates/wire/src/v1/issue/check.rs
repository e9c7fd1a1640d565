//! What `issue check` found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a problem weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It fails the check.
    Error,
    /// It is worth a word.
    Warning,
}

/// The answer of `issue check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueCheckAnswer {
    /// `issue.check`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// Whether nothing but warnings was found.
    pub ok: bool,
    /// How many issues were looked at.
    pub checked: u64,
    /// How many problems fail the check.
    pub error_count: u64,
    /// How many are only worth a word.
    pub warning_count: u64,
    /// Whether `--limit` cut the list of problems.
    pub has_more: bool,
    /// Lines first, then issues in natural order, then cycles.
    pub problems: Vec<CheckProblem>,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckProblem {
    /// The stable class.
    pub class: String,
    /// How much it weighs.
    pub severity: Severity,
    /// The issue it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// The line it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What was found.
    pub detail: String,
    /// What to do.
    pub hint: String,
    /// The issues of a cycle, the first again at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
}

/// A line that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineNote {
    /// Which, from 1.
    pub line: u64,
    /// The stable class.
    pub class: String,
    /// In words.
    pub detail: String,
}
