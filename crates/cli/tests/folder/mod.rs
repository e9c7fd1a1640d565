//! A folder of its own for every test, and the command run in it with an environment of its own.

#![expect(clippy::disallowed_methods, reason = "a test prepares the files that the command finds")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// What one run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder that goes away with the test.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Drop for Folder {
    fn drop(&mut self) {
        // Most tests make none.
        drop(std::fs::remove_dir_all(self.state()));
    }
}

impl Folder {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Where the person who works in it keeps keys: beside it, where no tool of a run reads.
    pub(crate) fn state(&self) -> PathBuf {
        self.path().with_extension("state")
    }

    /// Puts a file into it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// A command about to be run in it.
    pub(crate) fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_premath"));
        command.env_clear().env("XDG_STATE_HOME", self.state()).current_dir(self.path());
        command.args(arguments).timeout(Duration::from_secs(20));
        command
    }

    /// Runs the command.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs the command with `--json` and returns what it ended with and its one document.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.stdout.lines().count(), 1, "{arguments:?}: {ran:?}");
        (ran.code.unwrap(), serde_json::from_str(&ran.stdout).unwrap())
    }
}
