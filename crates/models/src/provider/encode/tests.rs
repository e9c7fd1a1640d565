//! What is copied from the last request is what would have been written, is written once, and stands where it stood.

mod generated;

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, CacheMarker, History, Message, ModelError, ModelRequest, Piece, ToolCall, ToolOutcome,
    ToolResult, UserPart,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::openai_chat::LengthField;
use crate::provider::Protocol;
use crate::{anthropic, openai_chat, openai_responses};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// The body, and whether it is JSON at all.
fn body(protocol: Protocol, request: &ModelRequest) -> String {
    let bytes = match protocol {
        Protocol::AnthropicMessages => anthropic::body("claude-opus-4-7", request),
        Protocol::OpenaiResponses => openai_responses::body("gpt-5.4", request),
        Protocol::OpenaiChat => openai_chat::body("llama3.2", request, LengthField::MaxTokens),
    };
    let text = String::from_utf8(bytes.unwrap()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap();
    text
}

/// The same request with nothing kept.
fn fresh(request: &ModelRequest) -> ModelRequest {
    ModelRequest {
        tools: request.tools.iter().cloned().collect(),
        system: request.system.iter().cloned().collect(),
        messages: request.messages.iter().cloned().collect(),
        ..request.clone()
    }
}

fn with(request: &ModelRequest, messages: &History) -> ModelRequest {
    ModelRequest { messages: messages.clone(), ..request.clone() }
}

const fn form(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::AnthropicMessages => "anthropic.messages",
        Protocol::OpenaiResponses => "openai.responses",
        Protocol::OpenaiChat => "openai.chat",
    }
}

/// What stands behind the messages.
const fn tail(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::AnthropicMessages => r#"],"stream":true}"#,
        Protocol::OpenaiResponses => {
            r#"],"include":["reasoning.encrypted_content"],"store":false,"stream":true}"#
        }
        Protocol::OpenaiChat => r#"],"stream":true,"stream_options":{"include_usage":true}}"#,
    }
}

fn call(turn: usize) -> Message {
    let arguments = JsonText::new(format!(r#"{{"path": "{turn}"}}"#)).unwrap();
    let call = ToolCall::new(format!("c{turn}"), "read", arguments);
    Message::Assistant(vec![AssistantPart::Text("I look".to_owned()), AssistantPart::ToolCall(call)])
}

fn result(turn: usize, cache: CacheMarker) -> Message {
    Message::User(vec![UserPart::ToolResult(ToolResult {
        call_id: format!("c{turn}"),
        content: "it says".to_owned(),
        outcome: ToolOutcome::Ok,
        cache,
    })])
}

fn never(_: &Message, _: &mut Piece) -> Result<(), ModelError> {
    panic!("written again")
}

#[test]
fn every_message_of_five_hundred_requests_is_written_once() {
    for protocol in Protocol::ALL {
        let mut request = ModelRequest::of_text("go", 1000);
        let mut written = 0;
        for turn in 0..500 {
            request.messages.push(call(turn));
            request.messages.push(result(turn, CacheMarker::Here));
            // Stands in for the protocol: what it counts is what the adapter finds and does not write again.
            let count = |_: &Message, piece: &mut Piece| {
                written += 1;
                piece.put(br#",{"n":0}"#);
                Ok::<(), ModelError>(())
            };
            drop(request.messages.encoded(form(protocol), count).unwrap());
            let sent = body(protocol, &request.clone());
            assert_eq!(sent.matches(r#"{"n":0}"#).count(), request.messages.len(), "{protocol}");
        }
        assert_eq!(written, 1001, "{protocol}");
    }
}

#[test]
fn an_adapter_leaves_nothing_to_be_written_again() {
    for protocol in Protocol::ALL {
        let mut request = ModelRequest::of_text("go", 1000);
        for turn in 0..20 {
            request.messages.push(call(turn));
            request.messages.push(result(turn, CacheMarker::Here));
            body(protocol, &request.clone());
            drop(request.messages.encoded(form(protocol), never).unwrap());
            drop(request.messages.starting_at(turn).encoded(form(protocol), never).unwrap());
        }
        assert_eq!(body(protocol, &request), body(protocol, &fresh(&request)));
    }
}

#[test]
fn marks_move_and_nothing_else_does() {
    let protocol = Protocol::AnthropicMessages;
    let mut request = ModelRequest::of_text("go", 1000);
    for turn in 0..9 {
        request.messages.push(call(turn));
        request.messages.push(result(turn, CacheMarker::Here));
        let sent: Value = serde_json::from_str(&body(protocol, &request)).unwrap();
        let messages = sent["messages"].as_array().unwrap();
        let is_marked = |message: &Value| message["content"][0].get("cache_control").is_some();
        let marked: Vec<usize> = (0..messages.len()).filter(|place| is_marked(&messages[*place])).collect();
        let places: Vec<usize> = (0..=turn).map(|turn| 2 * turn + 2).collect();
        let expected = if turn < 4 { places } else { [&places[..2], &places[turn - 1..]].concat() };
        assert_eq!(marked, expected);
    }
}

proptest! {
    #[test]
    fn a_body_that_is_copied_together_is_the_body(
        request in generated::request(),
        messages in prop::collection::vec(generated::message(), 0..12),
        window in 0_usize..12,
        branch in prop::collection::vec(generated::message(), 1..4),
    ) {
        for protocol in Protocol::ALL {
            let mut history = History::default();
            let mut other = None;
            for (place, message) in messages.iter().enumerate() {
                history.push(message.clone());
                let whole = with(&request, &history);
                prop_assert_eq!(body(protocol, &whole), body(protocol, &fresh(&whole)));
                let window = with(&request, &history.starting_at(window));
                prop_assert_eq!(body(protocol, &window), body(protocol, &fresh(&window)));
                if place == messages.len() / 2 {
                    other = Some(history.clone());
                }
            }
            let mut other = other.unwrap_or_default();
            for message in &branch {
                other.push(message.clone());
                let branched = with(&request, &other);
                prop_assert_eq!(body(protocol, &branched), body(protocol, &fresh(&branched)));
            }
            let whole = with(&request, &history);
            prop_assert_eq!(body(protocol, &whole), body(protocol, &fresh(&whole)));
        }
    }

    /// Seed: 003 §1/6
    #[test]
    fn the_next_body_begins_with_the_last_one_up_to_the_end_of_its_messages(
        request in generated::request(),
        messages in prop::collection::vec(generated::message(), 1..12),
    ) {
        for protocol in Protocol::ALL {
            let mut history = History::default();
            // The protocol does not count marks as what is cached, and they are all that may change.
            let mut older = body(protocol, &with(&request, &history)).replace(MARK, "");
            for message in &messages {
                history.push(message.clone());
                let sent = body(protocol, &with(&request, &history));
                prop_assert!(sent.matches(MARK).count() <= 4);
                let newer = sent.replace(MARK, "");
                let Some(begins) = older.strip_suffix(tail(protocol)) else { panic!("{older}") };
                prop_assert!(newer.starts_with(begins), "{older}\n{newer}");
                older = newer;
            }
        }
    }
}
