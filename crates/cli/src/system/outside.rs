//! What models and the sandbox need of the system: the person's own configuration, keys, recordings, this program.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::variable;
use crate::error::CliError;

/// The person's own configuration.
#[derive(Debug)]
pub(crate) struct PersonConfig {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it says.
    pub(crate) text: String,
}

/// The person's own configuration: the file that `PREMATH_CONFIG` names, which then must be there, or the one in its usual
/// place, if there is one.
pub(crate) fn person_config() -> Result<Option<PersonConfig>, CliError> {
    if let Some(named) = variable("PREMATH_CONFIG") {
        let path = PathBuf::from(named);
        let text = super::read_optional(&path)?.ok_or_else(|| {
            let what = format!("PREMATH_CONFIG names `{}`, which is not there", path.display());
            CliError::environment(what, "name a file that exists, or unset PREMATH_CONFIG")
        })?;
        return Ok(Some(PersonConfig { path, text }));
    }
    let base = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".config")));
    let Some(path) = base.map(|base| base.join("premath").join("config.toml")) else { return Ok(None) };
    Ok(super::read_optional(&path)?.map(|text| PersonConfig { path, text }))
}

/// Where the person's own configuration is: the file that is named, or the folder of the usual place.
pub(crate) fn person_config_folder() -> Option<PathBuf> {
    if let Some(named) = variable("PREMATH_CONFIG") {
        return Some(PathBuf::from(named)).filter(|path| path.is_absolute());
    }
    let base = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".config")));
    base.map(|base| base.join("premath"))
}

/// Whether a folder is there.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// A new folder where temporary files belong. It stays: whoever made it may want to look.
pub(crate) fn fresh_folder(name: &str) -> std::io::Result<PathBuf> {
    let base = std::env::temp_dir();
    let mut number = std::process::id();
    loop {
        let folder = base.join(format!("{name}-{number}"));
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                number = number.wrapping_add(1)
            }
            made => return made.map(|()| folder),
        }
    }
}

/// Makes a folder and says whether nothing is in it but what may be.
pub(crate) fn empty_folder(folder: &Path, but_for: &[&str]) -> std::io::Result<bool> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !but_for.iter().any(|allowed| name == *allowed) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes a file that must not be there yet, and the folders above it.
pub(crate) fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Whether somebody sits at a terminal who can be asked.
pub(crate) fn is_attended() -> bool {
    std::io::stdin().is_terminal()
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

/// The folder that a path leads to, through whatever links.
pub(crate) fn real_folder(path: &Path) -> Result<PathBuf, CliError> {
    let real = std::fs::canonicalize(path).map_err(|error| {
        let what = format!("`{}` leads nowhere: {error}", path.display());
        CliError::environment(what, "name a folder that exists")
    })?;
    absolute(Some(&real)).map(PathBuf::from)
}

/// There is no such worktree.
pub(crate) fn worktree_missing(path: &Path, hint: &str) -> CliError {
    CliError::environment(format!("worktree_missing: there is no folder `{}`", path.display()), hint)
}

/// This very program, to start it again.
pub(crate) fn own_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// Opens an address with whatever the person's desktop opens addresses with; whether there is such a thing. It is handed
/// over, and not waited for.
pub(crate) fn open_in_browser(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let opened = Command::new(program)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = opened else { return false };
    // Its end is taken note of, so that nothing of it is left; without a thread the system does that at our end.
    drop(std::thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait()));
    true
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

/// Replaces a file as a whole: readers see the old text or the new one. What a link leads to is replaced, not the link.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = beside(&path, &format!("{}.tmp", std::process::id()));
    let written = private_file(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| std::fs::rename(&temporary, &path));
    if replaced.is_err() {
        // Nobody was promised anything; what is left of it must not stay.
        drop(std::fs::remove_file(&temporary));
    }
    replaced
}

/// A new file that only its owner reads.
pub(super) fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{suffix}"))
}

/// A file that nobody else writes while this is held. The lock is on a file beside it, whose existence means nothing.
#[derive(Debug)]
pub(crate) struct HeldFile(#[expect(dead_code, reason = "held until it is dropped")] std::fs::File);

/// Takes a file for writing; none when somebody else has it. Its folder must be writable.
pub(crate) fn hold_file(path: &Path) -> std::io::Result<Option<HeldFile>> {
    let lock = std::fs::OpenOptions::new().create(true).append(true).open(beside(path, "lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(HeldFile(lock))),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// A file that need not be there.
pub(crate) fn read_bytes(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
