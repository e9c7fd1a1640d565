//! Facts about the graph of issues. The laws over generated graphs are in `tests/work_graph.rs`.

use std::string::String;
use std::vec;
use std::vec::Vec;

use super::{Blocker, Edge, GraphScope, IssueGraph, Node, find_path};
use crate::work::{DependencyKind, Status};

const LONG: u32 = 1_000_000;

fn edge(from: u32, to: u32, kind: DependencyKind) -> Edge {
    Edge { from, to: Some(to), kind }
}

fn blocks(from: u32, to: u32) -> Edge {
    edge(from, to, DependencyKind::Blocks)
}

fn open(nodes: usize, edges: &[Edge]) -> IssueGraph {
    IssueGraph::new(vec![Status::Open; nodes], edges)
}

#[test]
fn an_issue_is_ready_when_all_that_holds_it_back_is_closed() {
    let statuses = vec![Status::Open, Status::Closed, Status::Open, Status::InProgress];
    let graph = IssueGraph::new(statuses, &[blocks(0, 1), blocks(2, 0), blocks(2, 1)]);
    assert_eq!(graph.ready(), [0]);
    assert!(graph.is_held_back(2));
    assert_eq!(graph.blockers(2), [Blocker { target: Some(0), kind: DependencyKind::Blocks, edge: 1 }]);
}

#[test]
fn a_dependency_on_nothing_holds_back_and_is_listed_last() {
    let unknown = Edge { from: 0, to: None, kind: DependencyKind::WaitsFor };
    let out_of_range = blocks(0, 7);
    let graph = open(2, &[unknown, out_of_range, blocks(0, 1)]);
    assert_eq!(graph.ready(), [1]);
    let listed: Vec<_> = graph.blockers(0).iter().map(|one| (one.target, one.edge)).collect();
    assert_eq!(listed, [(Some(1), 2), (None, 0), (None, 1)]);
}

#[test]
fn an_edge_from_nothing_is_left_out() {
    let graph = open(1, &[blocks(9, 0), edge(9, 0, DependencyKind::ParentChild)]);
    assert_eq!(graph.ready(), [0]);
    assert!(graph.open_children(0).is_empty());
}

#[test]
fn a_child_is_ready_before_its_parent_and_keeps_it_from_closing() {
    let child = |from, to| edge(from, to, DependencyKind::ParentChild);
    let statuses = vec![Status::Open, Status::Open, Status::Closed, Status::Blocked];
    let graph =
        IssueGraph::new(statuses, &[child(3, 0), child(1, 0), child(2, 0), child(1, 0), blocks(0, 1)]);
    assert_eq!(graph.open_children(0), [1, 3]);
    assert!(graph.open_children(1).is_empty());
    assert_eq!(graph.ready(), [1]);
}

#[test]
fn a_question_about_no_node_has_no_answer() {
    let graph = open(1, &[Edge { from: 0, to: None, kind: DependencyKind::ParentChild }]);
    assert_eq!(graph.blockers(1), []);
    assert!(graph.open_children(1).is_empty());
    assert_eq!(graph.reaches(1, 1, GraphScope::Full), None);
    assert_eq!(graph.reaches(0, 1, GraphScope::Full), None);
    assert!(!graph.is_held_back(u32::MAX));
}

#[test]
fn each_knot_gives_one_cycle_from_its_smallest_issue() {
    let edges = [
        blocks(5, 4),
        blocks(4, 5),
        blocks(3, 1),
        blocks(1, 2),
        blocks(2, 3),
        blocks(2, 1),
        blocks(0, 1),
        blocks(6, 6),
    ];
    assert_eq!(open(8, &edges).cycles(GraphScope::Full), [vec![1, 2], vec![4, 5], vec![6]]);
}

#[test]
fn a_cycle_runs_over_all_four_blocking_kinds_and_no_other() {
    let ring = |kinds: [DependencyKind; 4]| {
        let [first, second, third, fourth] = kinds;
        open(4, &[edge(0, 1, first), edge(1, 2, second), edge(2, 3, third), edge(3, 0, fourth)])
            .cycles(GraphScope::Active)
    };
    let [blocks, child, conditional, waits] = [
        DependencyKind::Blocks,
        DependencyKind::ParentChild,
        DependencyKind::ConditionalBlocks,
        DependencyKind::WaitsFor,
    ];
    assert_eq!(ring([blocks, child, conditional, waits]), [[0, 1, 2, 3]]);
    assert_eq!(ring([blocks, child, conditional, DependencyKind::Related]), Vec::<Vec<u32>>::new());
}

#[test]
fn a_resolved_issue_breaks_a_cycle_of_the_active_scope() {
    let graph = IssueGraph::new(vec![Status::Open, Status::Closed], &[blocks(0, 1), blocks(1, 0)]);
    assert_eq!(graph.cycles(GraphScope::Active), Vec::<Vec<u32>>::new());
    assert_eq!(graph.cycles(GraphScope::Full), [[0, 1]]);
    assert_eq!(graph.reaches(0, 1, GraphScope::Active), None);
    assert_eq!(graph.reaches(1, 1, GraphScope::Active), None);
    assert_eq!(graph.reaches(0, 1, GraphScope::Full), Some(vec![0, 1]));
}

#[test]
fn a_path_is_a_shortest_one_and_an_issue_reaches_itself() {
    let graph = open(5, &[blocks(0, 1), blocks(1, 2), blocks(2, 4), blocks(0, 3), blocks(3, 4)]);
    assert_eq!(graph.reaches(0, 4, GraphScope::Active), Some(vec![0, 3, 4]));
    assert_eq!(graph.reaches(4, 0, GraphScope::Active), None);
    assert_eq!(graph.reaches(2, 2, GraphScope::Active), Some(vec![2]));
}

#[test]
fn a_chain_of_a_million_issues_is_walked_without_recursion() {
    let edges: Vec<Edge> = (0..LONG - 1).map(|node| blocks(node, node + 1)).collect();
    let graph = open(LONG as usize, &edges);
    assert_eq!(graph.ready(), [LONG - 1]);
    assert_eq!(graph.cycles(GraphScope::Active), Vec::<Vec<u32>>::new());
    assert_eq!(graph.reaches(0, LONG - 1, GraphScope::Active).unwrap().len(), LONG as usize);
}

#[test]
fn a_ring_of_a_million_issues_is_one_cycle() {
    let edges: Vec<Edge> = (0..LONG).map(|node| blocks(node, (node + 1) % LONG)).collect();
    let cycles = open(LONG as usize, &edges).cycles(GraphScope::Full);
    assert_eq!(cycles.len(), 1);
    assert!(cycles[0].iter().copied().eq(0..LONG));
}

#[test]
fn sorted_nodes_are_in_natural_order() {
    let node = |id| Node { id, status: Status::Open };
    let mut nodes = [node("bd-10"), node("bd-9"), node("a")];
    nodes.sort();
    assert_eq!(nodes.map(|node| node.id), ["a", "bd-9", "bd-10"]);
}

/// What lies behind each id of a small graph, noting every question.
fn ask<'a>(asked: &'a mut Vec<String>) -> impl FnMut(&str) -> Result<Vec<String>, String> + 'a {
    |id| {
        asked.push(String::from(id));
        let next: &[&str] = match id {
            "a" => &["b", "c"],
            "b" => &["a", "d"],
            "c" => &["d", "e"],
            "d" => &["b"],
            "e" => return Err(String::from("e cannot be read")),
            _ => &[],
        };
        Ok(next.iter().copied().map(String::from).collect())
    }
}

#[test]
fn a_lazy_path_is_a_shortest_one_and_asks_no_more_than_it_must() {
    let mut asked = Vec::new();
    let path = find_path("a", "d", ask(&mut asked)).unwrap().unwrap();
    assert_eq!(path, ["a", "b", "d"]);
    assert_eq!(asked, ["a", "b"]);
}

#[test]
fn a_lazy_walk_asks_about_each_issue_once_and_ends_on_a_cycle() {
    let mut asked = Vec::new();
    assert_eq!(find_path("b", "z", ask(&mut asked)), Err(String::from("e cannot be read")));
    assert_eq!(asked, ["b", "a", "d", "c", "e"]);
    asked.clear();
    assert_eq!(find_path("x", "z", ask(&mut asked)), Ok(None));
    asked.clear();
    assert_eq!(find_path("e", "e", ask(&mut asked)), Ok(Some(vec![String::from("e")])));
    assert_eq!(asked, Vec::<String>::new());
}
