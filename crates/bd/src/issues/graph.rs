//! The whole graph of issue memory, loaded: for the questions that look at all of it.

use premath_kernel::{Edge, IssueGraph, natural_cmp};

use super::facts::Facts;
use super::store::RowRef;

/// Every issue and its blocking dependencies. Nodes are numbered in natural order of the ids.
#[derive(Debug)]
pub struct GraphView {
    /// What is known of each node.
    pub facts: Vec<Facts>,
    /// Where each node's row is.
    pub rows: Vec<RowRef>,
    /// Every blocking dependency, by dependent.
    pub edges: Vec<Edge>,
    /// For each edge what it names, also when there is no such issue.
    pub targets: Vec<String>,
    /// The graph itself.
    pub graph: IssueGraph,
}

impl GraphView {
    /// The graph over these issues, in any order.
    pub(crate) fn new(mut issues: Vec<(Facts, RowRef)>) -> Self {
        issues.sort_by(|left, right| natural_cmp(&left.0.id, &right.0.id));
        let number = |id: &str| {
            let at = issues.binary_search_by(|(facts, _)| natural_cmp(&facts.id, id)).ok()?;
            u32::try_from(at).ok()
        };
        let mut edges = Vec::new();
        let mut targets = Vec::new();
        for ((facts, _), from) in issues.iter().zip(0_u32..) {
            for dependency in &facts.blocking {
                let to = number(&dependency.depends_on);
                edges.push(Edge { from, to, kind: dependency.kind });
                targets.push(dependency.depends_on.clone());
            }
        }
        let statuses = issues.iter().map(|(facts, _)| facts.status).collect();
        let graph = IssueGraph::new(statuses, &edges);
        let (facts, rows) = issues.into_iter().unzip();
        Self { facts, rows, edges, targets, graph }
    }

    /// What is known of a node.
    #[must_use]
    pub fn node(&self, number: u32) -> Option<&Facts> {
        self.facts.get(usize::try_from(number).ok()?)
    }

    /// The number of an issue.
    #[must_use]
    pub fn number(&self, id: &str) -> Option<u32> {
        let at = self.facts.binary_search_by(|facts| natural_cmp(&facts.id, id)).ok()?;
        u32::try_from(at).ok()
    }
}
