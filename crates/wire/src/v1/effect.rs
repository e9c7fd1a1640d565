//! The envelope that every host call answers with, whichever door it came through.

use schemars::JsonSchema;
use serde::Serialize;

/// The schema every envelope names.
pub const HOST_EFFECT_SCHEMA: &str = "premath.host_effect.v0";

/// One host call and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostEffect<Payload> {
    /// `premath.host_effect.v0`
    pub schema: &'static str,
    /// The action, for example `harness.join_check`.
    pub action: &'static str,
    /// `he1_` and the SHA-256 of the canonical arguments.
    pub args_digest: String,
    /// `accepted`, `rejected` or the action's own class.
    pub result_class: String,
    /// What the action answers.
    pub payload: Payload,
    /// Witnesses that the call emitted or consumed.
    pub witness_refs: Vec<String>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_classes: Vec<String>,
    /// The policy a mutation ran under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_digest: Option<String>,
    /// The instruction a mutation ran under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_ref: Option<String>,
}
