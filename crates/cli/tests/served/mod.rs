//! `premath model-server` in a process of its own, ended with the test.

#![expect(clippy::disallowed_methods, reason = "the test starts the server and ends it")]
#![expect(clippy::expect_used, reason = "a server that does not answer fails the test")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A server that plays a scenario.
#[derive(Debug)]
pub(crate) struct Served {
    child: Child,
    lines: BufReader<ChildStdout>,
    /// `http://127.0.0.1:PORT`
    pub(crate) url: String,
}

impl Served {
    /// Starts one and waits until it says where it is.
    pub(crate) fn new(scenario: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_premath"))
            .args(["model-server", "--json", "--scenario"])
            .arg(scenario)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut served = Self { child, lines, url: String::new() };
        let first = served.next();
        served.url = first.get("url").and_then(Value::as_str).expect("it says where it is").to_owned();
        served
    }

    /// The next thing it says: one for each request.
    pub(crate) fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("it says one object a line")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
