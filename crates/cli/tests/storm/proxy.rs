//! A server of models with a reader in front: every request is looked at on the wire before it is passed on.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use premath_models::scenario::Scenario;
use premath_models::scripted::Script;
use premath_models::server::serve;
use tokio::sync::oneshot;

use crate::bodies::unpaired;

/// What was seen on the wire.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) requests: u64,
    pub(crate) wrong: Vec<String>,
    /// The bodies, in order.
    pub(crate) bodies: Vec<String>,
}

/// A scenario behind a reader, until it is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) url: String,
    pub(crate) seen: Arc<Mutex<Seen>>,
    _end: oneshot::Sender<()>,
}

impl Proxy {
    /// Serves a scenario.
    pub(crate) fn new(scenario: &str) -> Self {
        let script = Arc::new(Script::new(Scenario::parse("storm.toml", scenario).unwrap()));
        let (end, ended) = oneshot::channel::<()>();
        let upstream = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        upstream.set_nonblocking(true).unwrap();
        let address = upstream.local_addr().unwrap();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(upstream).unwrap();
                let until = async {
                    drop(ended.await);
                };
                serve(listener, script, until, Arc::new(|_| {})).await.unwrap();
            });
        });
        let seen = Arc::new(Mutex::new(Seen::default()));
        let front = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}", front.local_addr().unwrap());
        let reader = Arc::clone(&seen);
        std::thread::spawn(move || {
            for client in front.incoming() {
                let (client, reader) = (client.unwrap(), Arc::clone(&reader));
                // A client that went away is what a storm is about.
                std::thread::spawn(move || drop(pass(client, address, &reader)));
            }
        });
        Self { url, seen, _end: end }
    }
}

/// One request and its answer; the connection ends with it.
fn pass(mut client: TcpStream, upstream: SocketAddr, seen: &Mutex<Seen>) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        head.extend(byte);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    client.read_exact(&mut body)?;
    let path = head.split(' ').nth(1).unwrap_or_default();
    {
        let mut seen = seen.lock().unwrap();
        seen.requests += 1;
        seen.wrong.extend(unpaired(path, &body));
        seen.bodies.push(String::from_utf8_lossy(&body).into_owned());
    }
    let kept =
        head.lines().filter(|line| !line.is_empty() && !line.to_ascii_lowercase().starts_with("connection:"));
    let head = kept.chain(["connection: close", "", ""]).collect::<Vec<_>>().join("\r\n");
    let mut server = TcpStream::connect(upstream)?;
    server.set_read_timeout(Some(Duration::from_secs(10)))?;
    server.write_all(head.as_bytes())?;
    server.write_all(&body)?;
    let mut piece = [0; 4096];
    loop {
        let length = server.read(&mut piece)?;
        if length == 0 {
            return client.shutdown(Shutdown::Both);
        }
        client.write_all(piece.get(..length).unwrap_or_default())?;
    }
}
