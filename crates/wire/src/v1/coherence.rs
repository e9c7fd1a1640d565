//! What is answered about a repository's own contract: what was looked at, and what does not fit together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `coherence-check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoherenceAnswer {
    /// `coherence.check`
    pub action: String,
    /// `premath` in premath's own repository, `repository` elsewhere.
    pub scope: String,
    /// Whether everything fits together.
    pub ok: bool,
    /// What was looked at.
    pub checked: Vec<CoherenceCount>,
    /// How many problems there are.
    pub problem_count: u64,
    /// Each of them, sorted.
    pub problems: Vec<CoherenceProblem>,
}

/// How much of one kind was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoherenceCount {
    /// What.
    pub what: String,
    /// How many.
    pub count: u64,
}

/// One thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoherenceProblem {
    /// The file.
    pub file: String,
    /// The line, counted from one, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The stable class.
    pub class: String,
    /// What does not fit.
    pub detail: String,
}
