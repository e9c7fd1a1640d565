//! Requests: is the tool allowed, are the arguments those of its schema, did they come from a structured block.

use alloc::format;

use super::View;
use crate::call_spec::{ActionMode, ToolChoice};
use crate::evidence::ToolRequest;
use crate::failure::FailureClass;
use crate::refusal::{Excerpt, Findings};
use crate::scalar::Text;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    schema_errors(view, findings);
    for request in &view.turn.requests {
        allow_list(view, request, findings);
        choice(view, request, findings);
        source(view, request, findings);
    }
}

fn schema_errors(view: &View<'_>, findings: &mut Findings) {
    let errors = view.turn.observations.iter().flat_map(|observations| &observations.schema_errors);
    for error in errors {
        let detail = format!("the arguments fail their schema at `{}`", error.pointer);
        findings.add(FailureClass::SchemaInvalid, error.tool_call_id.as_str(), detail);
    }
}

fn allow_list(view: &View<'_>, request: &ToolRequest, findings: &mut Findings) {
    let Some(policy) = view.bound.tool_policy else {
        return;
    };
    let Some(entry) = policy.tools.get(&request.tool_name) else {
        let detail = format!("tool `{}` is not on the allow-list", request.tool_name);
        findings.add(FailureClass::UnknownOrDisallowed, request.tool_call_id.as_str(), detail);
        return;
    };
    if entry.schema_digest.is_some() && request.schema_digest != entry.schema_digest {
        let detail =
            format!("schemaDigest is not the one that the tool policy pins for `{}`", request.tool_name);
        findings.add(FailureClass::SchemaInvalid, request.tool_call_id.as_str(), detail);
    }
}

fn choice(view: &View<'_>, request: &ToolRequest, findings: &mut Findings) {
    let Some(ToolChoice::Specific(named)) = &view.turn.spec.tool_choice else {
        return;
    };
    let detail = match named.as_ref().or_else(|| tool_of_policy(view)) {
        Some(tool) if *tool == request.tool_name => return,
        Some(tool) => {
            let (tool, called) = (Excerpt(tool.as_str()), Excerpt(request.tool_name.as_str()));
            format!("the tool choice admits `{tool}` only, not `{called}`")
        }
        None => "the tool choice is specific, but nothing names the tool".into(),
    };
    findings.add(FailureClass::UnknownOrDisallowed, request.tool_call_id.as_str(), detail);
}

/// What a bare `specific` means: the tool the policy names, or the only one it has.
fn tool_of_policy<'t>(view: &View<'t>) -> Option<&'t Text> {
    let policy = view.bound.tool_policy?;
    policy.specific_tool.as_ref().or_else(|| {
        let mut names = policy.tools.keys();
        names.next().filter(|_| names.next().is_none())
    })
}

fn source(view: &View<'_>, request: &ToolRequest, findings: &mut Findings) {
    let spec = &view.turn.spec;
    let source = request.source.as_ref().map(Text::as_str);
    let is_adapter = source
        .and_then(|source| source.strip_prefix("adapter:"))
        .is_some_and(|name| name == spec.normalizer_id.as_str());
    let admitted = match spec.action_mode {
        ActionMode::Text => is_adapter,
        ActionMode::Code | ActionMode::Json => {
            is_adapter || source.is_none_or(|source| source == "structured")
        }
    };
    if !admitted {
        let detail = format!(
            "in {} mode a call with source `{}` is not a structured one",
            spec.action_mode.token(),
            source.unwrap_or("none"),
        );
        findings.add(FailureClass::SchemaInvalid, request.tool_call_id.as_str(), detail);
    }
}
