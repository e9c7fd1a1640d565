//! What is answered about the sandbox: what it enforces here, and what came of a command in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `sandbox check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxCheckAnswer {
    /// `sandbox.check`
    pub action: String,
    /// Whether every profile can run here.
    pub ok: bool,
    /// The profiles that can.
    pub usable_profiles: Vec<String>,
    /// What a reader should know beyond the layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How many layers are listed.
    pub count: u64,
    /// Each layer, tried.
    pub items: Vec<LayerRow>,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayerRow {
    /// Its name.
    pub layer: String,
    /// `enforced`, `unavailable` or `broken`.
    pub state: String,
    /// The profiles that cannot do without it.
    pub required_by: Vec<String>,
    /// What was tried and what came of it.
    pub detail: String,
}

/// The answer of `sandbox run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxRunAnswer {
    /// `sandbox.run`
    pub action: String,
    /// `exited`, `signalled`, `timed_out` or `interrupted`.
    pub ending: String,
    /// The exit code, when it exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal, when it was signalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Standard output.
    pub stdout: OutputRow,
    /// Standard error.
    pub stderr: OutputRow,
    /// What can be shown of the run later.
    pub evidence: SandboxEvidenceRow,
}

/// What a command wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutputRow {
    /// The text; where its middle was cut out, a marker stands there. Bytes that are no UTF-8 are replaced.
    pub text: String,
    /// How many bytes were written.
    pub total_bytes: u64,
    /// How many of them are not in the text.
    pub cut_bytes: u64,
    /// The bytes that were kept, in hexadecimal, when they are no UTF-8: the text then shows them only roughly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
}

/// What can be shown of a run later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxEvidenceRow {
    /// Where it ran.
    pub workdir: String,
    /// The profile.
    pub sandbox_profile: String,
    /// The digest of what the profile came to here.
    pub profile_digest: String,
    /// The digest of the command.
    pub command_digest: String,
    /// The layers that were enforced, sorted.
    pub layers: Vec<String>,
    /// Why an operator let it run without a sandbox, where the platform has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_override: Option<String>,
    /// From start to end.
    pub wall_ms: u64,
    /// Processor time in user mode.
    pub user_ms: u64,
    /// Processor time in the system.
    pub system_ms: u64,
}

/// What came of asking for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SandboxOutcome {
    /// It ran.
    Ran(Box<SandboxRunAnswer>),
    /// It did not, and nothing was started.
    Refused(SandboxRefusal),
}

/// A run that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxRefusal {
    /// `sandbox.run`
    pub action: String,
    /// The profile that was asked for.
    pub sandbox_profile: String,
    /// The layer that is missing, when that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Why.
    pub refused: super::RefusedBecause,
}
