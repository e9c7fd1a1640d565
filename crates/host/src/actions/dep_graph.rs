//! `dep.project` and `dep.diagnostics`: the graph as a whole, in linear time.

use std::collections::BTreeSet;

use premath_bd::StoreError;
use premath_bd::issues::{GraphView, IssueRow, IssueView, row_object};
use premath_kernel::{DependencyKind, GraphScope, Status, Value, is_ready};
use premath_wire::InputError;
use premath_wire::v1::{
    DependencyCounts, DependencyDiagnostics, DependencyProjection, ProjectedEdge, ProjectedNode,
    UnknownDependency,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{IssueLane, arguments, count, dependencies, id, status, token, told};
use super::issue_read::wanted;
use crate::table::{ActionError, Answer, Host};

/// What both take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct GraphArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// `active` (what is not closed; when absent) or `full`.
    graph_scope: Option<String>,
    /// Only what is reached from this issue; not for diagnostics.
    root: Option<String>,
    /// `dependencies` or `dependents` of the root; not for diagnostics.
    direction: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// Which way a projection goes from its roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Dependents,
    Dependencies,
}

impl Direction {
    const fn token(self) -> &'static str {
        match self {
            Self::Dependents => "dependents",
            Self::Dependencies => "dependencies",
        }
    }
}

/// The scope that an argument names; the issues that are not resolved when it names none.
pub(crate) fn scope(text: Option<&str>) -> Result<GraphScope, InputError> {
    match told(text) {
        None => Ok(GraphScope::Active),
        Some(text) => token(text, "graphScope", &[GraphScope::Active, GraphScope::Full], scope_token),
    }
}

const fn scope_token(scope: GraphScope) -> &'static str {
    match scope {
        GraphScope::Active => "active",
        GraphScope::Full => "full",
    }
}

/// One cycle for each knot, its first issue again at the end.
pub(crate) fn cycles(graph: &GraphView, scope: GraphScope) -> Vec<Vec<String>> {
    let name = |number: &u32| graph.node(*number).map(|facts| facts.id.clone());
    let cycles = graph.graph.cycles(scope);
    cycles.iter().map(|cycle| cycle.iter().chain(cycle.first()).filter_map(name).collect()).collect()
}

/// `dep.diagnostics`
pub(crate) fn diagnostics(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: GraphArgs = arguments(args)?;
    let scope = scope(args.graph_scope.as_deref())?;
    let lane = IssueLane::open(host, "dep.diagnostics", args.issues.as_deref());
    lane.reading(|view| {
        let graph = view.graph()?;
        let (mut cycles, mut unknown) = (cycles(&graph, scope), unknown(view, &graph, scope)?);
        let counts = counts(&graph, scope, cycles.len(), unknown.len());
        let mut classes = Vec::new();
        classes.extend((!cycles.is_empty()).then(|| "issue_graph.cycle".to_owned()));
        classes.extend((!unknown.is_empty()).then(|| "issue_graph.dependency.unknown".to_owned()));
        let limit = wanted(args.limit).unwrap_or(usize::MAX);
        let has_more = cycles.len() > limit || unknown.len() > limit;
        cycles.truncate(limit);
        unknown.truncate(limit);
        let ok = classes.is_empty();
        let mut answer = Answer::new(
            if ok { "accepted" } else { "rejected" },
            &DependencyDiagnostics {
                action: lane.action(),
                issues_path: lane.path.clone(),
                graph_scope: scope_token(scope).to_owned(),
                ok,
                counts,
                has_more,
                cycles,
                unknown,
            },
        )?;
        answer.failure_classes = classes;
        Ok(answer)
    })
}

fn is_within(graph: &GraphView, node: u32, scope: GraphScope) -> bool {
    graph.node(node).is_some_and(|facts| match scope {
        GraphScope::Full => facts.status != Status::Deleted,
        GraphScope::Active => !facts.status.is_resolved(),
    })
}

/// Dependencies of every type on issues that do not exist, as `issue check` finds them too.
fn unknown(
    view: &dyn IssueView,
    graph: &GraphView,
    scope: GraphScope,
) -> Result<Vec<UnknownDependency>, StoreError> {
    let mut unknown = Vec::new();
    for (place, node) in graph.rows.iter().zip(0_u32..) {
        if !is_within(graph, node, scope) {
            continue;
        }
        let line = view.line(*place)?;
        let (Some(row), Some(facts)) = (row_object(&line), graph.node(node)) else { continue };
        let lost = dependencies(&row).into_iter().filter(|one| graph.number(&one.depends_on).is_none());
        unknown.extend(lost.map(|one| UnknownDependency {
            issue_id: facts.id.clone(),
            depends_on_id: one.depends_on,
            kind: one.token,
        }));
    }
    Ok(unknown)
}

fn counts(graph: &GraphView, scope: GraphScope, cycles: usize, unknown: usize) -> DependencyCounts {
    let nodes = || graph.facts.iter().zip(0_u32..).filter(|(_, node)| is_within(graph, *node, scope));
    let held_back =
        nodes().filter(|(facts, node)| facts.status == Status::Open && graph.graph.is_held_back(*node));
    DependencyCounts {
        issues: count(nodes().count()),
        blocking_dependencies: count(
            graph.edges.iter().filter(|edge| is_within(graph, edge.from, scope)).count(),
        ),
        held_back: count(held_back.count()),
        cycles: count(cycles),
        unknown: count(unknown),
    }
}

/// `dep.project`
pub(crate) fn project(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: GraphArgs = arguments(args)?;
    let scope = scope(args.graph_scope.as_deref())?;
    let direction = match told(args.direction.as_deref()) {
        None => Direction::Dependents,
        Some(text) => {
            token(text, "direction", &[Direction::Dependents, Direction::Dependencies], Direction::token)?
        }
    };
    let root = told(args.root.as_deref()).map(|text| id(text, "root")).transpose()?;
    let lane = IssueLane::open(host, "dep.project", args.issues.as_deref());
    lane.reading(|view| {
        let graph = view.graph()?;
        let root = match &root {
            None => None,
            Some(named) => match graph.number(named) {
                Some(number) => Some(number),
                None => return lane.not_found(named),
            },
        };
        let links = Links::new(&graph, scope, root, direction);
        let (roots, selected) = links.selection(root);
        let total = selected.len();
        let kept: BTreeSet<u32> =
            selected.into_iter().take(wanted(args.limit).unwrap_or(usize::MAX)).collect();
        let (nodes, edges) = drawn(view, &graph, &kept)?;
        let names = roots.iter().filter(|node| kept.contains(node)).filter_map(|node| graph.node(*node));
        Answer::new(
            "ok",
            &DependencyProjection {
                action: lane.action(),
                issues_path: lane.path.clone(),
                graph_scope: scope_token(scope).to_owned(),
                direction: direction.token().to_owned(),
                count: count(nodes.len()),
                total: (kept.len() < total).then(|| count(total)),
                roots: names.map(|facts| facts.id.clone()).collect(),
                nodes,
                edges,
            },
        )
    })
}

/// The blocking dependencies of the scope, in the direction of a projection.
struct Links {
    /// Whether each node is in the scope.
    within: Vec<bool>,
    /// What comes below each node.
    below: Vec<Vec<u32>>,
    /// Whether something comes above each node.
    is_below: Vec<bool>,
}

impl Links {
    fn new(graph: &GraphView, scope: GraphScope, root: Option<u32>, direction: Direction) -> Self {
        let size = graph.facts.len();
        let numbers = 0_u32..;
        let within: Vec<bool> =
            numbers.take(size).map(|node| is_within(graph, node, scope) || root == Some(node)).collect();
        let mut links = Self { within, below: vec![Vec::new(); size], is_below: vec![false; size] };
        for edge in &graph.edges {
            let Some(target) = edge.to else { continue };
            let (above, below) = match direction {
                Direction::Dependents => (target, edge.from),
                Direction::Dependencies => (edge.from, target),
            };
            let is_drawn = above != below && links.has(above) && links.has(below);
            if is_drawn
                && let Some(list) = links.below.get_mut(index(above))
                && let Some(flag) = links.is_below.get_mut(index(below))
            {
                list.push(below);
                *flag = true;
            }
        }
        links
    }

    fn has(&self, node: u32) -> bool {
        self.within.get(index(node)).copied().unwrap_or(false)
    }

    /// Where the tree begins and every node it reaches, both ascending. Nodes that only wait for each other begin one too.
    fn selection(&self, root: Option<u32>) -> (Vec<u32>, BTreeSet<u32>) {
        let mut reached = BTreeSet::new();
        if let Some(root) = root {
            self.walk(root, &mut reached);
            return (vec![root], reached);
        }
        let nodes = || (0_u32..).take(self.within.len()).filter(|node| self.has(*node));
        let free = |node: &u32| !self.is_below.get(index(*node)).copied().unwrap_or(false);
        let mut roots: Vec<u32> = nodes().filter(free).collect();
        for root in &roots {
            self.walk(*root, &mut reached);
        }
        for node in nodes() {
            if !reached.contains(&node) {
                roots.push(node);
                self.walk(node, &mut reached);
            }
        }
        roots.sort_unstable();
        (roots, reached)
    }

    fn walk(&self, from: u32, reached: &mut BTreeSet<u32>) {
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if reached.insert(node) {
                open.extend(self.below.get(index(node)).into_iter().flatten());
            }
        }
    }
}

fn index(node: u32) -> usize {
    usize::try_from(node).unwrap_or(usize::MAX)
}

/// The issues and their dependencies as they are drawn.
fn drawn(
    view: &dyn IssueView,
    graph: &GraphView,
    kept: &BTreeSet<u32>,
) -> Result<(Vec<ProjectedNode>, Vec<ProjectedEdge>), StoreError> {
    let (mut nodes, mut edges) = (Vec::with_capacity(kept.len()), Vec::new());
    for node in kept {
        let Some(place) = graph.rows.get(index(*node)) else { continue };
        let Some(row) = IssueRow::read(&view.line(*place)?) else { continue };
        for one in dependencies(row.object()) {
            let target = graph.number(&one.depends_on);
            if target.is_none_or(|target| kept.contains(&target)) {
                edges.push(ProjectedEdge {
                    issue_id: row.id().to_owned(),
                    missing: target.is_none(),
                    depends_on_id: one.depends_on,
                    blocking: DependencyKind::is_blocking(one.kind),
                    kind: one.token,
                });
            }
        }
        nodes.push(ProjectedNode {
            id: row.id().to_owned(),
            title: row.text("title").map(ToOwned::to_owned),
            status: status(&row),
            priority: row.priority(),
            issue_type: row.text("issue_type").unwrap_or("task").to_owned(),
            ready: is_ready(row.status(), graph.graph.is_held_back(*node)),
        });
    }
    Ok((nodes, edges))
}
