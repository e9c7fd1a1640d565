//! Requests as they are written, and streams of servers that are compatible in their own way.

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, CacheMarker, Delivery, Message, ModelError, ModelEvent, ModelRequest, ParallelCalls,
    Reasoning, StopReason, SystemBlock, ToolCall, ToolChoice, ToolOffer, ToolOutcome, ToolResult, Usage,
    UserPart,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{LengthField, body};
use crate::provider::Protocol;
use crate::provider::decoded::{decoded_text, decoded_whole, parts};

fn decode(lines: &[Value]) -> (Vec<ModelEvent>, Option<ModelError>) {
    let framed: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
    decoded_text(Protocol::OpenaiChat, &format!("{framed}data: [DONE]\n\n"))
}

fn delta(delta: &Value) -> Value {
    json!({"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": reason}]})
}

fn stop(events: &[ModelEvent]) -> StopReason {
    match events.last() {
        Some(ModelEvent::Finished { stop, .. }) => stop.clone(),
        other => panic!("{other:?}"),
    }
}

fn call(id: &str, name: &str, arguments: &str) -> AssistantPart {
    let arguments = JsonText::new(arguments).unwrap();
    AssistantPart::ToolCall(ToolCall::new(id, name, arguments))
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
fn the_least_a_server_can_send_is_an_answer() {
    let (events, error) = decode(&[json!({"choices": [{"delta": {"content": "hi"}}]}), finish("stop")]);
    assert_eq!(error, None);
    assert_eq!(parts(&events), [AssistantPart::Text("hi".to_owned())]);
    let usage = Usage::default();
    let provider_stop = Some("stop".to_owned());
    assert_eq!(
        events.last(),
        Some(&ModelEvent::Finished { stop: StopReason::EndTurn, provider_stop, usage })
    );
}

#[test]
fn thoughts_come_under_two_names_and_are_not_carried_back() {
    for name in ["reasoning_content", "reasoning"] {
        let (events, _) =
            decode(&[delta(&json!({ name: "hm" })), delta(&json!({"content": "hi"})), finish("stop")]);
        let thought = Reasoning { text: "hm".to_owned(), verbatim: None };
        assert_eq!(parts(&events), [AssistantPart::Reasoning(thought), AssistantPart::Text("hi".to_owned())]);
    }
}

#[test]
fn parallel_calls_are_told_apart_by_number_by_id_or_by_name() {
    let piece = |piece: Value| delta(&json!({"tool_calls": [piece]}));
    let numbered = [
        piece(json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}})),
        piece(json!({"index": 1, "id": "b", "function": {"name": "g", "arguments": "{\"y\":"}})),
        piece(json!({"index": 0, "function": {"arguments": "{\"x\":1}"}})),
        piece(json!({"index": 1, "function": {"arguments": "2}"}})),
        finish("tool_calls"),
    ];
    let same_number = [
        piece(json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}})),
        piece(json!({"index": 0, "id": "b", "function": {"name": "g", "arguments": "{\"y\":2}"}})),
        finish("stop"),
    ];
    let no_number = [
        delta(&json!({"tool_calls": [
            {"id": "a", "function": {"name": "f", "arguments": {"x": 1}}},
            {"id": "b", "function": {"name": "g"}}]})),
        piece(json!({"function": {"arguments": "{\"y\":2}"}})),
        finish("tool_calls"),
    ];
    for lines in [numbered.as_slice(), &same_number, &no_number] {
        let (events, error) = decode(lines);
        assert_eq!(error, None);
        assert_eq!(parts(&events), [call("a", "f", "{\"x\":1}"), call("b", "g", "{\"y\":2}")]);
        assert_eq!(stop(&events), StopReason::ToolUse);
    }
}

fn call_ids(lines: &[Value]) -> Vec<String> {
    let (events, error) = decode(lines);
    assert_eq!(error, None);
    let ids = parts(&events).into_iter().map(|part| {
        let AssistantPart::ToolCall(call) = part else { panic!("{part:?}") };
        call.id
    });
    ids.collect()
}

#[test]
fn a_call_without_an_id_gets_one_that_no_other_answer_has() {
    let answer = |head: &Value, arguments: &str| {
        let mut first =
            delta(&json!({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": arguments}}]}));
        let fields = first.as_object_mut().unwrap();
        fields.remove("id");
        fields.extend(head.as_object().unwrap().clone());
        let second = delta(
            &json!({"tool_calls": [{"index": 1, "id": "", "function": {"name": "f", "arguments": ""}}]}),
        );
        call_ids(&[first, second, finish("tool_calls")])
    };
    let answers = [
        (json!({"id": "one"}), "{}"),
        (json!({"id": "two"}), "{}"),
        (json!({"created": 1}), "{}"),
        (json!({"created": 2}), "{}"),
        (json!({}), "{}"),
        (json!({}), "{\"x\":1}"),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for (head, arguments) in &answers {
        let ids = answer(head, arguments);
        assert_eq!(ids, answer(head, arguments), "the same answer has the same ids");
        let first = ids.first().unwrap();
        let digits = first.strip_prefix("call_").unwrap();
        assert!(digits.len() == 12 && digits.chars().all(|digit| digit.is_ascii_hexdigit()), "{first}");
        assert!(seen.insert(first.clone()), "{head} {arguments}: {first}");
        assert_ne!(ids.first(), ids.last());
    }
}

#[test]
fn another_name_under_the_same_number_is_another_call() {
    let piece = |piece: Value| delta(&json!({"tool_calls": [piece]}));
    let named = |name: &str, arguments: &str| {
        piece(json!({"index": 0, "function": {"name": name, "arguments": arguments}}))
    };
    let (events, error) = decode(&[
        named("list_all", ""),
        named("delete", "{\"x\":"),
        named("delete", ""),
        piece(json!({"index": 0, "function": {"arguments": "1}"}})),
        finish("tool_calls"),
    ]);
    assert_eq!(error, None);
    let heard: Vec<(String, String)> = parts(&events)
        .into_iter()
        .map(|part| {
            let AssistantPart::ToolCall(call) = part else { panic!("{part:?}") };
            (call.name, call.arguments.as_str().to_owned())
        })
        .collect();
    let pair = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
    assert_eq!(heard, [pair("list_all", "{}"), pair("delete", "{\"x\":1}")]);

    let half = [named("f", "{\"x\":"), named("g", "1}"), finish("tool_calls")];
    let (events, error) = decode(&half);
    assert_eq!(error, None);
    assert_eq!(broken(&events).len(), 2, "neither gets the arguments of the other: {events:?}");
    let renamed = [
        piece(json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":"}})),
        piece(json!({"index": 0, "id": "a", "function": {"name": "g", "arguments": "1}"}})),
        finish("tool_calls"),
    ];
    let (events, error) = decode(&renamed);
    assert_eq!((parts(&events), error.unwrap().code.as_deref()), (vec![], Some("stream_malformed")));
}

#[test]
fn a_message_beside_a_delta_is_not_said_again() {
    let both = json!({"choices": [{"delta": {"content": "hi"}, "message": {"content": "hi"}}]});
    let (events, error) = decode(&[both, finish("stop")]);
    assert_eq!((parts(&events), error), (vec![AssistantPart::Text("hi".to_owned())], None));
    let whole = json!({"choices": [{"delta": {}, "message": {"content": "hi"}, "finish_reason": "stop"}]});
    let (events, error) = decoded_whole(Protocol::OpenaiChat, whole.to_string().as_bytes());
    assert_eq!((parts(&events), error), (vec![AssistantPart::Text("hi".to_owned())], None));
}

#[test]
fn an_empty_reason_is_none() {
    let first = json!({"choices": [{"delta": {"content": "hi"}, "finish_reason": ""}]});
    let (events, error) = decode(&[first.clone(), finish("length")]);
    assert_eq!((stop(&events), error), (StopReason::MaxTokens, None));
    assert_eq!(decode(&[first]).1.unwrap().code.as_deref(), Some("stream_malformed"));
}

#[test]
fn content_may_be_a_list_of_texts() {
    let list = json!([{"type": "text", "text": "h\u{e9}"}, {"type": "text", "text": "\n!"}]);
    let (events, error) = decode(&[delta(&json!({"content": list})), finish("stop")]);
    assert_eq!((parts(&events), error), (vec![AssistantPart::Text("h\u{e9}\n!".to_owned())], None));
    let picture = delta(&json!({"content": [{"type": "image_url", "image_url": {}}]}));
    assert_eq!(decode(&[picture]).1.unwrap().code.as_deref(), Some("stream_malformed"));
}

#[test]
fn an_error_in_the_place_of_an_answer_is_one() {
    let line = json!({"object": "error", "message": "no such model", "type": "NotFoundError", "code": 404});
    let error = decode(std::slice::from_ref(&line)).1.unwrap();
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("model", "no such model"));
    let (_, error) = decoded_whole(Protocol::OpenaiChat, line.to_string().as_bytes());
    assert_eq!(error.unwrap().kind.as_str(), "model");
}

#[test]
fn half_a_call_cannot_run() {
    let begun = |arguments: &str| {
        delta(
            &json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}]}),
        )
    };
    for (arguments, reason, wanted) in [
        ("{\"x\":", "length", "cut off"),
        ("", "length", "cut off"),
        ("{\"x\":", "tool_calls", "cut off"),
        ("{x}", "tool_calls", "refused"),
        ("{\"x\":1,\"x\":2}", "tool_calls", "duplicate key"),
        ("{\"x\":9007199254740993}", "tool_calls", "refused"),
        ("[]", "tool_calls", "not a JSON object"),
    ] {
        let (events, error) = decode(&[begun(arguments), finish(reason)]);
        assert_eq!(error, None);
        let [found] = &broken(&events)[..] else { panic!("{events:?}") };
        assert!(found.contains(wanted), "{arguments} {reason}: {found}");
    }
}

#[test]
fn reasons_to_stop_are_those_of_the_design() {
    let reason = |reason: &str| stop(&decode(&[delta(&json!({"content": "x"})), finish(reason)]).0);
    assert_eq!(reason("stop"), StopReason::EndTurn);
    assert_eq!(reason("length"), StopReason::MaxTokens);
    assert_eq!(reason("tool_calls"), StopReason::ToolUse);
    assert_eq!(reason("content_filter"), StopReason::Other("content_filter".to_owned()));
    assert_eq!(reason("function_call"), StopReason::Other("function_call".to_owned()));
    let (events, _) = decode(&[delta(&json!({"refusal": "no"})), finish("stop")]);
    assert_eq!(
        (stop(&events), parts(&events)),
        (StopReason::Refusal, vec![AssistantPart::Refusal("no".to_owned())])
    );
}

#[test]
fn usage_counts_cached_input_once_and_thoughts_as_output() {
    let usage =
        |usage: Value| match decode(&[finish("stop"), json!({"choices": [], "usage": usage})]).0.last() {
            Some(ModelEvent::Finished { usage, .. }) => *usage,
            other => panic!("{other:?}"),
        };
    let within = usage(json!({"prompt_tokens": 10, "completion_tokens": 9, "total_tokens": 19,
        "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 5}}));
    assert_eq!((within.input_tokens, within.cache_read_tokens, within.output_tokens), (6, 4, 9));
    let beside = usage(json!({"prompt_tokens": 10, "completion_tokens": 9, "total_tokens": 24,
        "completion_tokens_details": {"reasoning_tokens": 5}}));
    assert_eq!((beside.output_tokens, beside.reasoning_tokens), (14, 5));
    assert_eq!(usage(json!({"prompt_tokens": 3, "prompt_tokens_details": null})).input_tokens, 3);
}

#[test]
fn errors_in_the_stream_have_their_kind_and_oddities_their_code() {
    let line = json!({"error": {"message": "slow", "code": 429}});
    assert_eq!(decode(&[line]).1.unwrap().kind.as_str(), "rate_limit");
    let second = json!({"choices": [{"index": 1, "delta": {"content": "x"}}]});
    let nameless = delta(&json!({"tool_calls": [{"index": 0, "id": "a", "function": {"arguments": "{}"}}]}));
    for lines in [vec![second], vec![nameless], vec![delta(&json!({"content": "x"}))], vec![json!([])]] {
        assert_eq!(decode(&lines).1.unwrap().code.as_deref(), Some("stream_malformed"), "{lines:?}");
    }
}

#[test]
fn a_request_is_written_in_one_way() {
    let arguments = JsonText::new(r#"{"path": "a"}"#).unwrap();
    let result = ToolResult {
        call_id: "c1".to_owned(),
        content: "it says".to_owned(),
        outcome: ToolOutcome::Ok,
        cache: CacheMarker::None,
    };
    let text = |text: &str| UserPart::Text { text: text.to_owned(), cache: CacheMarker::Here };
    let request = ModelRequest {
        tools: vec![ToolOffer {
            name: "read".to_owned(),
            description: "reads".to_owned(),
            input_schema: JsonText::new(r#"{"type": "object",  "b": 1}"#).unwrap(),
            cache: CacheMarker::Here,
        }]
        .into(),
        system: vec![SystemBlock { text: "be brief".to_owned(), cache: CacheMarker::Here }].into(),
        messages: vec![
            Message::user_text("hello"),
            Message::Assistant(vec![
                AssistantPart::Reasoning(Reasoning { text: "hm".to_owned(), verbatim: None }),
                AssistantPart::ToolCall(ToolCall::new("c1", "read", arguments)),
            ]),
            Message::User(vec![text("and"), UserPart::ToolResult(result), text("then?")]),
        ]
        .into(),
        tool_choice: ToolChoice::Named("read".to_owned()),
        parallel_calls: ParallelCalls::OneAtATime,
        stop_sequences: vec!["END".to_owned()],
        ..ModelRequest::of_text("", 1000)
    };
    let text = String::from_utf8(body("llama3.2", &request, LengthField::MaxTokens).unwrap()).unwrap();
    let expected = concat!(
        r#"{"model":"llama3.2","#,
        r#""max_tokens":1000,"#,
        r#""tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type": "object",  "b": 1}}}],"#,
        r#""tool_choice":{"type":"function","function":{"name":"read"}},"#,
        r#""parallel_tool_calls":false,"#,
        r#""messages":[{"role":"system","content":"be brief"},"#,
        r#"{"role":"user","content":"hello"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\": \"a\"}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"c1","content":"it says"},"#,
        r#"{"role":"user","content":[{"type":"text","text":"and"},{"type":"text","text":"then?"}]}],"#,
        r#""stop":["END"],"#,
        r#""stream":true,"#,
        r#""stream_options":{"include_usage":true}}"#,
    );
    assert_eq!(text, expected);
    let whole = ModelRequest { delivery: Delivery::Whole, ..ModelRequest::of_text("x", 7) };
    let text = String::from_utf8(body("gpt-5", &whole, LengthField::MaxCompletionTokens).unwrap()).unwrap();
    let expected = r#"{"model":"gpt-5","max_completion_tokens":7,"messages":[{"role":"user","content":"x"}],"stream":false}"#;
    assert_eq!(text, expected);
}

proptest! {
    #[test]
    fn arguments_survive_every_way_of_cutting_them_up(
        value in "[a-zé\"\\\\{}\u{1F600}]{0,20}",
        cuts in prop::collection::vec(0usize..60, 0..6),
    ) {
        let whole = json!({ "text": value, "n": [1, -2.5, null] }).to_string();
        let mut places: Vec<usize> = cuts.into_iter().filter(|cut| whole.is_char_boundary(*cut)).collect();
        places.sort_unstable();
        let mut lines = vec![delta(&json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}}]}))];
        let mut start = 0;
        for end in places.into_iter().chain([whole.len()]) {
            let piece = whole.get(start..end).unwrap();
            lines.push(delta(&json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})));
            start = end;
        }
        lines.push(finish("tool_calls"));
        let (events, error) = decode(&lines);
        prop_assert_eq!(error, None);
        prop_assert_eq!(parts(&events), [call("a", "f", &whole)]);
    }
}
