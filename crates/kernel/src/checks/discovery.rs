//! Discovery: deferred tools were searched for, and the search found them in the declared catalogue.

use alloc::format;

use super::View;
use crate::canon::Value;
use crate::digest::Digest;
use crate::evidence::{SearchRef, ToolRequest};
use crate::failure::FailureClass;
use crate::policy::ToolCatalog;
use crate::refusal::Findings;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    for request in &view.turn.requests {
        deferred(view, request, findings);
        if let Some(catalog) = view.bound.tool_catalog {
            match &request.search_ref {
                Some(search) => found(view, request, search, catalog, findings),
                None if request.search_ref_digest.is_some() => {
                    let detail = "a digest of a search does not show what it found";
                    findings.add(FailureClass::DiscoveryMismatch, request.tool_call_id.as_str(), detail);
                }
                None => {}
            }
        }
    }
    examples(view, findings);
}

fn deferred(view: &View<'_>, request: &ToolRequest, findings: &mut Findings) {
    let is_deferred =
        view.bound.defer_policy.is_some_and(|policy| policy.deferred.contains(request.tool_name.as_str()));
    let resolved = request.search_ref.as_ref().and_then(|search| search.resolved_tool.as_ref());
    let is_resolved = resolved == Some(&request.tool_name);
    if is_deferred && !is_resolved {
        let detail = format!("`{}` is a deferred tool and was not found by a search", request.tool_name);
        findings.add(FailureClass::DiscoveryUnresolved, request.tool_call_id.as_str(), detail);
    }
}

fn found(
    view: &View<'_>,
    request: &ToolRequest,
    search: &SearchRef,
    catalog: &ToolCatalog,
    findings: &mut Findings,
) {
    let mut mismatch =
        |detail: &str| findings.add(FailureClass::DiscoveryMismatch, request.tool_call_id.as_str(), detail);
    match &search.resolved_tool {
        None => mismatch("the search resolved no tool"),
        Some(tool) if *tool != request.tool_name => {
            mismatch("the search resolved another tool than was called")
        }
        Some(tool) if !catalog.tools.contains_key(tool) => {
            mismatch("the resolved tool is not in the catalogue")
        }
        Some(_) => {}
    }
    let (Some(names), Some(values)) = (&search.result_set, search.result_set_values()) else {
        if view.turn.strictness.is_strict() {
            mismatch("the search does not say what it found");
        }
        return;
    };
    if names.iter().any(|name| !catalog.tools.contains_key(name)) {
        mismatch("the search found a tool that is not in the catalogue");
    }
    if search.resolved_tool.as_ref().is_some_and(|tool| !names.contains(tool)) {
        mismatch("the resolved tool is not among those the search found");
    }
    if search.result_set_digest.as_ref() != Some(&Digest::of(&Value::Array(values))) {
        mismatch("what the search found does not hash to resultSetDigest");
    }
}

fn examples(view: &View<'_>, findings: &mut Findings) {
    let (Some(catalog), Some(examples)) = (view.bound.tool_catalog, view.bound.tool_example) else {
        return;
    };
    for (tool, pinned) in catalog.tools.iter().filter_map(|(tool, pinned)| Some((tool, pinned.as_ref()?))) {
        if examples.digest(tool) != Some(pinned) {
            findings.add(
                FailureClass::ExampleDigestMismatch,
                tool.as_str(),
                "the examples shown are not those that the catalogue pins",
            );
        }
    }
}
