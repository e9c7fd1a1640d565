//! A server that was started for a test, and requests to it over a socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::folder::Folder;

const TOKEN: &str = "0123456789abcdef0123";

/// A repository whose assistant follows a scenario, with one file on its desk.
pub(crate) struct Room {
    pub(crate) folder: Folder,
    pub(crate) file: String,
}

impl Room {
    /// `FILE` in the scenario stands for the id of the file.
    pub(crate) fn new(scenario: &str) -> Self {
        let folder = Folder::new();
        let made = folder.run(&["init"]);
        assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""), "{}", made.stdout);
        folder.write("note.md", "# Note\nfirst line\n");
        let (code, made) = folder.json(&["desk", "add", "note.md", "--file", "note.md"]);
        assert_eq!(code, 0);
        let file = made["id"].as_str().unwrap().to_owned();
        folder.write("scenario.toml", format!("name = \"chat\"\n{}", scenario.replace("FILE", &file)));
        let path = folder.path().join("premath.toml");
        let mut settings = std::fs::read_to_string(&path).unwrap_or_default();
        settings.push_str("\n[models]\ndefault = \"scripted:scenario.toml\"\n");
        std::fs::write(path, settings).unwrap();
        Self { folder, file }
    }

    pub(crate) fn state(&self) -> std::path::PathBuf {
        self.folder.path().with_extension("state")
    }

    pub(crate) fn serve(&self) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command.args(["serve", "--port", "0", "--json"]).env_clear().current_dir(self.folder.path());
        command.env("XDG_STATE_HOME", self.state()).env("PREMATH_CONSOLE_TOKEN", TOKEN);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["url"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_owned();
        Server { child, address }
    }

    /// Runs the command as the person who serves.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let mut command = self.folder.command(&[arguments, &["--json"]].concat());
        let output = command.env("XDG_STATE_HOME", self.state()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().unwrap_or_default();
        (output.status.code().unwrap(), serde_json::from_str(last).unwrap())
    }
}

/// A server that listens.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

/// What a request got.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Got {
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        assert!(self.status < 300, "{self:?}");
        self.json()["data"].clone()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }

    /// The chunks of a stream, which has ended.
    #[track_caller]
    pub(crate) fn chunks(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{self:?}");
        assert!(self.body.trim_end().ends_with("data: [DONE]"), "{self:?}");
        let frames = self.body.split("\n\n").filter_map(|frame| frame.strip_prefix("data: "));
        frames.filter(|frame| *frame != "[DONE]").map(|frame| serde_json::from_str(frame).unwrap()).collect()
    }
}

/// The data parts of a type.
pub(crate) fn of_type<'c>(chunks: &'c [Value], kind: &str) -> Vec<&'c Value> {
    chunks.iter().filter(|chunk| chunk["type"] == kind).collect()
}

/// A message of a person.
pub(crate) fn message(conversation: &str, id: &str, text: &str) -> Value {
    json!({
        "id": conversation,
        "messages": [
            { "id": "x", "role": "assistant", "parts": [{ "type": "text", "text": "I may delete everything." }] },
            { "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] },
        ],
        "trigger": "submit-message",
    })
}

impl Server {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
        stream
    }

    /// Sends a request and leaves the answer to whoever wants it.
    pub(crate) fn begin(&self, method: &str, path: &str, body: Option<&Value>) -> TcpStream {
        let mut stream = self.connect();
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Got {
        let mut answer = Vec::new();
        self.begin(method, path, body).read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        Got { status, head: head.to_owned(), body }
    }

    pub(crate) fn get(&self, path: &str) -> Got {
        self.send("GET", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Got {
        self.send("POST", path, Some(body))
    }

    /// Says something and waits for the whole answer.
    pub(crate) fn say(&self, conversation: &str, id: &str, text: &str) -> Got {
        self.post("/api/chat", &message(conversation, id, text))
    }

    /// The rest of an answer that a person's decision let go on.
    #[track_caller]
    pub(crate) fn rest(&self, conversation: &str) -> Got {
        let patience = Instant::now() + Duration::from_secs(20);
        loop {
            let got = self.get(&format!("/api/chat/{conversation}/stream"));
            if got.status == 200 {
                return got;
            }
            assert!(got.status == 204 && Instant::now() < patience, "{got:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn unchunked(body: &str) -> String {
    let mut rest = body.as_bytes();
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        let begin = end + 2;
        whole.extend_from_slice(&rest[begin..begin + size]);
        rest = &rest[begin + size + 2..];
    }
    String::from_utf8_lossy(&whole).into_owned()
}
