//! A server that was started for a test, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;

pub(crate) const TOKEN: &str = "0123456789abcdef0123";

/// A repository with one issue and a place for the person's credential.
pub(crate) fn repository() -> Folder {
    let folder = Folder::new();
    for command in [["init"].as_slice(), &["issue", "add", "First"]] {
        let ran = folder.run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.stderr);
    }
    folder.write("hello.toml", "name = \"hello\"\n[[turn]]\ntext = \"Hello.\"\n");
    folder
}

/// A server that listens.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) token_file: Option<String>,
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
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        assert!(self.status < 300, "{self:?}");
        self.json()["data"].clone()
    }

    #[track_caller]
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

pub(crate) fn state_of(folder: &Folder) -> std::path::PathBuf {
    folder.path().with_extension("state")
}

impl Server {
    pub(crate) fn new(folder: &Folder) -> Self {
        Self::with(folder, Some(TOKEN))
    }

    pub(crate) fn with(folder: &Folder, token: Option<&str>) -> Self {
        Self::given(folder, token, &[])
    }

    pub(crate) fn given(folder: &Folder, token: Option<&str>, arguments: &[&str]) -> Self {
        Self::started(Self::command(folder, token, arguments))
    }

    /// Started in another directory than that of the repository, which is the home directory too.
    pub(crate) fn at_home(folder: &Folder, home: &std::path::Path, arguments: &[&str]) -> Self {
        let mut command = Self::command(folder, Some(TOKEN), arguments);
        command.env("HOME", home).current_dir(home);
        Self::started(command)
    }

    fn command(folder: &Folder, token: Option<&str>, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command
            .args(["serve", "--port", "0", "--json"])
            .args(arguments)
            .env_clear()
            .current_dir(folder.path());
        command.env("XDG_STATE_HOME", state_of(folder));
        command.envs(token.map(|token| ("PREMATH_CONSOLE_TOKEN", token)));
        command
    }

    fn started(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["url"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_owned();
        Self { child, address, token_file: said["tokenFile"].as_str().map(str::to_owned) }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
        stream
    }

    /// Sends bytes as they are and reads until the server closes.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Got {
        let mut stream = self.connect();
        // A server that has heard enough closes while the rest is still on its way.
        drop(stream.write_all(bytes));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = if head.to_lowercase().contains("transfer-encoding: chunked") {
            unchunked(body)
        } else {
            body.to_owned()
        };
        Got { status, head: head.to_owned(), body }
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str(&format!("\r\n{body}"));
        self.raw(request.as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Got {
        self.send("GET", path, &[("Authorization", &format!("Bearer {TOKEN}"))], "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Got {
        let token = format!("Bearer {TOKEN}");
        let headers = [("Authorization", token.as_str()), ("Content-Type", "application/json")];
        self.send("POST", path, &headers, &body.to_string())
    }

    /// Asks until an answer is as wanted.
    #[track_caller]
    pub(crate) fn eventually(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let patience = Instant::now() + Duration::from_secs(30);
        loop {
            let got = self.get(path);
            if got.status == 200 && wanted(&got.data()) {
                return got.data();
            }
            assert!(Instant::now() < patience, "{path} stays {got:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The same, without a moment between one question and the next.
    #[track_caller]
    pub(crate) fn at_once(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let patience = Instant::now() + Duration::from_secs(30);
        loop {
            let got = self.get(path).data();
            if wanted(&got) {
                return got;
            }
            assert!(Instant::now() < patience, "{path} stays {got}");
        }
    }

    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        let id = nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        nix::sys::signal::kill(id, signal).unwrap();
    }
}

/// The pieces of a body without their lengths; one that broke off as far as it came.
fn unchunked(body: &str) -> String {
    let (mut rest, mut whole) = (body.as_bytes(), Vec::new());
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let (length, behind) = (String::from_utf8_lossy(&rest[..end]).into_owned(), &rest[end + 2..]);
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 || behind.len() < length {
            break;
        }
        whole.extend_from_slice(&behind[..length]);
        rest = behind[length..].strip_prefix(b"\r\n").unwrap_or_default();
    }
    String::from_utf8_lossy(&whole).into_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
