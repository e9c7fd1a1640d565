//! `issue.blocked`: what cannot be worked on, and why.

use std::cell::RefCell;

use premath_bd::StoreError;
use premath_bd::issues::{CamelRow, GraphView, IssueView, RowRef, row_object};
use premath_kernel::{Status, Value};
use premath_wire::v1::{BlockedRow, BlockerRow, IssueListing};
use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Deserialize, Serialize, Serializer};

use super::issue::{IssueLane, arguments, count, notes};
use super::issue_read::{blocker, standing, wanted};
use crate::table::{ActionError, Answer, Host};

/// What `issue blocked` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BlockedArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// `issue.blocked`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: BlockedArgs = arguments(args)?;
    let lane = IssueLane::open(host, "issue.blocked", args.issues.as_deref());
    lane.reading(|view| {
        let graph = view.graph()?;
        let mut blocked = blocked(&graph);
        let total = blocked.len();
        blocked.truncate(wanted(args.limit).unwrap_or(usize::MAX));
        let is_cut = blocked.len() < total;
        let items = Items { view, graph: &graph, blocked: &blocked, failure: RefCell::new(None) };
        let answer = Answer::new(
            "ok",
            &IssueListing {
                action: lane.action(),
                issues_path: lane.path.clone(),
                count: count(blocked.len()),
                total: is_cut.then(|| count(total)),
                has_more: is_cut,
                standing: if blocked.is_empty() { Some(standing(view)?) } else { None },
                items: &items,
                problems: notes(view)?,
            },
        );
        match items.failure.take() {
            Some(error) => Err(error.into()),
            None => answer,
        }
    })
}

/// Everything that is not resolved and either held back or set aside, in natural order.
fn blocked(graph: &GraphView) -> Vec<(u32, RowRef)> {
    let nodes = graph.facts.iter().zip(&graph.rows).zip(0_u32..);
    nodes
        .filter(|((facts, _), number)| {
            !facts.status.is_resolved()
                && (facts.status == Status::Blocked || graph.graph.is_held_back(*number))
        })
        .map(|((_, row), number)| (number, *row))
        .collect()
}

/// Rows with their blockers, read while they are written.
struct Items<'v> {
    view: &'v dyn IssueView,
    graph: &'v GraphView,
    blocked: &'v [(u32, RowRef)],
    failure: RefCell<Option<StoreError>>,
}

impl Items<'_> {
    fn blockers(&self, node: u32) -> Vec<BlockerRow> {
        let blockers = self.graph.graph.blockers(node);
        let rows = blockers.iter().filter_map(|one| {
            let named = self.graph.targets.get(one.edge)?;
            let status = one.target.and_then(|target| self.graph.node(target)).map(|facts| facts.status);
            Some(blocker(named, one.kind.token(), status))
        });
        rows.collect()
    }
}

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.blocked.len()))?;
        for (node, place) in self.blocked {
            let line = match self.view.line(*place) {
                Ok(line) => line,
                Err(error) => {
                    let text = error.to_string();
                    self.failure.replace(Some(error));
                    return Err(S::Error::custom(text));
                }
            };
            if let Some(object) = row_object(&line) {
                // A member of another tool with that name would stand there twice.
                let object = object.without("blockers");
                items.serialize_element(&BlockedRow {
                    issue: CamelRow(&object),
                    blockers: self.blockers(*node),
                })?;
            }
        }
        items.end()
    }
}
