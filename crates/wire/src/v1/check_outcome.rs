//! What came of one check: the document that gate references name by its digest.
//!
//! Plain data. Whether a check that failed matters is decided elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a check outcome calls itself.
pub const CHECK_OUTCOME_KIND: &str = "premath.check_outcome.v1";

/// Whether a check said yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It ended by itself with code 0.
    Passed,
    /// It ended in any other way, or never began.
    Failed,
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckOutcome {
    /// `1`
    pub schema: u32,
    /// `premath.check_outcome.v1`
    pub outcome_kind: String,
    /// The check, as a policy calls it.
    pub check_id: String,
    /// The shell command it stands for.
    pub command: String,
    /// `sha256:` over the text of the command.
    pub command_digest: String,
    /// Whether it said yes.
    pub status: CheckStatus,
    /// `check_failed`, `timeout`, `interrupted` or `sandbox.…`; absent when it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_class: Option<String>,
    /// The code it ended with, when it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
    /// Standard output; absent when nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<CheckOutput>,
    /// Standard error; absent when nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<CheckOutput>,
    /// The walls around it, by name.
    pub sandbox_profile: String,
    /// The digest of what the walls came to here; absent when nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_digest: Option<String>,
    /// Why an operator let it run without a sandbox, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_override: Option<String>,
}

/// What a check printed: an object of the repository, by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckOutput {
    /// `sha256:` over what was kept of it.
    pub digest: String,
    /// How many bytes were printed.
    pub total_bytes: u64,
    /// How many of those are not kept.
    pub cut_bytes: u64,
}
