//! The only module of xtask that starts processes, reads the clock, the environment and files.
//! Must not know what any verb is for.

#![expect(
    clippy::disallowed_methods,
    reason = "xtask is a build tool: it starts programs and reads their output, and does so here only"
)]

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

/// One program with its arguments and environment; runs in the repository root.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    program: OsString,
    arguments: Vec<OsString>,
    set: Vec<(String, String)>,
    unset: Vec<String>,
}

/// What a captured program left behind.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Invocation {
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), set: Vec::new(), unset: Vec::new() }
    }

    pub(crate) fn cargo(arguments: &[&str]) -> Self {
        Self::new("cargo").arguments(arguments)
    }

    #[must_use]
    pub(crate) fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    #[must_use]
    pub(crate) fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(OsString::from));
        self
    }

    #[must_use]
    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.set.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub(crate) fn without_variable(mut self, name: &str) -> Self {
        self.unset.push(name.to_owned());
        self
    }

    /// Runs with the terminal's streams; anything but success is an error that names the command.
    pub(crate) fn run(&self) -> Result<()> {
        let status = self.status()?;
        if !status.success() {
            bail!("`{self}` failed: {status}");
        }
        Ok(())
    }

    /// Runs with the terminal's streams and leaves the judgement of the status to the caller.
    pub(crate) fn status(&self) -> Result<ExitStatus> {
        self.command().stdin(Stdio::null()).status().with_context(|| format!("cannot start `{self}`"))
    }

    /// Runs with standard output captured and standard error on the terminal; failure is an error.
    pub(crate) fn stdout(&self) -> Result<String> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("cannot start `{self}`"))?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!("`{self}` failed: {}\n{stdout}", output.status);
        }
        Ok(stdout)
    }

    /// Runs with both streams captured. `Err` means only that the program could not be started.
    pub(crate) fn capture(&self) -> io::Result<Captured> {
        let output = self.command().stdin(Stdio::null()).output()?;
        Ok(Captured {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Wall time of one silent, successful run.
    pub(crate) fn wall_time(&self) -> Result<Duration> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let watch = Stopwatch::start();
        let status = command.status().with_context(|| format!("cannot start `{self}`"))?;
        let elapsed = watch.elapsed();
        if !status.success() {
            bail!("`{self}` failed: {status}");
        }
        Ok(elapsed)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // In CI nothing is built twice and nobody reads a backtrace by line: without incremental state and debug information
        // the target folder is half as large.
        if is_ci() && self.program == "cargo" {
            command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
        }
        command.args(&self.arguments).current_dir(root());
        for name in &self.unset {
            command.env_remove(name);
        }
        for (name, value) in &self.set {
            command.env(name, value);
        }
        command
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.set {
            write!(formatter, "{name}={} ", quoted(value))?;
        }
        write!(formatter, "{}", self.program.to_string_lossy())?;
        for argument in &self.arguments {
            write!(formatter, " {}", quoted(&argument.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// Shown commands can be pasted into a shell.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,@+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Time since its start.
#[derive(Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The repository root. Cargo names xtask's folder at run time; the build-time value serves a direct start.
pub(crate) fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map_or_else(|| xtask.clone(), Path::to_path_buf)
}

/// Whether this run is a CI run, by the variable every CI service sets.
pub(crate) fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

/// Whether packages of the system may be installed.
pub(crate) fn is_root() -> bool {
    Invocation::new("id").arguments(&["-u"]).capture().is_ok_and(|id| id.stdout.trim() == "0")
}

/// The folder cargo builds into, whatever configuration decided it.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let text = Invocation::cargo(&["metadata", "--no-deps", "--format-version", "1"]).stdout()?;
    let metadata: serde_json::Value = serde_json::from_str(&text).context("`cargo metadata` is not JSON")?;
    metadata
        .get("target_directory")
        .and_then(serde_json::Value::as_str)
        .map(PathBuf::from)
        .ok_or_else(|| anyhow!("`cargo metadata` names no target_directory"))
}

/// The text of a file of the repository; a file that does not exist is empty.
pub(crate) fn read_or_empty(path: &str) -> Result<String> {
    match fs::read_to_string(root().join(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        outcome => outcome.with_context(|| format!("cannot read `{path}`")),
    }
}

/// Whether a path of the repository exists.
pub(crate) fn exists(path: &str) -> bool {
    root().join(path).exists()
}

/// Creates a folder of the repository that git ignores.
pub(crate) fn create_folder(path: &str) -> Result<()> {
    fs::create_dir_all(root().join(path)).with_context(|| format!("cannot create `{path}`"))
}

/// Writes a file of the repository that is generated.
pub(crate) fn write_file(path: &str, text: &str) -> Result<()> {
    fs::write(root().join(path), text).with_context(|| format!("cannot write `{path}`"))
}

/// Every Rust file below a folder of the repository, by its path from the root, sorted. What others wrote is passed over.
pub(crate) fn rust_files(folder: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(root().join(&folder)).with_context(|| format!("cannot list `{folder}`"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list `{folder}`"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            let is_folder = entry.file_type().with_context(|| format!("cannot look at `{path}`"))?.is_dir();
            if is_folder && !matches!(name.as_str(), "node_modules" | "target") {
                folders.push(path);
            } else if !is_folder && name.ends_with(".rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
