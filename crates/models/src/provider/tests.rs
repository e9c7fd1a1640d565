//! A model over a transport that only pretends: what is sent, and what becomes of every kind of head and body.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use premath_tusk::model::{Delivery, FailureStage, ModelError, ModelErrorKind, ModelEvent, ModelRequest};

use super::{AnswerLimits, Protocol, ProviderConfig, check, model};
use crate::secret::ApiKey;
use crate::transport::{Method, Transport, TransportFuture, WireRequest, WireResponse};

const KEY: &str = "sk-test-0123456789abcdef";

/// Answers every request with the same thing and keeps what it was sent.
#[derive(Debug)]
struct Pretender {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Result<Bytes, ModelError>>,
    seen: Mutex<Vec<WireRequest>>,
}

impl Pretender {
    fn new(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let pieces = vec![Ok(Bytes::copy_from_slice(body.as_bytes()))];
        Self { status, headers, pieces, seen: Mutex::new(Vec::new()) }
    }

    fn sent(&self) -> WireRequest {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

impl Transport for Pretender {
    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a> {
        self.seen.lock().unwrap().push(request.clone());
        let body = Box::pin(stream::iter(self.pieces.clone()));
        let response = WireResponse { status: self.status, headers: self.headers.clone(), body };
        Box::pin(async move { Ok(response) })
    }
}

fn config(protocol: Protocol, base_url: &str) -> ProviderConfig {
    ProviderConfig {
        name: "p".to_owned(),
        protocol,
        base_url: base_url.to_owned(),
        key: Some(ApiKey::new(KEY).unwrap()),
        headers: vec![("X-Extra".to_owned(), "yes".to_owned())],
    }
}

/// Runs on a clock that jumps to the next thing that is waited for.
fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

fn ask(
    config: ProviderConfig,
    transport: &Arc<Pretender>,
    delivery: Delivery,
) -> Vec<Result<ModelEvent, ModelError>> {
    let model = model(config, "m-1", Arc::clone(transport) as Arc<dyn Transport>, AnswerLimits::default());
    let request = ModelRequest { delivery, ..ModelRequest::of_text("hi", 9) };
    run(async {
        match model.start(&request).await {
            Ok(stream) => stream.collect().await,
            Err(error) => vec![Err(error)],
        }
    })
}

const WHOLE: &str =
    r#"{"id":"m","type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#;
const STREAM: &str =
    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[test]
fn each_protocol_has_its_path_and_its_way_to_carry_the_key() {
    let cases = [
        (Protocol::AnthropicMessages, "/v1/messages", "x-api-key", KEY.to_owned()),
        (Protocol::OpenaiResponses, "/v1/responses", "authorization", format!("Bearer {KEY}")),
        (Protocol::OpenaiChat, "/v1/chat/completions", "authorization", format!("Bearer {KEY}")),
    ];
    for (protocol, path, header, value) in cases {
        for base in ["https://h", "https://h/", "https://h/v1", "https://h/v1/"] {
            let transport = Arc::new(Pretender::new(500, &[], ""));
            ask(config(protocol, base), &transport, Delivery::Streamed);
            let sent = transport.sent();
            assert_eq!((sent.method, sent.url), (Method::Post, format!("https://h{path}")));
            assert_eq!(sent.secret_headers, [(header.to_owned(), value.clone())]);
            let has = |name: &str| sent.headers.iter().any(|(known, _)| known == name);
            assert!(has("x-extra") && has("content-type"));
            assert_eq!(has("anthropic-version"), protocol == Protocol::AnthropicMessages);
        }
    }
}

#[test]
fn a_key_is_nowhere_but_in_a_secret_header() {
    let transport = Arc::new(Pretender::new(500, &[], ""));
    ask(config(Protocol::OpenaiChat, "https://h"), &transport, Delivery::Streamed);
    let sent = transport.sent();
    assert!(!format!("{sent:?}").contains(KEY));
    assert!(!format!("{:?}", config(Protocol::OpenaiChat, "https://h")).contains(KEY));
    assert!(!String::from_utf8_lossy(&sent.body).contains(KEY));
}

#[test]
fn a_key_that_comes_back_is_scrubbed_wherever_it_comes() {
    let refusal = format!(r#"{{"error":{{"message":"bad key {KEY}","code":"{KEY}"}}}}"#);
    let in_stream = format!("data: {refusal}\n\n");
    let cases = [(401, "application/json", refusal), (200, "text/event-stream", in_stream)];
    for (status, kind, body) in cases {
        let transport =
            Arc::new(Pretender::new(status, &[("content-type", kind), ("x-request-id", KEY)], &body));
        let items = ask(config(Protocol::OpenaiChat, "https://h"), &transport, Delivery::Streamed);
        let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
        assert!(error.message.contains("[secret]"));
    }
}

#[test]
fn a_refusal_has_kind_status_request_id_and_waiting_time() {
    let headers = [("retry-after", "7"), ("request-id", "req_1")];
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
    let transport = Arc::new(Pretender::new(429, &headers, body));
    let items = ask(config(Protocol::AnthropicMessages, "https://h"), &transport, Delivery::Streamed);
    let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!(error.kind, ModelErrorKind::RateLimit);
    assert_eq!((error.status, error.request_id.as_deref()), (Some(429), Some("req_1")));
    assert_eq!(error.retry_after.unwrap().as_secs(), 7);
}

#[test]
fn an_answer_is_read_as_it_comes_not_as_it_was_asked_for() {
    let whole = Arc::new(Pretender::new(200, &[("content-type", "application/json; charset=utf-8")], WHOLE));
    let items = ask(config(Protocol::AnthropicMessages, "https://h"), &whole, Delivery::Streamed);
    assert_eq!(items.len(), 3, "{items:?}");
    let streamed = Arc::new(Pretender::new(200, &[("content-type", "text/event-stream")], STREAM));
    let items = ask(config(Protocol::OpenaiChat, "https://h"), &streamed, Delivery::Whole);
    assert_eq!(items.len(), 4, "{items:?}");
    let page = Arc::new(Pretender::new(200, &[("content-type", "text/html")], "<html>"));
    let items = ask(config(Protocol::OpenaiChat, "https://h"), &page, Delivery::Streamed);
    let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!(error.code.as_deref(), Some("unexpected_content_type"));
}

#[test]
fn a_request_id_is_in_the_first_event() {
    let transport = Arc::new(Pretender::new(200, &[("x-request-id", "req_9")], STREAM));
    let items = ask(config(Protocol::OpenaiChat, "https://h"), &transport, Delivery::Streamed);
    let Some(Ok(ModelEvent::Started { request_id, .. })) = items.first() else { panic!("{items:?}") };
    assert_eq!(request_id.as_deref(), Some("req_9"));
}

#[test]
fn an_accident_of_the_transport_ends_the_answer_and_nothing_follows() {
    let mut transport =
        Pretender::new(200, &[], "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n");
    transport.pieces.push(Err(ModelError::new(ModelErrorKind::Timeout, "idle_timeout", "silence")));
    transport.pieces.push(Ok(Bytes::from_static(STREAM.as_bytes())));
    let items = ask(config(Protocol::OpenaiChat, "https://h"), &Arc::new(transport), Delivery::Streamed);
    assert_eq!(items.len(), 3, "{items:?}");
    let Some(Err(error)) = items.last() else { panic!("{items:?}") };
    assert_eq!(error, &ModelError::new(ModelErrorKind::Timeout, "idle_timeout", "silence").mid_answer());
}

#[test]
fn an_answer_longer_than_allowed_is_refused() {
    let transport = Arc::new(Pretender::new(200, &[], STREAM));
    let limits = AnswerLimits { max_answer_bytes: 20, ..AnswerLimits::default() };
    let model = model(config(Protocol::OpenaiChat, "https://h"), "m", transport, limits);
    let request = ModelRequest::of_text("hi", 9);
    let items: Vec<_> = run(async { model.start(&request).await.unwrap().collect().await });
    let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!(error.code.as_deref(), Some("too_large"));
}

#[test]
fn a_reference_names_provider_and_model() {
    let transport = Arc::new(Pretender::new(200, &[], ""));
    let model = model(config(Protocol::OpenaiChat, "https://h"), "m-1", transport, AnswerLimits::default());
    assert_eq!(model.reference(), "p:m-1");
}

#[test]
fn only_openai_gets_the_new_name_of_the_length() {
    for (base, field) in [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://x.openai.azure.com", "max_completion_tokens"),
        ("https://notopenai.com", "max_tokens"),
        ("https://openai.com.evil.example", "max_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
    ] {
        let transport = Arc::new(Pretender::new(500, &[], ""));
        ask(config(Protocol::OpenaiChat, base), &transport, Delivery::Streamed);
        let body: serde_json::Value = serde_json::from_slice(&transport.sent().body).unwrap();
        assert!(body.get(field).is_some(), "{base}");
    }
}

#[test]
fn a_probe_asks_for_the_models_with_get() {
    let transport = Pretender::new(200, &[("request-id", "r")], r#"{"data":[{"id":"b"},{"id":"a"}]}"#);
    let config = config(Protocol::AnthropicMessages, "https://h/v1");
    let found = run(check(&config, &transport)).unwrap();
    assert_eq!(
        (found.models, found.request_id.as_deref()),
        (vec!["a".to_owned(), "b".to_owned()], Some("r"))
    );
    let sent = transport.sent();
    assert_eq!((sent.method, sent.url.as_str(), sent.body.len()), (Method::Get, "https://h/v1/models", 0));
    assert_eq!(sent.secret_headers.len(), 1);
}

#[test]
fn a_probe_that_fails_says_why() {
    let config = config(Protocol::OpenaiChat, "https://h");
    let refused =
        run(check(&config, &Pretender::new(401, &[], &format!(r#"{{"error":"no {KEY}"}}"#)))).unwrap_err();
    assert_eq!((refused.kind, refused.message.as_str()), (ModelErrorKind::Authentication, "no [secret]"));
    let odd = run(check(&config, &Pretender::new(200, &[], "<html>"))).unwrap_err();
    assert_eq!(odd.code.as_deref(), Some("list_malformed"));
    for (kind, body) in [("text/html; charset=utf-8", "<html>"), ("text/plain", "hello")] {
        let page = run(check(&config, &Pretender::new(200, &[("content-type", kind)], body))).unwrap_err();
        assert_eq!(page.code.as_deref(), Some("unexpected_content_type"));
        let (kind, _) = kind.split_once(';').unwrap_or((kind, ""));
        assert!(page.message.contains(kind), "{}", page.message);
    }
    let mut broken = Pretender::new(200, &[], "{\"data\":[");
    broken.pieces.push(Err(ModelError::new(ModelErrorKind::Timeout, "idle_timeout", "silence")));
    let broken = run(check(&config, &broken)).unwrap_err();
    assert_eq!((broken.kind, broken.code.as_deref()), (ModelErrorKind::Timeout, Some("idle_timeout")));
    let encoded = Pretender::new(200, &[("content-encoding", "br")], "x");
    let encoded = run(check(&config, &encoded)).unwrap_err();
    assert_eq!(encoded.code.as_deref(), Some("unexpected_content_encoding"));
}

#[test]
fn a_probe_shows_no_key_and_no_odd_names() {
    let body = format!("\u{feff}{{\"data\":[{{\"id\":\"m-{KEY}\"}},{{\"id\":\"a\u{202e}\\nb\"}}]}}");
    let found = run(check(
        &config(Protocol::OpenaiChat, "https://h"),
        &Pretender::new(200, &[("x-request-id", KEY)], &body),
    ));
    let found = found.unwrap();
    assert_eq!(found.models, ["a b", "m-[secret]"]);
    assert_eq!(found.request_id.as_deref(), Some("[secret]"));
}

/// Sends a head at once and then the same piece for ever, one a second.
#[derive(Debug)]
struct Trickle {
    status: u16,
    kind: &'static str,
    first: String,
    piece: &'static str,
    patience: Option<Duration>,
}

impl Transport for Trickle {
    fn send<'a>(&'a self, _request: &'a WireRequest) -> TransportFuture<'a> {
        let first = stream::iter([Ok(Bytes::from(self.first.clone()))]);
        let rest = stream::unfold(self.piece, |piece| async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok(Bytes::from_static(piece.as_bytes())), piece))
        });
        let headers = vec![("content-type".to_owned(), self.kind.to_owned())];
        let response = WireResponse { status: self.status, headers, body: Box::pin(first.chain(rest)) };
        Box::pin(async move { Ok(response) })
    }

    fn first_event_timeout(&self) -> Option<Duration> {
        self.patience
    }
}

/// The items, and how many seconds they took on the clock of the run.
fn trickled(protocol: Protocol, transport: Trickle) -> (Vec<Result<ModelEvent, ModelError>>, u64) {
    let model = model(config(protocol, "https://h"), "m", Arc::new(transport), AnswerLimits::default());
    run(async {
        let begun = tokio::time::Instant::now();
        let items = match model.start(&ModelRequest::of_text("hi", 9)).await {
            Ok(stream) => stream.collect().await,
            Err(error) => vec![Err(error)],
        };
        (items, begun.elapsed().as_secs())
    })
}

#[test]
fn a_refusal_that_has_no_end_is_judged_by_what_came_of_it() {
    let first = r#"{"error":{"message":"no","type":"authentication_error"}}"#.to_owned();
    for (first, said) in [(first, "no"), (String::new(), "the provider answered with status 401")] {
        let kind = "application/json";
        let trickle = Trickle { status: 401, kind, first, piece: " ", patience: None };
        let (items, seconds) = trickled(Protocol::OpenaiChat, trickle);
        let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!((error.kind, error.message.as_str()), (ModelErrorKind::Authentication, said));
        assert_eq!(seconds, 5);
    }
}

#[test]
fn a_probe_does_not_wait_for_ever() {
    let trickle =
        Trickle { status: 200, kind: "application/json", first: String::new(), piece: " ", patience: None };
    let error = run(check(&config(Protocol::OpenaiChat, "https://h"), &trickle)).unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (ModelErrorKind::Timeout, Some("check_timeout")));
}

#[test]
fn signs_of_life_are_no_answer() {
    let patience = Some(Duration::from_secs(30));
    let kind = "text/event-stream";
    let ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n";
    for (protocol, piece) in [
        (Protocol::OpenaiChat, ": ping\n\n"),
        (Protocol::AnthropicMessages, ping),
        (Protocol::OpenaiResponses, "\n"),
    ] {
        let trickle = Trickle { status: 200, kind, first: String::new(), piece, patience };
        let (items, seconds) = trickled(protocol, trickle);
        let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(
            (error.kind, error.code.as_deref()),
            (ModelErrorKind::Timeout, Some("first_event_timeout"))
        );
        assert_eq!((error.stage, seconds), (FailureStage::BeforeAnswer, 30));
    }
}

#[test]
fn an_answer_that_has_begun_may_take_its_time() {
    let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
    let patience = Some(Duration::from_secs(3));
    let trickle = Trickle { status: 200, kind: "text/event-stream", first: String::new(), piece, patience };
    let model =
        model(config(Protocol::OpenaiChat, "https://h"), "m", Arc::new(trickle), AnswerLimits::default());
    let items: Vec<_> = run(async {
        let stream = model.start(&ModelRequest::of_text("hi", 9)).await.unwrap();
        stream.take(20).collect().await
    });
    assert!(items.iter().all(Result::is_ok), "{items:?}");
}

/// Ends once, with an error or without, and breaks the test when it is asked again.
#[derive(Debug)]
struct EndsOnce(Option<ModelError>);

impl Transport for EndsOnce {
    fn send<'a>(&'a self, _request: &'a WireRequest) -> TransportFuture<'a> {
        let mut last = Some(self.0.clone());
        let body = stream::poll_fn(move |_| {
            let last = last.take().expect("a body that has ended is not asked again");
            std::task::Poll::Ready(last.map(Err))
        });
        Box::pin(async move { Ok(WireResponse { status: 200, headers: Vec::new(), body: Box::pin(body) }) })
    }
}

#[test]
fn a_body_that_has_ended_is_not_asked_again() {
    let broken = ModelError::new(ModelErrorKind::Unavailable, "stream_cut", "it broke");
    for last in [None, Some(broken)] {
        for delivery in [Delivery::Streamed, Delivery::Whole] {
            let transport = Arc::new(EndsOnce(last.clone()));
            let model =
                model(config(Protocol::OpenaiChat, "https://h"), "m", transport, AnswerLimits::default());
            let request = ModelRequest { delivery, ..ModelRequest::of_text("hi", 9) };
            let items: Vec<_> = run(async { model.start(&request).await.unwrap().collect().await });
            assert_eq!(items.len(), 1, "{items:?}");
        }
    }
}

#[test]
fn an_answer_in_another_encoding_is_named() {
    for (encoding, is_taken) in [("gzip", false), ("br", false), ("identity", true), ("", true)] {
        let headers = [("content-type", "text/event-stream"), ("content-encoding", encoding)];
        let transport = Arc::new(Pretender::new(200, &headers, STREAM));
        let items = ask(config(Protocol::OpenaiChat, "https://h"), &transport, Delivery::Streamed);
        match items.as_slice() {
            [Err(error)] if !is_taken => {
                assert_eq!(error.code.as_deref(), Some("unexpected_content_encoding"));
                assert!(error.message.contains(encoding), "{}", error.message);
            }
            items => assert!(is_taken && items.len() == 4, "{encoding}: {items:?}"),
        }
    }
}

#[test]
fn a_mark_before_a_whole_answer_is_no_part_of_it() {
    let body = format!("\u{feff}{WHOLE}");
    let transport = Arc::new(Pretender::new(200, &[("content-type", "application/json")], &body));
    let items = ask(config(Protocol::AnthropicMessages, "https://h"), &transport, Delivery::Whole);
    assert!(matches!(items.last(), Some(Ok(ModelEvent::Finished { .. }))), "{items:?}");
}

#[test]
fn a_key_is_out_of_an_error_of_a_stream_wherever_the_cut_falls() {
    for offset in 470..=510 {
        let said = format!("{}{KEY}", "x".repeat(offset));
        let body = format!("data: {{\"error\":{{\"message\":\"{said}\",\"code\":\"{said}\"}}}}\n\n");
        let headers = [("content-type", "text/event-stream"), ("x-request-id", said.as_str())];
        let transport = Arc::new(Pretender::new(200, &headers, &body));
        let items = ask(config(Protocol::OpenaiChat, "https://h"), &transport, Delivery::Streamed);
        let [Err(error)] = items.as_slice() else { panic!("{items:?}") };
        assert!(!format!("{error:?}").contains("sk-"), "{offset}: {error:?}");
        assert!(error.message.chars().count() <= 501);
    }
}

#[test]
fn a_protocol_is_read_by_its_name() {
    for protocol in Protocol::ALL {
        assert_eq!(protocol.as_str().parse(), Ok(protocol));
    }
    assert!("openai".parse::<Protocol>().is_err());
}
