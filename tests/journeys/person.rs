//! A person at a terminal: a repository, a place of their own for configuration and state, and the program.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The command.
const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");

/// What a command gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A person with a repository.
#[derive(Debug)]
pub(crate) struct Person {
    repository: TempDir,
    home: TempDir,
}

impl Person {
    /// A person who has just run `premath init` in an empty git repository.
    pub(crate) fn new() -> Self {
        let person = Self { repository: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
        let made =
            Command::new("git").args(["init", "--quiet"]).current_dir(person.repository.path()).status();
        assert!(made.unwrap().success());
        person.done(&["init"]);
        person
    }

    /// A file of the repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.repository.path().join(name)
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Reads a file of the repository.
    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs premath.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(PROGRAM)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("USER", "jo")
            .env("HOME", self.home.path())
            .env("XDG_STATE_HOME", self.home.path().join("state"))
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .current_dir(self.repository.path())
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs premath, which must succeed, and returns what it printed.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran.stdout
    }

    /// Runs premath with `--json` and returns its exit code and its one document.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let ran = self.run(&[arguments, &["--json"]].concat());
        let last = ran.stdout.lines().last().unwrap_or_default();
        let document = serde_json::from_str(last).map_err(|_| format!("{arguments:?}: {ran:?}")).unwrap();
        (ran.code.unwrap(), document)
    }
}
