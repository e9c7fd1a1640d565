//! Kinds by status and code, and waiting times.

use std::time::Duration;

use premath_tusk::model::ModelErrorKind::{
    self, Authentication, ContextLength, Model, Overloaded, RateLimit, Timeout, Unavailable, Unknown,
};

use super::{ProviderError, bounded, one_line, refused, request_id, retry_after};
use crate::secret::ApiKey;

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn kind(status: u16, body: &str) -> ModelErrorKind {
    refused(status, &[], body.as_bytes(), None).kind
}

#[test]
fn a_status_alone_has_a_kind() {
    let expected = [
        (302, Unknown),
        (400, Model),
        (401, Authentication),
        (402, Authentication),
        (403, Authentication),
        (404, Model),
        (408, Timeout),
        (413, ContextLength),
        (422, Model),
        (429, RateLimit),
        (500, Unavailable),
        (502, Unavailable),
        (503, Unavailable),
        (504, Timeout),
        (529, Overloaded),
        (600, Unknown),
    ];
    for (status, wanted) in expected {
        assert_eq!(kind(status, "<html>"), wanted, "{status}");
    }
}

#[test]
fn a_code_says_more_than_a_status() {
    let anthropic = |name: &str| format!(r#"{{"type":"error","error":{{"type":"{name}","message":"m"}}}}"#);
    let openai = |code: &str| {
        format!(
            r#"{{"error":{{"type":"invalid_request_error","code":"{code}","message":"m","param":null}}}}"#
        )
    };
    assert_eq!(kind(400, &openai("context_length_exceeded")), ContextLength);
    assert_eq!(kind(401, &openai("invalid_api_key")), Authentication);
    assert_eq!(kind(404, &openai("model_not_found")), Model);
    assert_eq!(kind(429, &openai("insufficient_quota")), RateLimit);
    assert_eq!(kind(503, &openai("slow_down")), Overloaded);
    assert_eq!(kind(500, &anthropic("overloaded_error")), Overloaded);
    assert_eq!(kind(400, &anthropic("invalid_request_error")), Model);
    assert_eq!(kind(403, &anthropic("permission_error")), Authentication);
    assert_eq!(kind(500, &anthropic("timeout_error")), Timeout);
    assert_eq!(kind(500, &anthropic("something_new")), Unavailable);
}

#[test]
fn words_of_a_message_decide_nothing() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error",
        "message":"prompt is too long: rate limit, overloaded, authentication, context_length_exceeded"}}"#;
    let error = refused(400, &[], body.as_bytes(), None);
    assert_eq!(error.kind, Model);
    assert_eq!(error.code.as_deref(), Some("invalid_request_error"));
    assert!(error.message.starts_with("prompt is too long"));
}

#[test]
fn an_error_inside_a_stream_has_its_kind_from_its_code() {
    let kind = |text: &str| {
        let value = serde_json::from_str(text).unwrap();
        ProviderError::of_value(&value).into_model_error(None).kind
    };
    assert_eq!(kind(r#"{"type":"overloaded_error","message":"Overloaded"}"#), Overloaded);
    assert_eq!(kind(r#"{"code":429,"message":"slow"}"#), RateLimit);
    assert_eq!(kind(r#"{"code":"502","message":"bad"}"#), Unavailable);
    assert_eq!(kind(r#"{"code":"rate_limit_exceeded"}"#), RateLimit);
    assert_eq!(kind(r#""something broke""#), Unknown);
    assert_eq!(kind("{}"), Unknown);
}

#[test]
fn a_message_is_one_line_of_bounded_length() {
    let body = format!(r#"{{"error":{{"message":"a\nb\u001b[31m{}"}}}}"#, "x".repeat(2000));
    let message = refused(500, &[], body.as_bytes(), None).message;
    assert!(!message.contains(char::is_control), "{message}");
    assert_eq!(message.chars().count(), 501);
    assert!(message.ends_with('…'));
}

#[test]
fn a_body_that_is_no_error_is_not_shown() {
    let error = refused(502, &[], b"<html>proxy error, token=abc</html>", None);
    assert_eq!(error.message, "the provider answered with status 502");
    assert_eq!(error.code.as_deref(), Some("http_status"));
}

#[test]
fn a_bare_text_is_a_message() {
    assert_eq!(refused(404, &[], br#"{"error":"model 'x' not found"}"#, None).message, "model 'x' not found");
}

#[test]
fn request_ids_come_from_the_header_first() {
    let body = br#"{"type":"error","error":{"type":"api_error","message":"m"},"request_id":"req_body"}"#;
    assert_eq!(refused(500, &[], body, None).request_id.as_deref(), Some("req_body"));
    let error = refused(500, &headers(&[("request-id", "req_head")]), body, None);
    assert_eq!(error.request_id.as_deref(), Some("req_head"));
    assert_eq!(request_id(&headers(&[("x-request-id", "req_x")])).as_deref(), Some("req_x"));
}

#[test]
fn waiting_times_are_read_in_every_form() {
    let wait = |pairs: &[(&str, &str)]| retry_after(&headers(pairs));
    assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
    assert_eq!(wait(&[("retry-after", "0.5")]), Some(Duration::from_millis(500)));
    assert_eq!(wait(&[("retry-after", "0.0001")]), Some(Duration::from_millis(1)));
    assert_eq!(wait(&[("retry-after-ms", "1250"), ("retry-after", "7")]), Some(Duration::from_millis(1250)));
    let date = ("date", "Sun, 28 Feb 2027 23:59:50 GMT");
    assert_eq!(
        wait(&[("retry-after", "Mon, 01 Mar 2027 00:00:20 GMT"), date]),
        Some(Duration::from_secs(30))
    );
    assert_eq!(wait(&[("retry-after", "Sun, 28 Feb 2027 23:59:40 GMT"), date]), Some(Duration::ZERO));
}

#[test]
fn a_leap_day_is_a_day() {
    let wait = |then: &str, now: &str| retry_after(&headers(&[("retry-after", then), ("date", now)]));
    let day = Some(Duration::from_secs(86_400));
    assert_eq!(wait("Tue, 29 Feb 2028 00:00:00 GMT", "Mon, 28 Feb 2028 00:00:00 GMT"), day);
    assert_eq!(wait("Wed, 01 Mar 2028 00:00:00 GMT", "Tue, 29 Feb 2028 00:00:00 GMT"), day);
    assert_eq!(wait("Mon, 01 Mar 2100 00:00:00 GMT", "Sun, 28 Feb 2100 00:00:00 GMT"), day);
    assert_eq!(wait("Sat, 01 Jan 2028 00:00:00 GMT", "Fri, 31 Dec 2027 00:00:00 GMT"), day);
}

#[test]
fn what_is_no_waiting_time_is_none() {
    for text in
        ["", "-1", "soon", "1e3", "1.", ".5", "Sun, 99 Nov 1994 08:49:37 GMT", "99999999999999999999999"]
    {
        let pairs = headers(&[("retry-after", text), ("date", "Sun, 06 Nov 1994 08:49:37 GMT")]);
        assert_eq!(retry_after(&pairs), None, "{text:?}");
    }
    assert_eq!(retry_after(&headers(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")])), None);
}

#[test]
fn a_key_is_out_of_an_error_wherever_the_cut_falls() {
    let text = "sk-test/SECRET-0123456789";
    let key = ApiKey::new(text).unwrap();
    for offset in 460..=520 {
        for spelt in [text.to_owned(), text.replace('/', "\\/"), text.replace('S', "\\u0053")] {
            let long = format!("{}{spelt} and more", "x".repeat(offset));
            let body = format!(r#"{{"error":{{"message":"{long}","code":"{long}"}},"request_id":"{long}"}}"#);
            let in_body = refused(401, &[], body.as_bytes(), Some(&key));
            let in_head = refused(
                401,
                &headers(&[("request-id", &format!("{}{text}", "x".repeat(offset)))]),
                b"",
                Some(&key),
            );
            for error in [in_body, in_head] {
                let shown = format!("{error:?}");
                assert!(!shown.contains("sk-") && !shown.contains("SECRET"), "{offset}: {shown}");
                assert!(error.message.chars().count() <= 501);
                assert!(error.request_id.unwrap().chars().count() <= 501);
            }
        }
    }
}

#[test]
fn what_cannot_be_seen_is_not_in_a_line() {
    assert_eq!(one_line("a\u{2028}b\u{2029}c\u{85}d\te"), "a b c d e");
    assert_eq!(one_line("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{ad}f\u{e0041}g\u{202a}"), "abcdefg");
    assert_eq!(one_line("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
    assert_eq!(bounded("é".repeat(500)).chars().count(), 500);
    let body = "{\"error\":{\"message\":\"a\u{202e}b\u{2028}c\u{9b}31m\"}}";
    assert_eq!(refused(400, &[], body.as_bytes(), None).message, "ab c 31m");
    let key = ApiKey::new("sk-test-0123").unwrap();
    let split = "{\"error\":\"no sk-\u{200b}test-0123\"}";
    assert_eq!(refused(400, &[], split.as_bytes(), Some(&key)).message, "no [secret]");
    let error = "p\u{202e}\nq".parse::<crate::provider::Protocol>().unwrap_err();
    assert!(error.to_string().starts_with("`p q` is no protocol"), "{error}");
}

#[test]
fn compatible_servers_say_it_in_their_own_ways() {
    let said = |status: u16, body: &str| {
        let error = refused(status, &[], body.as_bytes(), None);
        (error.kind, error.code.unwrap(), error.message)
    };
    let of = |kind, code: &str, message: &str| (kind, code.to_owned(), message.to_owned());
    let bare =
        r#"{"object":"error","message":"no such model","type":"NotFoundError","param":null,"code":404}"#;
    assert_eq!(said(404, bare), of(Model, "NotFoundError", "no such model"));
    let coded = r#"{"message":"too long","code":"context_length_exceeded"}"#;
    assert_eq!(said(400, coded), of(ContextLength, "context_length_exceeded", "too long"));
    assert_eq!(
        said(500, r#"{"error":"it broke","code":"slow_down"}"#),
        of(Overloaded, "slow_down", "it broke")
    );
    assert_eq!(said(422, r#"{"detail":"Not Found"}"#), of(Model, "http_status", "Not Found"));
    let list = r#"{"detail":[{"loc":["body"],"msg":"field required"},{"msg":"no"},"x",{}]}"#;
    assert_eq!(said(422, list), of(Model, "http_status", "field required; no; x"));
    assert_eq!(said(503, "\u{feff}{\"message\":\"later\"}"), of(Unavailable, "http_status", "later"));
    let odd = r#"{"error":null,"message":{"a":1},"detail":[]}"#;
    assert_eq!(said(500, odd), of(Unavailable, "http_status", "the provider answered with status 500"));
}
