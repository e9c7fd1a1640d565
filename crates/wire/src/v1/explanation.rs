//! What `explain` prints about one failure class.

use schemars::JsonSchema;
use serde::Serialize;

/// One failure class, explained.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The stable code.
    pub class: &'static str,
    /// What stands before the dot.
    pub family: String,
    /// The stage of the chain that it breaks.
    pub stage: &'static str,
    /// The class in one sentence.
    pub summary: &'static str,
    /// What to do, in one sentence.
    pub hint: &'static str,
    /// The whole page, as Markdown.
    pub page: &'static str,
}
