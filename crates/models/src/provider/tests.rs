//! A model over a transport that only pretends: what is sent, and what becomes of every kind of head and body.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use premath_tusk::model::{Delivery, ModelError, ModelErrorKind, ModelEvent, ModelRequest};

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

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
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
}

#[test]
fn a_protocol_is_read_by_its_name() {
    for protocol in Protocol::ALL {
        assert_eq!(protocol.as_str().parse(), Ok(protocol));
    }
    assert!("openai".parse::<Protocol>().is_err());
}
