//! The configuration of a clone that makes git merge issue memory with this program.
//!
//! Which files are merged so is said in `.gitattributes`, which git carries; the command is configuration of each clone, which
//! git never carries. It must not change a setting of anybody else's.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::path::Path;
use std::process::{Command, Stdio};

/// The name of the driver in `.gitattributes`.
pub const MERGE_DRIVER: &str = "premath";
const DRIVER_KEY: &str = "merge.premath.driver";
const NAME_KEY: &str = "merge.premath.name";
/// What git says of merges with it.
const DESCRIPTION: &str = "premath: issue memory, by id, revision and field";

/// How the clone around a folder merges a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeDriverState {
    /// There is no repository of git, or it says nothing of this file.
    Unasked,
    /// With a program that is there.
    Installed,
    /// The file asks for the driver, and the clone does not name a program for it that exists.
    Missing,
}

/// How the clone around a folder merges a file that is named from there.
#[must_use]
pub fn merge_driver_state(folder: &Path, file: &str) -> MergeDriverState {
    let asked = printed(folder, &["check-attr", "-z", "merge", "--", file]);
    if asked.is_none_or(|answer| answer.split('\0').nth(2) != Some(MERGE_DRIVER)) {
        return MergeDriverState::Unasked;
    }
    let driver = printed(folder, &["config", "--get", DRIVER_KEY]).unwrap_or_default();
    let program = driver.strip_prefix('\'').and_then(|rest| rest.split_once("' merge-driver "));
    match program {
        Some((program, _)) if Path::new(&program.replace("'\\''", "'")).is_file() => {
            MergeDriverState::Installed
        }
        // A person who wrote the command knows where the program is.
        None if driver.contains(" merge-driver ") => MergeDriverState::Installed,
        Some(_) | None => MergeDriverState::Missing,
    }
}

/// Makes the clone around a folder merge with a program. Where the program cannot merge, or is gone, git merges as text.
///
/// # Errors
/// What git says, in one line.
pub fn install_merge_driver(folder: &Path, program: &Path) -> Result<(), String> {
    let program = program.to_str().ok_or("the path of this program is no text")?;
    let quoted = program.replace('\'', "'\\''");
    let fallback = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B";
    let driver = format!("'{quoted}' merge-driver %O %A %B %L %P || {fallback}");
    for (key, value) in [(NAME_KEY, DESCRIPTION), (DRIVER_KEY, driver.as_str())] {
        let output = command(folder, &["config", key, value]).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(said.lines().last().unwrap_or("it gave no reason").trim().to_owned());
        }
    }
    Ok(())
}

/// What git prints; none when it refuses.
fn printed(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = command(folder, arguments).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())?;
    Some(text.trim_end_matches('\n').to_owned())
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut command = Command::new("git");
    command.arg("-C").arg(here).args(arguments).stdin(Stdio::null());
    // Within a hook of another repository these would lead there.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}
