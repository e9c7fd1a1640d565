//! The state of issue memory as a store, what was done to it, and what became of one issue over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::LineNote;
use crate::Json;

/// The answer of `issue backend-status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendStatus {
    /// `issue.backend_status`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// `file`
    pub backend: String,
    /// Whether the file is there.
    pub exists: bool,
    /// Whether it can be opened for writing.
    pub can_write: bool,
    /// Lines in the file.
    pub rows: u64,
    /// Issues.
    pub issues: u64,
    /// Rows that a newer one took the place of.
    pub superseded_rows: u64,
    /// Lines that are no rows.
    pub problem_lines: u64,
    /// The size of the file's whole lines.
    pub bytes: u64,
    /// `iss1_…`: equal content, equal ref.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_ref: Option<String>,
    /// `present` or `absent`; it is derived, and made again when it is wanted.
    pub index: String,
    /// `anchored`, `longer`, `unanchored`, `shorter` or `changed`: how the log stands to its head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
    /// How often it was found changed by others before.
    pub breaks: u64,
}

/// The answer of `issue compact`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactAnswer {
    /// `issue.compact`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// Rows that stay.
    pub kept: u64,
    /// Rows that moved to the history.
    pub moved: u64,
}

/// The answer of `issue import`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportAnswer {
    /// `issue.import`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// Where the rows came from.
    pub source: String,
    /// Rows that were read.
    pub read: u64,
    /// Rows that were new or different, and written.
    pub written: u64,
    /// Rows that were there already.
    pub unchanged: u64,
    /// Issues that stay as they are here: changed later than in the file, or somebody works on them.
    pub kept: Vec<String>,
    /// Lines that are no rows, and were left out.
    pub problems: Vec<LineNote>,
}

/// The answer of `issue export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportAnswer<Items> {
    /// `issue.export`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// How many rows there are.
    pub count: u64,
    /// The file they were written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The rows as they are in the store, where no file was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
}

/// The answer of `issue history`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryAnswer {
    /// `issue.history`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// Which issue.
    pub issue_id: String,
    /// How many steps are listed here.
    pub count: u64,
    /// How many there are, where `--limit` cut the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The steps, oldest first. With a limit, the newest ones.
    pub items: Vec<HistoryStep>,
}

/// One row an issue had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryStep {
    /// The revision; 0 for a row that is not ours.
    pub rev: u64,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Which host action wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrote: Option<String>,
    /// `operator`, `turn`, `lease` or `maintenance`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    /// Who, where that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// What changed against the row before.
    pub changed: Vec<MemberChange>,
}

/// One member that changed. Long texts are cut to what changed in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberChange {
    /// Its name in the row.
    pub member: String,
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Json>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Json>,
}
