//! What is answered to the hooks of other agents, and about the files that call them. Must not decide anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Json;

/// The answer of `guard`: what becomes of what another agent is about to do, or has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuardDecision {
    /// `guard.decide`
    pub action: String,
    /// Whose hook it is: `claude-code` or `codex`.
    pub format: String,
    /// The event, as the agent names it; empty where it could not be read.
    pub event: String,
    /// `allow`, `ask` or `deny`.
    pub effect: String,
    /// The stable code of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The policy that decided; for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_name: Option<String>,
    /// Why; for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do instead; for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The tool, as the agent names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_tool: Option<String>,
    /// The tool, as rules name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The digest of what was decided about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_digest: Option<String>,
    /// What it is about, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// What stands against a command or a path, the severest first; `policyName` is that of the first that decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<GuardFinding>,
    /// What the model should know of a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The result without what guards took out of it, where they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Json>,
    /// The row of the audit log.
    pub audit_id: String,
}

/// One thing that stands against a command or a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuardFinding {
    /// What is at risk: `destructive`, `exfiltration`, `privilege`, `persistence`, `history`, `secrets`, `install`, `self`,
    /// `obscured` or `unreadable`.
    pub class: String,
    /// `ask` or `deny`.
    pub effect: String,
    /// The part of the command it is about, without secrets.
    pub part: String,
    /// What that part does, as the rest of a sentence that begins with it.
    pub reason: String,
}

/// The answer of `guard install` and `guard uninstall`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuardInstalled {
    /// `guard.install` or `guard.uninstall`
    pub action: String,
    /// Whose hooks.
    pub format: String,
    /// The file.
    pub path: String,
    /// Whether it is, or would be, another than before.
    pub changed: bool,
    /// Whether it was written.
    pub written: bool,
    /// What is, or would be, different.
    pub diff: String,
    /// The digest of the file that the difference begins from; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What else a person has to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
