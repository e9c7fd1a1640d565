//! One git command: its settings, its environment, its end.
//!
//! It never prompts: it has no terminal and no standard input of a person, so that what needs a passphrase fails. It must not
//! read the configuration of a hook, a pager or an external diff.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use premath_tusk::version_control::{VersionControlError, VersionControlFault};

use super::Outcome;

/// What every command says, whatever the repository's configuration does.
const SETTINGS: [&str; 23] = [
    "--no-pager",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "advice.detachedHead=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "diff.external=",
    "-c",
    "merge.renames=true",
    "-c",
    "submodule.recurse=false",
    // Several workers move references of one repository: they wait for each other instead of failing.
    "-c",
    "core.filesRefLockTimeout=10000",
    "-c",
    "core.packedRefsTimeout=10000",
];
/// Paths are names, not patterns, unless a command says otherwise.
const LITERAL: &str = "--literal-pathspecs";

/// Variables that would lead another git command here, or ask somebody.
const UNSET: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "GPG_TTY",
];

/// A command to be run in a folder.
#[derive(Debug)]
pub(super) struct Git<'g> {
    folder: &'g Path,
    doing: &'static str,
    index: Option<&'g Path>,
    input: Option<&'g [u8]>,
    takes_patterns: bool,
}

impl<'g> Git<'g> {
    /// A command in a folder, and what it is for.
    pub(super) const fn at(folder: &'g Path, doing: &'static str) -> Self {
        Self { folder, doing, index: None, input: None, takes_patterns: false }
    }

    /// The same over another index.
    pub(super) const fn with_index(self, index: &'g Path) -> Self {
        Self { index: Some(index), ..self }
    }

    /// The same with something on standard input.
    pub(super) const fn with_input(self, input: &'g [u8]) -> Self {
        Self { input: Some(input), ..self }
    }

    /// The same where paths are patterns.
    pub(super) const fn with_patterns(self) -> Self {
        Self { takes_patterns: true, ..self }
    }

    /// Runs it; what it printed.
    pub(super) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome<String> {
        let output = self.output(arguments)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(self.failed(reason(&output)))
    }

    /// Runs it; whether it said yes. An end with 1 is no.
    pub(super) fn ask<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome<Option<String>> {
        let output = self.output(arguments)?;
        match output.status.code() {
            Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned())),
            Some(1) => Ok(None),
            _ => Err(self.failed(reason(&output))),
        }
    }

    /// Runs it and waits for its end, whatever that is.
    pub(super) fn output<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome<Output> {
        let mut command = Command::new("git");
        let here = if self.folder.as_os_str().is_empty() { Path::new(".") } else { self.folder };
        let literal = (!self.takes_patterns).then_some(LITERAL);
        command.arg("-C").arg(here).args(SETTINGS).args(literal).args(arguments);
        for name in UNSET {
            command.env_remove(name);
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "true")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GIT_EDITOR", "true")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("LC_ALL", "C.UTF-8")
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(index) = self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        without_terminal(&mut command);
        self.wait(command).map_err(|error| self.failed(error.to_string()))
    }

    fn wait(&self, mut command: Command) -> std::io::Result<Output> {
        let mut child = command.spawn()?;
        if let (Some(input), Some(mut pipe)) = (self.input, child.stdin.take()) {
            // A command that ends before it has read everything says why by its end.
            match pipe.write_all(input) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        child.wait_with_output()
    }

    pub(super) fn failed(&self, detail: String) -> VersionControlError {
        self.fault(VersionControlFault::Other, detail)
    }

    pub(super) const fn fault(&self, fault: VersionControlFault, detail: String) -> VersionControlError {
        VersionControlError { fault, doing: self.doing, detail }
    }
}

/// Takes the terminal away: what would ask for a passphrase there fails.
fn without_terminal(command: &mut Command) {
    #[cfg(target_os = "linux")]
    crate::raw::in_own_session(command);
    #[cfg(not(target_os = "linux"))]
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Why a command failed, in one line.
pub(super) fn reason(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let named = lines.iter().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    let line = named.or_else(|| lines.last()).copied().unwrap_or("git gave no reason");
    line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned()
}
