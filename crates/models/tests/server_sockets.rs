//! The model server over real sockets: our adapters and plain HTTP against it, with connections that really break.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

mod scenario_support;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use premath_models::provider::Protocol;
use premath_models::scripted::{Script, Served};
use premath_models::server::{ServerError, serve};
use premath_models::transport::{HttpSettings, HttpTransport, Timeouts};
use premath_tusk::model::{Delivery, ModelErrorKind};
use scenario_support::{KEY, answer, ask, over, plain, request, run, script, scripted};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server and what it was asked.
struct Running {
    address: SocketAddr,
    served: Arc<Mutex<Vec<Served>>>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServerError>>,
}

impl Running {
    async fn new(script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let served: Arc<Mutex<Vec<Served>>> = Arc::default();
        let log = Arc::clone(&served);
        let observer = Arc::new(move |event: &Served| log.lock().unwrap().push(event.clone()));
        let shutdown = async move { stopped.await.unwrap_or_default() };
        let task = tokio::spawn(serve(listener, script, shutdown, observer));
        Self { address, served, stop, task }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn served(&self) -> Vec<Served> {
        self.served.lock().unwrap().clone()
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

fn transport(idle: Duration) -> Arc<HttpTransport> {
    let timeouts = Timeouts { idle, ..Timeouts::default() };
    Arc::new(HttpTransport::new(HttpSettings { timeouts, ..HttpSettings::default() }).unwrap())
}

/// Sends bytes as they are, and reads until the other side closes.
async fn raw(address: SocketAddr, bytes: &str) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A server that breaks a connection may do it with a reset: what came before it still counts.
    let ended = socket.read_to_end(&mut answer).await;
    assert!(ended.is_ok() || !answer.is_empty());
    String::from_utf8(answer).unwrap()
}

async fn post(address: SocketAddr, path: &str, body: &str) -> String {
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    raw(address, &(head + body)).await
}

const TALK: &str = r#"
name = "talk"
[[turn]]
reasoning = "why not"
text = "Grüße an alle"
chunk = 2
[[turn.call]]
tool = "fs_read"
arguments = { path = "a" }
"#;

#[test]
fn adapters_hear_over_the_network_what_they_hear_in_memory() {
    run(async {
        let server = Running::new(script(TALK)).await;
        for protocol in Protocol::ALL {
            for (base, delivery) in
                [(server.url(), Delivery::Streamed), (format!("{}/v1", server.url()), Delivery::Whole)]
            {
                let model = over(protocol, &base, transport(Duration::from_secs(60)));
                let far = answer(&model, &request("hi", delivery)).await;
                let near = answer(&scripted(protocol, &script(TALK)), &request("hi", delivery)).await;
                assert_eq!(plain(far), plain(near), "{protocol}");
            }
        }
        let served = server.served();
        assert_eq!(served.len(), 6);
        assert!(served.iter().all(|event| event.status == 200 && event.turn == Some(1)));
        assert_eq!(served.iter().filter(|event| event.streamed).count(), 3);
        assert!(!format!("{served:?}").contains(KEY));
        server.stop().await;
    });
}

#[test]
fn a_rate_limit_says_when_to_come_back() {
    let file =
        "name = \"a\"\n[[turn]]\ntext = \"x\"\nfault = [{ kind = \"rate_limit\", retry_after = 11 }]\n";
    run(async {
        for protocol in Protocol::ALL {
            let server = Running::new(script(file)).await;
            let model = over(protocol, &server.url(), transport(Duration::from_secs(60)));
            let (_, error) = ask(&model, &request("hi", Delivery::Streamed)).await;
            let error = error.unwrap();
            assert_eq!((error.kind, error.status), (ModelErrorKind::RateLimit, Some(429)));
            assert_eq!(error.retry_after, Some(Duration::from_secs(11)));
            assert_eq!(answer(&model, &request("hi", Delivery::Streamed)).await.text(), "x");
            assert_eq!(server.served().first().unwrap().fault, Some("rate_limit"));
            server.stop().await;
        }
    });
}

#[test]
fn a_cut_ends_the_connection_after_as_many_bytes_as_it_says() {
    run(async {
        let body =
            r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
        let whole = Running::new(script("name = \"a\"\n[[turn]]\ntext = \"some words\"\n")).await;
        let all = unchunked(&post(whole.address, "/v1/messages", body).await);
        assert!(all.1, "a whole answer has an end");
        for at_byte in [0, 1, 100, 500] {
            let file = format!(
                "name = \"a\"\n[[turn]]\ntext = \"some words\"\nfault = [{{ kind = \"cut\", at_byte = {at_byte} }}]\n"
            );
            let server = Running::new(script(&file)).await;
            let (text, ended) = unchunked(&post(server.address, "/v1/messages", body).await);
            assert!(!ended, "no last chunk");
            assert_eq!(Some(text.as_str()), all.0.get(..at_byte));
            server.stop().await;
        }
        whole.stop().await;
    });
}

/// The body of a chunked answer, and whether its last chunk came.
fn unchunked(answer: &str) -> (String, bool) {
    let (_, mut rest) = answer.split_once("\r\n\r\n").unwrap_or_default();
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let (chunk, after) = after.split_at(size);
        body.push_str(chunk);
        rest = after.trim_start_matches("\r\n");
    }
    (body, false)
}

#[test]
fn a_cut_answer_is_a_typed_error_to_an_adapter() {
    let file = "name = \"a\"\n[[turn]]\ntext = \"some words\"\nfault = [{ kind = \"cut\", at_byte = 700, always = true }]\n";
    run(async {
        let server = Running::new(script(file)).await;
        for protocol in Protocol::ALL {
            let model = over(protocol, &server.url(), transport(Duration::from_secs(60)));
            let (_, error) = ask(&model, &request("hi", Delivery::Streamed)).await;
            let error = error.unwrap();
            assert_eq!(
                (error.kind, error.code.as_deref()),
                (ModelErrorKind::Unavailable, Some("stream_cut"))
            );
        }
        server.stop().await;
    });
}

const STALL: &str = "name = \"a\"\n[[turn]]\ntext = \"some words\"\nchunk = 2\nfault = [{ kind = \"stall\", after_byte = 1500, always = true }]\n";

#[test]
fn a_stall_shows_what_was_sent_and_ends_by_the_patience_of_the_client() {
    run(async {
        let server = Running::new(script(STALL)).await;
        for protocol in Protocol::ALL {
            let model = over(protocol, &server.url(), transport(Duration::from_millis(100)));
            let (events, error) = ask(&model, &request("hi", Delivery::Streamed)).await;
            assert!(!events.is_empty());
            let error = error.unwrap();
            assert_eq!((error.kind, error.code.as_deref()), (ModelErrorKind::Timeout, Some("idle_timeout")));
        }
        server.stop().await;
    });
}

#[test]
fn a_server_that_is_asked_to_end_does_not_wait_for_a_stalled_client() {
    run(async {
        let server = Running::new(script(STALL)).await;
        let model = over(Protocol::AnthropicMessages, &server.url(), transport(Duration::from_secs(60)));
        let asked = request("hi", Delivery::Streamed);
        let mut stream = model.start(&asked).await.unwrap();
        stream.next().await.unwrap().unwrap();
        server.stop().await;
        let last = stream.collect::<Vec<_>>().await.pop().unwrap();
        assert_eq!(last.unwrap_err().kind, ModelErrorKind::Unavailable);
    });
}

#[test]
fn what_is_not_there_is_said_in_the_form_of_whoever_asks() {
    run(async {
        let server = Running::new(script(TALK)).await;
        let lost = post(server.address, "/v2/messages", "{}").await;
        assert!(lost.starts_with("HTTP/1.1 404") && lost.contains("\"code\":\"unknown_url\""), "{lost}");
        let head =
            "GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\nanthropic-version: 2023-06-01\r\n\r\n";
        let lost = raw(server.address, head).await;
        assert!(lost.starts_with("HTTP/1.1 404") && lost.contains("\"type\":\"not_found_error\""), "{lost}");
        let wrong =
            raw(server.address, "GET /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
        assert!(wrong.starts_with("HTTP/1.1 405") && wrong.contains("\"type\":\"error\""), "{wrong}");
        let bad = post(server.address, "/chat/completions", "no json").await;
        assert!(bad.starts_with("HTTP/1.1 400") && bad.contains("\"param\":null"), "{bad}");
        let list =
            raw(server.address, "GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
        assert!(list.starts_with("HTTP/1.1 200") && list.contains("\"id\":\"scripted\""), "{list}");
        let long = "POST /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 33554433\r\n\r\n{";
        let long = raw(server.address, long).await;
        assert!(long.starts_with("HTTP/1.1 413") && long.contains("request_too_large"), "{long}");
        let statuses: Vec<u16> = server.served().iter().map(|event| event.status).collect();
        assert_eq!(statuses, [404, 404, 405, 400, 200, 413]);
        server.stop().await;
    });
}

#[test]
fn a_body_of_unknown_length_is_read_no_further_than_the_limit() {
    run(async {
        let server = Running::new(script(TALK)).await;
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        let head = "POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        let (mut reader, mut writer) = socket.into_split();
        let chunk = format!("100000\r\n{}\r\n", " ".repeat(0x10_0000));
        let sending = tokio::spawn(async move {
            // The server stops reading at some point; an error here is what is wanted.
            while writer.write_all(chunk.as_bytes()).await.is_ok() {}
        });
        let mut start = [0; 12];
        reader.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 413");
        drop(reader);
        sending.abort();
        server.stop().await;
    });
}

#[test]
fn nobody_is_served_where_others_could_reach_it() {
    run(async {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let refused = serve(listener, script(TALK), std::future::pending(), Arc::new(|_| {})).await;
        assert!(matches!(refused, Err(ServerError::NotLoopback { .. })));
    });
}

#[test]
fn many_clients_at_once_get_their_own_turns() {
    let file = "name = \"a\"\n[[turn]]\ntext = \"one\"\nexpect = { messages = 1 }\n";
    run(async {
        let server = Running::new(script(file)).await;
        let asked: Vec<_> = (0..24)
            .map(|number| {
                let protocol = Protocol::ALL.into_iter().cycle().nth(number).unwrap();
                let model = over(protocol, &server.url(), transport(Duration::from_secs(60)));
                tokio::spawn(async move { answer(&model, &request("hi", Delivery::Streamed)).await.text() })
            })
            .collect();
        for said in asked {
            assert_eq!(said.await.unwrap(), "one");
        }
        server.stop().await;
    });
}
