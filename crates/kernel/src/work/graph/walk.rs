//! Shortest ways through a numbered graph, breadth first.
//!
//! Must not know what an edge means: the caller says where one can go.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::index;

/// Stands where no node was noted.
pub(super) const NONE: u32 = u32::MAX;

/// A number noted for each node, [`NONE`] at first.
#[derive(Debug)]
pub(super) struct PerNode(Vec<u32>);

impl PerNode {
    pub(super) fn new(nodes: usize) -> Self {
        Self(vec![NONE; nodes])
    }

    pub(super) fn get(&self, node: u32) -> u32 {
        self.0.get(index(node)).copied().unwrap_or(NONE)
    }

    pub(super) fn set(&mut self, node: u32, value: u32) {
        if let Some(place) = self.0.get_mut(index(node)) {
            *place = value;
        }
    }
}

/// The nodes of a shortest way of at least one edge from `start` to `goal`, `goal` itself left out.
///
/// Notes in `parents` whom it came from, and does not enter a node that has a parent: ways through parts of a graph
/// that do not touch may share one table.
pub(super) fn shortest_way<I: Iterator<Item = u32>>(
    start: u32,
    goal: u32,
    parents: &mut PerNode,
    targets: impl Fn(u32) -> I,
) -> Option<Vec<u32>> {
    parents.set(start, start);
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for target in targets(node) {
            if target == goal {
                return Some(trace(start, node, parents));
            }
            if parents.get(target) == NONE {
                parents.set(target, node);
                open.push_back(target);
            }
        }
    }
    None
}

/// The way from `start` to `end`, read off the parents.
fn trace(start: u32, end: u32, parents: &PerNode) -> Vec<u32> {
    let mut way = Vec::from([end]);
    let mut node = end;
    while node != start {
        node = parents.get(node);
        way.push(node);
    }
    way.reverse();
    way
}
