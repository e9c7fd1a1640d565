//! What the actions on the desk answer: files, folders, contents, histories, and what a change came to. Must not decide
//! anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file of the desk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskFileRow {
    /// `fil_` and twelve hexadecimal digits.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `spreadsheet` or `markdown`.
    #[serde(rename = "type")]
    pub file_type: String,
    /// The folder it is in; absent at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whose work it is: `person` or `bot`.
    pub origin: String,
    /// The run or the person that made it.
    pub created_by: String,
    /// When it was made.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
    /// How often it was changed, its making included.
    pub version: u64,
    /// The digest of its content.
    pub digest: String,
    /// How long its content is.
    pub bytes: u64,
    /// When it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<String>,
}

/// The answer of `desk list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskListing {
    /// `desk.list`
    pub action: String,
    /// The desk.
    pub desk_path: String,
    /// How many are listed.
    pub count: u64,
    /// How many there are in all.
    pub total: u64,
    /// The files, in the order in which they were made; deleted ones the last one first.
    pub items: Vec<DeskFileRow>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The answer of `desk show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskDocument {
    /// `desk.show`
    pub action: String,
    /// The desk.
    pub desk_path: String,
    /// The file as it is now.
    pub file: DeskFileRow,
    /// The version whose content this is.
    pub shown_version: u64,
    /// The content: a text, or the cells of a spreadsheet in JSON.
    pub content: String,
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskTreeRow {
    /// How many folders it is in.
    pub depth: u64,
    /// Its id: `fil_…` or `fol_…`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `folder`, `spreadsheet` or `markdown`.
    #[serde(rename = "type")]
    pub item_type: String,
}

/// The answer of `desk tree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskTree {
    /// `desk.tree`
    pub action: String,
    /// The desk.
    pub desk_path: String,
    /// How many things there are.
    pub count: u64,
    /// Folders and files, each folder before what is in it.
    pub items: Vec<DeskTreeRow>,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskMatch {
    /// The file.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `spreadsheet` or `markdown`.
    #[serde(rename = "type")]
    pub file_type: String,
    /// The passage around what was found.
    pub snippet: String,
}

/// The answer of `desk search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskMatches {
    /// `desk.search`
    pub action: String,
    /// The desk.
    pub desk_path: String,
    /// What was searched for.
    pub query: String,
    /// How many were found.
    pub count: u64,
    /// The files, best first.
    pub items: Vec<DeskMatch>,
}

/// The answer of `desk add`, `desk write`, `desk rename`, `desk delete` and `desk restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskChanged {
    /// The host action.
    pub action: String,
    /// The desk.
    pub desk_path: String,
    /// The file or the folder.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `folder`, `spreadsheet` or `markdown`.
    #[serde(rename = "type")]
    pub item_type: String,
    /// The version of the file that the change made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// A file after one change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskVersion {
    /// Its number, from 1.
    pub version: u64,
    /// What the file was called.
    pub name: String,
    /// When it was.
    pub at: String,
    /// What made it.
    pub changed_by: String,
    /// Who.
    pub actor: String,
    /// On what authority: `operator` or `turn`.
    pub authority: String,
    /// The turn that earned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_digest: Option<String>,
    /// The intent of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_digest: Option<String>,
    /// The digest of the content.
    pub digest: String,
    /// How long the content was.
    pub bytes: u64,
    /// Whether that change deleted it.
    pub is_deleted: bool,
}

/// The answer of `desk history`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskHistory {
    /// `desk.history`
    pub action: String,
    /// The desk.
    pub desk_path: String,
    /// The file.
    pub file_id: String,
    /// How many versions there are.
    pub count: u64,
    /// The versions, oldest first.
    pub items: Vec<DeskVersion>,
}
