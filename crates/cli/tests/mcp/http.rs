//! Over HTTP: who is let in, and who is not.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::peer::{hello, repository};

pub(crate) const TOKEN: &str = "0123456789abcdef0123";

/// A server that listens.
#[derive(Debug)]
pub(crate) struct Listening {
    child: Child,
    pub(crate) address: String,
    pub(crate) token_file: Option<String>,
}

impl Listening {
    pub(crate) fn new(folder: &Folder, token: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command.args(["mcp-serve", "--http", "127.0.0.1:0", "--json"]).env_clear().current_dir(folder.path());
        command.env("XDG_STATE_HOME", folder.state());
        command.envs(token.map(|token| ("PREMATH_MCP_TOKEN", token)));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["url"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        Self { child, address, token_file: said["tokenFile"].as_str().map(str::to_owned) }
    }

    /// The status and the body that a request gets.
    pub(crate) fn ask(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        self.send(headers, body.as_bytes())
    }

    /// The same for a body that is no text.
    pub(crate) fn send(&self, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut request = "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
                           Accept: application/json, text/event-stream\r\n"
            .to_owned();
        if headers.iter().all(|(name, _)| *name != "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        // A server that has heard enough closes while the rest is still on its way.
        drop(stream.write_all(&[request.as_bytes(), body].concat()));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn begin() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("http")}).to_string()
}

#[test]
fn only_whoever_shows_the_token_is_answered() {
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let wrong =
        [format!("Bearer {TOKEN}x"), "Bearer ".to_owned(), TOKEN.to_owned(), format!("Basic {TOKEN}")];
    assert_eq!(server.ask(&[], &begin()).0, 401);
    for shown in &wrong {
        assert_eq!(server.ask(&[("Authorization", shown)], &begin()).0, 401, "{shown}");
    }
    let (status, answer) = server.ask(&[("Authorization", &bearer)], &begin());
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"premath\""), "{answer}");
}

#[test]
fn a_page_of_somebody_else_is_not_answered_even_with_the_token() {
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", ""] {
        assert_eq!(server.ask(&[token, ("Host", host)], &begin()).0 / 100, 4, "Host: {host}");
    }
    for origin in ["http://evil.example", "https://localhost", "null", "http://127.0.0.1:1"] {
        assert_eq!(server.ask(&[token, ("Origin", origin)], &begin()).0, 403, "Origin: {origin}");
    }
    let own = format!("http://{}", server.address);
    assert_eq!(server.ask(&[token, ("Origin", &own)], &begin()).0, 200);
}

#[test]
fn a_body_that_is_too_large_or_broken_is_refused_and_the_server_lives_on() {
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let token = [("Authorization", bearer.as_str())];
    let large = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\"}}", "x".repeat(5 * 1024 * 1024));
    assert_eq!(server.ask(&token, &large).0, 413);
    // By its head alone: nothing of the body is sent, and the answer does not wait for it.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: {bearer}\r\n\
         Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
        server.address
    );
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    for broken in ["", "nonsense", "[", "\u{0}", "{\"jsonrpc\":\"2.0\"}"] {
        let (status, answer) = server.ask(&token, broken);
        assert_eq!(status / 100, 4, "{broken}: {answer}");
    }
    assert_eq!(server.ask(&token, &begin()).0, 200);
}

#[test]
fn a_token_is_made_once_and_nobody_else_reads_it() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = repository();
    let first = Listening::new(&folder, None);
    let path = first.token_file.clone().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let token = std::fs::read_to_string(&path).unwrap();
    assert_eq!(token.trim().len(), 64);
    let bearer = format!("Bearer {}", token.trim());
    assert_eq!(first.ask(&[("Authorization", &bearer)], &begin()).0, 200);
    drop(first);
    let second = Listening::new(&folder, None);
    assert_eq!(std::fs::read_to_string(second.token_file.as_ref().unwrap()).unwrap(), token);
}

#[test]
fn an_address_that_others_reach_is_refused() {
    let ran = repository().run(&["mcp-serve", "--http", "0.0.0.0:0"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("no loopback address"), "{}", ran.stderr);
}
