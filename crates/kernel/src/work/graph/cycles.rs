//! Cycles: one for each strongly connected part of the graph that has any.
//!
//! Tarjan's algorithm with its own stack, then one walk inside each part. Linear in nodes and edges. Must not recurse.

use alloc::vec::Vec;
use core::slice;

use super::walk::{NONE, PerNode, shortest_way};
use super::{Blocker, GraphScope, IssueGraph};

/// The cycles within `scope`, each beginning with its smallest node, sorted by it.
pub(super) fn cycles(graph: &IssueGraph, scope: GraphScope) -> Vec<Vec<u32>> {
    let parts = Search::new(graph, scope).run();
    let mut parents = PerNode::new(graph.statuses.len());
    let mut is_done = PerNode::new(graph.statuses.len());
    let mut cycles = Vec::new();
    for node in graph.nodes().filter(|node| graph.is_within(*node, scope)) {
        let part = parts.get(node);
        // Nodes come ascending, so that the first one of a part is its smallest.
        if is_done.get(part) != NONE {
            continue;
        }
        is_done.set(part, node);
        let inside = |from| graph.blocking_targets(from, scope).filter(|target| parts.get(*target) == part);
        cycles.extend(shortest_way(node, node, &mut parents, inside));
    }
    cycles
}

/// A node being explored, and its links that were not followed yet.
#[derive(Debug)]
struct Frame<'a> {
    node: u32,
    links: slice::Iter<'a, Blocker>,
}

/// The state of the search for strongly connected parts.
#[derive(Debug)]
struct Search<'a> {
    graph: &'a IssueGraph,
    scope: GraphScope,
    /// When each node was first seen.
    seen_at: PerNode,
    /// The earliest node that each one is known to lead back to.
    low: PerNode,
    /// The finished part each node belongs to.
    part: PerNode,
    /// Seen nodes whose part is not finished.
    open: Vec<u32>,
    frames: Vec<Frame<'a>>,
    next_seen: u32,
    next_part: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &'a IssueGraph, scope: GraphScope) -> Self {
        let table = || PerNode::new(graph.statuses.len());
        Self {
            graph,
            scope,
            seen_at: table(),
            low: table(),
            part: table(),
            open: Vec::new(),
            frames: Vec::new(),
            next_seen: 0,
            next_part: 0,
        }
    }

    /// The number of the part each node within the scope belongs to.
    fn run(mut self) -> PerNode {
        let (graph, scope) = (self.graph, self.scope);
        for root in graph.nodes().filter(|node| graph.is_within(*node, scope)) {
            if self.seen_at.get(root) == NONE {
                self.explore(root);
            }
        }
        self.part
    }

    fn explore(&mut self, root: u32) {
        self.enter(root);
        while let Some(frame) = self.frames.last_mut() {
            let node = frame.node;
            let (graph, scope) = (self.graph, self.scope);
            match frame.links.by_ref().find_map(|link| graph.blocking_target(link, scope)) {
                Some(target) if self.seen_at.get(target) == NONE => self.enter(target),
                Some(target) if self.part.get(target) == NONE => {
                    self.lower(node, self.seen_at.get(target));
                }
                Some(_) => {}
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.seen_at.set(node, self.next_seen);
        self.low.set(node, self.next_seen);
        self.next_seen = self.next_seen.saturating_add(1);
        self.open.push(node);
        self.frames.push(Frame { node, links: self.graph.links(node).iter() });
    }

    fn leave(&mut self, node: u32) {
        self.frames.pop();
        let low = self.low.get(node);
        if low == self.seen_at.get(node) {
            while let Some(member) = self.open.pop() {
                self.part.set(member, self.next_part);
                if member == node {
                    break;
                }
            }
            self.next_part = self.next_part.saturating_add(1);
        }
        if let Some(parent) = self.frames.last().map(|frame| frame.node) {
            self.lower(parent, low);
        }
    }

    fn lower(&mut self, node: u32, low: u32) {
        self.low.set(node, self.low.get(node).min(low));
    }
}
