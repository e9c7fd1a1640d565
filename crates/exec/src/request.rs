//! What is asked of a command before anything is started, and the environment it is given.

use std::path::Path;

use premath_tusk::sandbox::{SandboxCommand, SandboxError};

/// Where programs are looked up.
const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Set for every command, so that a premath inside the sandbox never takes itself for an operator's.
const STEP_TOKEN: &str = "PREMATH_STEP_TOKEN";

/// The file of a root of our own that lists stand-ins, for git to ignore.
pub(crate) const IGNORED: &str = "/.ignored";

/// Refuses what no program could be given.
pub(crate) fn validate(command: &SandboxCommand) -> Result<(), SandboxError> {
    let invalid = |detail: String| Err(SandboxError::Invalid { detail });
    if command.program.is_empty() {
        return invalid("no program".to_owned());
    }
    if command.program.contains('\0') || command.arguments.iter().any(|argument| argument.contains('\0')) {
        return invalid("a NUL in the program or an argument".to_owned());
    }
    for (name, value) in &command.environment {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return invalid(format!("`{}` cannot be a variable", name.escape_debug()));
        }
        if name == STEP_TOKEN {
            return invalid(format!("`{STEP_TOKEN}` is set by the sandbox"));
        }
    }
    if command.limits.wall.is_zero() {
        return invalid("a wall time of nothing".to_owned());
    }
    Ok(())
}

/// The whole environment of a command, sorted by name: ours, overridden by its own.
pub(crate) fn environment(command: &SandboxCommand, temporary: &Path, step: &str) -> Vec<(String, String)> {
    let temporary = temporary.display();
    // A git inside trusts the workdir, which may be another user's, and does not see stand-ins.
    let git = [("safe.directory", "*"), ("core.excludesFile", IGNORED)];
    let mut all = std::collections::BTreeMap::from([
        ("HOME".to_owned(), temporary.to_string()),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
        ("PATH".to_owned(), SEARCH_PATH.to_owned()),
        (STEP_TOKEN.to_owned(), step.to_owned()),
        ("TERM".to_owned(), "dumb".to_owned()),
        ("TMPDIR".to_owned(), temporary.to_string()),
    ]);
    all.insert("GIT_CONFIG_COUNT".to_owned(), git.len().to_string());
    for (number, (key, value)) in git.into_iter().enumerate() {
        all.insert(format!("GIT_CONFIG_KEY_{number}"), key.to_owned());
        all.insert(format!("GIT_CONFIG_VALUE_{number}"), value.to_owned());
    }
    all.extend(command.environment.iter().cloned());
    all.into_iter().collect()
}
