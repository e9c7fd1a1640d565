//! The dependencies of issue memory as a projection, and what is wrong with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `dep project`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyProjection {
    /// `dep.project`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// `active` or `full`
    pub graph_scope: String,
    /// `dependents` (what waits for the roots) or `dependencies` (what the roots wait for)
    pub direction: String,
    /// How many nodes are listed here.
    pub count: u64,
    /// How many there are, where `--limit` cut them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Where the tree begins.
    pub roots: Vec<String>,
    /// The issues, in natural order.
    pub nodes: Vec<ProjectedNode>,
    /// Every dependency between them, and those that lead to nothing.
    pub edges: Vec<ProjectedEdge>,
}

/// An issue of the projection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectedNode {
    /// Which.
    pub id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it stands, as the row says it.
    pub status: String,
    /// 0 to 4.
    pub priority: u8,
    /// What it is, as the row says it.
    pub issue_type: String,
    /// Whether it is ready to be worked on.
    pub ready: bool,
}

/// A dependency of the projection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectedEdge {
    /// The dependent.
    pub issue_id: String,
    /// What it depends on.
    pub depends_on_id: String,
    /// How.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the dependency orders work.
    pub blocking: bool,
    /// Whether there is no such issue.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub missing: bool,
}

/// The answer of `dep diagnostics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyDiagnostics {
    /// `dep.diagnostics`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// `active` or `full`
    pub graph_scope: String,
    /// Whether there is neither a cycle nor an unknown issue.
    pub ok: bool,
    /// How many there are of each.
    pub counts: DependencyCounts,
    /// Whether `--limit` cut a list.
    pub has_more: bool,
    /// One cycle for each knot of issues that wait for each other; the first issue again at the end.
    pub cycles: Vec<Vec<String>>,
    /// Blocking dependencies on issues that do not exist.
    pub unknown: Vec<UnknownDependency>,
}

/// How many there are of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyCounts {
    /// Issues in the scope.
    pub issues: u64,
    /// Blocking dependencies of those issues.
    pub blocking_dependencies: u64,
    /// Open issues that something holds back.
    pub held_back: u64,
    /// Cycles.
    pub cycles: u64,
    /// Dependencies on issues that do not exist.
    pub unknown: u64,
}

/// A dependency on an issue that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownDependency {
    /// The dependent.
    pub issue_id: String,
    /// What it names.
    pub depends_on_id: String,
    /// How.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The answer of `issue graph`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueGraph {
    /// `issue.graph`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// How many issues there are here.
    pub count: u64,
    /// How many there are in all, where that is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The issues, in natural order.
    pub nodes: Vec<IssueGraphNode>,
    /// What they depend on; also on issues that are not here.
    pub edges: Vec<IssueGraphEdge>,
}

/// An issue of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueGraphNode {
    /// Which.
    pub id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it stands, as the row says it.
    pub status: String,
    /// 0 to 4.
    pub priority: u8,
    /// What it is, as the row says it.
    pub issue_type: String,
    /// `ready`, `blocked`, `claimed` or `closed`
    pub state: String,
    /// Who holds it, while the lease lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// When the lease ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// What every write by its holder names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
}

/// A dependency of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueGraphEdge {
    /// The dependent.
    pub from: String,
    /// What it depends on.
    pub to: String,
    /// How.
    #[serde(rename = "type")]
    pub kind: String,
}
