//! What the actions on issue memory answer: rows in camelCase, listings, refusals, checks and projections.
//!
//! The types are generic over how a row is written, so that a store may stream rows it never holds all at once. Rows keep
//! whatever other tools put into them; [`IssueShape`] names only what we know.

mod check;
mod graph;
mod lease;
mod row;
mod upkeep;
mod workspace;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::check::{CheckProblem, IssueCheckAnswer, LineNote, Severity};
pub use self::graph::{
    DependencyCounts, DependencyDiagnostics, DependencyProjection, IssueGraph, IssueGraphEdge,
    IssueGraphNode, ProjectedEdge, ProjectedNode, UnknownDependency,
};
pub use self::lease::{LeaseProjection, LeaseRow};
pub use self::row::IssueShape;
pub use self::upkeep::{
    BackendStatus, CompactAnswer, ExportAnswer, HistoryAnswer, HistoryStep, ImportAnswer, MemberChange,
};
pub use self::workspace::{ConfigAnswer, ConfigRow, InitAnswer, InitStep};

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome<T> {
    /// It was done.
    Done(T),
    /// It was refused, and nothing changed.
    Refused(RefusedAnswer),
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedAnswer {
    /// The host action.
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// Why.
    pub refused: RefusedBecause,
}

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedBecause {
    /// The stable class.
    pub class: String,
    /// What it is about.
    pub detail: String,
    /// What to do next.
    pub hint: String,
}

/// One issue, as it is after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueAnswer<R> {
    /// The host action.
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// The issue.
    pub issue: R,
    /// Whether a row was written; false when everything was as wanted already.
    pub changed: bool,
}

/// The answer of `issue claim-next`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimNextAnswer<R> {
    /// `issue.claim_next`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// Whether there was something to claim.
    pub claimed: bool,
    /// What was claimed.
    pub issue: Option<R>,
}

/// A listing. `Items` is a list of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueListing<Items> {
    /// The host action.
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// How many items are listed here.
    pub count: u64,
    /// How many there are, where `--limit` cut the list and counting them costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether `--limit` cut the list.
    pub has_more: bool,
    /// How all issues stand, where the list is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<StatusCounts>,
    /// The rows.
    pub items: Items,
    /// Lines that are not as they should be, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<LineNote>,
}

/// How many issues stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusCounts {
    /// Open and held back by nothing.
    pub ready: u64,
    /// Open, but waiting for others.
    pub waiting: u64,
    /// Being worked on.
    pub in_progress: u64,
    /// Set aside by hand.
    pub blocked: u64,
    /// Done.
    pub closed: u64,
    /// With a status of another tool.
    pub other: u64,
}

/// One issue with everything around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueCard<R> {
    /// `issue.show`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// The issue.
    pub issue: R,
    /// Whether it is ready to be worked on.
    pub ready: bool,
    /// What it depends on.
    pub depends_on: Vec<Neighbour>,
    /// What depends on it over a blocking dependency.
    pub dependents: Vec<Neighbour>,
    /// What holds it back.
    pub blockers: Vec<BlockerRow>,
    /// `unleased`, `active`, `expired` or `invalid`
    pub lease_state: String,
}

/// Another issue, seen from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Neighbour {
    /// Which.
    pub id: String,
    /// The type of the dependency.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its status, or `missing`.
    pub status: String,
    /// Its title, when there is such an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// What holds an issue back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockerRow {
    /// What is waited for.
    pub id: String,
    /// The type of the dependency.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its status, or `missing`.
    pub status: String,
    /// In words.
    pub why: String,
}

/// A row of `issue blocked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockedRow<R> {
    /// The issue.
    #[serde(flatten)]
    pub issue: R,
    /// What holds it back; empty for one that was set aside by hand.
    pub blockers: Vec<BlockerRow>,
}
