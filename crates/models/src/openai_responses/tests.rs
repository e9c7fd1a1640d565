//! Requests as they are written, and streams no recording has.

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, CacheMarker, Message, ModelError, ModelEvent, ModelRequest, Reasoning, ReasoningEffort,
    StopReason, SystemBlock, ToolCall, ToolOffer, ToolOutcome, ToolResult, UserPart, Verbatim,
};
use serde_json::{Value, json};

use super::{PROTOCOL, body};
use crate::provider::Protocol;
use crate::provider::decoded::{decoded, parts};

fn decode(lines: &[Value]) -> (Vec<ModelEvent>, Option<ModelError>) {
    decoded(Protocol::OpenaiResponses, lines)
}

fn begin() -> Value {
    json!({"type": "response.created", "response": {"id": "r", "model": "g", "status": "in_progress"}})
}

fn text(output: u64, content: u64, text: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": output, "content_index": content, "delta": text})
}

fn completed(output: &Value) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": output, "usage": {
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 4}}}})
}

fn call(status: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": arguments, "status": status})
}

#[test]
fn what_only_the_last_event_has_is_not_lost() {
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}]});
    let (events, error) = decode(&[begin(), completed(&json!([message, call("completed", "{}")]))]);
    assert_eq!(error, None);
    let parts = parts(&events);
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[0], AssistantPart::Text("hi".to_owned()));
    assert!(matches!(events.last(), Some(ModelEvent::Finished { stop: StopReason::ToolUse, .. })));
}

fn message(id: Option<&str>, text: &str) -> Value {
    let mut item = json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    if let Some(id) = id {
        item["id"] = json!(id);
    }
    item
}

fn done(output: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": output, "item": item})
}

#[test]
fn an_item_is_said_once_whatever_its_number_is() {
    let said = |text: &str| AssistantPart::Text(text.to_owned());
    let of = |lines: &[Value]| {
        let (events, error) = decode(lines);
        assert_eq!(error, None, "{lines:?}");
        parts(&events)
    };
    for id in [None, Some(""), Some("a")] {
        let once = message(id, "once");
        let other = message(id.map(|id| if id.is_empty() { "" } else { "b" }), "other");
        let last = |items: &[&Value]| completed(&json!(items));
        assert_eq!(of(&[done(1, &once), last(&[&once])]), [said("once")]);
        let shifted = [done(1, &once), done(2, &other), last(&[&once, &other])];
        assert_eq!(of(&shifted), [said("once"), said("other")]);
        let turned = [done(1, &once), done(0, &other), last(&[&once, &other])];
        assert_eq!(of(&turned), [said("once"), said("other")]);
        let unfinished = [done(1, &once), last(&[&once, &other])];
        assert_eq!(of(&unfinished), [said("once"), said("other")], "what only the list has is not lost");
        let shown = [text(1, 0, "once"), last(&[&once])];
        assert_eq!(of(&shown), [said("once")]);
        let twice = [done(0, &message(None, "same")), done(1, &message(None, "same"))];
        let list = completed(&json!([message(None, "same"), message(None, "same")]));
        assert_eq!(of(&[twice.as_slice(), &[list]].concat()), [said("same"), said("same")]);
    }
    let renamed = [done(1, &message(Some("a"), "once")), completed(&json!([message(Some("b"), "once")]))];
    assert_eq!(of(&renamed), [said("once")]);
    let mut by_id = text(3, 0, "on");
    by_id["item_id"] = json!("a");
    assert_eq!(of(&[by_id, completed(&json!([message(Some("a"), "once")]))]), [said("once")]);
    let added =
        json!({"type": "response.output_item.added", "output_index": 4, "item": call("in_progress", "")});
    assert_eq!(of(&[added, completed(&json!([call("completed", "{}")]))]).len(), 1);
}

#[test]
fn what_was_only_shown_is_not_lost() {
    let (events, error) =
        decode(&[begin(), text(0, 0, "a"), text(0, 1, "b"), text(0, 0, "c"), completed(&json!([]))]);
    assert_eq!(error, None);
    let said = |text: &str| AssistantPart::Text(text.to_owned());
    assert_eq!(parts(&events), [said("ac"), said("b")]);
    let empty = json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": []}});
    let (events, _) = decode(&[begin(), text(0, 0, "a"), empty, completed(&json!([]))]);
    assert_eq!(parts(&events), [said("a")]);
}

#[test]
fn cached_input_is_counted_once() {
    let (events, _) = decode(&[begin(), completed(&json!([]))]);
    let Some(ModelEvent::Finished { usage, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!((usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens), (10, 60, 30));
    assert_eq!((usage.output_tokens, usage.reasoning_tokens), (9, 4));
}

#[test]
fn a_refusal_is_a_refusal() {
    let delta =
        json!({"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": "no"});
    let item = json!({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let (events, _) = decode(&[begin(), delta, done, completed(&json!([]))]);
    assert_eq!(parts(&events), [AssistantPart::Refusal("no".to_owned())]);
    assert!(events.contains(&ModelEvent::RefusalDelta { index: 0, text: "no".to_owned() }));
    assert!(matches!(events.last(), Some(ModelEvent::Finished { stop: StopReason::Refusal, .. })));
}

#[test]
fn an_incomplete_answer_says_why_and_an_incomplete_call_is_none() {
    let incomplete = |reason: &str| {
        json!({"type": "response.incomplete", "response": {"status": "incomplete", "output": [],
            "incomplete_details": {"reason": reason}}})
    };
    let last = |events: &[ModelEvent]| match events.last() {
        Some(ModelEvent::Finished { stop, provider_stop, .. }) => {
            (stop.clone(), provider_stop.clone().unwrap())
        }
        other => panic!("{other:?}"),
    };
    let (events, _) = decode(&[begin(), text(0, 0, "half"), incomplete("max_output_tokens")]);
    assert_eq!(last(&events), (StopReason::MaxTokens, "max_output_tokens".to_owned()));
    assert_eq!(parts(&events), [AssistantPart::Text("half".to_owned())]);
    let (events, _) = decode(&[begin(), incomplete("content_filter")]);
    assert_eq!(last(&events).0, StopReason::Other("content_filter".to_owned()));

    let added =
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("in_progress", "")});
    let done =
        json!({"type": "response.output_item.done", "output_index": 0, "item": call("incomplete", "{}")});
    let ended = incomplete("max_output_tokens");
    for lines in [vec![begin(), added.clone(), done, ended.clone()], vec![begin(), added, ended]] {
        let (events, error) = decode(&lines);
        assert_eq!(error, None);
        let [AssistantPart::ToolCall(call)] = &parts(&events)[..] else { panic!("{events:?}") };
        let reason = call.malformed.as_ref().map(|malformed| malformed.reason.as_str());
        assert_eq!(reason, Some("the arguments are cut off"));
    }
}

#[test]
fn parts_of_a_summary_are_one_thought() {
    let said = |part: u64, text: &str| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": part, "delta": text});
    let item = json!({"type": "reasoning", "id": "rs", "encrypted_content": "x", "summary": [
        {"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"}]});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let (events, _) =
        decode(&[begin(), said(0, "o"), said(0, "ne"), said(1, "two"), done, completed(&json!([]))]);
    let deltas = events.iter().filter_map(|event| {
        let ModelEvent::ReasoningDelta { text, .. } = event else { return None };
        Some(text.as_str())
    });
    let shown: String = deltas.collect();
    assert_eq!(shown, "one\n\ntwo");
    let verbatim =
        Verbatim { protocol: PROTOCOL.to_owned(), block: JsonText::new(item.to_string()).unwrap() };
    let thought = Reasoning { text: shown, verbatim: Some(verbatim) };
    assert_eq!(parts(&events), [AssistantPart::Reasoning(thought)]);
}

#[test]
fn an_unknown_piece_of_a_message_is_carried_in_a_message() {
    let item = json!({"type": "message", "content": [{"type": "hologram", "n": 1}]});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let (events, _) = decode(&[begin(), done, completed(&json!([]))]);
    let [AssistantPart::Opaque(block)] = &parts(&events)[..] else { panic!("{events:?}") };
    let block: Value = serde_json::from_str(block.block.as_str()).unwrap();
    assert_eq!(
        block,
        json!({"type": "message", "role": "assistant", "content": [{"type": "hologram", "n": 1}]})
    );
}

#[test]
fn errors_come_in_two_forms_and_have_their_kind() {
    let flat = json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow", "param": null});
    let nested = json!({"type": "error", "error": {"code": "context_length_exceeded", "message": "long"}});
    let failed = json!({"type": "response.failed", "response": {"status": "failed",
        "error": {"code": "server_error", "message": "oops"}}});
    for (line, kind) in [(flat, "rate_limit"), (nested, "context_length"), (failed, "unavailable")] {
        let (_, error) = decode(&[begin(), line]);
        assert_eq!(error.unwrap().kind.as_str(), kind);
    }
}

#[test]
fn what_would_lose_content_is_malformed() {
    let message = json!({"type": "message", "content": []});
    let done = || json!({"type": "response.output_item.done", "output_index": 0, "item": message.clone()});
    let argument = json!({"type": "response.function_call_arguments.delta", "output_index": 3, "delta": "{"});
    let nameless =
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call"}});
    for lines in [
        vec![begin(), done(), done()],
        vec![begin(), done(), text(0, 0, "x")],
        vec![begin(), argument],
        vec![begin(), nameless],
        vec![begin(), json!({"type": "response.output_text.delta", "delta": "x"})],
        vec![begin(), json!({"type": "response.completed", "response": {"output": []}})],
    ] {
        assert_eq!(decode(&lines).1.unwrap().code.as_deref(), Some("stream_malformed"), "{lines:?}");
    }
    let odd = json!({"type": "response.new_thing", "delta": {"a": 1}, "output_index": "x"});
    assert_eq!(decode(&[begin(), odd, completed(&json!([]))]).1, None);
}

#[test]
fn a_request_is_written_in_one_way() {
    let block =
        JsonText::new(r#"{"type":"reasoning", "id":"rs","encrypted_content":"x","summary":[]}"#).unwrap();
    let own = Some(Verbatim { protocol: PROTOCOL.to_owned(), block: block.clone() });
    let foreign = Verbatim { protocol: "another".to_owned(), block };
    let arguments = JsonText::new(r#"{"path": "a"}"#).unwrap();
    let request = ModelRequest {
        tools: vec![ToolOffer {
            name: "read".to_owned(),
            description: "reads".to_owned(),
            input_schema: JsonText::new(r#"{"type": "object",  "b": 1}"#).unwrap(),
            cache: CacheMarker::Here,
        }]
        .into(),
        system: vec![
            SystemBlock { text: "be brief".to_owned(), cache: CacheMarker::Here },
            SystemBlock { text: "be kind".to_owned(), cache: CacheMarker::None },
        ]
        .into(),
        messages: vec![
            Message::user_text("hello"),
            Message::Assistant(vec![
                AssistantPart::Reasoning(Reasoning { text: String::new(), verbatim: own }),
                AssistantPart::Opaque(foreign),
                AssistantPart::Text("I look".to_owned()),
                AssistantPart::ToolCall(ToolCall::new("c1", "read", arguments)),
            ]),
            Message::User(vec![UserPart::ToolResult(ToolResult {
                call_id: "c1".to_owned(),
                content: "it says".to_owned(),
                outcome: ToolOutcome::Ok,
                cache: CacheMarker::None,
            })]),
        ]
        .into(),
        reasoning: Some(ReasoningEffort::High),
        ..ModelRequest::of_text("", 1000)
    };
    let text = String::from_utf8(body("gpt-5.4", &request).unwrap()).unwrap();
    let expected = concat!(
        r#"{"model":"gpt-5.4","#,
        r#""max_output_tokens":1000,"#,
        r#""tools":[{"type":"function","name":"read","description":"reads","parameters":{"type": "object","#,
        r#"  "b": 1},"strict":false}],"#,
        r#""instructions":"be brief\n\nbe kind","#,
        r#""input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]},"#,
        r#"{"type":"reasoning", "id":"rs","encrypted_content":"x","summary":[]},"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]},"#,
        r#"{"type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\": \"a\"}"},"#,
        r#"{"type":"function_call_output","call_id":"c1","output":"it says"}],"#,
        r#""reasoning":{"effort":"high","summary":"auto"},"#,
        r#""include":["reasoning.encrypted_content"],"#,
        r#""store":false,"#,
        r#""stream":true}"#,
    );
    assert_eq!(text, expected);
}

#[test]
fn models_that_do_not_reason_are_not_asked_for_their_thoughts() {
    let asked = |model: &str| {
        let value: Value =
            serde_json::from_slice(&body(model, &ModelRequest::of_text("x", 9)).unwrap()).unwrap();
        value.get("include").is_some()
    };
    assert!(asked("gpt-5") && asked("o4-mini") && asked("a-later-one"));
    assert!(!asked("gpt-4.1-nano") && !asked("gpt-4o") && !asked("gpt-3.5-turbo"));
}

#[test]
fn stop_sequences_are_refused_because_the_protocol_has_none() {
    let request = ModelRequest { stop_sequences: vec!["END".to_owned()], ..ModelRequest::of_text("x", 9) };
    assert_eq!(body("gpt-5", &request).unwrap_err().code.as_deref(), Some("stop_sequences_unsupported"));
}
