//! A room with an assistant, and what a client of its chat asks for.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::{Got, Server, TOKEN, state_of};

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

    pub(crate) fn serve(&self) -> Server {
        Server::new(&self.folder)
    }

    /// Runs the command as the person who serves.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let mut command = self.folder.command(&[arguments, &["--json"]].concat());
        let output = command.env("XDG_STATE_HOME", state_of(&self.folder)).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().unwrap_or_default();
        (output.status.code().unwrap(), serde_json::from_str(last).unwrap())
    }
}

impl Got {
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
    /// Sends a request and leaves the answer to whoever wants it.
    pub(crate) fn begin(&self, path: &str, body: &Value) -> TcpStream {
        let mut stream = self.connect();
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// A request of any method.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Got {
        let token = format!("Bearer {TOKEN}");
        let headers = [("Authorization", token.as_str()), ("Content-Type", "application/json")];
        self.send(method, path, &headers, &body.map(Value::to_string).unwrap_or_default())
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
