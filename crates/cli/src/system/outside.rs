//! What models and the sandbox need of the system: the person's own configuration, keys, recordings, this program.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::variable;
use crate::error::CliError;

/// The person's own configuration file: `PREMATH_CONFIG`, or its usual place. None where the system names no home.
pub(crate) fn person_config() -> Option<PathBuf> {
    if let Some(named) = variable("PREMATH_CONFIG") {
        return Some(PathBuf::from(named));
    }
    let base = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".config")))?;
    Some(base.join("premath").join("config.toml"))
}

/// Whether a folder is there.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// A folder as an absolute path, or the current one.
pub(crate) fn absolute(path: Option<&Path>) -> Result<String, CliError> {
    let whole = std::path::absolute(path.unwrap_or_else(|| Path::new(".")));
    let whole = whole.map_err(|error| {
        CliError::environment(
            format!("the current folder is gone: {error}"),
            "change to a folder that exists",
        )
    })?;
    whole.into_os_string().into_string().map_err(|path| {
        let what = format!("`{}` is not UTF-8", path.to_string_lossy());
        CliError::usage(what, "name a folder whose path is UTF-8")
    })
}

/// This very program, to start it again.
pub(crate) fn own_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// What a command prints: a key. Its standard error and input are the person's, who may be asked for a password.
pub(crate) fn key_of(command: &[String]) -> Result<String, String> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::inherit())
        .stderr(Stdio::inherit())
        .stdout(Stdio::piped())
        .output()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{program}` failed ({})", output.status));
    }
    // The output is never part of a message: it may be half a key.
    String::from_utf8(output.stdout).map_err(|_| format!("`{program}` printed something that is not UTF-8"))
}

/// Replaces a file as a whole: readers see the old text or the new one.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = PathBuf::from(name);
    let mut file = std::fs::File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)
}

/// A file that need not be there.
pub(crate) fn read_bytes(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
