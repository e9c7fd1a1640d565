//! Callers: who called is on the tool's list, and every edge from a program to a call is real.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;

use super::View;
use crate::failure::FailureClass;
use crate::normalize::Call;
use crate::refusal::{Excerpt, Findings};
use crate::scalar::{Text, TextSet};

/// How an allow-list names any program of the turn.
const CODE_EXECUTION: &str = "code_execution";

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let edges = edges(view);
    allowed(view, findings);
    let looping = looping(&edges);
    for (child, parent) in &edges {
        if let Some(detail) = broken_edge(view, child, parent, &looping) {
            findings.add(FailureClass::ProgrammaticCallerEdgeInvalid, *child, detail);
        }
    }
    for execution in &view.turn.code_executions {
        let is_linked = |child: &&Text| edges.get(child.as_str()) == Some(&execution.id.as_str());
        for child in execution.tool_call_ids.iter().filter(|child| !is_linked(child)) {
            let detail = format!(
                "code execution `{}` lists the call, but no result has an edge to it",
                Excerpt(execution.id.as_str())
            );
            findings.add(FailureClass::ProgrammaticCallerEdgeInvalid, child.as_str(), detail);
        }
    }
}

/// From each call made by a program to the program.
fn edges<'t>(view: &View<'t>) -> BTreeMap<&'t str, &'t str> {
    let edge = |call: &Call<'t>| {
        let parent = call.result?.caller_edge.as_ref()?;
        Some((call.id.as_str(), parent.parent_tool_call_id.as_str()))
    };
    view.calls.iter().filter_map(edge).collect()
}

fn allowed(view: &View<'_>, findings: &mut Findings) {
    let Some(policy) = view.bound.allowed_callers else {
        return;
    };
    for call in &view.calls {
        let Some(request) = call.request else { continue };
        let detail = match policy.tools.get(&request.tool_name) {
            None => format!("`{}` has no list of callers", request.tool_name),
            Some(callers) if !is_caller_allowed(call, request.caller_id.as_ref(), callers) => {
                format!("the caller is not on the list of `{}`", request.tool_name)
            }
            Some(_) => continue,
        };
        findings.add(FailureClass::CallerNotAllowed, call.id.as_str(), detail);
    }
}

/// Both the named caller and the program behind an edge must be listed, and at least one of them must be known.
fn is_caller_allowed(call: &Call<'_>, caller: Option<&Text>, callers: &TextSet) -> bool {
    let parent =
        call.result.and_then(|result| result.caller_edge.as_ref()).map(|edge| &edge.parent_tool_call_id);
    let caller_listed = caller.map(|caller| callers.contains(caller.as_str()));
    let parent_listed =
        parent.map(|parent| callers.contains(CODE_EXECUTION) || callers.contains(parent.as_str()));
    match (caller_listed, parent_listed) {
        (None, None) => false,
        (caller, parent) => caller.unwrap_or(true) && parent.unwrap_or(true),
    }
}

fn broken_edge(view: &View<'_>, child: &str, parent: &str, looping: &BTreeSet<&str>) -> Option<&'static str> {
    let executions = &view.turn.code_executions;
    let Ok(position) = executions.binary_search_by(|execution| execution.id.as_str().cmp(parent)) else {
        return Some("the edge's parent is no code execution of this turn");
    };
    if !executions.get(position).is_some_and(|execution| execution.tool_call_ids.contains(child)) {
        return Some("the edge's parent does not list the call");
    }
    looping.contains(child).then_some("the edge leads into a loop")
}

/// Every call from which following parents never ends. Each edge is walked once.
fn looping<'e>(edges: &BTreeMap<&'e str, &'e str>) -> BTreeSet<&'e str> {
    let mut endless: BTreeSet<&str> = BTreeSet::new();
    let mut ending: BTreeSet<&str> = BTreeSet::new();
    for start in edges.keys() {
        let mut walked: BTreeSet<&str> = BTreeSet::new();
        let mut current = *start;
        let is_endless = loop {
            if endless.contains(current) || !walked.insert(current) {
                break true;
            }
            match edges.get(current) {
                Some(parent) if !ending.contains(current) => current = parent,
                Some(_) | None => break false,
            }
        };
        if is_endless { endless.extend(walked) } else { ending.extend(walked) }
    }
    endless
}
