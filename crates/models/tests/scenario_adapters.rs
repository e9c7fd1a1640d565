//! Scenarios through the real adapters, in memory: the three protocols say the same, and every fault is typed.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

mod scenario_support;

use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use premath_models::provider::Protocol;
use premath_models::scripted::{ScriptedTransport, scripted_model};
use premath_tusk::model::{
    AssistantPart, CacheMarker, Delivery, Message, ModelErrorKind, ModelRequest, StopReason, ToolOutcome,
    ToolResult, UserPart,
};
use scenario_support::{answer, ask, collected, deltas, over, plain, request, run, script, scripted};

const DELIVERIES: [Delivery; 2] = [Delivery::Streamed, Delivery::Whole];

#[test]
fn the_same_turn_is_the_same_answer_in_every_protocol() {
    let turns = [
        "text = \"Grüße, \\\"world\\\" \\n and more\"\nchunk = 1",
        "reasoning = \"I think, so I say.\"\ntext = \"So.\"\nchunk = 4",
        "text = \"half\"\nstop = \"max_tokens\"",
        "text = \"cheap\"\nusage = { input = 10, output = 3, cache_read = 90 }",
        "refusal = \"I will not.\"",
        "text = \"\"\nstop = \"end_turn\"",
        "[[turn.call]]\ntool = \"fs_read\"",
        "reasoning = \"two\"\ntext = \"I read both.\"\nchunk = 5\n[[turn.call]]\ntool = \"fs_read\"\narguments = { path = \"a\", n = 1 }\n[[turn.call]]\nid = \"mine\"\ntool = \"fs_read\"\narguments_raw = '{ \"path\" : \"b\" }'",
    ];
    for turn in turns {
        let file = format!("name = \"same\"\n[[turn]]\n{turn}\n");
        for delivery in DELIVERIES {
            let said = Protocol::ALL.map(|protocol| {
                let (events, error) = run(ask(&scripted(protocol, &script(&file)), &request("hi", delivery)));
                assert_eq!(error, None, "{protocol} {turn}");
                let shown = deltas(&events);
                (shown, plain(collected(events)))
            });
            assert_eq!(said[0], said[1], "{turn} {delivery:?}");
            assert_eq!(said[0], said[2], "{turn} {delivery:?}");
        }
    }
}

#[test]
fn a_streamed_answer_and_a_whole_one_are_the_same() {
    let file = "name = \"a\"\n[[turn]]\nreasoning = \"r\"\ntext = \"some text\"\nchunk = 2\n[[turn.call]]\ntool = \"fs_read\"\narguments = { a = [1, 2.5, \"x\"] }\n";
    for protocol in Protocol::ALL {
        let said = DELIVERIES
            .map(|delivery| plain(run(answer(&scripted(protocol, &script(file)), &request("hi", delivery)))));
        assert_eq!(said[0], said[1], "{protocol}");
    }
}

/// The next request of a conversation: what was said, and what came of the calls.
fn next(request: &ModelRequest, parts: Vec<AssistantPart>, results: &[(&str, &str)]) -> ModelRequest {
    let mut request = request.clone();
    request.messages.push(Message::Assistant(parts));
    let results = results.iter().map(|(id, content)| {
        UserPart::ToolResult(ToolResult {
            call_id: (*id).to_owned(),
            content: (*content).to_owned(),
            outcome: ToolOutcome::Ok,
            cache: CacheMarker::None,
        })
    });
    let results: Vec<UserPart> = results.collect();
    if !results.is_empty() {
        request.messages.push(Message::User(results));
    }
    request
}

#[test]
fn a_conversation_with_tools_goes_from_turn_to_turn() {
    let file = r#"
name = "conversation"
[[turn]]
reasoning = "both"
text = "I read."
expect = { user_contains = "both files", system_contains = "help", tools_include = ["fs_read"], messages = 1 }
[[turn.call]]
tool = "fs_read"
arguments = { path = "a" }
[[turn.call]]
tool = "fs_read"
arguments = { path = "b" }
[[turn]]
text = "More"
stop = "pause_turn"
expect = { tool_result = [{ id = "call_1_1", contains = "AAA", outcome = "ok" }, { id = "call_1_2", contains = "BBB" }], messages = 3 }
[[turn]]
text = "and done."
expect = { messages = 4 }
"#;
    for protocol in Protocol::ALL {
        for delivery in DELIVERIES {
            let model = scripted(protocol, &script(file));
            let first = request("read both files", delivery);
            let calls = run(answer(&model, &first));
            assert_eq!(calls.stop, StopReason::ToolUse, "{protocol}");
            let second = next(&first, calls.parts, &[("call_1_1", "AAA"), ("call_1_2", "BBB")]);
            let paused = run(answer(&model, &second));
            assert_eq!(paused.text(), "More", "{protocol}");
            let third = next(&second, paused.parts, &[]);
            assert_eq!(run(answer(&model, &third)).text(), "and done.", "{protocol}");
        }
    }
}

#[test]
fn every_fault_before_an_answer_is_typed_and_then_the_answer_comes() {
    let cases = [
        ("kind = \"rate_limit\", retry_after = 7", ModelErrorKind::RateLimit),
        ("kind = \"rate_limit\"", ModelErrorKind::RateLimit),
        ("kind = \"server_error\"", ModelErrorKind::Unavailable),
        ("kind = \"server_error\", status = 503", ModelErrorKind::Unavailable),
        ("kind = \"overloaded\"", ModelErrorKind::Overloaded),
        ("kind = \"authentication\"", ModelErrorKind::Authentication),
    ];
    for (fault, kind) in cases {
        let file = format!("name = \"a\"\n[[turn]]\ntext = \"at last\"\nfault = [{{ {fault} }}]\n");
        for protocol in Protocol::ALL {
            for delivery in DELIVERIES {
                let model = scripted(protocol, &script(&file));
                let (events, error) = run(ask(&model, &request("hi", delivery)));
                let error = error.unwrap();
                assert!(events.is_empty());
                assert_eq!(error.kind, kind, "{protocol} {fault}: {error:?}");
                let wait = fault.contains("retry_after").then_some(Duration::from_secs(7));
                assert_eq!(error.retry_after, wait);
                assert!(error.request_id.is_some_and(|id| id.starts_with("req_")));
                assert_eq!(run(answer(&model, &request("hi", delivery))).text(), "at last");
            }
        }
    }
}

#[test]
fn a_conversation_that_is_too_long_is_told_apart_where_the_protocol_does() {
    let file =
        "name = \"a\"\n[[turn]]\ntext = \"x\"\nfault = [{ kind = \"context_length\", always = true }]\n";
    let kind = |protocol| {
        run(ask(&scripted(protocol, &script(file)), &request("hi", Delivery::Streamed))).1.unwrap().kind
    };
    assert_eq!(kind(Protocol::OpenaiResponses), ModelErrorKind::ContextLength);
    assert_eq!(kind(Protocol::OpenaiChat), ModelErrorKind::ContextLength);
    assert_eq!(kind(Protocol::AnthropicMessages), ModelErrorKind::Model);
}

#[test]
fn a_request_the_scenario_does_not_expect_is_typed() {
    let file = "name = \"a\"\n[[turn]]\ntext = \"x\"\nexpect = { user_contains = \"bye\" }\n";
    for protocol in Protocol::ALL {
        let (_, error) = run(ask(&scripted(protocol, &script(file)), &request("hi", Delivery::Streamed)));
        let error = error.unwrap();
        assert_eq!((error.kind, error.status), (ModelErrorKind::Model, Some(400)));
        assert_eq!(error.code.as_deref(), Some("scenario_mismatch"), "{protocol}");
        assert!(error.message.contains("expected user text with `bye`, was shown `hi`"), "{}", error.message);
    }
}

#[test]
fn a_body_cut_at_any_byte_is_a_typed_error_and_what_came_before_it_is_a_beginning() {
    let turn = "text = \"a few words\"\nchunk = 4\n[[turn.call]]\ntool = \"fs_read\"\narguments = { path = \"a\" }\n";
    for protocol in Protocol::ALL {
        let whole = format!("name = \"a\"\n[[turn]]\n{turn}");
        let (all, _) = run(ask(&scripted(protocol, &script(&whole)), &request("hi", Delivery::Streamed)));
        for at_byte in (0..6_000).step_by(7) {
            let file = format!(
                "name = \"a\"\n[[turn]]\n{turn}[[turn.fault]]\nkind = \"cut\"\nat_byte = {at_byte}\n"
            );
            let (events, error) =
                run(ask(&scripted(protocol, &script(&file)), &request("hi", Delivery::Streamed)));
            assert!(all.starts_with(&events), "{protocol} {at_byte}");
            // Behind the last event of the protocol nothing is missing any more, even if the peer had more to say.
            match error {
                Some(error) => {
                    assert_eq!(error.kind, ModelErrorKind::Unavailable, "{protocol} {at_byte}: {error:?}");
                    assert_eq!(error.code.as_deref(), Some("stream_cut"), "{protocol} {at_byte}");
                }
                None => assert_eq!(events, all, "{protocol} {at_byte}"),
            }
        }
    }
}

#[test]
fn json_that_is_none_is_a_typed_error() {
    for protocol in Protocol::ALL {
        for at_event in 1..12 {
            let file = format!(
                "name = \"a\"\n[[turn]]\ntext = \"a few words\"\nchunk = 2\nfault = [{{ kind = \"malformed_json\", at_event = {at_event} }}]\n"
            );
            let (_, error) =
                run(ask(&scripted(protocol, &script(&file)), &request("hi", Delivery::Streamed)));
            let error = error.unwrap_or_else(|| panic!("{protocol} {at_event}"));
            assert_eq!(error.kind, ModelErrorKind::Unknown, "{protocol}");
            assert_eq!(error.code.as_deref(), Some("stream_malformed"), "{protocol}");
        }
        let whole =
            "name = \"a\"\n[[turn]]\ntext = \"x\"\nfault = [{ kind = \"malformed_json\", at_event = 1 }]\n";
        let (events, error) = run(ask(&scripted(protocol, &script(whole)), &request("hi", Delivery::Whole)));
        assert!(events.is_empty() && error.is_some(), "{protocol}");
    }
}

const STALLED: &str = "name = \"a\"\n[[turn]]\ntext = \"a few words\"\nfault = [{ kind = \"stall\", after_byte = 1400, always = true }]\n";

#[test]
fn a_stall_shows_what_was_sent_and_then_nothing() {
    for protocol in Protocol::ALL {
        let model = scripted(protocol, &script(STALLED));
        let asked = request("hi", Delivery::Streamed);
        let begun = model.start(&asked).now_or_never().unwrap();
        let mut stream = begun.unwrap();
        let mut events = 0;
        while let Some(event) = stream.next().now_or_never() {
            event.unwrap().unwrap();
            events += 1;
        }
        assert!(events > 0, "{protocol}");
        assert!(stream.next().now_or_never().is_none(), "{protocol}: still nothing, and no end");
    }
}

#[test]
fn a_stall_ends_where_the_transport_has_an_end() {
    for protocol in Protocol::ALL {
        let transport = ScriptedTransport::new(script(STALLED)).with_idle_timeout(Duration::from_millis(1));
        let model = over(protocol, "http://localhost", Arc::new(transport));
        let (_, error) = run(ask(&model, &request("hi", Delivery::Streamed)));
        let error = error.unwrap();
        assert_eq!((error.kind, error.code.as_deref()), (ModelErrorKind::Timeout, Some("idle_timeout")));
    }
}

#[test]
fn a_slow_answer_is_a_whole_one() {
    let file =
        "name = \"a\"\n[[turn]]\ntext = \"slowly\"\nchunk = 3\nfault = [{ kind = \"slow\", delay_ms = 1 }]\n";
    for protocol in Protocol::ALL {
        let model = scripted(protocol, &script(file));
        let slow = run(answer(&model, &request("hi", Delivery::Streamed)));
        assert_eq!(slow.text(), "slowly");
        let quick = run(answer(&model, &request("hi", Delivery::Streamed)));
        assert_eq!(plain(quick), plain(slow));
    }
}

#[test]
fn a_call_of_a_tool_that_nobody_offered_comes_through_as_it_is() {
    let file = "name = \"a\"\n[[turn]]\nfault = [{ kind = \"wrong_tool_id\" }]\n[[turn.call]]\ntool = \"fs_read\"\n[[turn.call]]\ntool = \"fs_read\"\n";
    for protocol in Protocol::ALL {
        let said = run(answer(&scripted(protocol, &script(file)), &request("hi", Delivery::Streamed)));
        let calls = said.parts.iter().map(|part| match part {
            AssistantPart::ToolCall(call) => (call.id.as_str(), call.name.as_str()),
            AssistantPart::Text(_)
            | AssistantPart::Reasoning(_)
            | AssistantPart::Refusal(_)
            | AssistantPart::Opaque(_) => ("", "not a call"),
        });
        let calls: Vec<_> = calls.collect();
        assert_eq!(calls, [("call_1_1", "fs_read_not_offered"); 2], "{protocol}");
    }
}

/// What is wrong with the only call of an answer; none when it can run.
fn broken(parts: &[AssistantPart]) -> Option<String> {
    match parts {
        [AssistantPart::ToolCall(call)] => Some(call.malformed.as_ref()?.reason.clone()),
        _other => None,
    }
}

#[test]
fn arguments_that_end_in_the_middle_never_run() {
    let file = "name = \"a\"\n[[turn]]\nfault = [{ kind = \"cut_arguments\", always = true }]\n[[turn.call]]\ntool = \"fs_read\"\narguments = { path = \"a\" }\n";
    for protocol in Protocol::ALL {
        for delivery in DELIVERIES {
            let said = run(answer(&scripted(protocol, &script(file)), &request("hi", delivery)));
            assert_eq!(said.stop, StopReason::MaxTokens, "{protocol} {delivery:?}");
            assert!(broken(&said.parts).is_some(), "{protocol} {delivery:?}: {:?}", said.parts);
        }
    }
}

#[test]
fn arguments_that_are_no_json_never_run() {
    let file =
        "name = \"a\"\n[[turn]]\n[[turn.call]]\ntool = \"fs_read\"\narguments_raw = '{\"path\": nope}'\n";
    for protocol in Protocol::ALL {
        for delivery in DELIVERIES {
            let said = run(answer(&scripted(protocol, &script(file)), &request("hi", delivery)));
            assert!(broken(&said.parts).is_some(), "{protocol} {delivery:?}: {:?}", said.parts);
        }
    }
}

#[test]
fn a_scripted_model_is_named_after_its_file() {
    let file = "name = \"a\"\n[[conversation]]\nwhen = { model = \"tour.toml\" }\n[[conversation.turn]]\ntext = \"here\"\n";
    let model = scripted_model(ScriptedTransport::new(script(file)), "tour.toml");
    assert_eq!(model.reference(), "scripted:tour.toml");
    assert_eq!(run(answer(&model, &request("hi", Delivery::Streamed))).text(), "here");
}
