//! What a merge of issue memory came to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `merge-driver`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeAnswer {
    /// The file that was merged.
    pub path: String,
    /// Issues with fields that the branches changed to different values.
    pub conflicts: Vec<String>,
    /// Issues that have another id than on their branch.
    pub renamed: Vec<MergeRenamed>,
}

/// An issue whose id another one has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeRenamed {
    /// The id it had on its branch.
    pub former: String,
    /// The id it has now.
    pub id: String,
}
