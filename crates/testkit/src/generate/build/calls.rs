//! The rows of single calls: requests, results, uses, renderings, programs.

#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value reads as null")]

use serde_json::{Value, json};

use super::{Facts, NORMALIZER, Row, guardrails, policies};
use crate::generate::plan::{CallPlan, Content, Declared, ErrorForm, Outcome, Supplied, TurnPlan};
use crate::reference::{canonical, digest};

/// The calls of a plan with their ids and positions.
fn calls<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (usize, &'f str, &'f CallPlan)> {
    let ids = facts.ids.iter().map(String::as_str);
    ids.zip(&facts.plan.calls).enumerate().map(|(at, (id, call))| (at, id, call))
}

fn content(row: Row, content: &Content, key: &str, digest_key: &str) -> Row {
    match content {
        Content::Nothing => row,
        Content::Digest(value) => row.with(digest_key, digest(value)),
        Content::Inline(value) => row.with(key, value.clone()),
        Content::Both(value) => row.with(key, value.clone()).with(digest_key, digest(value)),
    }
}

/// The group of a call: pattern `single` has one at most.
pub(super) fn group(plan: &TurnPlan, call: &CallPlan) -> Option<&'static str> {
    if plan.pattern == "single" { plan.calls.first().and_then(|first| first.group) } else { call.group }
}

fn program(plan: &TurnPlan, call: &CallPlan) -> Option<usize> {
    call.program.filter(|_| plan.mode == "code")
}

/// Positions are needed under a strict transport, and follow one another there.
fn order(plan: &TurnPlan, call: &CallPlan, at: usize, step: usize) -> Option<Value> {
    (plan.declares(Declared::Transport) || call.extras.ordered).then(|| Value::from(at * step))
}

pub(super) fn requests(facts: &Facts<'_>) -> Vec<Value> {
    let plan = facts.plan;
    let adapter = format!("adapter:{NORMALIZER}");
    calls(facts)
        .map(|(at, id, call)| {
            let source = match call.source {
                _ if plan.mode == "text" => Some(adapter.as_str()),
                Some(true) => Some("structured"),
                Some(false) => Some(adapter.as_str()),
                None => None,
            };
            let is_search = call.tool == "search";
            let searched = call.extras.search || (plan.declares(Declared::Defer) && is_search);
            let search = searched.then(|| search_ref(call.tool));
            let validated = call.extras.schema || (plan.declares(Declared::Tool) && is_search);
            let called = call.caller || (plan.declares(Declared::Callers) && program(plan, call).is_none());
            let row = Row::default().with("toolCallId", id).with("toolName", call.tool);
            content(row, &call.arguments, "arguments", "argumentsDigest")
                .maybe("schemaDigest", validated.then(policies::search_schema))
                .maybe("callerId", called.then_some("agent.main"))
                .maybe("searchRefDigest", search.as_ref().filter(|_| call.caller).map(digest))
                .maybe("searchRef", search)
                .maybe("callGroup", group(plan, call))
                .maybe("order", order(plan, call, at, 1))
                .maybe("source", source)
                .list("guardrails", guardrails(&call.extras.request_guardrails))
                .done()
        })
        .collect()
}

fn search_ref(tool: &str) -> Value {
    let found = json!([tool, "edit", "read_file"]);
    json!({"query": "a tool for it", "resultSetDigest": digest(&found), "resultSet": found, "resolvedTool": tool})
}

pub(super) fn results(facts: &Facts<'_>) -> Vec<Value> {
    let plan = facts.plan;
    calls(facts)
        .map(|(at, id, call)| {
            let in_shell = call.provenance == Some("command")
                || (plan.declares(Declared::Tool) && call.tool == "run_command");
            let filtered = call.extras.tokens || (plan.declares(Declared::Filter) && call.tool == "search");
            let row = Row::default().with("toolCallId", id);
            outcome(row, &call.outcome)
                .maybe("provenance", call.provenance.map(|kind| json!({"kind": kind, "ref": "here"})))
                .maybe(
                    "callerEdge",
                    program(plan, call).map(|parent| json!({"parentToolCallId": format!("exec-{parent}")})),
                )
                .maybe("shell", in_shell.then(shell))
                .maybe("truncation", truncation(plan, call))
                .maybe("tokens", filtered.then(|| json!({"filtered": 12, "unfiltered": 90})))
                .list("artifacts", artifacts(call))
                .list("guardrails", guardrails(&call.extras.result_guardrails))
                .maybe("order", order(plan, call, at, 3))
                .done()
        })
        .collect()
}

fn outcome(row: Row, outcome: &Outcome) -> Row {
    match outcome {
        Outcome::Ok { says_so, payload } => {
            content(row.maybe("status", says_so.then_some("ok")), payload, "payload", "resultDigest")
        }
        Outcome::Error { says_so, form, retryable, digest: digested } => {
            let row = row
                .maybe("status", says_so.then_some("error"))
                .maybe("resultDigest", digested.then(|| digest(&json!("what there was"))));
            error(row, *form, *retryable)
        }
    }
}

fn error(row: Row, form: ErrorForm, retryable: bool) -> Row {
    let (code, message) = ("exit_101", "tests failed");
    let message_digest = crate::reference::message_digest(message);
    match form {
        ErrorForm::Flat => {
            row.with("errorCode", code).with("retryable", retryable).with("errorMessage", message)
        }
        ErrorForm::FlatMessageDigest => row
            .with("errorCode", code)
            .with("retryable", retryable)
            .with("errorMessageDigest", message_digest),
        ErrorForm::Raw => {
            row.with("rawError", json!({"errorCode": code, "retryable": retryable, "errorMessage": message}))
        }
        ErrorForm::RawShort => row.with(
            "rawError",
            json!({"code": code, "retryable": retryable, "message": message, "trace": [1]}),
        ),
        ErrorForm::Typed => row.with(
            "error",
            json!({"errorCode": code, "retryable": retryable, "errorMessageDigest": message_digest}),
        ),
        ErrorForm::FlatAndRaw => row
            .with("retryable", retryable)
            .with("errorMessage", format!(" {message} "))
            .with("rawError", json!({"code": code, "message": "another"})),
    }
}

fn shell() -> Value {
    json!({"workdir": "work/src", "sandboxProfile": "tight", "commandDigest": digest(&json!("cargo test"))})
}

/// A result without an inline payload needs metadata under a truncation policy.
fn truncation(plan: &TurnPlan, call: &CallPlan) -> Option<Value> {
    if !plan.declares(Declared::Truncation) {
        return None;
    }
    let policy = policies::declared_digest(plan, Declared::Truncation);
    let cut = json!({
        "policyDigest": policy, "originalBytes": 9000, "keptBytes": 45, "marker": "[cut]", "headBytes": 20,
        "tailBytes": 20
    });
    match &call.outcome {
        Outcome::Ok { payload: Content::Inline(payload) | Content::Both(payload), .. } => {
            let bytes = payload.as_str().map_or_else(|| canonical(payload).len(), str::len);
            let whole = json!({"policyDigest": policy, "originalBytes": bytes, "keptBytes": bytes});
            call.extras.metadata.then_some(whole)
        }
        Outcome::Ok { payload: Content::Nothing | Content::Digest(_), .. } => Some(cut),
        Outcome::Error { .. } => call.extras.metadata.then_some(cut),
    }
}

fn artifacts(call: &CallPlan) -> Vec<Value> {
    call.extras.artifacts.iter().map(artifact).collect()
}

fn artifact((path, access, digested): &(&str, &str, bool)) -> Value {
    let row = Row::default().with("path", *path).with("access", *access);
    row.maybe("digest", digested.then(|| file_digest(path))).done()
}

fn file_digest(path: &str) -> String {
    digest(&json!({ "content of": path }))
}

/// Every file that a row says was written, with the digest it says.
pub(super) fn written_files(plan: &TurnPlan) -> Value {
    let mut files = Vec::new();
    for call in &plan.calls {
        for row in artifacts(call) {
            if row["access"] == "write" && row.get("digest").is_some() {
                files.push(json!({"path": row["path"], "digest": row["digest"]}));
            }
        }
    }
    Value::Array(files)
}

/// The digest a use row may cite.
fn cited(call: &CallPlan) -> Option<String> {
    match &call.outcome {
        Outcome::Ok { payload: Content::Nothing, .. } => None,
        Outcome::Ok {
            payload: Content::Digest(value) | Content::Inline(value) | Content::Both(value),
            ..
        } => Some(digest(value)),
        Outcome::Error { digest: digested, .. } => digested.then(|| digest(&json!("what there was"))),
    }
}

pub(super) fn uses(facts: &Facts<'_>) -> Vec<Value> {
    let strict = facts.plan.strict;
    calls(facts)
        .map(|(at, id, call)| {
            let usage = &call.usage;
            let backs = facts.intent_digest().filter(|_| at == 0);
            let disposition = if backs.is_some() { "consumed" } else { usage.disposition };
            let row = Row::default()
                .with("toolCallId", id)
                .with("disposition", disposition)
                .maybe("resultDigest", cited(call).filter(|_| usage.cites));
            let row = match disposition {
                "consumed" if backs.is_some() => row.maybe("mutationInputRef", backs),
                "consumed" if strict || usage.cites => row.with(usage.refers, "ref:1"),
                "discarded" | "discarded_with_reason" if strict || usage.cites => {
                    row.with("reason", "superseded")
                }
                _ => row,
            };
            row.done()
        })
        .collect()
}

pub(super) fn renders(facts: &Facts<'_>) -> Vec<Value> {
    let policy = policies::mandatory_digest(facts.plan, Supplied::Render);
    calls(facts)
        .filter(|(_, _, call)| facts.needs_context || call.usage.rendered)
        .map(|(_, id, _)| {
            json!({
                "toolCallId": id,
                "operatorPayloadDigest": digest(&json!({"operator": id})),
                "reminderRenderDigest": digest(&json!({"model": id})),
                "injectionPoint": "after_tool_result",
                "policyDigest": policy
            })
        })
        .collect()
}

pub(super) fn programs(facts: &Facts<'_>) -> Vec<Value> {
    let listed = |number: usize| -> Vec<Value> {
        let mine = calls(facts).filter(|(_, _, call)| program(facts.plan, call) == Some(number));
        mine.map(|(_, id, _)| Value::from(id)).collect()
    };
    let row = |number: usize, ids: Vec<Value>| {
        Row::default()
            .with("id", format!("exec-{number}"))
            .with("programDigest", digest(&json!(number)))
            .with("toolCallIds", ids)
            .maybe("stdoutDigest", (number == 0).then(|| digest(&json!("out"))))
            .maybe("traceback", (number == 1).then_some("it broke"))
            .done()
    };
    let lists = (0..2).map(|number| (number, listed(number))).filter(|(_, ids)| !ids.is_empty());
    lists.map(|(number, ids)| row(number, ids)).collect()
}
