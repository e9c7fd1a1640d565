//! Conversations that nobody had: every kind of part, in every order, marked anywhere.

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, CacheMarker, Message, ModelRequest, Reasoning, SystemBlock, ToolCall, ToolOffer,
    ToolOutcome, ToolResult, UserPart, Verbatim,
};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![1 => Just(String::new()), 6 => "[a-c \"\\\\\n,\\]\\}é\u{1F600}\u{0}]{1,12}"]
}

fn cache() -> impl Strategy<Value = CacheMarker> {
    prop_oneof![3 => Just(CacheMarker::None), 1 => Just(CacheMarker::Here)]
}

fn object() -> impl Strategy<Value = JsonText> {
    let texts = [r"{}", r#"{"a": 1.0,  "b":[{"c":null}]}"#, " {\"type\":\"x\"}\n"];
    prop::sample::select(texts.to_vec()).prop_map(|text| JsonText::new(text).unwrap())
}

fn verbatim() -> impl Strategy<Value = Verbatim> {
    let protocols = ["anthropic.messages", "openai.responses", "openai.chat", "another"];
    (prop::sample::select(protocols.to_vec()), object())
        .prop_map(|(protocol, block)| Verbatim { protocol: protocol.to_owned(), block })
}

fn user_part() -> impl Strategy<Value = UserPart> {
    let outcome = prop_oneof![Just(ToolOutcome::Ok), Just(ToolOutcome::Error)];
    prop_oneof![
        (text(), cache()).prop_map(|(text, cache)| UserPart::Text { text, cache }),
        (text(), text(), outcome, cache()).prop_map(|(call_id, content, outcome, cache)| {
            UserPart::ToolResult(ToolResult { call_id, content, outcome, cache })
        }),
    ]
}

fn assistant_part() -> impl Strategy<Value = AssistantPart> {
    prop_oneof![
        text().prop_map(AssistantPart::Text),
        text().prop_map(AssistantPart::Refusal),
        (text(), text(), object())
            .prop_map(|(id, name, arguments)| AssistantPart::ToolCall(ToolCall::new(id, name, arguments))),
        (text(), prop::option::of(verbatim()))
            .prop_map(|(text, verbatim)| AssistantPart::Reasoning(Reasoning { text, verbatim })),
        verbatim().prop_map(AssistantPart::Opaque),
    ]
}

/// A message, which may come to nothing in some protocol.
pub(super) fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        prop::collection::vec(user_part(), 0..4).prop_map(Message::User),
        prop::collection::vec(assistant_part(), 0..4).prop_map(Message::Assistant),
    ]
}

/// A request without messages.
pub(super) fn request() -> impl Strategy<Value = ModelRequest> {
    let tool = (text(), text(), object(), cache()).prop_map(|(name, description, input_schema, cache)| {
        ToolOffer { name, description, input_schema, cache }
    });
    let block = (text(), cache()).prop_map(|(text, cache)| SystemBlock { text, cache });
    (prop::collection::vec(tool, 0..3), prop::collection::vec(block, 0..4)).prop_map(|(tools, system)| {
        let of_text = ModelRequest::of_text("", 1000);
        ModelRequest { tools: tools.into(), system: system.into(), messages: Vec::new().into(), ..of_text }
    })
}
