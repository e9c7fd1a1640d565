//! The engine and its three protocols, read back from their own bytes.

use serde_json::{Value, json};

use super::{Caller, Ending, HttpAnswer, HttpRequest, Script, answer, path_of};
use crate::provider::Protocol;
use crate::scenario::Scenario;

fn script(text: &str) -> Script {
    Script::new(Scenario::parse("test.toml", text).unwrap())
}

fn ask(script: &Script, protocol: Protocol, body: &Value) -> HttpAnswer {
    let body = body.to_string();
    let request =
        HttpRequest { method: "POST", path: protocol.path(), caller: Caller::Other, body: body.as_bytes() };
    answer(script, request)
}

fn text(answer: &HttpAnswer) -> String {
    answer.pieces.iter().map(|piece| String::from_utf8(piece.to_vec()).unwrap()).collect()
}

fn whole(answer: &HttpAnswer) -> Value {
    serde_json::from_str(&text(answer)).unwrap()
}

/// The JSON of every event; the name of an event is its type.
fn events(answer: &HttpAnswer) -> Vec<Value> {
    let text = text(answer);
    let frames = text.split_terminator("\n\n");
    let events = frames.filter_map(|frame| {
        let (name, data) = frame.split_once("data: ").unwrap();
        if data == "[DONE]" {
            return None;
        }
        let data: Value = serde_json::from_str(data).unwrap();
        if let Some(name) = name.strip_prefix("event: ") {
            assert_eq!(name.trim_end(), data["type"]);
        }
        Some(data)
    });
    events.collect()
}

/// A request of one user text, in a protocol's words.
fn request(protocol: Protocol, said: &str, stream: bool) -> Value {
    let message = json!({ "role": "user", "content": said });
    match protocol {
        Protocol::AnthropicMessages => {
            json!({ "model": "m", "max_tokens": 100, "stream": stream, "messages": [message], "system": "You help.",
                "tools": [{ "name": "fs_read", "input_schema": {} }], "unknown": 1 })
        }
        Protocol::OpenaiResponses => {
            json!({ "model": "m", "stream": stream, "input": [message], "instructions": "You help.",
                "tools": [{ "type": "function", "name": "fs_read" }], "unknown": 1 })
        }
        Protocol::OpenaiChat => {
            let system = json!({ "role": "system", "content": "You help." });
            json!({ "model": "m", "stream": stream, "stream_options": { "include_usage": true },
                "messages": [system, message],
                "tools": [{ "type": "function", "function": { "name": "fs_read" } }], "unknown": 1 })
        }
    }
}

/// The second request: a call was made, and a result is shown.
fn continued(protocol: Protocol) -> Value {
    let mut request = request(protocol, "Please read.", false);
    let list = if protocol == Protocol::OpenaiResponses { "input" } else { "messages" };
    let more = match protocol {
        Protocol::AnthropicMessages => vec![
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "I read." },
                { "type": "tool_use", "id": "call_1_1", "name": "fs_read", "input": {} }] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "call_1_1",
                "content": [{ "type": "text", "text": "forty-two" }] }] }),
        ],
        Protocol::OpenaiResponses => vec![
            json!({ "type": "reasoning", "id": "rs_1", "summary": [] }),
            json!({ "type": "message", "role": "assistant",
                "content": [{ "type": "output_text", "text": "I read." }] }),
            json!({ "type": "function_call", "call_id": "call_1_1", "name": "fs_read", "arguments": "{}" }),
            json!({ "type": "function_call_output", "call_id": "call_1_1", "output": "forty-two" }),
        ],
        Protocol::OpenaiChat => vec![
            json!({ "role": "assistant", "content": "I read.", "tool_calls": [{ "id": "call_1_1",
                "type": "function", "function": { "name": "fs_read", "arguments": "{}" } }] }),
            json!({ "role": "tool", "tool_call_id": "call_1_1", "content": "forty-two" }),
        ],
    };
    request[list].as_array_mut().unwrap().extend(more);
    request
}

const READING: &str = r#"
name = "reading"
[[turn]]
reasoning = "The file will tell."
text = "I read."
chunk = 3
expect = { user_contains = "read", system_contains = "help", tools_include = ["fs_read"], messages = 1 }
[[turn.call]]
tool = "fs_read"
arguments = { path = "a.txt" }
[[turn.call]]
tool = "fs_read"
arguments_raw = '{"path":"b.txt"}'
[[turn]]
text = "It says forty-two."
expect = { tool_result = [{ id = "call_1_1", contains = "forty", outcome = "ok" }], messages = 3 }
"#;

#[test]
fn messages_streams_blocks_between_start_and_stop() {
    let answer = ask(
        &script(READING),
        Protocol::AnthropicMessages,
        &request(Protocol::AnthropicMessages, "read a", true),
    );
    let events = events(&answer);
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(&types[..3], ["message_start", "ping", "content_block_start"]);
    assert_eq!(&types[types.len() - 2..], ["message_delta", "message_stop"]);
    let joined = |index: u64, field: &str| -> String {
        let deltas = events.iter().filter(|event| event["index"] == index);
        deltas.filter_map(|event| event["delta"][field].as_str()).collect()
    };
    assert_eq!(joined(0, "thinking"), "The file will tell.");
    assert_eq!(joined(0, "signature").len(), 64);
    assert_eq!(joined(1, "text"), "I read.");
    assert_eq!(joined(2, "partial_json"), "{\"path\":\"a.txt\"}");
    assert_eq!(joined(3, "partial_json"), "{\"path\":\"b.txt\"}");
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn responses_numbers_its_events_and_ends_with_everything() {
    let answer =
        ask(&script(READING), Protocol::OpenaiResponses, &request(Protocol::OpenaiResponses, "read a", true));
    let events = events(&answer);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    let output = last["response"]["output"].as_array().unwrap();
    let done = events.iter().filter(|event| event["type"] == "response.output_item.done");
    let done: Vec<&Value> = done.map(|event| &event["item"]).collect();
    assert_eq!(output.iter().collect::<Vec<_>>(), done);
    let kinds: Vec<&str> = output.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call", "function_call"]);
    assert_eq!(output[3]["arguments"], "{\"path\":\"b.txt\"}");
}

#[test]
fn a_tool_of_a_namespace_is_called_in_its_namespace() {
    let scenario = "name = \"n\"\n[[turn]]\nexpect = { tools_include = [\"mcp__one__look\"] }\n\
                    [[turn.call]]\ntool = \"mcp__one__look\"\n[[turn.call]]\ntool = \"plain\"\n";
    let tools = json!([
        { "type": "function", "name": "plain" },
        { "type": "namespace", "name": "mcp__one", "tools": [{ "type": "function", "name": "look" }] },
    ]);
    let asked = json!({ "model": "m", "input": "go", "tools": tools });
    let answered = ask(&script(scenario), Protocol::OpenaiResponses, &asked);
    let whole: Value = serde_json::from_slice(&answered.pieces.concat()).unwrap();
    let output = whole["output"].as_array().unwrap();
    assert_eq!((&output[0]["namespace"], &output[0]["name"]), (&json!("mcp__one"), &json!("look")));
    assert_eq!((output[1].get("namespace"), &output[1]["name"]), (None, &json!("plain")));
}

#[test]
fn chat_streams_chunks_and_says_what_was_used_when_asked() {
    let asked = request(Protocol::OpenaiChat, "read a", true);
    let answered = ask(&script(READING), Protocol::OpenaiChat, &asked);
    assert!(text(&answered).ends_with("data: [DONE]\n\n"));
    let chunks = events(&answered);
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let deltas = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]);
    let text: String = deltas.clone().filter_map(|delta| delta["content"].as_str()).collect();
    let thought: String = deltas.filter_map(|delta| delta["reasoning_content"].as_str()).collect();
    assert_eq!((text.as_str(), thought.as_str()), ("I read.", "The file will tell."));
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "tool_calls");
    assert!(chunks.last().unwrap()["usage"]["total_tokens"].as_u64().unwrap() > 0);

    let mut unasked = asked;
    unasked.as_object_mut().unwrap().remove("stream_options");
    let chunks = events(&ask(&script(READING), Protocol::OpenaiChat, &unasked));
    assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
}

#[test]
fn the_next_turn_answers_what_came_of_the_last_in_every_protocol() {
    let script = script(READING);
    let text = |protocol: Protocol, body: &Value| match protocol {
        Protocol::AnthropicMessages => body["content"][0]["text"].clone(),
        Protocol::OpenaiResponses => body["output"][0]["content"][0]["text"].clone(),
        Protocol::OpenaiChat => body["choices"][0]["message"]["content"].clone(),
    };
    for protocol in Protocol::ALL {
        let answer = ask(&script, protocol, &continued(protocol));
        assert_eq!(answer.served.turn, Some(2), "{}", protocol.as_str());
        assert_eq!(text(protocol, &whole(&answer)), "It says forty-two.", "{}", protocol.as_str());
    }
}

#[test]
fn two_answers_in_a_row_are_two_answers() {
    let script =
        script("name = \"a\"\n[[turn]]\ntext = \"1\"\n[[turn]]\ntext = \"2\"\n[[turn]]\ntext = \"3\"\n");
    let said = |text: &str| json!({ "role": "assistant", "content": text });
    for (protocol, list) in [
        (Protocol::AnthropicMessages, "messages"),
        (Protocol::OpenaiResponses, "input"),
        (Protocol::OpenaiChat, "messages"),
    ] {
        let mut asked = request(protocol, "go", false);
        asked[list].as_array_mut().unwrap().extend([said("1"), said("2")]);
        assert_eq!(ask(&script, protocol, &asked).served.turn, Some(3), "{}", protocol.as_str());
    }
}

#[test]
fn a_request_that_shows_something_else_is_told_what_was_expected() {
    let cases = [
        ("user_contains = \"write\"", "expected user text with `write`, was shown `Please read.`"),
        ("system_contains = \"write\"", "expected system text with `write`, was shown `You help.`"),
        ("tools_include = [\"shell\"]", "expected tool `shell`, was shown `fs_read`"),
        ("tools_exclude = [\"fs_read\"]", "expected no tool `fs_read`, was shown `fs_read`"),
        ("messages = 2", "expected 2 messages, was shown 3"),
        ("tool_result = [{ id = \"x\" }]", "expected a result of x with ``, was shown `call_1_1"),
        ("tool_result = [{ contains = \"43\" }]", "expected a result of any call with `43`, was shown"),
    ];
    for (expect, message) in cases {
        let file = format!(
            "name = \"a\"\n[[turn]]\ntext = \"1\"\n[[turn]]\ntext = \"2\"\nexpect = {{ {expect} }}\nfault = [{{ kind = \"overloaded\" }}]\n"
        );
        let script = script(&file);
        for protocol in Protocol::ALL {
            let answer = ask(&script, protocol, &continued(protocol));
            let body = whole(&answer);
            assert_eq!(answer.served.status, 400);
            let said = body["error"]["message"].as_str().unwrap();
            assert!(said.starts_with("turn 2 ") && said.contains(message), "{expect}: {said}");
            let code = if protocol == Protocol::AnthropicMessages { "type" } else { "code" };
            assert_eq!(body["error"][code], "scenario_mismatch");
            assert_eq!(answer.served.fault, None, "a mismatch uses up no fault");
        }
    }
}

#[test]
fn an_outcome_is_expected_where_the_protocol_has_one() {
    let file = "name = \"a\"\n[[turn]]\ntext = \"1\"\n[[turn]]\ntext = \"2\"\nexpect = { tool_result = [{ outcome = \"error\" }] }\n";
    let status = |protocol| ask(&script(file), protocol, &continued(protocol)).served.status;
    assert_eq!(status(Protocol::AnthropicMessages), 400);
    assert_eq!(status(Protocol::OpenaiResponses), 200);
    let mut failed = continued(Protocol::AnthropicMessages);
    failed["messages"][2]["content"][0]["is_error"] = json!(true);
    assert_eq!(ask(&script(file), Protocol::AnthropicMessages, &failed).served.status, 200);
}

#[test]
fn a_turn_beyond_the_last_is_a_mismatch() {
    let script = script("name = \"a\"\n[[turn]]\ntext = \"1\"\n");
    for protocol in Protocol::ALL {
        let answer = ask(&script, protocol, &continued(protocol));
        let message = whole(&answer)["error"]["message"].clone();
        assert_eq!(message, "expected at most 1 turns, was asked for turn 2");
    }
}

#[test]
fn a_conversation_is_chosen_by_model_and_system_text() {
    let file = r#"
name = "a"
[[conversation]]
when = { model = "big", system_contains = "You help" }
[[conversation.turn]]
text = "big"
[[conversation]]
when = { model = "small" }
[[conversation.turn]]
text = "small"
"#;
    let script = script(file);
    let answer = |model: &str| {
        let mut asked = request(Protocol::OpenaiChat, "hi", false);
        asked["model"] = json!(model);
        whole(&ask(&script, Protocol::OpenaiChat, &asked))
    };
    assert_eq!(answer("big")["choices"][0]["message"]["content"], "big");
    assert_eq!(answer("small")["choices"][0]["message"]["content"], "small");
    let message = answer("other")["error"]["message"].clone();
    assert_eq!(message, "no conversation of scenario `a` answers model `other`");
}

#[test]
fn faults_happen_in_order_and_then_the_answer_comes() {
    let file = r#"
name = "a"
[[turn]]
text = "at last"
fault = [
  { kind = "rate_limit", retry_after = 7 },
  { kind = "server_error", status = 502, times = 2 },
  { kind = "overloaded" },
  { kind = "authentication" },
  { kind = "context_length" },
]
"#;
    for (protocol, overloaded) in
        [(Protocol::AnthropicMessages, 529), (Protocol::OpenaiResponses, 503), (Protocol::OpenaiChat, 503)]
    {
        let script = script(file);
        let answers: Vec<HttpAnswer> =
            (0..7).map(|_| ask(&script, protocol, &request(protocol, "hi", true))).collect();
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.served.status).collect();
        assert_eq!(statuses, [429, 502, 502, overloaded, 401, 400, 200], "{}", protocol.as_str());
        assert!(answers[0].headers.contains(&("retry-after", "7".to_owned())));
        let ids: std::collections::BTreeSet<_> = answers
            .iter()
            .map(|answer| answer.headers.iter().find(|(name, _)| name.ends_with("request-id")).unwrap())
            .collect();
        assert_eq!(ids.len(), 7, "every attempt has an id of its own");
    }
}

#[test]
fn a_cut_or_stalled_body_has_as_many_bytes_as_it_says_and_never_all() {
    for (kind, ending) in [("cut\", at_byte", Ending::Cut), ("stall\", after_byte", Ending::Stalled)] {
        for protocol in Protocol::ALL {
            for stream in [true, false] {
                let whole = script("name = \"a\"\n[[turn]]\ntext = \"abc\"\n");
                let whole = text(&ask(&whole, protocol, &request(protocol, "hi", stream)));
                for (asked, sent) in [(0, 0), (1, 1), (60, 60), (1_000_000, whole.len() - 1)] {
                    let file = format!(
                        "name = \"a\"\n[[turn]]\ntext = \"abc\"\nfault = [{{ kind = \"{kind} = {asked} }}]\n"
                    );
                    let answer = ask(&script(&file), protocol, &request(protocol, "hi", stream));
                    assert_eq!(answer.ending, ending);
                    assert_eq!(text(&answer).as_str(), whole.get(..sent).unwrap());
                }
            }
        }
    }
}

#[test]
fn what_is_asked_one_after_the_other_is_answered_from_its_first_turn() {
    let script = script(
        "name = \"desk\"\n\
         [[conversation]]\nwhen = { asked_matches = '(?i)delete' }\n[[conversation.turn]]\n\
         [[conversation.turn.call]]\ntool = \"fs_read\"\n[[conversation.turn]]\ntext = \"deleted\"\n\
         [[conversation]]\nwhen = { asked_matches = '' }\n[[conversation.turn]]\ntext = \"hello\"\n",
    );
    let said = |messages: Value| {
        let body = json!({ "model": "m", "max_tokens": 100, "messages": messages });
        let answer = whole(&ask(&script, Protocol::AnthropicMessages, &body));
        answer["content"][0]["text"]
            .as_str()
            .or_else(|| answer["content"][0]["name"].as_str())
            .unwrap()
            .to_owned()
    };
    let greeting = json!({ "role": "user", "content": "Good morning" });
    let hello = json!({ "role": "assistant", "content": "hello" });
    let wish = json!({ "role": "user", "content": "Please DELETE it" });
    let call = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "fs_read", "input": {} }] });
    let result = json!({ "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "c", "content": "gone" }, { "type": "text", "text": "a reminder" }] });
    assert_eq!(said(json!([greeting])), "hello");
    assert_eq!(said(json!([greeting, hello, wish])), "fs_read");
    assert_eq!(said(json!([greeting, hello, wish, call, result])), "deleted");
    let bye = json!({ "role": "assistant", "content": "deleted" });
    assert_eq!(said(json!([greeting, hello, wish, call, result, bye, greeting])), "hello");
}

#[test]
fn one_event_is_not_json_when_the_scenario_breaks_it() {
    for protocol in Protocol::ALL {
        for (at_event, stream) in [(2, true), (99_999, true), (1, false)] {
            let file = format!(
                "name = \"a\"\n[[turn]]\ntext = \"abc\"\nfault = [{{ kind = \"malformed_json\", at_event = {at_event} }}]\n"
            );
            let answer = ask(&script(&file), protocol, &request(protocol, "hi", stream));
            let text = text(&answer);
            let data = text.split_terminator("\n\n").map(|frame| frame.rsplit("data: ").next().unwrap());
            let data = data.filter(|data| *data != "[DONE]");
            let broken = data.filter(|data| serde_json::from_str::<Value>(data).is_err()).count();
            assert_eq!(broken, 1, "{} {at_event}", protocol.as_str());
        }
    }
}

#[test]
fn a_wrong_tool_is_one_that_nobody_offered_under_an_id_that_is_taken() {
    let file = r#"
name = "a"
[[turn]]
text = "x"
[[turn]]
fault = [{ kind = "wrong_tool_id" }]
[[turn.call]]
tool = "fs_read"
"#;
    let answer =
        whole(&ask(&script(file), Protocol::AnthropicMessages, &continued(Protocol::AnthropicMessages)));
    assert_eq!(answer["content"][0]["name"], "fs_read_not_offered");
    assert_eq!(answer["content"][0]["id"], "call_1_1");
}

#[test]
fn cut_arguments_end_the_answer_for_want_of_tokens() {
    let file = r#"
name = "a"
[[turn]]
fault = [{ kind = "cut_arguments" }]
[[turn.call]]
tool = "fs_read"
arguments = { path = "a.txt" }
"#;
    let answer =
        whole(&ask(&script(file), Protocol::OpenaiChat, &request(Protocol::OpenaiChat, "hi", false)));
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "length");
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], "{\"path\":");
}

#[test]
fn a_request_that_is_none_gets_the_error_of_its_protocol() {
    let script = script("name = \"a\"\n[[turn]]\ntext = \"1\"\n");
    let bodies = [
        "",
        "nonsense",
        "[]",
        "{}",
        "{\"model\":\"m\"}",
        "{\"model\":\"m\",\"max_tokens\":1,\"messages\":7,\"input\":7}",
    ];
    for protocol in Protocol::ALL {
        for body in bodies {
            let request = HttpRequest {
                method: "POST",
                path: protocol.path(),
                caller: Caller::Other,
                body: body.as_bytes(),
            };
            let answer = answer(&script, request);
            assert_eq!(answer.served.status, 400, "{} {body}", protocol.as_str());
            assert_eq!(whole(&answer)["error"]["type"], "invalid_request_error");
        }
        let get = HttpRequest { method: "GET", path: protocol.path(), caller: Caller::Other, body: b"" };
        assert_eq!(answer(&script, get).served.status, 405);
    }
}

#[test]
fn models_are_listed_in_the_form_of_whoever_asks() {
    let file =
        "name = \"a\"\n[[conversation]]\nwhen = { model = \"big\" }\n[[conversation.turn]]\ntext = \"1\"\n";
    let list = |caller| {
        let request = HttpRequest { method: "GET", path: "/models", caller, body: b"" };
        whole(&answer(&script(file), request))
    };
    assert_eq!(list(Caller::Other)["object"], "list");
    assert_eq!(list(Caller::Anthropic)["has_more"], false);
    for caller in [Caller::Other, Caller::Anthropic] {
        assert_eq!(list(caller)["data"][0]["id"], "big");
    }
}

#[test]
fn only_the_path_of_an_address_matters() {
    assert_eq!(path_of("http://[::1]:80/v1/messages?beta=true#x"), "/v1/messages");
    assert_eq!(path_of("scripted://x"), "/");
    assert_eq!(path_of("/v1/models"), "/v1/models");
}
