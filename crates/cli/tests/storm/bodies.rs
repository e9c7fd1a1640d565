//! Requests as providers read them: which calls are answered, and whether anything is answered that was never asked for.

use std::collections::BTreeSet;

use serde_json::Value;

/// What is wrong with the body of a request to this path; nothing when every call has its result and every result its call.
pub(crate) fn unpaired(path: &str, body: &[u8]) -> Option<String> {
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return Some(format!("the body is not JSON: {error}")),
    };
    if path.ends_with("/messages") {
        messages(list(&body, "messages"))
    } else if path.ends_with("/chat/completions") {
        chat(list(&body, "messages"))
    } else if path.ends_with("/responses") {
        responses(list(&body, "input"))
    } else {
        Some(format!("nobody knows the path `{path}`"))
    }
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The calls that wait for their result.
#[derive(Default)]
struct Open<'v>(BTreeSet<&'v str>);

impl<'v> Open<'v> {
    fn ask(&mut self, id: &'v str) -> Option<String> {
        if id.is_empty() {
            return Some("a call has no id".to_owned());
        }
        (!self.0.insert(id)).then(|| format!("`{id}` stands for two open calls"))
    }

    fn answer(&mut self, id: &str) -> Option<String> {
        (!self.0.remove(id)).then(|| format!("`{id}` is answered and was not asked for"))
    }

    fn none(&self, when: &str) -> Option<String> {
        self.0.first().map(|id| format!("`{id}` is not answered {when}"))
    }
}

/// Anthropic: the message behind an answer with calls begins with their results.
fn messages(messages: &[Value]) -> Option<String> {
    let mut open = Open::default();
    for message in messages {
        let blocks = list(message, "content");
        if blocks.is_empty() && text(message, "content").is_empty() {
            return Some("a message has no content".to_owned());
        }
        if text(message, "role") == "assistant" {
            if let Some(wrong) = open.none("before the model speaks again") {
                return Some(wrong);
            }
            for block in blocks.iter().filter(|block| text(block, "type") == "tool_use") {
                if let Some(wrong) = open.ask(text(block, "id")) {
                    return Some(wrong);
                }
            }
            continue;
        }
        let mut is_behind_text = false;
        for block in blocks {
            match text(block, "type") {
                "tool_result" if is_behind_text => return Some("a result stands behind a text".to_owned()),
                "tool_result" => {
                    if let Some(wrong) = open.answer(text(block, "tool_use_id")) {
                        return Some(wrong);
                    }
                }
                _other => is_behind_text = true,
            }
        }
        if let Some(wrong) = open.none("in the message behind it") {
            return Some(wrong);
        }
    }
    open.none("at the end")
}

/// Chat Completions: messages of tools stand right behind the calls.
fn chat(messages: &[Value]) -> Option<String> {
    let mut open = Open::default();
    for message in messages {
        if text(message, "role") == "tool" {
            if let Some(wrong) = open.answer(text(message, "tool_call_id")) {
                return Some(wrong);
            }
            continue;
        }
        if let Some(wrong) = open.none("before the next message") {
            return Some(wrong);
        }
        for call in list(message, "tool_calls") {
            if let Some(wrong) = open.ask(text(call, "id")) {
                return Some(wrong);
            }
        }
    }
    open.none("at the end")
}

/// Responses: items of one list.
fn responses(items: &[Value]) -> Option<String> {
    let mut open = Open::default();
    for item in items {
        let wrong = match text(item, "type") {
            "function_call" => open.ask(text(item, "call_id")),
            "function_call_output" => open.answer(text(item, "call_id")),
            _other => open.none("before the next message"),
        };
        if wrong.is_some() {
            return wrong;
        }
    }
    open.none("at the end")
}

#[test]
fn the_checker_finds_what_it_looks_for() {
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}}]}"#;
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#;
    let said = |parts: &[&str]| {
        unpaired("/v1/messages", format!("{{\"messages\":[{}]}}", parts.join(",")).as_bytes())
    };
    assert_eq!(said(&[call, result]), None);
    assert!(said(&[call]).unwrap().contains("not answered"));
    assert!(said(&[result]).unwrap().contains("was not asked for"));
    assert!(said(&[call, call, result]).is_some());
    let chat =
        |messages: &str| unpaired("/v1/chat/completions", format!("{{\"messages\":{messages}}}").as_bytes());
    assert!(
        chat(r#"[{"role":"assistant","tool_calls":[{"id":"a"}]},{"role":"user","content":"x"}]"#).is_some()
    );
    assert!(chat(r#"[{"role":"tool","tool_call_id":"a","content":"x"}]"#).is_some());
    let items = |input: &str| unpaired("/v1/responses", format!("{{\"input\":{input}}}").as_bytes());
    assert!(items(r#"[{"type":"function_call","call_id":"a"}]"#).is_some());
    assert!(items(r#"[{"type":"function_call_output","call_id":"a"}]"#).is_some());
    assert_eq!(
        items(r#"[{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a"}]"#),
        None
    );
}
