//! What is answered about the tools of runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `tools`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolListing {
    /// `tool.catalogue`
    pub action: String,
    /// How many there are.
    pub count: u64,
    /// The tools, by name.
    pub items: Vec<ToolRow>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// What it does, as a model is told.
    pub description: String,
    /// `read`, `create`, `write` or `destructive`
    pub risk: String,
    /// What must be granted for it to exist.
    pub scope: String,
    /// Where it comes from: `premath`, or the name of a server.
    pub source: String,
    /// The digest of its definition.
    pub digest: String,
    /// Whether it is offered only after a search found it.
    pub deferred: bool,
    /// How it stands to what somebody agreed to; absent for our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<ToolPin>,
}

/// How the tool of somebody else stands to what was agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolPin {
    /// `pinned`, `drifted` or `unpinned`
    pub state: String,
    /// The digest that was agreed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}
