//! The graph of dependencies as a tree, and what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use premath_wire::v1::{DependencyDiagnostics, DependencyProjection, ProjectedNode};

use super::issue::row::{status_mark, status_style};
use super::plain;
use super::table::shortened;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// Deeper branches are not drawn: nobody could read them.
const DEPTH: usize = 24;
/// So many issues of a long circle are named.
const CIRCLE: usize = 12;

/// The answer of `dep project`.
pub(crate) fn tree(answer: &DependencyProjection, width: Option<usize>) -> String {
    if answer.nodes.is_empty() {
        return "no issues in this scope\n".to_owned();
    }
    let drawing = Drawing::new(answer, width);
    let mut text = drawing.draw(&answer.roots);
    let lost: Vec<String> = answer
        .edges
        .iter()
        .filter(|edge| edge.missing)
        .map(|edge| {
            format!(
                "  {BAD}✗{BAD:#} {} depends on {}, which does not exist\n",
                plain(&edge.issue_id),
                plain(&edge.depends_on_id)
            )
        })
        .collect();
    text.push_str(&lost.concat());
    if let Some(total) = answer.total {
        text.push_str(&format!("{DIM}{} of {total} issues; --limit shows more{DIM:#}\n", answer.count));
    }
    text
}

struct Drawing<'a> {
    nodes: BTreeMap<&'a str, &'a ProjectedNode>,
    /// What comes below each issue, and how it hangs there.
    below: BTreeMap<&'a str, Vec<(&'a str, &'a str)>>,
    width: Option<usize>,
}

/// A branch that is still to be drawn.
struct Branch<'a> {
    id: &'a str,
    kind: Option<&'a str>,
    /// What stands before the line itself, and before the lines below it.
    indent: (String, String),
    above: Vec<&'a str>,
}

impl<'a> Drawing<'a> {
    fn new(answer: &'a DependencyProjection, width: Option<usize>) -> Self {
        let nodes = answer.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let mut below: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for edge in answer.edges.iter().filter(|edge| edge.blocking && !edge.missing) {
            let (upper, lower) = match answer.direction.as_str() {
                "dependencies" => (&edge.issue_id, &edge.depends_on_id),
                _ => (&edge.depends_on_id, &edge.issue_id),
            };
            below.entry(upper).or_default().push((lower, &edge.kind));
        }
        Self { nodes, below, width }
    }

    fn draw(&self, roots: &'a [String]) -> String {
        let mut text = String::new();
        let mut drawn = BTreeSet::new();
        let root = |id: &'a String| Branch {
            id,
            kind: None,
            indent: (String::new(), String::new()),
            above: Vec::new(),
        };
        let mut open: Vec<Branch<'a>> = roots.iter().rev().map(root).collect();
        while let Some(branch) = open.pop() {
            let is_again = !drawn.insert(branch.id);
            let is_circle = branch.above.contains(&branch.id);
            let children = self.below.get(branch.id).map(Vec::as_slice).unwrap_or_default();
            let is_cut = branch.above.len() >= DEPTH && !children.is_empty();
            let note = match (is_circle, is_again && !children.is_empty(), is_cut) {
                (true, ..) => format!(" {BAD}↻ a circle{BAD:#}"),
                (_, true, _) => format!(" {DIM}(see above){DIM:#}"),
                (.., true) => format!(" {DIM}… (deeper: --root {}){DIM:#}", plain(branch.id)),
                _ => String::new(),
            };
            text.push_str(&self.line(&branch, &note));
            if !is_again && !is_cut {
                open.extend(self.children(&branch, children));
            }
        }
        text
    }

    /// The branches below one, the last first, because a stack is drawn from its end.
    fn children(&self, branch: &Branch<'a>, children: &[(&'a str, &'a str)]) -> Vec<Branch<'a>> {
        let mut above = branch.above.clone();
        above.push(branch.id);
        let last = children.len().saturating_sub(1);
        let branches = children.iter().enumerate().map(|(place, (id, kind))| {
            let (tee, bar) = if place == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let indent = (format!("{}{tee}", branch.indent.1), format!("{}{bar}", branch.indent.1));
            Branch { id, kind: Some(kind), indent, above: above.clone() }
        });
        branches.rev().collect()
    }

    fn line(&self, branch: &Branch<'_>, note: &str) -> String {
        let Some(node) = self.nodes.get(branch.id) else {
            return format!("{DIM}{}{DIM:#}{}{note}\n", branch.indent.0, plain(branch.id));
        };
        let style = status_style(&node.status);
        let title = node.title.as_deref().map(plain).unwrap_or_default();
        let id = plain(&node.id);
        let used = branch.indent.0.chars().count() + id.chars().count() + 24;
        let title = self
            .width
            .map_or_else(|| title.clone(), |width| shortened(&title, width.saturating_sub(used).max(12)));
        let kind = branch
            .kind
            .filter(|kind| *kind != "blocks")
            .map(|kind| format!(" {DIM}({}){DIM:#}", plain(kind)));
        let ready = if node.ready { format!(" {GOOD}ready{GOOD:#}") } else { String::new() };
        format!(
            "{DIM}{}{DIM:#}{style}{}{style:#} {STRONG}{id}{STRONG:#} {title}{}{ready}{note}\n",
            branch.indent.0,
            status_mark(&node.status),
            kind.unwrap_or_default()
        )
    }
}

/// A circle of issues, on one line.
pub(crate) fn circle(path: &[String]) -> String {
    let shown: Vec<String> = path.iter().take(CIRCLE).map(|id| plain(id)).collect();
    let more = path.len().saturating_sub(CIRCLE);
    let more = if more > 0 { format!(" → … {more} more") } else { String::new() };
    format!("{}{more}", shown.join(" → "))
}

/// The answer of `dep diagnostics`.
pub(crate) fn diagnostics(answer: &DependencyDiagnostics) -> String {
    let counts = &answer.counts;
    let summary = format!(
        "{} issues, {} blocking dependencies, {} held back {DIM}({}){DIM:#}\n",
        counts.issues,
        counts.blocking_dependencies,
        counts.held_back,
        plain(&answer.graph_scope)
    );
    if answer.ok {
        return format!("{GOOD}✓{GOOD:#} {summary}");
    }
    let mut text = String::new();
    for path in &answer.cycles {
        text.push_str(&format!("{BAD}cycle{BAD:#}    {}\n", circle(path)));
    }
    for unknown in &answer.unknown {
        text.push_str(&format!(
            "{BAD}unknown{BAD:#}  {STRONG}{}{STRONG:#} depends on {} {DIM}({}){DIM:#}, which does not exist\n",
            plain(&unknown.issue_id),
            plain(&unknown.depends_on_id),
            plain(&unknown.kind)
        ));
    }
    if answer.has_more {
        text.push_str(&format!(
            "{WARN}and more{WARN:#}: {} cycles, {} unknown\n",
            counts.cycles, counts.unknown
        ));
    }
    text.push_str(&format!(
        "{TIP}hint:{TIP:#} `premath dep remove ISSUE DEPENDS_ON` takes a dependency away\n{summary}"
    ));
    text
}
