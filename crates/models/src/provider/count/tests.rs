//! Odd counts in every protocol, streamed and whole: the answer stands, and nothing overflows.

use premath_tusk::model::{Delivery, ModelEvent, Usage};

use super::{Count, LARGEST_COUNT, Lenient, sum};
use crate::provider::{AnswerDecoder, AnswerLimits, Protocol};

#[test]
fn a_count_is_a_whole_number_that_every_reader_agrees_on() {
    let count = |text: &str| serde_json::from_str::<Count>(text).unwrap().known();
    assert_eq!(count("0"), Some(0));
    assert_eq!(count("9007199254740991"), Some(LARGEST_COUNT));
    for odd in
        ["9007199254740992", "18446744073709551616", "-1", "2.0", "1e3", "null", "\"7\"", "[7]", "{}", "true"]
    {
        assert_eq!(count(odd), None, "{odd}");
    }
    assert_eq!(serde_json::from_str::<Lenient<Vec<u8>>>("{\"a\":1}").unwrap().0, None);
    assert_eq!(sum(u64::MAX, 1), LARGEST_COUNT);
    assert_eq!(sum(1, 2), 3);
}

fn whole(protocol: Protocol, usage: &str) -> String {
    match protocol {
        Protocol::AnthropicMessages => format!(
            r#"{{"type":"message","id":"m","content":[{{"type":"text","text":"hi"}}],"stop_reason":"end_turn","usage":{usage}}}"#
        ),
        Protocol::OpenaiResponses => format!(
            r#"{{"status":"completed","output":[{{"type":"message","content":[{{"type":"output_text","text":"hi"}}]}}],"usage":{usage}}}"#
        ),
        Protocol::OpenaiChat => {
            format!(
                r#"{{"choices":[{{"message":{{"content":"hi"}},"finish_reason":"stop"}}],"usage":{usage}}}"#
            )
        }
    }
}

fn streamed(protocol: Protocol, usage: &str) -> String {
    let body = whole(protocol, usage);
    match protocol {
        Protocol::AnthropicMessages => format!(
            concat!(
                "data: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"usage\":{usage}}}}}\n\n",
                "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}},\"usage\":{usage}}}\n\n",
                "data: {{\"type\":\"message_stop\"}}\n\n",
            ),
            usage = usage
        ),
        Protocol::OpenaiResponses => {
            format!("data: {{\"type\":\"response.completed\",\"response\":{body}}}\n\n")
        }
        Protocol::OpenaiChat => format!("data: {body}\n\ndata: [DONE]\n\n"),
    }
}

fn usage_of(protocol: Protocol, delivery: Delivery, text: &str) -> Usage {
    let mut decoder = AnswerDecoder::new(protocol, delivery, None, AnswerLimits::default());
    decoder.push(text.as_bytes());
    decoder.end();
    let mut last = None;
    while let Some(item) = decoder.next_event() {
        last = Some(item.unwrap_or_else(|error| panic!("{protocol} {delivery:?} {text}: {error:?}")));
    }
    let Some(ModelEvent::Finished { usage, .. }) = last else { panic!("{protocol} {delivery:?} {text}") };
    usage
}

#[test]
fn odd_usage_is_no_error_and_overflows_nothing() {
    let number_forms =
        ["18446744073709551615", "9007199254740992", "-1", "2.5", "1e400", "\"9\"", "null", "[]"];
    let of_numbers = number_forms.iter().map(|number| {
        format!(
            concat!(
                r#"{{"input_tokens":{0},"output_tokens":{0},"cache_read_input_tokens":{0},"#,
                r#""prompt_tokens":{0},"completion_tokens":{0},"total_tokens":{0},"#,
                r#""prompt_tokens_details":{{"cached_tokens":{0}}},"input_tokens_details":{{"cached_tokens":{0}}},"#,
                r#""completion_tokens_details":{{"reasoning_tokens":{0}}},"output_tokens_details":{0}}}"#
            ),
            number
        )
    });
    for usage in of_numbers.chain(["[]".to_owned(), "\"much\"".to_owned(), "7".to_owned()]) {
        for protocol in Protocol::ALL {
            let heard = usage_of(protocol, Delivery::Whole, &whole(protocol, &usage));
            assert_eq!(heard, Usage::default(), "{protocol} {usage}");
            let heard = usage_of(protocol, Delivery::Streamed, &streamed(protocol, &usage));
            assert_eq!(heard, Usage::default(), "{protocol} {usage}");
        }
    }
}

#[test]
fn the_largest_counts_stay_counts() {
    let usage = format!(
        r#"{{"prompt_tokens":{LARGEST_COUNT},"completion_tokens":5,"completion_tokens_details":{{"reasoning_tokens":{LARGEST_COUNT}}}}}"#
    );
    let heard = usage_of(Protocol::OpenaiChat, Delivery::Whole, &whole(Protocol::OpenaiChat, &usage));
    assert_eq!((heard.input_tokens, heard.output_tokens), (LARGEST_COUNT, LARGEST_COUNT));
}
