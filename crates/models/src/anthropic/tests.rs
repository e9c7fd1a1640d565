//! Requests as they are written, and streams no recording has.

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, CacheMarker, Message, ModelError, ModelEvent, ModelRequest, ParallelCalls, Reasoning,
    ReasoningEffort, StopReason, SystemBlock, ToolCall, ToolChoice, ToolOffer, ToolOutcome, ToolResult,
    UserPart, Verbatim,
};
use serde_json::{Value, json};

use super::{PROTOCOL, body};
use crate::provider::Protocol;
use crate::provider::decoded::{decoded, decoded_text, decoded_whole, parts};

fn decode(lines: &[Value]) -> (Vec<ModelEvent>, Option<ModelError>) {
    decoded(Protocol::AnthropicMessages, lines)
}

fn begin() -> Value {
    json!({"type": "message_start", "message": {"id": "m", "model": "c", "usage": {"input_tokens": 1}}})
}

fn block(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    [json!({"type": "message_delta", "delta": {"stop_reason": reason}}), json!({"type": "message_stop"})]
}

fn tool(index: u64) -> Value {
    block(index, &json!({"type": "tool_use", "id": format!("t{index}"), "name": "read", "input": {}}))
}

fn code(lines: &[Value]) -> String {
    decode(lines).1.and_then(|error| error.code).unwrap_or_default()
}

/// What is wrong with the arguments of the calls that cannot run; every part must be one.
fn broken(events: &[ModelEvent]) -> Vec<String> {
    let reason = |part: AssistantPart| {
        let AssistantPart::ToolCall(ToolCall { malformed: Some(malformed), arguments, .. }) = part else {
            panic!("{part:?} can run")
        };
        assert_eq!(arguments.as_str(), "{}", "what cannot be read is carried back as nothing");
        malformed.reason
    };
    parts(events).into_iter().map(reason).collect()
}

#[test]
fn parallel_calls_keep_their_own_arguments() {
    let [reason, last] = end("tool_use");
    let lines = [
        begin(),
        tool(0),
        tool(1),
        delta(1, &json!({"type": "input_json_delta", "partial_json": "{\"b\":"})),
        delta(0, &json!({"type": "input_json_delta", "partial_json": "{\"a\":1}"})),
        stop(0),
        delta(1, &json!({"type": "input_json_delta", "partial_json": "2}"})),
        stop(1),
        reason,
        last,
    ];
    let (events, error) = decode(&lines);
    assert_eq!(error, None);
    let call = |id: &str, arguments: &str| {
        let (id, name) = (id.to_owned(), "read".to_owned());
        AssistantPart::ToolCall(ToolCall::new(id, name, JsonText::new(arguments).unwrap()))
    };
    assert_eq!(parts(&events), [call("t0", "{\"a\":1}"), call("t1", "{\"b\":2}")]);
}

#[test]
fn a_call_without_arguments_under_max_tokens_was_not_finished() {
    let with = |reason: &str| {
        let [reason, last] = end(reason);
        decode(&[begin(), tool(0), stop(0), reason, last])
    };
    assert_eq!(parts(&with("tool_use").0).len(), 1);
    let (events, error) = with("max_tokens");
    assert_eq!((broken(&events), error), (vec!["the arguments are cut off".to_owned()], None));
}

#[test]
fn a_call_that_the_context_was_too_small_for_was_not_finished() {
    let reason = "model_context_window_exceeded";
    let [last, end] = end(reason);
    let (events, error) = decode(&[begin(), tool(0), stop(0), last, end]);
    assert_eq!((broken(&events), error), (vec!["the arguments are cut off".to_owned()], None));
    let whole = json!({"type": "message", "id": "m", "stop_reason": reason, "content": [
        {"type": "tool_use", "id": "t", "name": "rm", "input": {"path": "/"}}]});
    let (events, error) = decoded_whole(Protocol::AnthropicMessages, whole.to_string().as_bytes());
    assert_eq!((broken(&events), error), (vec!["the arguments are cut off".to_owned()], None));
}

#[test]
fn arguments_that_are_no_object_are_a_call_that_cannot_run() {
    for (text, wanted) in [("[1]", "not a JSON object"), ("{\"a\"", "cut off"), ("{]", "refused")] {
        let [reason, last] = end("tool_use");
        let piece = delta(0, &json!({"type": "input_json_delta", "partial_json": text}));
        let (events, error) = decode(&[begin(), tool(0), piece, stop(0), reason, last]);
        assert_eq!(error, None);
        assert!(broken(&events).iter().all(|reason| reason.contains(wanted)), "{text}: {events:?}");
    }
}

#[test]
fn sealed_thoughts_and_unknown_blocks_are_carried_as_they_came() {
    let [reason, last] = end("pause_turn");
    let sealed = r#"{"type":"redacted_thinking","data":"x=="}"#;
    let unknown = r#"{"z":1,"type":"new_block","a":[1.50]}"#;
    let raw = |index: u64, block: &str| {
        let text = format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#);
        format!("data: {text}\n\ndata: {}\n\n", stop(index))
    };
    let stream = format!(
        "data: {}\n\n{}{}data: {reason}\n\ndata: {last}\n\n",
        begin(),
        raw(0, sealed),
        raw(1, unknown),
    );
    let (events, error) = decoded_text(Protocol::AnthropicMessages, &stream);
    assert_eq!(error, None);
    let block = |text: &str| Verbatim { protocol: PROTOCOL.to_owned(), block: JsonText::new(text).unwrap() };
    let thought = Reasoning { text: String::new(), verbatim: Some(block(sealed)) };
    assert_eq!(parts(&events), [AssistantPart::Reasoning(thought), AssistantPart::Opaque(block(unknown))]);
    assert!(matches!(events.last(), Some(ModelEvent::Finished { stop: StopReason::PauseTurn, .. })));
}

#[test]
fn unknown_changes_of_unknown_blocks_continue_texts_and_replace_the_rest() {
    let [reason, last] = end("end_turn");
    let change = |change: &Value| delta(0, change);
    let lines = [
        begin(),
        block(0, &json!({"type": "new", "a": null, "b": "x", "c": [1]})),
        change(&json!({"type": "new_delta", "a": "y", "b": "1\n", "c": [2]})),
        change(&json!({"type": "new_delta", "a": "z", "b": "2", "d": {}})),
        change(&json!({"type": "new_delta", "b": "3", "c": "end"})),
        stop(0),
        reason,
        last,
    ];
    let (events, error) = decode(&lines);
    assert_eq!(error, None);
    let [AssistantPart::Opaque(block)] = &parts(&events)[..] else { panic!("{events:?}") };
    let whole = r#"{"a":"yz","b":"x1\n23","c":"end","type":"new","d":{}}"#;
    // The order of members is the parser's: some of our dependencies keep what came, some sort.
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(read(block.block.as_str()), read(whole));
}

#[test]
fn unknown_events_are_passed_over_whatever_they_hold() {
    let [reason, last] = end("end_turn");
    let odd = json!({"type": "new_event", "delta": 7, "index": "x", "message": []});
    let lines = [begin(), odd, block(0, &json!({"type": "text", "text": "hi"})), stop(0), reason, last];
    let (events, error) = decode(&lines);
    assert_eq!((parts(&events), error), (vec![AssistantPart::Text("hi".to_owned())], None));
}

#[test]
fn what_would_lose_content_is_malformed() {
    let text = || block(0, &json!({"type": "text", "text": ""}));
    let said = |index: u64| delta(index, &json!({"type": "text_delta", "text": "x"}));
    let other = json!({"type": "message_start", "message": {"id": "other"}});
    let odd = delta(0, &json!({"type": "new_delta", "text": "x"}));
    let [_, last] = end("end_turn");
    for lines in [
        vec![begin(), said(0)],
        vec![begin(), text(), stop(0), said(0)],
        vec![begin(), text(), text()],
        vec![begin(), stop(0)],
        vec![begin(), other],
        vec![begin(), text(), odd],
        vec![begin(), last],
        vec![json!({"no": "type"})],
    ] {
        assert_eq!(code(&lines), "stream_malformed", "{lines:?}");
    }
}

#[test]
fn an_error_in_the_stream_ends_it_with_its_kind() {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let (events, error) = decode(&[begin(), error, block(0, &json!({"type": "text", "text": "x"}))]);
    assert_eq!(events.len(), 1, "only its beginning: {events:?}");
    let error = error.unwrap();
    assert_eq!((error.kind.as_str(), error.code.as_deref()), ("overloaded", Some("overloaded_error")));
}

#[test]
fn a_thought_that_was_cut_off_is_not_carried_back() {
    let thought = block(0, &json!({"type": "thinking", "thinking": "", "signature": ""}));
    let said = delta(0, &json!({"type": "thinking_delta", "thinking": "hm"}));
    let [reason, last] = end("max_tokens");
    let (events, error) = decode(&[begin(), thought, said, stop(0), reason, last]);
    assert_eq!(error, None);
    let thought = Reasoning { text: "hm".to_owned(), verbatim: None };
    assert_eq!(parts(&events), [AssistantPart::Reasoning(thought)]);
}

fn offer(name: &str, cache: CacheMarker) -> ToolOffer {
    let input_schema = JsonText::new(r#"{"type": "object",  "b": 1, "a": 1.0}"#).unwrap();
    ToolOffer { name: name.to_owned(), description: "reads".to_owned(), input_schema, cache }
}

fn conversation() -> ModelRequest {
    let verbatim = |protocol: &str| {
        let block = JsonText::new(r#"{"type":"thinking", "thinking":"t","signature":"s"}"#).unwrap();
        Some(Verbatim { protocol: protocol.to_owned(), block })
    };
    let call = ToolCall {
        id: "t1".to_owned(),
        name: "read".to_owned(),
        arguments: JsonText::new(r#"{"path": "a"}"#).unwrap(),
        malformed: None,
    };
    let result = ToolResult {
        call_id: "t1".to_owned(),
        content: "no such file".to_owned(),
        outcome: ToolOutcome::Error,
        cache: CacheMarker::Here,
    };
    let text = |text: &str| UserPart::Text { text: text.to_owned(), cache: CacheMarker::None };
    ModelRequest {
        tools: vec![offer("read", CacheMarker::Here)].into(),
        system: vec![SystemBlock { text: "be brief".to_owned(), cache: CacheMarker::Here }].into(),
        messages: vec![
            Message::user_text("hello"),
            Message::Assistant(vec![
                AssistantPart::Reasoning(Reasoning { text: "t".to_owned(), verbatim: verbatim(PROTOCOL) }),
                AssistantPart::Reasoning(Reasoning { text: "t".to_owned(), verbatim: verbatim("another") }),
                AssistantPart::Text("I look".to_owned()),
                AssistantPart::ToolCall(call),
            ]),
            Message::User(vec![text("and?"), UserPart::ToolResult(result), text("")]),
        ]
        .into(),
        ..ModelRequest::of_text("", 1000)
    }
}

#[test]
fn a_request_is_written_in_one_way() {
    let request = conversation();
    let bytes = body("claude-opus-4-7", &request).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let expected = concat!(
        r#"{"model":"claude-opus-4-7","#,
        r#""max_tokens":1000,"#,
        r#""tools":[{"name":"read","description":"reads","input_schema":{"type": "object",  "b": 1,"#,
        r#" "a": 1.0},"cache_control":{"type":"ephemeral"}}],"#,
        r#""system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"hello"}]},"#,
        r#"{"role":"assistant","content":[{"type":"thinking", "thinking":"t","signature":"s"},{"type":"text","text":"I look"},"#,
        r#"{"type":"tool_use","id":"t1","name":"read","input":{"path": "a"}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no such file","is_error":true,"cache_control":{"type":"ephemeral"}},"#,
        r#"{"type":"text","text":"and?"}]}],"#,
        r#""stream":true}"#,
    );
    assert_eq!(text, expected);
    assert_eq!(body("claude-opus-4-7", &conversation()).unwrap(), bytes);
}

#[test]
fn no_more_than_four_marks_are_sent() {
    let mut request = ModelRequest::of_text("x", 10);
    request.tools = (0..9).map(|place| offer(&format!("t{place}"), CacheMarker::Here)).collect();
    let value: Value = serde_json::from_slice(&body("m", &request).unwrap()).unwrap();
    let marked = |place: &Value| place.get("cache_control").is_some();
    let places: Vec<usize> = value["tools"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .filter(|(_, tool)| marked(tool))
        .map(|(place, _)| place)
        .collect();
    assert_eq!(places, [0, 1, 7, 8]);
}

#[test]
fn a_tool_choice_is_what_the_protocol_calls_it() {
    let mut request = ModelRequest::of_text("x", 10);
    request.tools = vec![offer("read", CacheMarker::None)].into();
    let mut choice = |choice: ToolChoice, parallel: ParallelCalls| {
        request.tool_choice = choice;
        request.parallel_calls = parallel;
        let value: Value = serde_json::from_slice(&body("m", &request).unwrap()).unwrap();
        value["tool_choice"].clone()
    };
    let named = ToolChoice::Named("read".to_owned());
    assert_eq!(choice(ToolChoice::Auto, ParallelCalls::Allowed), Value::Null);
    assert_eq!(choice(ToolChoice::Forbidden, ParallelCalls::OneAtATime), json!({"type": "none"}));
    assert_eq!(choice(ToolChoice::Required, ParallelCalls::Allowed), json!({"type": "any"}));
    let one = json!({"type": "tool", "name": "read", "disable_parallel_tool_use": true});
    assert_eq!(choice(named, ParallelCalls::OneAtATime), one);
}

#[test]
fn thinking_is_asked_for_in_the_way_a_model_takes() {
    let mut request = ModelRequest::of_text("x", 8000);
    let asked = |model: &str, request: &ModelRequest| {
        let value: Value = serde_json::from_slice(&body(model, request).unwrap()).unwrap();
        (value["thinking"].clone(), value["output_config"].clone())
    };
    assert_eq!(asked("claude-opus-4-7", &request), (Value::Null, Value::Null));
    request.reasoning = Some(ReasoningEffort::Medium);
    let adaptive = (json!({"type": "adaptive"}), json!({"effort": "medium"}));
    assert_eq!(asked("claude-opus-4-7", &request), adaptive);
    assert_eq!(asked("claude-some-later-one", &request), adaptive);
    let budget = json!({"type": "enabled", "budget_tokens": 3000});
    assert_eq!(asked("claude-haiku-4-5-20251001", &request), (budget, Value::Null));
    request.max_output_tokens = 1024;
    assert_eq!(asked("claude-haiku-4-5", &request), (Value::Null, Value::Null));
}
