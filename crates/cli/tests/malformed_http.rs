//! R11 over HTTP: whatever is sent to `premath model-server`, the answer is an error of the protocol, and the server
//! lives on.

#![expect(clippy::disallowed_methods, reason = "other people's cases are read from files")]
#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails the test")]

mod served;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use premath_testkit::{files_in, test_data};
use serde_json::{Value, json};
use served::Served;
use tempfile::TempDir;

const PATHS: [&str; 3] = ["/v1/messages", "/v1/responses", "/v1/chat/completions"];
const SCENARIO: &str = "name = \"hello\"\n[[turn]]\ntext = \"Hello.\"\n";

struct Server {
    _folder: TempDir,
    served: Served,
}

impl Server {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let scenario = folder.path().join("hello.toml");
        fs::write(&scenario, SCENARIO).unwrap();
        Self { served: Served::new(&scenario), _folder: folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.served.url.strip_prefix("http://").unwrap()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    /// Sends bytes, ends there, and reads until the server closes; what it said.
    fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        self.exchange(bytes, true)
    }

    fn exchange(&self, bytes: &[u8], is_end: bool) -> Vec<u8> {
        let mut stream = self.connect();
        // A server that refuses early closes before everything was sent, which is an answer too.
        drop(stream.write_all(bytes));
        if is_end {
            drop(stream.shutdown(std::net::Shutdown::Write));
        }
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}"),
        }
        answer
    }

    fn post(&mut self, path: &str, body: &[u8]) -> (u16, Option<Value>) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let answer = self.exchange(&[head.as_bytes(), body].concat(), false);
        // What it says of each request is read, or its pipe would fill up.
        self.served.next();
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let body = text.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok());
        (status, body)
    }

    fn is_alive(&mut self) -> bool {
        let question =
            json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "Hi" }] });
        self.post("/v1/messages", question.to_string().as_bytes()).0 == 200
    }
}

/// An error of the protocol: a status of the client's fault, and a message where each protocol has it.
fn is_typed(answer: &(u16, Option<Value>)) -> bool {
    let message = answer.1.as_ref().and_then(|body| body.pointer("/error/message")).and_then(Value::as_str);
    (400..500).contains(&answer.0) && message.is_some_and(|message| !message.is_empty())
}

#[test]
fn every_file_of_the_json_test_suite_is_an_error_of_the_protocol() {
    let Some(folder) = test_data("json-test-suite") else { return };
    let cases = files_in(&folder.join("test_parsing"));
    assert!(cases.len() >= 318, "only {} files", cases.len());
    let mut server = Server::new();
    let mut wrong = Vec::new();
    for (number, (name, bytes)) in cases.iter().enumerate() {
        let path = PATHS[number % PATHS.len()];
        let answer = server.post(path, bytes);
        if !is_typed(&answer) {
            wrong.push(format!("{name} on {path}: {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
    assert!(server.is_alive());
}

#[test]
fn text_that_is_not_utf8_is_an_error_of_the_protocol() {
    let Some(folder) = test_data("utf8tests") else { return };
    let cases = fs::read(folder.join("utf8tests.bin")).unwrap();
    let mut server = Server::new();
    let mut wrong = Vec::new();
    for line in cases.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(3, |byte| *byte == b':').skip(1);
        let (verdict, bytes) = (parts.next().unwrap(), parts.next().unwrap());
        let (before, after) =
            ("{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"", "\"}]}");
        let answer = server.post(PATHS[0], &[before.as_bytes(), bytes, after.as_bytes()].concat());
        let is_text = verdict == b"valid" && !bytes.iter().any(|byte| *byte < 0x20);
        if (is_text && answer.0 != 200) || (!is_text && !is_typed(&answer)) {
            wrong.push(format!("{}: {answer:?}", String::from_utf8_lossy(line)));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn bytes_that_are_no_request_and_requests_that_stop_halfway_leave_the_server_alive() {
    let mut server = Server::new();
    let long = "a".repeat(1 << 20);
    let garbage: Vec<Vec<u8>> = vec![
        b"\0\xff\xfe not http\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"POST /v1/messages HTTP/9.9\r\n\r\n".to_vec(),
        b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n{}".to_vec(),
        b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999999\r\n\r\n{".to_vec(),
        b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        format!("GET /{long} HTTP/1.1\r\nhost: x\r\n\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\nhost: x\r\nx: {long}\r\n\r\n").into_bytes(),
        b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{\"model\"".to_vec(),
    ];
    for bytes in &garbage {
        let answer = server.raw(bytes);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{}", String::from_utf8_lossy(&answer));
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
    }
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let mut deep_server = Server::new();
    assert!(is_typed(&deep_server.post(PATHS[1], deep.as_bytes())));
    assert!(deep_server.is_alive());
    assert!(server.is_alive());
}
