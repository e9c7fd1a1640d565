//! A key in an answer that succeeded, in every place and cut in every way.

use premath_tusk::model::{Delivery, ModelEvent};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::provider::{AnswerDecoder, AnswerLimits, Protocol};
use crate::secret::ApiKey;

const KEY: &str = "sk-test/SECRET-0123456789";

fn events(protocol: Protocol, delivery: Delivery, bytes: &[u8]) -> Vec<ModelEvent> {
    let key = ApiKey::new(KEY).unwrap();
    let mut decoder =
        AnswerDecoder::new(protocol, delivery, Some(format!("req-{KEY}")), AnswerLimits::default())
            .hiding(Some(key));
    decoder.push(bytes);
    decoder.end();
    std::iter::from_fn(|| decoder.next_event()).map(|item| item.unwrap()).collect()
}

fn stream(lines: &[Value]) -> Vec<u8> {
    let framed: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
    format!("{framed}data: [DONE]\n\n").into_bytes()
}

fn chunk(delta: &Value) -> Value {
    json!({"id": format!("r-{KEY}"), "model": format!("m-{KEY}"), "choices": [{"delta": delta}]})
}

fn finish() -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": format!("odd-{KEY}")}]})
}

fn texts(events: &[ModelEvent]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        ModelEvent::TextDelta { text, .. } | ModelEvent::ArgumentsDelta { text, .. } => Some(text.as_str()),
        ModelEvent::Started { .. }
        | ModelEvent::ReasoningDelta { .. }
        | ModelEvent::RefusalDelta { .. }
        | ModelEvent::ToolCallStarted { .. }
        | ModelEvent::PartDone { .. }
        | ModelEvent::Finished { .. } => None,
    });
    texts.collect()
}

#[test]
fn a_key_is_in_no_event_of_an_answer() {
    let call = json!([{"index": 0, "id": format!("c-{KEY}"),
        "function": {"name": format!("t-{KEY}"), "arguments": format!("{{\"k\":\"{KEY}\"}}")}}]);
    let delta =
        json!({"content": format!("hi {KEY}!"), "reasoning": KEY, "refusal": KEY, "tool_calls": call});
    let streamed = events(Protocol::OpenaiChat, Delivery::Streamed, &stream(&[chunk(&delta), finish()]));
    let whole = json!({"id": KEY, "model": KEY,
        "choices": [{"message": delta, "finish_reason": format!("odd-{KEY}")}]});
    let whole = events(Protocol::OpenaiChat, Delivery::Whole, whole.to_string().as_bytes());
    let blocks = json!({"type": "message", "id": KEY, "model": KEY, "stop_reason": KEY, "content": [
        {"type": "thinking", "thinking": KEY, "signature": KEY}, {"type": "something", "data": KEY},
        {"type": "text", "text": KEY}, {"type": "tool_use", "id": KEY, "name": KEY, "input": {KEY: [KEY]}}]});
    let blocks = events(Protocol::AnthropicMessages, Delivery::Whole, blocks.to_string().as_bytes());
    for events in [streamed, whole, blocks] {
        let shown = format!("{events:?}");
        assert!(!shown.contains("SECRET"), "{shown}");
        assert!(matches!(events.last(), Some(ModelEvent::Finished { .. })));
        assert!(shown.matches("[secret]").count() >= 8, "{shown}");
    }
}

#[test]
fn a_key_that_json_hides_in_arguments_is_found() {
    let arguments = r#"{"k":"\u0073k-test\/SECRET-0123456789"}"#;
    let call = json!([{"index": 0, "id": "c", "function": {"name": "t", "arguments": arguments}}]);
    let heard = events(
        Protocol::OpenaiChat,
        Delivery::Streamed,
        &stream(&[chunk(&json!({"tool_calls": call})), finish()]),
    );
    assert_eq!(texts(&heard), r#"{"k":"[secret]"}"#);
    assert!(!format!("{heard:?}").contains("SECRET"));
}

#[test]
fn text_that_is_no_beginning_of_the_key_is_not_held_back() {
    let key = ApiKey::new(KEY).unwrap();
    let mut decoder =
        AnswerDecoder::new(Protocol::OpenaiChat, Delivery::Streamed, None, AnswerLimits::default())
            .hiding(Some(key));
    let mut said = Vec::new();
    for text in ["tell", "s", "k-", "ill", " sk-te", "a"] {
        let line = format!("data: {}\n\n", chunk(&json!({"content": text})));
        decoder.push(line.as_bytes());
        let mut now = String::new();
        while let Some(item) = decoder.next_event() {
            now.push_str(&texts(&[item.unwrap()]));
        }
        said.push(now);
    }
    assert_eq!(said, ["tell", "", "", "sk-ill", " ", "sk-tea"]);
}

#[test]
fn what_is_held_back_is_said_when_the_part_is_done_and_not_when_the_answer_breaks() {
    let lines = stream(&[chunk(&json!({"content": "it is sk-test"})), finish()]);
    assert_eq!(texts(&events(Protocol::OpenaiChat, Delivery::Streamed, &lines)), "it is sk-test");
    let key = ApiKey::new(KEY).unwrap();
    let mut decoder =
        AnswerDecoder::new(Protocol::OpenaiChat, Delivery::Streamed, None, AnswerLimits::default())
            .hiding(Some(key));
    let (most, _) = KEY.split_at(20);
    decoder.push(format!("data: {}\n\n", chunk(&json!({"content": most}))).as_bytes());
    decoder.end();
    let items: Vec<_> = std::iter::from_fn(|| decoder.next_event()).collect();
    assert!(!format!("{items:?}").contains("SECRET"), "{items:?}");
    assert!(matches!(items.last(), Some(Err(_))));
}

proptest! {
    /// However a text with keys in it is cut into deltas, what is watched is what the part says, without a key.
    #[test]
    fn deltas_say_what_the_part_says(
        words in prop::collection::vec(prop::sample::select(vec!["a", "sk-", "é", "sk-test", KEY]), 1..8),
        cut in 1usize..9,
    ) {
        let whole: Vec<char> = words.concat().chars().collect();
        let deltas = whole.chunks(cut).map(|piece| chunk(&json!({"content": piece.iter().collect::<String>()})));
        let lines: Vec<Value> = deltas.chain([finish()]).collect();
        let heard = events(Protocol::OpenaiChat, Delivery::Streamed, &stream(&lines));
        let expected = words.concat().replace(KEY, "[secret]");
        prop_assert_eq!(&texts(&heard), &expected);
        prop_assert_eq!(crate::provider::decoded::parts(&heard), [premath_tusk::model::AssistantPart::Text(expected)]);
    }
}
