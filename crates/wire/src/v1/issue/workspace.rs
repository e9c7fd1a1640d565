//! A repository that is made ready for premath, and what its configuration says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::upkeep::ImportAnswer;

/// The answer of `init`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitAnswer {
    /// `workspace.init`
    pub action: String,
    /// The folder.
    pub root: String,
    /// The issue memory.
    pub issues_path: String,
    /// Whether anything was made or taken over.
    pub changed: bool,
    /// What was looked at, and whether it had to be made.
    pub steps: Vec<InitStep>,
    /// What was taken over from elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<ImportAnswer>,
    /// The command that was found to say how things stand before any work, and written to the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitStep {
    /// Where.
    pub path: String,
    /// Whether it was made now; false when it was there.
    pub made: bool,
}

/// The answer of `config show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigAnswer {
    /// `config.show`
    pub action: String,
    /// The folder.
    pub root: String,
    /// How many values there are.
    pub count: u64,
    /// The values, by key.
    pub items: Vec<ConfigRow>,
}

/// One value of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigRow {
    /// Its name, dotted.
    pub key: String,
    /// The value that counts.
    pub value: String,
    /// `default`, `file` or `flag`
    pub layer: String,
    /// File and line, for a value from a file; the flag, for one from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}
