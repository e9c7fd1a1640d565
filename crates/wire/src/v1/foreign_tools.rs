//! The answers of `tools`: other servers, what they define, and what was approved of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Json;

/// Another server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignServerRow {
    /// Its name in the configuration.
    pub name: String,
    /// The command line or the address.
    pub reached: String,
    /// `own` where the person's own file names it, `approved`, `unapproved`, or `changed` where another one was approved
    pub state: String,
    /// The digest of who it is: command, arguments, variables, folder, address.
    pub digest: String,
    /// Who it is, whole.
    pub identity: Json,
    /// What must be granted for its tools to exist.
    pub scope: String,
    /// Who agreed that it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// What is another one than was approved, as a unified diff; where its state is `changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Why it gave no answer, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// One of its tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignToolRow {
    /// The server.
    pub server: String,
    /// What the server calls it, characters that nobody sees spelled out.
    pub tool: String,
    /// What a model knows it by.
    pub name: String,
    /// `approved`, or `blocked`
    pub state: String,
    /// Why it is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The digest of what there is now, or of what was approved where nobody was asked.
    pub digest: String,
    /// What a call can do, as our configuration says.
    pub risk: String,
    /// What must be granted for it to exist.
    pub scope: String,
    /// Whether a call whose answer was lost may be made again, as our configuration says.
    pub idempotent: bool,
    /// The arguments that say what a call acts on, as our configuration says. Without any, each call is approved by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Who approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<String>,
    /// Its definition, characters that nobody sees spelled out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Json>,
    /// What has changed since it was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The answer of every command of `tools`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignToolsAnswer {
    /// `tool.list`, `tool.show`, `tool.check`, `tool.approve` or `tool.forget`
    pub action: String,
    /// What came of it: `listed`, `shown`, `approved`, `forgotten`, or `nothing` where there was nothing to do
    pub outcome: String,
    /// The servers it is about.
    pub servers: Vec<ForeignServerRow>,
    /// The tools it is about, by server and name.
    pub tools: Vec<ForeignToolRow>,
    /// The digest of what is shown here: what `--digest` takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_digest: Option<String>,
}
