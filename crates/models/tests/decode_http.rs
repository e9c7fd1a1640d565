//! The real transport on real sockets: time-outs, redirects, sizes, broken connections, and that leaving closes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot do its part fails")]

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use premath_models::provider::{AnswerLimits, Protocol, ProviderConfig, check, model};
use premath_models::secret::ApiKey;
use premath_models::transport::{HttpSettings, HttpTransport, PlainHttp, Timeouts, Transport};
use premath_tusk::model::{ModelError, ModelErrorKind, ModelEvent, ModelRequest};
use tokio::net::{TcpListener, TcpStream};

const KEY: &str = "sk-test-0123456789abcdef";
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
const LAST: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

type Items = Vec<Result<ModelEvent, ModelError>>;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn piece(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

async fn write(socket: &TcpStream, text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        socket.writable().await.unwrap();
        match socket.try_write(rest) {
            Ok(count) => rest = rest.get(count..).unwrap(),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// Reads until the request is whole: its head and, as every request here has one, its body.
async fn read_request(socket: &TcpStream) -> String {
    let mut text = String::new();
    loop {
        socket.readable().await.unwrap();
        let mut buffer = [0; 4096];
        match socket.try_read(&mut buffer) {
            Ok(0) => return text,
            Ok(count) => text.push_str(std::str::from_utf8(buffer.get(..count).unwrap()).unwrap()),
            Err(_) => continue,
        }
        let is_whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned)
            });
            body.len() >= length.map_or(0, |length| length.parse().unwrap())
        });
        if is_whole {
            return text;
        }
    }
}

/// Ends when the other side has closed.
async fn closed(socket: &TcpStream) {
    loop {
        socket.readable().await.unwrap();
        match socket.try_read(&mut [0; 64]) {
            Ok(0) => return,
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => return,
            Ok(_) | Err(_) => {}
        }
    }
}

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn config(address: SocketAddr) -> ProviderConfig {
    ProviderConfig {
        name: "p".to_owned(),
        protocol: Protocol::OpenaiChat,
        base_url: format!("http://{address}"),
        key: Some(ApiKey::new(KEY).unwrap()),
        headers: Vec::new(),
    }
}

fn settings() -> HttpSettings {
    let generous = Duration::from_secs(60);
    HttpSettings {
        timeouts: Timeouts { connect: generous, first_byte: generous, idle: generous },
        max_response_bytes: 1024 * 1024,
        plain_http: PlainHttp::LoopbackOnly,
    }
}

async fn ask(address: SocketAddr, settings: HttpSettings) -> Items {
    let transport: Arc<dyn Transport> = Arc::new(HttpTransport::new(settings).unwrap());
    let model = model(config(address), "m", transport, AnswerLimits::default());
    match model.start(&ModelRequest::of_text("hello", 9)).await {
        Ok(stream) => stream.collect().await,
        Err(error) => vec![Err(error)],
    }
}

/// One exchange with a server that answers with this text and then does what `after` says.
fn exchange(answer: &str, settings: HttpSettings, after: After) -> Items {
    run(async {
        let (listener, address) = listen().await;
        let server = async {
            let (socket, _) = listener.accept().await.unwrap();
            read_request(&socket).await;
            write(&socket, answer).await;
            match after {
                After::Close => drop(socket),
                After::WaitForClient => closed(&socket).await,
            }
        };
        let (items, ()) = futures_util::future::join(ask(address, settings), server).await;
        items
    })
}

#[derive(Clone, Copy)]
enum After {
    Close,
    WaitForClient,
}

fn last_error(items: &Items) -> &ModelError {
    let Some(Err(error)) = items.last() else { panic!("no error: {items:?}") };
    assert!(!format!("{error:?}").contains(KEY));
    error
}

fn code(items: &Items) -> &str {
    last_error(items).code.as_deref().unwrap()
}

#[test]
fn a_stream_arrives_and_the_key_is_in_its_header() {
    let (items, request) = run(async {
        let (listener, address) = listen().await;
        let server = async {
            let (socket, _) = listener.accept().await.unwrap();
            let request = read_request(&socket).await;
            write(&socket, &format!("{HEAD}{}{}0\r\n\r\n", piece(HELLO), piece(LAST))).await;
            request
        };
        futures_util::future::join(ask(address, settings()), server).await
    });
    assert_eq!(items.len(), 4, "{items:?}");
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")), "{request}");
    assert!(request.contains("user-agent: premath/"), "{request}");
}

#[test]
fn silence_before_the_head_and_before_the_body_is_the_same_time_out() {
    let mut settings = settings();
    settings.timeouts.first_byte = Duration::from_millis(50);
    for answer in ["", HEAD] {
        let items = exchange(answer, settings, After::WaitForClient);
        assert_eq!(code(&items), "first_byte_timeout");
        assert_eq!(last_error(&items).kind, ModelErrorKind::Timeout);
    }
}

#[test]
fn a_connection_that_is_only_kept_alive_is_a_time_out() {
    let mut settings = settings();
    settings.timeouts.first_byte = Duration::from_millis(500);
    let items = run(async {
        let (listener, address) = listen().await;
        let server = async {
            let (socket, _) = listener.accept().await.unwrap();
            read_request(&socket).await;
            write(&socket, HEAD).await;
            loop {
                write(&socket, &piece(": still here\n\n")).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        match futures_util::future::select(Box::pin(ask(address, settings)), Box::pin(server)).await {
            futures_util::future::Either::Left((items, _)) => items,
            futures_util::future::Either::Right(((), _)) => panic!("the server has no end"),
        }
    });
    assert_eq!((code(&items), last_error(&items).kind), ("first_event_timeout", ModelErrorKind::Timeout));
    assert_eq!(last_error(&items).stage, premath_tusk::model::FailureStage::BeforeAnswer);
}

#[test]
fn silence_in_the_middle_is_another_time_out_and_closes_the_connection() {
    let mut settings = settings();
    settings.timeouts.idle = Duration::from_millis(50);
    let items = exchange(&format!("{HEAD}{}", piece(HELLO)), settings, After::WaitForClient);
    assert_eq!(code(&items), "idle_timeout");
    assert_eq!(last_error(&items).stage, premath_tusk::model::FailureStage::MidAnswer);
    assert_eq!(items.len(), 3, "{items:?}");
}

#[test]
fn a_connection_that_breaks_is_a_cut_stream() {
    let items = exchange(&format!("{HEAD}{}", piece(HELLO)), settings(), After::Close);
    assert_eq!((code(&items), last_error(&items).kind), ("stream_cut", ModelErrorKind::Unavailable));
    let items = exchange(&format!("{HEAD}{}0\r\n\r\n", piece(HELLO)), settings(), After::Close);
    assert_eq!(code(&items), "stream_cut", "a body that ends well is not an answer that does");
    let items = exchange("", settings(), After::Close);
    assert_eq!((code(&items), last_error(&items).kind), ("connection_lost", ModelErrorKind::Unavailable));
    let items = exchange("no HTTP at all\r\n\r\n", settings(), After::Close);
    assert_eq!(last_error(&items).kind, ModelErrorKind::Unavailable);
}

#[test]
fn nobody_there_is_no_connection() {
    let items = run(async {
        let (listener, address) = listen().await;
        drop(listener);
        ask(address, settings()).await
    });
    assert_eq!((code(&items), last_error(&items).kind), ("connect", ModelErrorKind::Unavailable));
    assert!(last_error(&items).message.contains("connection refused"), "{:?}", last_error(&items));
}

#[test]
fn a_redirect_is_refused_and_nobody_else_gets_the_key() {
    let items = run(async {
        let (listener, address) = listen().await;
        let (other, other_address) = listen().await;
        let server = async {
            let (socket, _) = listener.accept().await.unwrap();
            read_request(&socket).await;
            let head =
                format!("HTTP/1.1 307 T\r\nlocation: http://{other_address}/\r\ncontent-length: 0\r\n\r\n");
            write(&socket, &head).await;
            closed(&socket).await;
        };
        let asked = futures_util::future::join(ask(address, settings()), server);
        match futures_util::future::select(Box::pin(other.accept()), Box::pin(asked)).await {
            futures_util::future::Either::Left(_) => panic!("the redirect was followed"),
            futures_util::future::Either::Right(((items, ()), _)) => items,
        }
    });
    assert_eq!((code(&items), last_error(&items).status), ("redirect_refused", Some(307)));
}

#[test]
fn an_answer_beyond_the_limit_is_refused_while_it_comes() {
    let long = format!("data: {}\n\n", "x".repeat(3000));
    let settings = HttpSettings { max_response_bytes: 2000, ..settings() };
    let items = exchange(&format!("{HEAD}{}", piece(&long)), settings, After::WaitForClient);
    assert_eq!(code(&items), "too_large");
}

#[test]
fn leaving_closes_the_connection_before_and_after_the_first_event() {
    for answer in [String::new(), HEAD.to_owned(), format!("{HEAD}{}", piece(HELLO))] {
        run(async {
            let (listener, address) = listen().await;
            let (done, is_done) = tokio::sync::oneshot::channel();
            let has_content = answer.contains("hi");
            let client = async move {
                let transport = Arc::new(HttpTransport::new(settings()).unwrap());
                let model = model(config(address), "m", transport, AnswerLimits::default());
                let request = ModelRequest::of_text("hello", 9);
                let answering = async {
                    let mut stream = model.start(&request).await.unwrap();
                    if has_content {
                        assert!(matches!(stream.next().await, Some(Ok(ModelEvent::Started { .. }))));
                        return;
                    }
                    stream.next().await;
                };
                // Whichever comes first: the one event, or that the server has sent all it will.
                futures_util::future::select(Box::pin(answering), is_done).await;
            };
            let server = async {
                let (socket, _) = listener.accept().await.unwrap();
                read_request(&socket).await;
                write(&socket, &answer).await;
                if !has_content {
                    done.send(()).unwrap();
                }
                closed(&socket).await;
            };
            futures_util::future::join(client, server).await;
        });
    }
}

#[test]
fn every_kind_of_refusal_has_its_kind() {
    let cases = [
        (
            401,
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            "authentication",
        ),
        (429, r#"{"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}}"#, "rate_limit"),
        (404, r#"{"error":{"message":"m","code":"model_not_found"}}"#, "model"),
        (400, r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#, "context_length"),
        (504, "<html>", "timeout"),
        (502, "<html>", "unavailable"),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, "overloaded"),
        (304, "", "unknown"),
    ];
    for (status, body, kind) in cases {
        let answer =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nretry-after: 3\r\n\r\n{body}", body.len());
        let items = exchange(&answer, settings(), After::Close);
        let error = last_error(&items);
        assert_eq!((error.kind.as_str(), error.status), (kind, Some(status)), "{error:?}");
        if status >= 400 {
            assert_eq!(error.retry_after, Some(Duration::from_secs(3)));
        }
    }
}

#[test]
fn a_connection_is_used_again_when_the_answer_was_read_to_its_end() {
    let connections = run(async {
        let (listener, address) = listen().await;
        let answer = format!("{HEAD}{}{}0\r\n\r\n", piece(HELLO), piece(LAST));
        let server = async {
            let (socket, _) = listener.accept().await.unwrap();
            for _ in 0..2 {
                assert!(read_request(&socket).await.starts_with("POST"));
                write(&socket, &answer).await;
            }
        };
        let client = async {
            let transport: Arc<dyn Transport> = Arc::new(HttpTransport::new(settings()).unwrap());
            let model = model(config(address), "m", transport, AnswerLimits::default());
            for _ in 0..2 {
                let stream = model.start(&ModelRequest::of_text("hello", 9)).await.unwrap();
                let items: Items = stream.collect().await;
                assert_eq!(items.len(), 4, "{items:?}");
            }
        };
        futures_util::future::join(client, server).await;
        1
    });
    assert_eq!(connections, 1);
}

#[test]
fn a_probe_reaches_a_real_server() {
    let found = run(async {
        let (listener, address) = listen().await;
        let server = async {
            let (socket, _) = listener.accept().await.unwrap();
            let request = read_request(&socket).await;
            let body = r#"{"data":[{"id":"m"}]}"#;
            write(&socket, &format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())).await;
            request
        };
        let transport = HttpTransport::new(settings()).unwrap();
        let config = config(address);
        let (found, request) = futures_util::future::join(check(&config, &transport), server).await;
        assert!(request.starts_with("GET /v1/models HTTP/1.1\r\n"), "{request}");
        found.unwrap()
    });
    assert_eq!(found.models, ["m"]);
}
