//! A client that speaks JSON-RPC over standard streams, byte by byte where it must.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::folder::Folder;

/// Longer than anything here takes on a machine that does something else as well.
const PATIENCE: Duration = Duration::from_secs(30);
const ID: &str = "20261115T071252Z-mcp";

/// The program, and what it says line by line.
#[derive(Debug)]
pub(crate) struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl Peer {
    /// A server that was told nothing yet.
    pub(crate) fn silent(folder: &Folder) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command.arg("mcp-serve").env_clear().env("XDG_STATE_HOME", folder.state()).current_dir(folder.path());
        Self::started(command)
    }

    fn started(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (tell, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, next: 1 }
    }

    /// A server that this client has introduced itself to.
    pub(crate) fn new(folder: &Folder) -> Self {
        Self::silent(folder).introduced()
    }

    /// The same, started in a way of its own.
    pub(crate) fn of(command: Command) -> Self {
        Self::started(command).introduced()
    }

    fn introduced(self) -> Self {
        let mut peer = self;
        let answer = peer.ask("initialize", &hello("A Test/Client"));
        assert_eq!(answer["result"]["serverInfo"]["name"], "premath", "{answer}");
        peer.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        peer
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.bytes(format!("{message}\n").as_bytes());
    }

    /// The next message of the server.
    pub(crate) fn heard(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says nothing");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and returns its id.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Asks, and waits for the answer to that.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let heard = self.heard();
            if heard["id"] == id {
                return heard;
            }
        }
    }

    /// Calls a tool: whether it is an error, and the envelope.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (bool, Value) {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert!(result.is_object(), "{tool}: {answer}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "{tool}");
        (result["isError"].as_bool().unwrap(), text)
    }

    /// Says nothing more, and returns what the server still says and what it ends with.
    pub(crate) fn end(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.stdin.take());
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        (rest, self.child.wait().unwrap().code())
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

/// What a client begins with.
pub(crate) fn hello(name: &str) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    })
}

/// A repository with an issue.
pub(crate) fn repository() -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.run(&["issue", "add", "First"]);
    folder
}

/// The same with an instruction for everything, which is named.
pub(crate) fn instructed() -> (Folder, &'static str) {
    let folder = repository();
    let policy = std::fs::read(folder.path().join("policies/instruction/default.json")).unwrap();
    let policy: Value = serde_json::from_slice(&policy).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "work over MCP",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["graph"],
        "capabilityClaims": ["capabilities.change_morphisms.all"],
    });
    folder.write(&format!("instructions/{ID}.json"), envelope.to_string());
    (folder, ID)
}
