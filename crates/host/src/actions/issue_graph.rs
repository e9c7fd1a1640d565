//! `issue.graph`: issues and what they wait for, with who holds what, as somebody draws them.

use premath_bd::issues::{GraphView, IssueRow};
use premath_kernel::{GraphScope, LeaseState, Moment, Status, Value, is_ready, lease_state};
use premath_wire::time::format_time;
use premath_wire::v1::{IssueGraph, IssueGraphEdge, IssueGraphNode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::dep_graph::scope;
use super::issue::{IssueLane, arguments, count, dependencies, status};
use super::issue_read::wanted;
use crate::table::{ActionError, Answer, Host};

/// What it takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct GraphArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// `active` (what is not closed; when absent) or `full`.
    graph_scope: Option<String>,
    /// The most issues to answer with.
    limit: Option<u64>,
}

/// `issue.graph`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: GraphArgs = arguments(args)?;
    let scope = scope(args.graph_scope.as_deref())?;
    let limit = wanted(args.limit).unwrap_or(usize::MAX);
    let lane = IssueLane::open(host, "issue.graph", args.issues.as_deref());
    let now = host.workspace.clock.now();
    lane.reading(|view| {
        let graph = view.graph()?;
        let is_wanted = |number: u32| {
            graph.node(number).is_some_and(|facts| match scope {
                GraphScope::Full => facts.status != Status::Deleted,
                GraphScope::Active => !facts.status.is_resolved(),
            })
        };
        let places = graph.rows.iter().zip(0_u32..).filter(|(_, number)| is_wanted(*number));
        let (mut nodes, mut edges, mut total) = (Vec::new(), Vec::new(), 0);
        for (place, number) in places {
            total += 1;
            if nodes.len() >= limit {
                continue;
            }
            let Some(row) = IssueRow::read(&view.line(*place)?) else { continue };
            edges.extend(dependencies(row.object()).into_iter().map(|one| IssueGraphEdge {
                from: row.id().to_owned(),
                to: one.depends_on,
                kind: one.token,
            }));
            nodes.push(node(&row, &graph, number, now));
        }
        Answer::new(
            "ok",
            &IssueGraph {
                action: lane.action(),
                issues_path: lane.path.clone(),
                count: count(nodes.len()),
                total: (nodes.len() < total).then(|| count(total)),
                nodes,
                edges,
            },
        )
    })
}

fn node(row: &IssueRow, graph: &GraphView, number: u32, now: Moment) -> IssueGraphNode {
    let lease = row.lease();
    let is_held = lease_state(lease.as_ref(), now) == LeaseState::Active;
    let is_free = is_ready(row.status(), graph.graph.is_held_back(number));
    let state = match row.status() {
        Status::Closed | Status::Deleted => "closed",
        _ if is_held => "claimed",
        _ if is_free => "ready",
        Status::Open | Status::InProgress | Status::Blocked | Status::Other => "blocked",
    };
    let lease = lease.filter(|_| is_held);
    IssueGraphNode {
        id: row.id().to_owned(),
        title: row.text("title").map(ToOwned::to_owned),
        status: status(row),
        priority: row.priority(),
        issue_type: row.text("issue_type").unwrap_or("task").to_owned(),
        state: state.to_owned(),
        holder: lease.as_ref().map(|lease| lease.owner.clone()),
        expires_at: lease.as_ref().map(|lease| format_time(lease.expires_at)),
        fence: lease.map(|lease| lease.fence),
    }
}
