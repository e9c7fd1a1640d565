//! A window never parts a call from its result.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Span, Windowed, spans, window};
use crate::JsonText;
use crate::model::{AssistantPart, CacheMarker, Message, ToolCall, ToolOutcome, ToolResult, UserPart};

fn call(id: &str) -> AssistantPart {
    AssistantPart::ToolCall(ToolCall::new(id, "shell", JsonText::empty_object()))
}

fn result(id: &str) -> UserPart {
    UserPart::ToolResult(ToolResult {
        call_id: id.to_owned(),
        content: "status: ok".to_owned(),
        outcome: ToolOutcome::Ok,
        cache: CacheMarker::None,
    })
}

fn of(tokens: &[u64]) -> Vec<Span> {
    let span = |(at, tokens): (usize, &u64)| Span { first_message: 1 + 2 * at, messages: 2, tokens: *tokens };
    tokens.iter().enumerate().map(span).collect()
}

#[test]
fn the_newest_spans_that_fit_are_kept() {
    let all = of(&[50, 40, 30, 20]);
    assert_eq!(window(&all, 10, 1000), Windowed { first_span: 0, dropped: 0 });
    assert_eq!(window(&all, 10, 100), Windowed { first_span: 1, dropped: 1 });
    assert_eq!(window(&all, 10, 99), Windowed { first_span: 2, dropped: 2 });
    assert_eq!(window(&all, 10, 5), Windowed { first_span: 3, dropped: 3 }, "the newest stays");
    assert_eq!(window(&[], 10, 5), Windowed { first_span: 0, dropped: 0 });
}

#[test]
fn a_span_begins_where_every_earlier_call_is_answered() {
    let messages = [
        Message::user_text("the task"),
        Message::Assistant(vec![call("a"), call("b")]),
        Message::User(vec![result("a")]),
        // Not everything is answered yet: what comes now belongs to the same span.
        Message::Assistant(vec![AssistantPart::Text("going on".to_owned())]),
        Message::User(vec![result("b")]),
        Message::Assistant(vec![AssistantPart::Text("thinking".to_owned())]),
        Message::user_text("go on"),
    ];
    let bounds: Vec<(usize, usize)> =
        spans(&messages).iter().map(|span| (span.first_message, span.messages)).collect();
    assert_eq!(bounds, [(1, 4), (5, 2)]);
}

/// A conversation: turns of some calls, whose results come in one message or in several.
fn conversations() -> impl Strategy<Value = Vec<Message>> {
    let turn = (0_usize..4, any::<bool>(), "[a-z ]{0,200}");
    prop::collection::vec(turn, 0..12).prop_map(|turns| {
        let mut messages = vec![Message::user_text("the task")];
        for (turn, (calls, together, said)) in turns.into_iter().enumerate() {
            let ids: Vec<String> = (0..calls).map(|at| format!("{turn}-{at}")).collect();
            let mut parts = vec![AssistantPart::Text(said)];
            parts.extend(ids.iter().map(|id| call(id)));
            messages.push(Message::Assistant(parts));
            if together {
                messages.push(Message::User(ids.iter().map(|id| result(id)).collect()));
            } else {
                messages.extend(ids.iter().map(|id| Message::User(vec![result(id)])));
            }
        }
        messages
    })
}

fn ids(messages: &[Message]) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (mut calls, mut results) = (BTreeSet::new(), BTreeSet::new());
    for message in messages {
        match message {
            Message::Assistant(parts) => calls.extend(parts.iter().filter_map(|part| match part {
                AssistantPart::ToolCall(call) => Some(call.id.as_str()),
                AssistantPart::Text(_)
                | AssistantPart::Reasoning(_)
                | AssistantPart::Refusal(_)
                | AssistantPart::Opaque(_) => None,
            })),
            Message::User(parts) => results.extend(parts.iter().filter_map(|part| match part {
                UserPart::ToolResult(result) => Some(result.call_id.as_str()),
                UserPart::Text { .. } => None,
            })),
        }
    }
    (calls, results)
}

proptest! {
    #[test]
    fn no_window_has_an_orphan_or_is_over_its_budget(
        messages in conversations(), fixed in 0_u64..200, budget in 0_u64..600,
    ) {
        let all = spans(&messages);
        let covered: usize = all.iter().map(|span| span.messages).sum();
        prop_assert_eq!(covered + 1, messages.len(), "every message but the opening is in one span");
        let Windowed { first_span, dropped } = window(&all, fixed, budget);
        prop_assert_eq!(first_span, dropped);
        let kept = &all[first_span..];
        let from = kept.first().map_or(messages.len(), |span| span.first_message);
        let (calls, results) = ids(&messages[from..]);
        prop_assert_eq!(calls, results);
        prop_assert!(kept.is_empty() == all.is_empty());
        let used: u64 = fixed + kept.iter().map(|span| span.tokens).sum::<u64>();
        prop_assert!(used <= budget || kept.len() <= 1);
        if let Some(next) = first_span.checked_sub(1).and_then(|at| all.get(at)) {
            prop_assert!(used + next.tokens > budget, "one more would have fitted");
        }
    }
}
