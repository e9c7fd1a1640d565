//! The command under test, started in the root of the repository with an environment of its own.

#![expect(clippy::disallowed_methods, reason = "`PREMATH_PROVE` asks for the promised time itself")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What one run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Every answer is promised within a second; a loaded machine gets ten. Who takes longer is ended by a signal.
pub(crate) fn patience() -> Duration {
    let is_proof = env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    Duration::from_secs(if is_proof { 1 } else { 10 })
}

/// Runs the command with these arguments and this standard input.
pub(crate) fn premath(arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = assert_cmd::Command::new(PROGRAM);
    command.env_clear().current_dir(root()).args(arguments).timeout(patience());
    Ran::from(command.write_stdin(input).output().unwrap())
}
