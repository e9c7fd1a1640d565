//! Conformance vectors: what is expected of a case, and what a run found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `expect.json`: what a case must give.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Expectation {
    /// What is special in this case.
    pub describes: String,
    /// The command that is given the case.
    pub command: VectorCommand,
    /// Whether the command runs with `--strict`.
    #[serde(default)]
    pub strict: bool,
    /// What the command exits with.
    pub exit_code: u8,
    /// `accepted` or `rejected`; absent with exit code 2.
    pub result: Option<String>,
    /// The exact classes, sorted.
    #[serde(default)]
    pub failure_classes: Vec<String>,
    /// The exact reasons, sorted, where they are pinned.
    pub reasons: Option<Vec<ExpectedReason>>,
    /// Whether the turn is closed.
    pub join_closed: Option<bool>,
    /// Whether the intent is admitted. Looked at only where `joinClosed` is given.
    pub mutation_ready: Option<bool>,
    /// Digests that are pinned, by name.
    pub digests: Option<std::collections::BTreeMap<String, String>>,
    /// Another case with the same digests.
    pub same_digests_as: Option<String>,
    /// The error of a case that cannot be read.
    pub error: Option<ExpectedError>,
    /// The classes that this case is the trigger for.
    #[serde(default)]
    pub covers: Vec<String>,
    /// The nearest accepted case.
    pub neighbour: Option<String>,
    /// JSON paths whose removal from the case leaves it accepted; read by the test that removes each field.
    #[serde(default)]
    pub removable: Vec<String>,
}

/// A command that vectors are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VectorCommand {
    /// `premath harness-join-check`
    HarnessJoinCheck,
    /// `premath governance-check`
    GovernanceCheck,
}

/// One reason of a refusal, without its words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedReason {
    /// The failure class.
    pub class: String,
    /// The row, policy or field it is about.
    pub subject: String,
}

/// Why a case cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedError {
    /// The input class, where it is pinned.
    pub class: Option<String>,
    /// The JSON path, where it is pinned.
    pub path: Option<String>,
}

/// What `conformance-run` prints.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConformanceReport {
    /// `conformance-run`
    pub action: &'static str,
    /// `accepted` or `rejected`
    pub result: &'static str,
    /// How many cases held.
    pub passed: usize,
    /// How many did not.
    pub failed: usize,
    /// Failure classes that no case is the trigger for.
    pub uncovered_classes: Vec<&'static str>,
    /// The cases that did not hold.
    pub failures: Vec<VectorOutcome>,
}

/// One case that did not hold.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VectorOutcome {
    /// Its path below the suite folder.
    pub name: String,
    /// What differed.
    pub differences: Vec<String>,
}
