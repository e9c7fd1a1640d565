//! The issues of one store and their dependencies, as a graph in memory.
//!
//! Nodes are numbers, given in natural id order by the caller. Building it and every question that looks at all of it
//! costs time linear in nodes and edges. Must not recurse (a chain may be a million issues long) and must not know
//! how an issue is kept; stores that do not load everything use [`find_path`].

use alloc::vec::Vec;
use core::cmp::Ordering;

use self::grouped::Grouped;
use self::walk::{PerNode, shortest_way};
use super::dependency::DependencyKind;
use super::natural::natural_cmp;
use super::readiness::{TargetState, holds_back, is_ready};
use super::status::Status;

pub use self::lazy::find_path;

mod cycles;
mod grouped;
mod lazy;
mod walk;

/// An issue before it has a number. Sorted nodes are in the order their numbers must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'a> {
    /// The issue.
    pub id: &'a str,
    /// Where it stands.
    pub status: Status,
}

impl Ord for Node<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        natural_cmp(self.id, other.id).then_with(|| self.status.cmp(&other.status))
    }
}

impl PartialOrd for Node<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// One dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The dependent.
    pub from: u32,
    /// What it depends on; none when there is no such issue.
    pub to: Option<u32>,
    /// How.
    pub kind: DependencyKind,
}

/// Which issues a question about cycles looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphScope {
    /// Those that are not resolved, and the edges between them.
    Active,
    /// All that were not deleted.
    Full,
}

/// A dependency that holds its issue back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocker {
    /// What is waited for; none when there is no such issue.
    pub target: Option<u32>,
    /// How.
    pub kind: DependencyKind,
    /// The place of the dependency in the list the graph was built from.
    pub edge: usize,
}

/// A link seen from the issue it points at.
#[derive(Debug, Clone, Copy)]
struct Dependent {
    from: u32,
    kind: DependencyKind,
    edge: usize,
}

/// Issues and their dependencies, forwards and backwards.
#[derive(Debug, Clone)]
pub struct IssueGraph {
    statuses: Vec<Status>,
    /// By dependent; targets ascending, missing ones last.
    forward: Grouped<Blocker>,
    /// By target. The group behind the last node holds the links to nothing.
    reverse: Grouped<Dependent>,
}

impl IssueGraph {
    /// The graph over nodes with these statuses. An edge from no node is left out, one to no node points at nothing.
    #[must_use]
    pub fn new(statuses: Vec<Status>, edges: &[Edge]) -> Self {
        let nodes = statuses.len();
        let reverse = Grouped::new(
            nodes.saturating_add(1),
            edges.iter().enumerate().filter(|(_, one)| index(one.from) < nodes).map(|(edge, one)| {
                let target = one.to.map_or(nodes, index).min(nodes);
                (target, Dependent { from: one.from, kind: one.kind, edge })
            }),
        );
        // Taken in the order of the targets, the links of one dependent come out sorted, whatever order they came in.
        let by_target = (0..=nodes).flat_map(|target| {
            let number = u32::try_from(target).ok().filter(|_| target < nodes);
            reverse.group(target).iter().map(move |link| {
                (index(link.from), Blocker { target: number, kind: link.kind, edge: link.edge })
            })
        });
        let forward = Grouped::new(nodes, by_target);
        Self { statuses, forward, reverse }
    }

    /// The issues that are open and not held back, ascending.
    #[must_use]
    pub fn ready(&self) -> Vec<u32> {
        self.nodes()
            .filter(|node| {
                self.status(*node).is_some_and(|status| is_ready(status, self.is_held_back(*node)))
            })
            .collect()
    }

    /// Whether some dependency holds the issue back.
    #[must_use]
    pub fn is_held_back(&self, node: u32) -> bool {
        self.links(node).iter().any(|link| self.holds(link))
    }

    /// The dependencies that hold the issue back: by target, missing ones last, then by place.
    #[must_use]
    pub fn blockers(&self, node: u32) -> Vec<Blocker> {
        self.links(node).iter().filter(|link| self.holds(link)).copied().collect()
    }

    /// The children that are not resolved, ascending. The issue cannot close before them.
    #[must_use]
    pub fn open_children(&self, node: u32) -> Vec<u32> {
        if self.status(node).is_none() {
            return Vec::new();
        }
        let mut children: Vec<u32> = self
            .reverse
            .group(index(node))
            .iter()
            .filter(|link| link.kind == DependencyKind::ParentChild)
            .map(|link| link.from)
            .filter(|child| self.status(*child).is_some_and(|status| !status.is_resolved()))
            .collect();
        children.sort_unstable();
        children.dedup();
        children
    }

    /// One cycle over blocking edges for each knot of issues that wait for each other, smallest issue first.
    ///
    /// A cycle is the shortest one through the smallest issue of its knot and begins there; its last issue depends on
    /// its first. Does not depend on the order of the edges.
    #[must_use]
    pub fn cycles(&self, scope: GraphScope) -> Vec<Vec<u32>> {
        cycles::cycles(self, scope)
    }

    /// A shortest path over blocking edges, both ends included; `from` reaches itself.
    ///
    /// A new blocking dependency of `a` on `b` would close a cycle exactly when `b` reaches `a`.
    #[must_use]
    pub fn reaches(&self, from: u32, to: u32, scope: GraphScope) -> Option<Vec<u32>> {
        if !self.is_within(from, scope) || !self.is_within(to, scope) {
            return None;
        }
        if from == to {
            return Some(Vec::from([from]));
        }
        let mut parents = PerNode::new(self.statuses.len());
        let mut path = shortest_way(from, to, &mut parents, |node| self.blocking_targets(node, scope))?;
        path.push(to);
        Some(path)
    }

    fn nodes(&self) -> impl Iterator<Item = u32> {
        (0..=u32::MAX).take(self.statuses.len())
    }

    fn status(&self, node: u32) -> Option<Status> {
        self.statuses.get(index(node)).copied()
    }

    fn links(&self, node: u32) -> &[Blocker] {
        self.forward.group(index(node))
    }

    fn holds(&self, link: &Blocker) -> bool {
        holds_back(link.kind, TargetState::of(link.target.and_then(|target| self.status(target))))
    }

    fn is_within(&self, node: u32, scope: GraphScope) -> bool {
        self.status(node).is_some_and(|status| match scope {
            GraphScope::Active => !status.is_resolved(),
            GraphScope::Full => status != Status::Deleted,
        })
    }

    /// Where the link leads, if it orders work and stays within the scope.
    fn blocking_target(&self, link: &Blocker, scope: GraphScope) -> Option<u32> {
        link.target.filter(|target| link.kind.is_blocking() && self.is_within(*target, scope))
    }

    fn blocking_targets(&self, node: u32, scope: GraphScope) -> impl Iterator<Item = u32> {
        self.links(node).iter().filter_map(move |link| self.blocking_target(link, scope))
    }
}

/// The place of a node in a list; a place no list has, where numbers are wider than addresses.
fn index(node: u32) -> usize {
    usize::try_from(node).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
