//! A service on this machine that does everything wrong, by path.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::post;
use tokio::sync::oneshot;

const CLEAN: &str = r#"{"triggered":false}"#;

pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    served = axum::serve(listener, router()) => served.unwrap(),
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.thread.take().map(JoinHandle::join);
    }
}

fn router() -> Router {
    Router::new()
        .route("/clean", post(async || CLEAN))
        .route("/echo", post(echo))
        .route("/hang", post(async || std::future::pending::<&str>().await))
        .route("/error", post(async || (StatusCode::INTERNAL_SERVER_ERROR, CLEAN)))
        .route(
            "/moved",
            post(async || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/clean")], CLEAN)),
        )
        .route("/garbage", post(async || "<html>it works</html>"))
        .route("/huge", post(async || format!("{CLEAN}{}", " ".repeat(2 << 20))))
}

async fn echo(body: String) -> String {
    let document: serde_json::Value = serde_json::from_str(&body).unwrap();
    let label = format!("{}.{}", document["tool"].as_str().unwrap(), document["stage"].as_str().unwrap());
    format!(r#"{{"triggered":true,"findings":[{{"label":"{label}","start":0,"end":4}}]}}"#)
}

/// A service that promises an answer of a hundred bytes, sends a few, and then hangs or hangs up.
pub(crate) struct Stump {
    pub(crate) address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Stump {
    pub(crate) fn start(hangs_up: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            read_request(&stream);
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"trig").unwrap();
            stream.flush().unwrap();
            while !hangs_up && !over.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(5));
            }
        });
        Self { address, is_over, thread: Some(thread) }
    }
}

impl Drop for Stump {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.thread.take().map(JoinHandle::join);
    }
}

fn read_request(stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
}
