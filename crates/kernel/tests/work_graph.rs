//! Laws of the issue graph on generated graphs, against a slow and obvious reference: reachability by closing a
//! matrix, readiness by looking at every edge.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "graphs of a few nodes; an index out of range must fail the test"
)]

use std::collections::BTreeSet;

use premath_kernel::{DependencyKind, Edge, GraphScope, IssueGraph, Status};

const GRAPHS: u64 = 20_000;
const STATUSES: [Status; 6] =
    [Status::Open, Status::InProgress, Status::Blocked, Status::Closed, Status::Deleted, Status::Other];

/// A small generator of numbers (SplitMix64): the same graphs in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(end).unwrap()).unwrap()
    }

    fn node(&mut self, end: usize) -> u32 {
        u32::try_from(self.below(end)).unwrap()
    }
}

#[derive(Debug, Clone)]
struct Case {
    statuses: Vec<Status>,
    edges: Vec<Edge>,
}

impl Case {
    fn generate(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let nodes = 1 + numbers.below(7);
        let statuses = (0..nodes).map(|_| STATUSES[numbers.below(STATUSES.len())]).collect();
        let kinds =
            [&DependencyKind::ALL[..], &[DependencyKind::Other; 1], &[DependencyKind::Blocks; 6]].concat();
        let edges = (0..numbers.below(2 * nodes + 2))
            .map(|_| Edge {
                from: numbers.node(nodes),
                to: Some(numbers.node(nodes)).filter(|_| numbers.below(8) > 0),
                kind: kinds[numbers.below(kinds.len())],
            })
            .collect();
        Self { statuses, edges }
    }

    fn graph(&self) -> IssueGraph {
        IssueGraph::new(self.statuses.clone(), &self.edges)
    }

    fn nodes(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.statuses.len()).unwrap()
    }

    fn status(&self, node: u32) -> Status {
        self.statuses[node as usize]
    }

    fn is_open(&self, node: u32) -> bool {
        !matches!(self.status(node), Status::Closed | Status::Deleted)
    }

    fn holds(&self, edge: &Edge) -> bool {
        edge.kind.holds_back() && edge.to.is_none_or(|to| self.is_open(to))
    }

    fn blocking(&self, scope: GraphScope) -> BTreeSet<(u32, u32)> {
        let is_within = |node| match scope {
            GraphScope::Full => self.status(node) != Status::Deleted,
            GraphScope::Active => self.is_open(node),
        };
        let ends = self.edges.iter().filter(|edge| edge.kind.is_blocking());
        ends.filter_map(|edge| edge.to.map(|to| (edge.from, to)))
            .filter(|(from, to)| is_within(*from) && is_within(*to))
            .collect()
    }

    /// The least number of edges from each node to each, at least one; none where there is no way.
    fn distances(&self, scope: GraphScope) -> Vec<Vec<Option<usize>>> {
        let count = self.statuses.len();
        let mut table = vec![vec![None; count]; count];
        for (from, to) in self.blocking(scope) {
            table[from as usize][to as usize] = Some(1);
        }
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let through = table[from][middle].zip(table[middle][to]).map(|(one, two)| one + two);
                    table[from][to] = [table[from][to], through].into_iter().flatten().min();
                }
            }
        }
        table
    }
}

fn for_each_case(check: impl Fn(&Case)) {
    for seed in 0..GRAPHS {
        check(&Case::generate(seed));
    }
}

#[test]
fn ready_and_blockers_agree_with_a_look_at_every_edge() {
    for_each_case(|case| {
        let graph = case.graph();
        let mut ready = Vec::new();
        for node in case.nodes() {
            let mut expected: Vec<_> = case
                .edges
                .iter()
                .enumerate()
                .filter(|(_, edge)| edge.from == node && case.holds(edge))
                .map(|(place, edge)| (edge.to.is_none(), edge.to, place, edge.kind))
                .collect();
            expected.sort_unstable();
            let found: Vec<_> = graph
                .blockers(node)
                .into_iter()
                .map(|one| (one.target.is_none(), one.target, one.edge, one.kind))
                .collect();
            assert_eq!(found, expected, "{node} in {case:?}");
            assert_eq!(graph.is_held_back(node), !expected.is_empty(), "{node} in {case:?}");
            if case.status(node) == Status::Open && expected.is_empty() {
                ready.push(node);
            }
        }
        assert_eq!(graph.ready(), ready, "{case:?}");
    });
}

#[test]
fn open_children_agree_with_a_look_at_every_edge() {
    for_each_case(|case| {
        for node in case.nodes() {
            let children: BTreeSet<u32> = case
                .edges
                .iter()
                .filter(|edge| edge.kind == DependencyKind::ParentChild && edge.to == Some(node))
                .map(|edge| edge.from)
                .filter(|child| case.is_open(*child))
                .collect();
            assert!(case.graph().open_children(node).into_iter().eq(children), "{node} in {case:?}");
        }
    });
}

#[test]
fn there_is_one_shortest_cycle_for_each_knot_and_no_other() {
    for scope in [GraphScope::Active, GraphScope::Full] {
        for_each_case(|case| {
            let (edges, distances) = (case.blocking(scope), case.distances(scope));
            let reach = |from: u32, to: u32| distances[from as usize][to as usize];
            // The smallest node of a knot: it returns to itself, and no smaller one shares its knot.
            let smallest: Vec<u32> = case
                .nodes()
                .filter(|node| reach(*node, *node).is_some())
                .filter(|node| (0..*node).all(|less| reach(less, *node).zip(reach(*node, less)).is_none()))
                .collect();
            let cycles = case.graph().cycles(scope);
            let starts: Vec<u32> = cycles.iter().map(|cycle| cycle[0]).collect();
            assert_eq!(starts, smallest, "{case:?}");
            for cycle in &cycles {
                let next = cycle.iter().cycle().skip(1);
                assert!(cycle.iter().zip(next).all(|(from, to)| edges.contains(&(*from, *to))), "{case:?}");
                assert_eq!(cycle.iter().collect::<BTreeSet<_>>().len(), cycle.len(), "{case:?}");
                assert_eq!(Some(cycle.len()), reach(cycle[0], cycle[0]), "{case:?}");
            }
        });
    }
}

#[test]
fn a_path_is_found_exactly_where_there_is_one_and_is_a_shortest() {
    for_each_case(|case| {
        let (scope, graph) = (GraphScope::Active, case.graph());
        let (edges, distances) = (case.blocking(scope), case.distances(scope));
        for (from, to) in case.nodes().flat_map(|from| case.nodes().map(move |to| (from, to))) {
            let path = graph.reaches(from, to, scope);
            let is_active = case.is_open(from);
            let expected =
                if from == to { is_active.then_some(0) } else { distances[from as usize][to as usize] };
            assert_eq!(path.as_ref().map(|path| path.len() - 1), expected, "{from} {to} in {case:?}");
            if let Some(path) = path {
                assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)));
                assert!(path.windows(2).all(|pair| edges.contains(&(pair[0], pair[1]))), "{case:?}");
            }
        }
    });
}

#[test]
fn a_new_blocking_edge_closes_a_cycle_exactly_when_its_target_reaches_its_source() {
    let scope = GraphScope::Active;
    for_each_case(|case| {
        let graph = case.graph();
        if !graph.cycles(scope).is_empty() {
            return;
        }
        let active = || case.nodes().filter(|node| case.is_open(*node));
        for (from, to) in active().flat_map(|from| active().map(move |to| (from, to))) {
            let mut longer = case.clone();
            longer.edges.push(Edge { from, to: Some(to), kind: DependencyKind::Blocks });
            let closes = !longer.graph().cycles(scope).is_empty();
            assert_eq!(graph.reaches(to, from, scope).is_some(), closes, "{from} {to} in {case:?}");
        }
    });
}

#[test]
fn the_order_of_the_edges_changes_no_answer() {
    for_each_case(|case| {
        let mut turned = case.clone();
        turned.edges.reverse();
        let (graph, other) = (case.graph(), turned.graph());
        assert_eq!(graph.ready(), other.ready(), "{case:?}");
        assert_eq!(graph.cycles(GraphScope::Full), other.cycles(GraphScope::Full), "{case:?}");
        let last = u32::try_from(case.statuses.len() - 1).unwrap();
        let ways = [&graph, &other].map(|graph| graph.reaches(0, last, GraphScope::Full));
        assert_eq!(ways[0], ways[1], "{case:?}");
    });
}
