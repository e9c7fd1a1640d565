//! Rules about single calls: the join, error envelopes, digests beside what they name, sources and tools.

use serde_json::Value;

use super::reading::{digest, message_digest, present, text, texts, token};
use super::{Bound, Pairs, add, bind, rows};

/// Whether a result row is an error: it says so, or says nothing and has something that errors have.
pub(super) fn status(result: &Value) -> String {
    if let Some(status) = token(result, "status") {
        return status;
    }
    let typed = result.get("error").unwrap_or(&Value::Null);
    let said = |row: &Value, key: &str| match row.get(key) {
        None | Some(Value::Null) => false,
        // An optional that is blank is absent.
        Some(Value::String(words)) => !words.trim().is_empty(),
        Some(_) => true,
    };
    let is_error = said(result, "errorCode")
        || said(result, "retryable")
        || said(result, "errorMessage")
        || said(result, "errorMessageDigest")
        || said(typed, "errorCode")
        || said(typed, "retryable")
        || said(typed, "errorMessageDigest")
        || present(result, "rawError").is_some();
    if is_error { "error".to_owned() } else { "ok".to_owned() }
}

pub(super) fn is_terminal(result: &Value) -> bool {
    status(result) != "pending"
}

/// The digest a result row ends up with.
fn result_digest(result: &Value) -> Option<String> {
    let given = text(result, "resultDigest").map(str::to_owned);
    given.or_else(|| present(result, "payload").map(digest))
}

/// Requests, results and uses, side by side.
pub(super) fn join(document: &Value, strict: bool, pairs: &mut Pairs) {
    let evidence = &document["evidence"];
    let (requests, results, uses) =
        (rows(evidence, "toolRequests"), rows(evidence, "toolResults"), rows(evidence, "toolUse"));
    let mut breach = |class: &str, id: &str| {
        add(pairs, class, id);
        add(pairs, "tool.join_incomplete", id);
    };
    for request in requests {
        let id = text(request, "toolCallId").unwrap_or_default();
        let ended =
            results.iter().any(|result| text(result, "toolCallId") == Some(id) && is_terminal(result));
        if !ended {
            breach("tool.result_missing", id);
        }
    }
    for result in results {
        let id = text(result, "toolCallId").unwrap_or_default();
        if !requests.iter().any(|request| text(request, "toolCallId") == Some(id)) {
            breach("tool.result_orphan", id);
        }
        let used = uses.iter().any(|used| text(used, "toolCallId") == Some(id));
        if is_terminal(result) && !used {
            breach("tool.use_missing", id);
        }
        let twins = results.iter().filter(|other| text(other, "toolCallId") == Some(id)).count();
        if twins > 1 {
            breach("tool.join_incomplete", id);
        }
    }
    for used in uses {
        let id = text(used, "toolCallId").unwrap_or_default();
        let disposition = token(used, "disposition").unwrap_or_default();
        match results.iter().find(|result| text(result, "toolCallId") == Some(id)) {
            None => breach("tool.use_without_result", id),
            Some(result) if is_terminal(result) => {
                let cited = text(used, "resultDigest");
                if cited.is_some() && cited != result_digest(result).as_deref() {
                    breach("tool.use_unknown_result", id);
                }
            }
            Some(_) => {
                // It cites the digest of a terminal row, or is consumed, and there is no terminal row.
                if disposition == "consumed" || text(used, "resultDigest").is_some() {
                    breach("tool.use_unknown_result", id);
                }
            }
        }
        if strict && says_too_little(used, &disposition) {
            breach("tool.use_missing", id);
        }
    }
}

fn says_too_little(used: &Value, disposition: &str) -> bool {
    let led_somewhere =
        ["summaryRef", "handoffRef", "mutationInputRef"].iter().any(|key| text(used, key).is_some());
    match disposition {
        "consumed" => !led_somewhere,
        "discarded" | "discarded_with_reason" => text(used, "reason").is_none(),
        _ => false,
    }
}

/// An error row has a code, a boolean `retryable` and a message.
pub(super) fn envelopes(document: &Value, pairs: &mut Pairs) {
    for result in rows(&document["evidence"], "toolResults") {
        if status(result) != "error" {
            continue;
        }
        let code = error_field(result, "errorCode", &["errorCode", "code"]);
        let retryable = error_field(result, "retryable", &["retryable"]);
        let message = error_field(result, "errorMessage", &["errorMessage", "message"]);
        let given = text(result, "errorMessageDigest")
            .or_else(|| result.get("error").and_then(|typed| text(typed, "errorMessageDigest")));
        let words = message.and_then(Value::as_str);
        let broken = !code.is_some_and(Value::is_string)
            || !retryable.is_some_and(Value::is_boolean)
            || (words.is_none() && given.is_none())
            || words.is_some_and(|words| given.is_some_and(|given| message_digest(words) != given));
        if broken {
            add(pairs, "tool.schema_invalid", text(result, "toolCallId").unwrap_or_default());
        }
    }
}

/// A field of the error: of the row, else of its typed `error`, else of an object `rawError`.
fn error_field<'v>(result: &'v Value, key: &str, raw_keys: &[&str]) -> Option<&'v Value> {
    let said = |row: &'v Value, key: &str| {
        let value = row.get(key).filter(|value| !value.is_null());
        value.filter(|value| value.as_str().is_none_or(|words| !words.trim().is_empty()))
    };
    let typed = result.get("error").filter(|_| key != "errorMessage").and_then(|typed| said(typed, key));
    let raw = result.get("rawError").and_then(|raw| raw_keys.iter().find_map(|key| said(raw, key)));
    said(result, key).or(typed).or(raw)
}

/// What contradicts the digest beside it.
pub(super) fn contradictions(document: &Value, pairs: &mut Pairs) {
    let evidence = &document["evidence"];
    let lists =
        [("toolRequests", "arguments", "argumentsDigest"), ("toolResults", "payload", "resultDigest")];
    for (list, value, beside) in lists {
        for row in rows(evidence, list) {
            if let (Some(value), Some(given)) = (present(row, value), text(row, beside))
                && digest(value) != given
            {
                add(pairs, "tool.schema_invalid", text(row, "toolCallId").unwrap_or_default());
            }
        }
    }
}

/// What the runtime's validator found.
pub(super) fn schema_errors(document: &Value, pairs: &mut Pairs) {
    if let Some(observations) = document.pointer("/evidence/observations") {
        for error in rows(observations, "schemaErrors") {
            add(pairs, "tool.schema_invalid", text(error, "toolCallId").unwrap_or_default());
        }
    }
}

/// Where a request came from.
pub(super) fn sources(document: &Value, pairs: &mut Pairs) {
    let evidence = &document["evidence"];
    let spec = &evidence["callSpec"];
    let adapter = format!("adapter:{}", text(spec, "normalizerId").unwrap_or_default());
    let is_text = token(spec, "actionMode").as_deref() == Some("text");
    for request in rows(evidence, "toolRequests") {
        let fits = match text(request, "source") {
            Some(source) => source == adapter || (source == "structured" && !is_text),
            None => !is_text,
        };
        if !fits {
            add(pairs, "tool.schema_invalid", text(request, "toolCallId").unwrap_or_default());
        }
    }
}

/// Which tools may be asked for, and with which schema.
pub(super) fn tools(document: &Value, pairs: &mut Pairs) {
    let evidence = &document["evidence"];
    let class = "tool.unknown_or_disallowed";
    let bound = bind(document, "toolPolicy", "toolPolicy", class, pairs);
    let choice = text(&evidence["callSpec"], "toolChoice").unwrap_or_default();
    for request in rows(evidence, "toolRequests") {
        let id = text(request, "toolCallId").unwrap_or_default();
        let name = text(request, "toolName").unwrap_or_default();
        if let Bound::Terms(policy) = &bound {
            let mut entries = rows(policy, "tools").iter().filter(|entry| text(entry, "name") == Some(name));
            match entries.next_back() {
                None => add(pairs, class, id),
                Some(entry) => {
                    let wanted = text(entry, "schemaDigest");
                    if wanted.is_some() && wanted != text(request, "schemaDigest") {
                        add(pairs, "tool.schema_invalid", id);
                    }
                }
            }
        }
        if !is_chosen(choice, name, &bound) {
            add(pairs, class, id);
        }
    }
}

fn is_chosen(choice: &str, name: &str, bound: &Bound<'_>) -> bool {
    let (word, tool) = choice.split_once(':').unwrap_or((choice, ""));
    if !word.trim().eq_ignore_ascii_case("specific") {
        return true;
    }
    if !tool.trim().is_empty() {
        return tool.trim() == name;
    }
    match bound {
        // Neither names a tool.
        Bound::Silent | Bound::Broken => false,
        Bound::Terms(policy) => {
            let names: Vec<Option<&str>> =
                rows(policy, "tools").iter().map(|entry| text(entry, "name")).collect();
            let only = if let [only] = names.as_slice() { *only } else { None };
            text(policy, "specificTool").or(only) == Some(name)
        }
    }
}

/// Whether `name` is one of a document's texts.
pub(super) fn lists(document: &Value, list: &str, name: &str) -> bool {
    texts(document, list).contains(&name)
}
